package param

import (
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/lts"
)

// The phases of engine robust inside the net, so that one net serves all attacks [BDM13 §5, §6].
// One instance may become the attacker; a single token makes sure that there is only one. From then
// on its state is a place of a separate group, with the newest delayed value of every cell.
//
//   - open: all threads run under SC, and the attacker may delay.
//   - solo: the attacker has delayed a store, and no other thread could notice that yet; only the
//     attacker moves. Steps of other threads can come before.
//   - closed: the attacker has stopped after a load that read at least one cell from memory. Cells have
//     levels. A thread acts only if its action comes after the load in happens-before
//     [BDM13 Lemma 3]: the thread is involved, or it loads a cell that was stored, or it stores a cell
//     that was accessed. An action on a cell of the delayed store closes the cycle.
//
// No transition tests that a place is empty: levels are places of a group, and a plain thread may
// become involved but need not. So the question is coverability.
//
// Differs from the paper: one net instead of one per attack, and read-modify-writes and sections
// are single actions. The net does not keep the store and the load of an attack; engine robust
// finds them on the instance that the net gives.

// level of a cell in phase closed.
const (
	untouched = iota
	loaded
	stored
)

// Modes.
const (
	open = iota
	solo
	closed
)

func (b *builder) attackPlaces() {
	g := b.net.group()
	for i, name := range [...]string{"open", "solo", "closed"} {
		b.modes[i] = b.net.place("mode "+name, g)
	}
	b.net.Places[b.modes[open]].Init = 1
	b.attack, b.aims = b.net.group(), b.net.group()
	b.idle = b.net.place("attacker none", b.attack)
	b.net.Places[b.idle].Init = 1
	b.stopped = b.net.place("attacker stopped", b.attack)
	b.net.Places[b.net.place("target none", b.aims)].Init = 1
}

// newCell adds what the net knows about a cell.
func (b *builder) newCell(c int) {
	b.cells = append(b.cells, cellPlaces{group: b.net.group()})
	b.net.Places[b.valuePlace(c, b.sys.Cells[c].Values[0])].Init = 1
	if !b.robust {
		return
	}
	g := b.net.group()
	for l, word := range [...]string{"untouched", "loaded", "stored"} {
		b.cells[c].levels[l] = b.net.place("level "+b.sys.Cells[c].Name+" "+word, g)
	}
	b.net.Places[b.cells[c].levels[untouched]].Init = 1
}

// aim returns the place for the cells of the delayed store. If it is new, states with an access to
// one of these cells are expanded again.
func (b *builder) aim(target []int) int32 {
	name := "target"
	for _, c := range target {
		name += " " + b.sys.Cells[c].Name
	}
	_, known := b.net.places[name]
	place := b.net.place(name, b.aims)
	if !known {
		for _, c := range target {
			b.cells[c].aims = append(b.cells[c].aims, place)
			b.sys.Changed(c)
		}
	}
	return place
}

// beginAttack lets a thread that stores be the attacker from then on.
func (b *builder) beginAttack(here int32, l *local, m *lts.Move) {
	if m.Edge.Op.Kind != ir.Store || m.Partial || m.Leaves || len(m.Accesses) == 0 {
		return
	}
	start := *l
	start.role, start.Delays = attacker, true
	for _, t := range m.Accesses {
		start.target = append(start.target, t.Cell)
	}
	start.delay(m.Accesses)
	for _, n := range b.sys.Run(b.sys.At(&start.State, m.Edge.To, l.Regs), nil) {
		if n.Fails {
			continue
		}
		b.net.add("delay "+label(m.Edge), []int32{here, b.idle, b.modes[open]}, []int32{b.place(start.with(n.State)), b.modes[solo]})
	}
}

// expandAttacker adds the transitions of an attacker while it delays.
func (b *builder) expandAttacker(id int, l *local) {
	here := b.net.places[b.name(l)]
	f := b.p.ThreadFunc(ir.ThreadID(l.Thread))
	for _, i := range f.Out(l.Loc) {
		e := &f.Edges[i]
		switch op := &e.Op; {
		case op.Local() || op.Kind == ir.Fence:
			for _, n := range b.sys.Step(&l.State, e, nil) {
				if !n.Fails {
					b.attackerGoes(here, e, l.with(n.State), nil, nil)
				}
			}
		case op.Kind == ir.AtomicBegin && op.Loads:
			b.err = &engine.Unsupported{Pos: engine.Pos(e), What: "for any number of threads: an atomic load of 16 bytes is not supported"}
		case op.Kind == ir.Store:
			b.attackerStores(id, here, l, e)
		case op.Kind == ir.Load || op.Kind == ir.Await || op.Kind == ir.AbstractLoad:
			b.attackerLoads(id, here, l, e)
		}
	}
}

// attackerGoes adds a step of the attacker, with further places that it takes and gives.
func (b *builder) attackerGoes(here int32, e *ir.Edge, next *local, pre, post []int32) {
	for _, n := range b.sys.Run(next.State, nil) {
		if !n.Fails {
			b.net.add(label(e), append([]int32{here}, pre...), append([]int32{b.place(next.with(n.State))}, post...))
		}
	}
}

