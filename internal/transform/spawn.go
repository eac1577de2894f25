package transform

import (
	"fmt"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Spawns. In the flat form a spawn names threads that exist but have not started. A spawn
// that lies on no cycle runs at most once and gets one thread. A spawn on a cycle gets a
// pool of threads: as many as constants say that it can start (analysis.RoundsOf), else as
// many as the bound allows. An execution that needs more threads has hit a bound.

// resolveSpawns makes the threads for the spawns of a finished body.
func (b *body) resolveSpawns() error {
	cyclic := onCycle(b.f)
	for i := range b.f.Edges {
		e := &b.f.Edges[i]
		if e.Op.Kind != ir.Spawn {
			continue
		}
		callee := e.Op.Call.Func
		e.Op.Call.Func = ir.NoFunc
		n := 1
		if cyclic[i] {
			n = b.poolSize(i)
		}
		if b.chain[callee] > max(1, b.opt.Unroll) {
			e.Op = ir.NewOp(ir.Bound)
			e.Op.Report.Msg, e.Op.Val = "threads", ir.Int(int64(b.opt.Unroll))
			continue
		}
		for range n {
			t, err := b.spawned(callee, e)
			if err != nil {
				return err
			}
			e.Op.Call.Threads = append(e.Op.Call.Threads, t)
		}
	}
	return nil
}

// poolSize returns the number of threads for the spawn with index i, which is on a cycle. A
// number that constants alone decide is exact. A number that memory has a part in can be too
// small; the bound is the least then.
func (b *body) poolSize(i int) int {
	bound := max(1, b.opt.Unroll)
	r := analysis.RoundsOf(b.out, b.f, i, maxThreads-len(b.out.Threads))
	switch {
	case !r.Known:
		return bound
	case r.Guess:
		return max(r.Most, bound)
	}
	return max(r.Most, 1)
}

// spawned adds a thread for spawn e of function callee.
func (b *body) spawned(callee ir.FuncID, e *ir.Edge) (ir.ThreadID, error) {
	if len(b.out.Threads) >= maxThreads {
		return 0, fmt.Errorf("%s: the program can start more than %d threads", e.Pos.Pos, maxThreads)
	}
	fn := b.src.Funcs[callee]
	chain := map[ir.FuncID]int{callee: 1}
	for f, n := range b.chain {
		chain[f] += n
	}
	b.out.Threads = append(b.out.Threads, ir.Thread{Name: b.threadName(fn.Name), Func: callee, Pos: e.Pos})
	b.chains = append(b.chains, chain)
	return ir.ThreadID(len(b.out.Threads) - 1), nil
}

func (f *flattener) threadName(name string) string {
	for n, try := 2, name; ; n++ {
		if !f.names[try] {
			f.names[try] = true
			return try
		}
		try = fmt.Sprintf("%s#%d", name, n)
	}
}

// onCycle reports for every edge whether it lies on a cycle, which means that both its
// ends are in one strongly connected component.
func onCycle(f *ir.Func) []bool {
	comp := analysis.Components(f, nil)
	out := make([]bool, len(f.Edges))
	for i := range f.Edges {
		from, to := comp[f.Edges[i].From], comp[f.Edges[i].To]
		out[i] = from >= 0 && from == to
	}
	return out
}
