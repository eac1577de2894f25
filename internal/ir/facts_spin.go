package ir

import "slices"

// Spin loops: natural loops that only look. Every register a round assigns is
// dead where the round begins, so a round that goes round again has no effect
// and waiting once for the right value does the same.

// SpinLoop is a loop without effects. Head is the only way in.
type SpinLoop struct {
	Head  Loc
	Edges []EdgeID // in order
}

// SpinLoops finds the spin loops of f, in order of their heads. Rounds that go
// back to one head are judged one by one: a head with an idle round and a busy
// one has a spin loop made of the idle round. Registers that a property observes
// are live everywhere, so rounds that assign them are not idle.
func (fs *Facts) SpinLoops(f FuncID) []SpinLoop {
	fn := fs.p.Funcs[f]
	incoming := make([][]int32, len(fn.Locs))
	for i := range fn.Edges {
		if e := &fn.Edges[i]; !e.Op.ends() {
			incoming[e.To] = append(incoming[e.To], int32(i))
		}
	}
	dom := dominators(fn, incoming)
	byHead := map[Loc]map[EdgeID]bool{}
	for i := range fn.Edges {
		e := &fn.Edges[i]
		if e.Op.ends() || !dom.dominates(e.To, e.From) {
			continue
		}
		round := naturalLoop(fn, incoming, dom, int32(i))
		if !fs.idle(f, e.To, round) {
			continue
		}
		if byHead[e.To] == nil {
			byHead[e.To] = map[EdgeID]bool{}
		}
		for _, j := range round {
			byHead[e.To][fn.Edges[j].ID] = true
		}
	}
	var loops []SpinLoop
	for l := range fn.Locs {
		if set := byHead[Loc(l)]; set != nil {
			loop := SpinLoop{Head: Loc(l)}
			for id := range set {
				loop.Edges = append(loop.Edges, id)
			}
			slices.Sort(loop.Edges)
			loops = append(loops, loop)
		}
	}
	return loops
}

// naturalLoop is the edges on ways from the head of a back edge to its source
// that do not pass the head again, and the back edge.
func naturalLoop(f *Func, incoming [][]int32, dom *domTree, back int32) []int32 {
	head, source := f.Edges[back].To, f.Edges[back].From
	edges := []int32{back}
	seen := map[Loc]bool{head: true}
	var work []Loc
	if !seen[source] {
		seen[source] = true
		work = append(work, source)
	}
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range incoming[l] {
			from := f.Edges[i].From
			if dom.idom[from] < 0 { // dead code that leads into the loop
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

// idle reports whether a round only looks and starts afresh each time.
func (fs *Facts) idle(f FuncID, head Loc, round []int32) bool {
	for _, i := range round {
		op := &fs.p.Funcs[f].Edges[i].Op
		switch op.Kind {
		case Load, Await, Assume, Assign, Nop:
		default:
			return false
		}
		fresh := true
		op.Defs(func(r Reg) { fresh = fresh && !fs.IsLive(f, head, r) })
		if !fresh {
			return false
		}
	}
	return true
}

// domTree is the immediate dominators, and the numbers of a postorder.
type domTree struct {
	idom  []Loc // -1 where unreachable
	order []int32
	entry Loc
}

// dominates reports whether every way from the entry to b passes a.
func (d *domTree) dominates(a, b Loc) bool {
	if d.idom[b] < 0 {
		return false
	}
	for b != a && b != d.entry {
		b = d.idom[b]
	}
	return a == b
}

// dominators computes immediate dominators by iteration in reverse postorder.
func dominators(f *Func, incoming [][]int32) *domTree {
	d := &domTree{idom: make([]Loc, len(f.Locs)), order: make([]int32, len(f.Locs)), entry: f.Entry}
	for i := range d.idom {
		d.idom[i] = -1
	}
	post := postorder(f)
	for i, l := range post {
		d.order[l] = int32(i)
	}
	if len(post) == 0 {
		return d
	}
	d.idom[f.Entry] = f.Entry
	for changed := true; changed; {
		changed = false
		for i := len(post) - 2; i >= 0; i-- { // the entry is last
			l := post[i]
			best := Loc(-1)
			for _, j := range incoming[l] {
				from := f.Edges[j].From
				if d.idom[from] < 0 {
					continue
				}
				if best < 0 {
					best = from
				} else {
					best = d.meet(best, from)
				}
			}
			if d.idom[l] != best {
				d.idom[l], changed = best, true
			}
		}
	}
	return d
}

// meet is the nearest common dominator.
func (d *domTree) meet(a, b Loc) Loc {
	for a != b {
		for d.order[a] < d.order[b] {
			a = d.idom[a]
		}
		for d.order[b] < d.order[a] {
			b = d.idom[b]
		}
	}
	return a
}

// postorder of the locations the entry reaches.
func postorder(f *Func) []Loc {
	if len(f.Locs) == 0 {
		return nil
	}
	type frame struct {
		loc  Loc
		next int
	}
	var order []Loc
	seen := make([]bool, len(f.Locs))
	seen[f.Entry] = true
	for stack := []frame{{loc: f.Entry}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		out := f.Out(top.loc)
		if top.next == len(out) {
			order = append(order, top.loc)
			stack = stack[:len(stack)-1]
			continue
		}
		e := &f.Edges[out[top.next]]
		top.next++
		if !e.Op.ends() && !seen[e.To] {
			seen[e.To] = true
			stack = append(stack, frame{loc: e.To})
		}
	}
	return order
}
