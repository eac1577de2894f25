package automaton

import (
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// States become locations and transitions edges. Since Trencher keeps who holds
// the memory in its states, one control state may occur with and without the
// lock; in ir that is a matter of the location. So a control state becomes up to
// two locations, the second with the memory locked, as a walk from the initial
// state finds them. A lock while the memory is held and an unlock while it is
// not block forever, as they do in Trencher.

// windowHint is the largest number that counts as a hint how much memory is used.
const windowHint = 64

func (p *trencherParser) compile() (*ir.Program, *property.Set) {
	c := newCompiler(p.file, p.diags)
	c.cells = true
	c.b = ir.NewBuilder(baseName(p.file), true)
	goal := property.Goal{Name: "every thread is in a final state"}
	for _, t := range p.threads {
		at := p.lower(c, t)
		if len(at.Locs) == 0 {
			continue
		}
		if len(goal.At) == 0 {
			goal.Pos = c.span(t.finals[0].start, t.finals[0].end)
		}
		goal.At = append(goal.At, at)
	}
	if len(p.threads) == 0 {
		c.errorf(codeNoThread, 0, 0, "the program has no thread")
	}
	if p.diags.HasErrors() {
		return nil, nil
	}
	props := &property.Set{Checks: c.checks, Observe: c.observe()}
	if len(goal.At) > 0 {
		props.Goals = []property.Goal{goal}
	}
	if p.size <= windowHint {
		c.memory = p.size
	}
	if p.computed { // what is stored may be an address too
		for _, v := range p.consts {
			if v >= 0 && v < windowHint {
				c.memory = max(c.memory, v+1)
			}
		}
	}
	c.window()
	return c.b.Finish(), props
}

// trencherLowerer makes the automaton of one thread.
type trencherLowerer struct {
	lowerer
	tt   *trencherThread
	seen [][2]bool   // by state, without and with the memory locked
	locs [][2]ir.Loc // -1 where not seen

	blocked [2]ir.Loc // where what blocks forever would lead, -1 until needed

	marked bool              // asked where fences can be written
	behind map[ir.Loc]ir.Loc // the location behind the mark of each
}

func (p *trencherParser) lower(c *compiler, tt *trencherThread) property.At {
	th := &thread{c: c, name: tt.name.text, count: 1, regs: tt.regIDs}
	th.decl = &threadDecl{name: tt.name, start: tt.start, head: tt.name.end, regs: tt.regs}
	c.order = append(c.order, th)
	fb := c.b.Func(th.name, c.span(tt.start, tt.name.end))
	l := &trencherLowerer{lowerer: lowerer{scope: scope{c: c, t: th}, fb: fb}, tt: tt, blocked: [2]ir.Loc{-1, -1}, marked: p.marked}
	tt.marks = map[int][]ir.EdgeID{}
	for _, r := range tt.regs {
		fb.Reg(r.name.text, 0, c.span(r.name.start, r.name.end))
		if !tt.written[r.name.text] {
			c.warnf(codeTUnset, r.name.start, r.name.end, "register '%s' is never written and always 0", clip(r.name.text))
		}
	}
	l.walk()
	l.makeLocs()
	stuck := l.edges()
	l.holdStuck(stuck)
	fb.Entry(l.locs[tt.initial][0])
	th.first = c.b.Thread(ir.Thread{Name: th.name, Func: fb.ID, Start: true, Pos: c.span(tt.name.start, tt.name.end)})
	at := property.At{Thread: th.first}
	for _, f := range tt.finals {
		for _, loc := range l.locs[tt.index[f.text]] {
			if loc >= 0 {
				at.Locs = append(at.Locs, loc)
			}
		}
	}
	return at
}

// step is whether the memory is locked after a transition; ok is false if it
// blocks.
func (tr *transition) step(held int) (after int, ok bool) {
	switch tr.op {
	case "lock":
		return 1, held == 0
	case "unlock":
		return 0, held == 1
	}
	return held, true
}

// walk finds which states occur without and with the memory locked.
func (l *trencherLowerer) walk() {
	type node struct{ state, held int }
	out := make([][]int, len(l.tt.states))
	for i := range l.tt.list {
		from := l.tt.list[i].from
		out[from] = append(out[from], i)
	}
	l.seen = make([][2]bool, len(l.tt.states))
	work := []node{{l.tt.initial, 0}}
	l.seen[l.tt.initial][0] = true
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range out[n.state] {
			tr := &l.tt.list[i]
			after, ok := tr.step(n.held)
			if ok && !l.seen[tr.to][after] {
				l.seen[tr.to][after] = true
				work = append(work, node{tr.to, after})
			}
		}
	}
	dead, first := 0, ident{}
	for i, s := range l.tt.states {
		if !l.seen[i][0] && !l.seen[i][1] {
			if dead == 0 {
				first = s
			}
			dead++
		}
	}
	if dead > 0 {
		l.c.warnf(codeTDead, first.start, first.end, "%d of the %d states of thread '%s' cannot be reached from '%s', '%s' for one",
			dead, len(l.tt.states), clip(l.tt.name.text), clip(l.tt.states[l.tt.initial].text), clip(first.text))
	}
}

