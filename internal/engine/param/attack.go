package param

import (
	"slices"

	"fencepost/internal/ir"
)

// The phases of engine robust inside the net, so that one net serves all attacks
// [BDM13 §5, §6]. One instance may become the attacker, which a single token sees
// to; from then on its state is a place of its own group, with the newest delayed
// value of every cell.
//
//   - open: everybody runs under SC, and the attacker may delay.
//   - solo: the attacker has delayed a store and nothing of it could be noticed yet;
//     only it moves. What others might do meanwhile they can do before.
//   - closed: the attacker has stopped after a load that took at least one cell from memory. Cells have
//     levels. A thread acts only if it comes behind the load in happens-before
//     [BDM13 Lemma 3]: it is involved, or it loads a cell that was stored or stores one
//     that was touched. An action on a cell of the delayed store closes the cycle.
//
// Nothing is tested for absence: levels are places of a group, and a plain thread
// may become involved but need not. So the question is coverability.
//
// Differs from the paper: one net instead of one per attack, and read-modify-writes
// and sections are single actions. Which store and load an attack is about is not
// kept: the instance found is handed to engine robust, which says.

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

// aim is the place that says which cells the delayed store is to. Whoever touches
// one of them is looked at again when it is new.
func (b *builder) aim(target []int) int32 {
	name := "target"
	for _, c := range target {
		name += " " + b.cells[c].name
	}
	_, known := b.net.places[name]
	place := b.net.place(name, b.aims)
	if !known {
		for _, c := range target {
			b.cells[c].aims = append(b.cells[c].aims, place)
			for _, l := range b.cells[c].users {
				b.again(l)
			}
		}
	}
	return place
}

// beginAttack lets a thread that stores be the attacker from then on.
func (b *builder) beginAttack(here int32, l *local, m *move) {
	if m.edge.Op.Kind != ir.Store || m.partial || m.leaves || len(m.touches) == 0 {
		return
	}
	start := *l
	start.role = attacker
	for _, t := range m.touches {
		start.target = append(start.target, t.cell)
	}
	start.delay(m.touches)
	first := b.at(&start, m.edge.To, l.regs)
	for _, n := range b.settle(first) {
		if n.fails {
			continue
		}
		b.net.add("delay "+label(m.edge), []int32{here, b.idle, b.modes[open]}, []int32{b.place(n.l), b.modes[solo]})
	}
}

// expandAttacker adds what an attacker can do while it delays.
func (b *builder) expandAttacker(id int, l *local) {
	here := b.net.places[b.name(l)]
	f := b.p.ThreadFunc(ir.ThreadID(l.thread))
	for _, i := range f.Out(l.loc) {
		e := &f.Edges[i]
		switch op := &e.Op; {
		case op.Local() || op.Kind == ir.Fence:
			next, _ := b.localStep(l, e)
			for _, n := range next {
				b.attackerGoes(here, e, n, nil, nil)
			}
		case op.Kind == ir.Store:
			b.attackerStores(id, here, l, e)
		case op.Kind == ir.Load || op.Kind == ir.Await || op.Kind == ir.AbstractLoad:
			b.attackerLoads(id, here, l, e)
		}
	}
}

// attackerGoes adds a step of the attacker, with further places needed and given.
func (b *builder) attackerGoes(here int32, e *ir.Edge, next *local, pre, post []int32) {
	for _, n := range b.settle(next) {
		if !n.fails {
			b.net.add(label(e), append([]int32{here}, pre...), append([]int32{b.place(n.l)}, post...))
		}
	}
}

// delayedAt is where a cell is in the attacker's buffer, or -1.
func (l *local) delayedAt(c int) int {
	return slices.IndexFunc(l.buffer, func(d delayed) bool { return d.cell == c })
}

// delay puts what a store leaves into the attacker's private copy.
func (l *local) delay(touches []touch) {
	l.buffer = slices.Clone(l.buffer)
	for _, t := range touches {
		if i := l.delayedAt(t.cell); i >= 0 {
			l.buffer[i].value = t.new
		} else {
			l.buffer = append(l.buffer, delayed{t.cell, t.new})
		}
	}
	slices.SortFunc(l.buffer, func(x, y delayed) int { return x.cell - y.cell })
}

func (b *builder) attackerStores(id int, here int32, l *local, e *ir.Edge) {
	some := func(c int) []int64 { return b.cells[c].values[:1] } // it does not depend on them
	b.effects(id, e, l, some, func(ef effect) {
		switch {
		case ef.fails:
		case ef.leaves:
			b.net.add("leave "+label(e), []int32{here}, []int32{here, b.outside})
		default:
			next := *l
			next.delay(ef.touches)
			b.attackerGoes(here, e, b.at(&next, e.To, l.regs), nil, nil)
		}
	})
}

// attackerLoads adds loads. A load takes the cells that are delayed from the private copy and the
// others from memory, in one step. If there are others, the attacker goes on or stops;
// if it stops, those and no others are loaded: what is delayed reaches memory behind all that
// helpers do, so that their stores to it do not come behind the load.
func (b *builder) attackerLoads(id int, here int32, l *local, e *ir.Edge) {
	values := func(c int) []int64 {
		if i := l.delayedAt(c); i >= 0 {
			return []int64{l.buffer[i].value}
		}
		return b.cells[c].values
	}
	b.effects(id, e, l, values, func(ef effect) {
		if ef.fails {
			return
		}
		next := b.at(l, e.To, ef.regs)
		var holds, before, after []int32
		for _, t := range ef.touches {
			if l.delayedAt(t.cell) < 0 {
				levels := &b.cells[t.cell].levels
				holds = append(holds, b.valuePlace(t.cell, t.old))
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

// closing adds an action of a helper behind the attacker's load, for all levels its
// cells may have.
func (b *builder) closing(here int32, l *local, m *move) {
	if m.leaves {
		if l.role == involved {
			b.leave(here, m)
		}
		return
	}
	if len(m.touches) == 0 && m.spawns == 0 {
		if l.role == involved { // a local step
			b.plainMove(here, m, -1)
		}
		return
	}
	levels := make([]int, len(m.touches))
	for len(b.net.Trans) <= maxTransitions {
		if l.role == involved || behind(m.touches, levels) {
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

// behind reports whether an action comes behind the load: it loads what was stored,
// or stores what was touched.
func behind(touches []touch, levels []int) bool {
	for i, t := range touches {
		if levels[i] == stored || t.write && levels[i] == loaded {
			return true
		}
	}
	return false
}

func (b *builder) closingAt(here int32, m *move, levels []int) {
	pre, post := b.touched(m, []int32{here, b.modes[closed]}, []int32{b.modes[closed]})
	for i, t := range m.touches {
		raised := max(levels[i], loaded)
		if t.write {
			raised = stored
		}
		pre = append(pre, b.cells[t.cell].levels[levels[i]])
		post = append(post, b.cells[t.cell].levels[raised])
	}
	for _, t := range m.touches { // the delayed store comes behind this action
		for _, aim := range b.cells[t.cell].aims {
			b.net.add("close "+label(m.edge), append(slices.Clone(pre), aim), append(slices.Clone(post), aim, b.bad))
		}
	}
	if m.partial {
		return
	}
	if m.spawns > 0 {
		pre, post = b.spawned(m, pre, post, involved)
	}
	for _, n := range m.next {
		if !n.fails {
			next := *n.l
			next.role = involved
			b.net.add(label(m.edge), pre, append(slices.Clone(post), b.place(&next)))
		}
	}
}
