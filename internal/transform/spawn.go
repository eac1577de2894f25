package transform

import (
	"fmt"

	"fencepost/internal/ir"
)

// Spawns. In the flat form a spawn names threads that exist but have not
// started. One that lies on no cycle runs at most once and gets one thread; one
// on a cycle gets a pool, and running out of it is a bound that was hit.

// resolveSpawns gives threads to the spawns of a finished body.
func (b *body) resolveSpawns() error {
	cyclic := onCycle(b.f)
	for i := range b.f.Edges {
		e := &b.f.Edges[i]
		if e.Op.Kind != ir.Spawn {
			continue
		}
		callee := e.Op.Func
		e.Op.Func = ir.NoFunc
		n := 1
		if cyclic[i] {
			n = max(1, b.opt.Unroll)
		}
		if b.chain[callee] > max(1, b.opt.Unroll) {
			e.Op = ir.NewOp(ir.Bound)
			e.Op.Msg, e.Op.Val = "threads", ir.Int(int64(b.opt.Unroll))
			continue
		}
		for range n {
			t, err := b.spawned(callee, e)
			if err != nil {
				return err
			}
			e.Op.Threads = append(e.Op.Threads, t)
		}
	}
	return nil
}

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

// onCycle reports for every edge whether it lies on a cycle: its ends are in one
// strongly connected component (Tarjan, without recursion).
func onCycle(f *ir.Func) []bool {
	comp := components(f)
	out := make([]bool, len(f.Edges))
	for i := range f.Edges {
		out[i] = comp[f.Edges[i].From] == comp[f.Edges[i].To]
	}
	return out
}

func components(f *ir.Func) []int {
	n := len(f.Locs)
	next := make([][]ir.Loc, n)
	for i := range f.Edges {
		next[f.Edges[i].From] = append(next[f.Edges[i].From], f.Edges[i].To)
	}
	comp, low, num := make([]int, n), make([]int, n), make([]int, n)
	var stack, work []ir.Loc
	pos := make([]int, n)
	count, comps := 0, 0
	for root := range n {
		if num[root] != 0 {
			continue
		}
		work = append(work, ir.Loc(root))
		for len(work) > 0 {
			l := work[len(work)-1]
			if num[l] == 0 {
				count++
				num[l], low[l] = count, count
				stack = append(stack, l)
			}
			if pos[l] < len(next[l]) {
				m := next[l][pos[l]]
				pos[l]++
				switch {
				case num[m] == 0:
					work = append(work, m)
				case comp[m] == 0:
					low[l] = min(low[l], num[m])
				}
				continue
			}
			work = work[:len(work)-1]
			if len(work) > 0 {
				p := work[len(work)-1]
				low[p] = min(low[p], low[l])
			}
			if low[l] == num[l] {
				comps++
				for {
					m := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					comp[m] = comps
					if m == l {
						break
					}
				}
			}
		}
	}
	return comp
}