// makeLocs makes the locations, in the order of the file. Final states exist
// even where they cannot be reached.
func (l *trencherLowerer) makeLocs() {
	final := map[int]bool{}
	for _, f := range l.tt.finals {
		final[l.tt.index[f.text]] = true
	}
	l.locs = make([][2]ir.Loc, len(l.tt.states))
	for i, s := range l.tt.states {
		at := l.c.span(s.start, s.end)
		l.locs[i] = [2]ir.Loc{-1, -1}
		if l.seen[i][0] || final[i] && !l.seen[i][1] {
			l.locs[i][0] = l.fb.Loc(s.text, at)
		}
		if l.seen[i][1] {
			name := s.text
			if l.seen[i][0] {
				name += "@locked"
			}
			l.locs[i][1] = l.fb.Loc(name, at)
		}
	}
}

// edges makes the edges. It tells which locations have none yet.
func (l *trencherLowerer) edges() (stuck [][2]bool) {
	stuck = append(stuck, l.seen...)
	for i := range l.tt.list {
		tr := &l.tt.list[i]
		for held := range 2 {
			if !l.seen[tr.from][held] {
				continue
			}
			from := l.leaving(tr, held)
			after, ok := tr.step(held)
			stuck[tr.from][held] = false
			switch {
			case !ok:
				l.warnBlocked(tr, held)
				l.block(from, held, tr.start, tr.end)
			case tr.stmt == nil:
				kind := ir.AtomicBegin
				if tr.op == "unlock" {
					kind = ir.AtomicEnd
				}
				l.edge(from, ir.NewOp(kind), l.locs[tr.to][after], tr.start, tr.end)
			default:
				l.simple(tr.stmt, from, l.locs[tr.to][after])
			}
		}
	}
	return stuck
}

func (l *trencherLowerer) warnBlocked(tr *transition, held int) {
	why := "the memory is not locked here: 'unlock' blocks forever"
	if held == 1 {
		why = "the memory is locked already: 'lock' blocks forever"
	}
	d := l.c.warnf(codeTBlocked, tr.start, tr.end, "%s", why)
	if l.seen[tr.from][1-held] {
		d.Note("state '%s' can also be reached the other way", clip(l.tt.states[tr.from].text))
	}
}

// holdStuck keeps threads that stop with the memory locked from ending there: a
// section that nobody ends is no section.
func (l *trencherLowerer) holdStuck(stuck [][2]bool) {
	for i, s := range l.tt.states {
		if stuck[i][1] {
			l.c.warnf(codeTHeld, s.start, s.end, "thread '%s' stops at '%s' with the memory locked", clip(l.tt.name.text), clip(s.text))
			l.block(l.locs[i][1], 1, s.start, s.end)
		}
	}
}

// block makes an edge that can never be taken.
func (l *trencherLowerer) block(from ir.Loc, held, start, end int) {
	if l.blocked[0] < 0 {
		l.blocked[0] = l.fb.Loc("blocked", l.c.span(start, end))
	}
	if held == 1 && l.blocked[1] < 0 {
		l.blocked[1] = l.fb.Loc("blocked@locked", l.c.span(start, end))
		l.edge(l.blocked[1], ir.NewOp(ir.AtomicEnd), l.blocked[0], start, end)
	}
	l.assume(ir.Int(0), from, l.blocked[held], start, end)
}
