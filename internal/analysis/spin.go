package analysis

import (
	"slices"

	"fencepost/internal/ir"
)

// Spin loops are natural loops that only read. Every register that an iteration assigns is
// dead where the iteration begins, so an iteration that returns to the head has no effect:
// waiting once for the right value does the same.

// SpinLoop is a loop without effects. Control enters it at Head only.
type SpinLoop struct {
	Head  ir.Loc
	Edges []ir.EdgeID // in order
}

// SpinLoops returns the spin loops of f in order of their heads. Iterations that return to
// the same head are judged one by one: a head with an idle and a busy iteration has a spin
// loop that consists of the idle one. Registers that a property observes are live
// everywhere, so an iteration that assigns one is not idle.
func (fs *Facts) SpinLoops(f ir.FuncID) []SpinLoop {
	fn := fs.p.Funcs[f]
	incoming := make([][]int32, len(fn.Locs))
	for i := range fn.Edges {
		if e := &fn.Edges[i]; !e.Op.Terminal() {
			incoming[e.To] = append(incoming[e.To], int32(i))
		}
	}
	dom := Dominators(fn)
	byHead := map[ir.Loc]map[ir.EdgeID]bool{}
	for i := range fn.Edges {
		e := &fn.Edges[i]
		if e.Op.Terminal() || !dom.Dominates(e.To, e.From) {
			continue
		}
		loop := naturalLoop(fn, incoming, dom, int32(i))
		if !fs.idle(f, e.To, loop) {
			continue
		}
		if byHead[e.To] == nil {
			byHead[e.To] = map[ir.EdgeID]bool{}
		}
		for _, j := range loop {
			byHead[e.To][fn.Edges[j].ID] = true
		}
	}
	var loops []SpinLoop
	for l := range fn.Locs {
		if set := byHead[ir.Loc(l)]; set != nil {
			loop := SpinLoop{Head: ir.Loc(l)}
			for id := range set {
				loop.Edges = append(loop.Edges, id)
			}
			slices.Sort(loop.Edges)
			loops = append(loops, loop)
		}
	}
	return loops
}

// naturalLoop returns the back edge and the edges on paths from its head to its tail that
// do not pass the head again.
func naturalLoop(f *ir.Func, incoming [][]int32, dom *DomTree, back int32) []int32 {
	head, tail := f.Edges[back].To, f.Edges[back].From
	edges := []int32{back}
	seen := map[ir.Loc]bool{head: true}
	var work []ir.Loc
	if !seen[tail] {
		seen[tail] = true
		work = append(work, tail)
	}
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range incoming[l] {
			from := f.Edges[i].From
			if !dom.Reachable(from) { // dead code that leads into the loop
				continue
			}
			edges = append(edges, i)
			if !seen[from] {
				seen[from] = true
				work = append(work, from)
			}
		}
	}
	return edges
}

// idle reports whether an iteration only reads and carries no register into the next one.
func (fs *Facts) idle(f ir.FuncID, head ir.Loc, iteration []int32) bool {
	for _, i := range iteration {
		op := &fs.p.Funcs[f].Edges[i].Op
		switch op.Kind {
		case ir.Load, ir.Await, ir.Assume, ir.Assign, ir.Nop:
		default:
			return false
		}
		dead := true
		op.Defs(func(r ir.Reg) { dead = dead && !fs.IsLive(f, head, r) })
		if !dead {
			return false
		}
	}
	return true
}