// delayedAt returns the index of a cell in the attacker's buffer, or -1.
func (l *local) delayedAt(c int) int {
	return slices.IndexFunc(l.buffer, func(d delayed) bool { return d.cell == c })
}

// delay writes the values of a store to the attacker's private copy.
func (l *local) delay(accesses []lts.CellAccess) {
	l.buffer = slices.Clone(l.buffer)
	for _, t := range accesses {
		if i := l.delayedAt(t.Cell); i >= 0 {
			l.buffer[i].value = t.New
		} else {
			l.buffer = append(l.buffer, delayed{t.Cell, t.New})
		}
	}
	slices.SortFunc(l.buffer, func(x, y delayed) int { return x.cell - y.cell })
}

func (b *builder) attackerStores(id int, here int32, l *local, e *ir.Edge) {
	some := func(c int) []int64 { return b.sys.Cells[c].Values[:1] } // the step does not depend on the values
	b.sys.Effects(id, e, &l.State, some, func(ef lts.Effect) {
		switch {
		case ef.Fails:
		case ef.Leaves:
			b.net.add("leave "+label(e), []int32{here}, []int32{here, b.outside})
		default:
			next := l.with(b.sys.At(&l.State, e.To, l.Regs))
			next.delay(ef.Accesses)
			b.attackerGoes(here, e, next, nil, nil)
		}
	})
}

// attackerLoads adds loads. A load reads delayed cells from the private copy and the others from
// memory, in one step. If there are others, the attacker continues or stops. If it stops, only the
// cells read from memory count as loaded: delayed stores reach memory after all actions of the
// helpers, so stores of helpers to these cells do not come after the load.
func (b *builder) attackerLoads(id int, here int32, l *local, e *ir.Edge) {
	values := func(c int) []int64 {
		if i := l.delayedAt(c); i >= 0 {
			return []int64{l.buffer[i].value}
		}
		return b.sys.Cells[c].Values
	}
	b.sys.Effects(id, e, &l.State, values, func(ef lts.Effect) {
		if ef.Fails {
			return
		}
		next := l.with(b.sys.At(&l.State, e.To, ef.Regs))
		var holds, before, after []int32
		for _, t := range ef.Accesses {
			if l.delayedAt(t.Cell) < 0 {
				levels := &b.cells[t.Cell].levels
				holds = append(holds, b.valuePlace(t.Cell, t.Old))
				before, after = append(before, levels[untouched]), append(after, levels[loaded])
			}
		}
		if len(holds) == 0 {
			b.attackerGoes(here, e, next, nil, nil)
			return
		}
		aim := b.aim(l.target)
		for _, mode := range []int32{b.modes[open], b.modes[solo]} {
			b.attackerGoes(here, e, next, append([]int32{mode}, holds...), append([]int32{b.modes[open]}, holds...))
			b.net.add("stop "+label(e),
				slices.Concat([]int32{here, mode, b.net.places["target none"]}, holds, before),
				slices.Concat([]int32{b.stopped, b.modes[closed], aim}, holds, after))
		}
	})
}

// closing adds an action of a helper after the attacker's load, for all levels of its cells.
func (b *builder) closing(here int32, l *local, m *lts.Move) {
	if m.Leaves {
		if l.role == involved {
			b.leave(here, m)
		}
		return
	}
	if len(m.Accesses) == 0 && m.Spawns == 0 {
		if l.role == involved { // a local step
			b.plainMove(here, m, involved, -1)
		}
		return
	}
	levels := make([]int, len(m.Accesses))
	for len(b.net.Trans) <= maxTransitions {
		if l.role == involved || afterLoad(m.Accesses, levels) {
			b.closingAt(here, m, levels)
		}
		i := 0
		for ; i < len(levels); i++ {
			if levels[i]++; levels[i] <= stored {
				break
			}
			levels[i] = untouched
		}
		if i == len(levels) {
			return
		}
	}
}

// afterLoad reports whether an action comes after the load in happens-before: it loads a cell that
// was stored, or stores one that was accessed.
func afterLoad(accesses []lts.CellAccess, levels []int) bool {
	for i, t := range accesses {
		if levels[i] == stored || t.Write && levels[i] == loaded {
			return true
		}
	}
	return false
}

func (b *builder) closingAt(here int32, m *lts.Move, levels []int) {
	pre, post := b.addCells(m, []int32{here, b.modes[closed]}, []int32{b.modes[closed]})
	for i, t := range m.Accesses {
		raised := max(levels[i], loaded)
		if t.Write {
			raised = stored
		}
		pre = append(pre, b.cells[t.Cell].levels[levels[i]])
		post = append(post, b.cells[t.Cell].levels[raised])
	}
	for _, t := range m.Accesses { // the delayed store comes after this action
		for _, aim := range b.cells[t.Cell].aims {
			b.net.add("close "+label(m.Edge), append(slices.Clone(pre), aim), append(slices.Clone(post), aim, b.bad))
		}
	}
	if m.Partial {
		return
	}
	if m.Spawns > 0 {
		pre, post = b.spawned(m, pre, post, involved)
	}
	for _, n := range m.Next {
		if !n.Fails {
			b.net.add(label(m.Edge), pre, append(slices.Clone(post), b.place(&local{State: n.State, role: involved})))
		}
	}
}
