package dual

import (
	"context"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/lts"
)

// Pools. A spawn that lies on a cycle, or that several threads come to, names several threads and starts the first of
// them that was not started. So its threads are started in their order, and how many were started says which comes
// next. If only one thread starts threads of the pool, this number is part of its own state. If several do, it is one
// more cell, the counter of the pool: a spawn becomes one exclusive step for each thread of the pool, which finds the
// number of this thread in the counter and adds one to it.
//
// Where all threads of the pool were started, the spawn has met a bound. Whether a thread can stand there is one more
// question for the same search, asked after the others.

// pool is a list of threads that some spawns start in this order.
type pool struct {
	threads []ir.ThreadID
	by      ir.ThreadID // the thread that starts them, if not shared
	shared  bool
}

// exhausted is a thread in a state before a spawn, which meets a bound if all threads of the pool were started.
type exhausted struct {
	thread int
	state  int32
	edge   *ir.Edge
}

// pools has the pools of a program.
type pools struct {
	one    []pool // one thread starts all of each
	shared []pool
	bounds []exhausted
}

// eachSpawn calls give for the spawns of the program, each once for every thread that has it, with whether it lies on a
// cycle, until give returns false.
func eachSpawn(p *ir.Program, give func(t ir.ThreadID, e *ir.Edge, cyclic bool) bool) {
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		var comp []int32
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.Op.Kind != ir.Spawn {
				continue
			}
			if comp == nil {
				comp = analysis.Components(f, nil)
			}
			if !give(ir.ThreadID(t), e, comp[e.From] >= 0 && comp[e.From] == comp[e.To]) {
				return
			}
		}
	}
}

// overlappingPools returns a spawn that shares some of its threads with another one, but not all; nil if there is none.
func overlappingPools(p *ir.Program) *ir.Edge {
	var found *ir.Edge
	of := map[ir.ThreadID][]ir.ThreadID{}
	eachSpawn(p, func(_ ir.ThreadID, e *ir.Edge, _ bool) bool {
		for _, t := range e.Op.Call.Threads {
			if known, ok := of[t]; ok && !slices.Equal(known, e.Op.Call.Threads) {
				found = e
				return false
			}
			of[t] = e.Op.Call.Threads
		}
		return true
	})
	return found
}

// findPools returns the pools of a program. A thread that one spawn of one thread starts alone, off all cycles, needs
// none: the state of the other thread says whether it was started.
func findPools(p *ir.Program) pools {
	var all []pool
	needed := map[ir.ThreadID]bool{} // by the first thread of the pool
	eachSpawn(p, func(t ir.ThreadID, e *ir.Edge, cyclic bool) bool {
		first := e.Op.Call.Threads[0]
		if p.Threads[first].Unbounded {
			return true
		}
		i := slices.IndexFunc(all, func(o pool) bool { return o.threads[0] == first })
		if i < 0 {
			all = append(all, pool{threads: e.Op.Call.Threads, by: t, shared: p.Threads[t].Unbounded})
			needed[first] = cyclic || len(e.Op.Call.Threads) > 1 || p.Threads[t].Unbounded
			return true
		}
		all[i].shared = all[i].shared || all[i].by != t
		needed[first] = true
		return true
	})
	var out pools
	for _, o := range all {
		switch {
		case !needed[o.threads[0]]:
		case o.shared:
			out.shared = append(out.shared, o)
		default:
			out.one = append(out.one, o)
		}
	}
	return out
}

// indexOf returns the index of the pool of a spawn, -1 if it is not one of the list.
func indexOf(list []pool, e *ir.Edge) int {
	return slices.IndexFunc(list, func(o pool) bool { return o.threads[0] == e.Op.Call.Threads[0] })
}

// counter returns the index of a pool that one thread starts, as package lts asks for it.
func (ps *pools) counter(e *ir.Edge) int { return indexOf(ps.one, e) }

// takeTurn makes a spawn wait for its turn in the pool of its threads, if several threads start these.
func (m *model) takeTurn(mv *lts.Move, tr *trans) {
	if i := indexOf(m.pools.shared, mv.Edge); i >= 0 {
		turn := int32(mv.Turn)
		tr.accesses = append(tr.accesses, access{cell: m.poolCell(i), old: turn, new: turn + 1})
	}
}

// poolCell returns the counter of a pool.
func (m *model) poolCell(i int) int32 { return int32(len(m.sys.Cells) + i) }

// mayExceed notes that a thread may find all threads of a spawn started.
func (m *model) mayExceed(u user, mv *lts.Move) {
	if mv.Exceeds || mv.Spawns > 0 && mv.Turn == 0 && indexOf(m.pools.shared, mv.Edge) >= 0 {
		m.pools.bounds = append(m.pools.bounds, exhausted{u.thread, u.state, mv.Edge})
	}
}

// bounds notes the bounds that executions may meet: those of the threads, and spawns of which all threads were started.
func (m *model) bounds(ctx context.Context, out *engine.Outcome) error {
	out.Coverage.Bounds = m.sys.Bounds
	var targets []target
	for _, b := range m.pools.bounds {
		c := m.one(b.thread, b.state)
		if i := indexOf(m.pools.shared, b.edge); i >= 0 {
			c.mem[m.poolCell(i)] = int32(len(b.edge.Op.Call.Threads))
		}
		targets = append(targets, target{config: c})
	}
	s := m.search(ctx, targets)
	out.Stats.States += int64(len(s.elements))
	out.Stats.Transitions += s.tried
	if s.stop == nil && s.found != anything {
		out.Coverage.Bounds = append(slices.Clip(m.sys.Bounds), engine.BoundAt(m.pools.bounds[s.elements[s.found].target].edge))
	}
	return s.stop
}
