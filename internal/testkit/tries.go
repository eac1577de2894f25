package testkit

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/transform"
)

// Calls that may fail.

// tries returns the statements of thread t in profile Tries: a store and a load of another variable, between them a
// call that fails if another thread, or the thread itself, holds the mutex, and sometimes all of them while the thread
// holds it.
func (g *generator) tries(t int) []Stmt {
	access := func(k Kind, v int) Stmt {
		s := g.statement()
		s.Kind, s.Var, s.Val = k, v%2, int64(1+g.r.IntN(2))
		return s
	}
	call := g.statement()
	call.Kind = []Kind{TryLock, TryLock, Refused}[g.r.IntN(3)]
	holds := g.r.IntN(2) == 0
	call.Val2 = 0
	if holds {
		call.Val2 = 1 // locks what it holds
	}
	out := []Stmt{access(Store, t), call, access(Load, t+1)}
	if g.r.IntN(3) == 0 {
		out = append(out, access([]Kind{Store, Load}[g.r.IntN(2)], g.r.IntN(2)))
	}
	if holds {
		s := g.statement()
		s.Kind, s.Body = Locked, out
		return []Stmt{s}
	}
	return out
}

// tried builds a trylock, or an operation that an error-checking mutex may refuse.
func (g *build) tried(t int, here ir.Loc, s *Stmt, onMutex func(ir.OpKind) ir.Op) ir.Loc {
	if s.Kind == Refused {
		op := onMutex(ir.Unlock)
		if s.Val2 == 1 {
			op.Kind = ir.Lock
		}
		op.Mutex.Kind, op.Dst = ir.ErrorCheckMutex, g.regs[s.Reg]
		return g.edge(t, here, op)
	}
	op := onMutex(ir.TryLock)
	op.Dst = g.regs[s.Reg]
	mid := g.edge(t, here, op)
	got, busy := ir.NewOp(ir.Assume), ir.NewOp(ir.Assume)
	got.Val = ir.Binary(ir.Eq, ir.S64, ir.R(op.Dst), ir.Int(0))
	busy.Val = ir.Binary(ir.Ne, ir.S64, ir.R(op.Dst), ir.Int(0))
	end := g.edge(t, mid, busy)
	body := g.stmts(t, g.edge(t, mid, got), s.Body)
	g.link(t, body, onMutex(ir.Unlock), end)
	return end
}

// Unsplit returns the program as flat ir in which calls that may fail are single operations: whether they drain
// is decided by package replay and not by a pass.
func (p *Program) Unsplit() *ir.Program {
	flat, _ := p.Build()
	var err error
	for _, pass := range transform.Passes {
		if pass.Name == transform.Failures {
			continue
		}
		if flat, err = pass.Run(flat, transform.Options{Unroll: 2}); err != nil {
			panic(fmt.Sprintf("BUG: random program does not flatten: %v", err))
		}
	}
	if p.Shared {
		shareStarts(flat)
	}
	return flat
}
