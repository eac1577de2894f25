package trencher

import (
	"fencepost/internal/frontend/statement"
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

func (p *parser) compile() (*ir.Program, *property.Set) {
	c := statement.NewCompiler(p.File, p.Diags)
	c.Cells = true
	c.Builder = ir.NewBuilder(statement.BaseName(p.File), true)
	goal := property.Goal{Name: "every thread is in a final state"}
	for _, t := range p.threads {
		at := p.lower(c, t)
		if len(at.Locs) == 0 {
			continue
		}
		if len(goal.At) == 0 {
			goal.Pos = c.Span(t.finals[0].Start, t.finals[0].End)
		}
		goal.At = append(goal.At, at)
	}
	if len(p.threads) == 0 {
		c.Errorf(statement.CodeNoThread, 0, 0, "the program has no thread")
	}
	if p.Diags.HasErrors() {
		return nil, nil
	}
	props := &property.Set{Checks: c.Checks, Observe: c.Observe()}
	if len(goal.At) > 0 {
		props.Goals = []property.Goal{goal}
	}
	if p.size <= windowHint {
		c.Memory = p.size
	}
	if p.computed { // what is stored may be an address too
		for _, v := range p.consts {
			if v >= 0 && v < windowHint {
				c.Memory = max(c.Memory, v+1)
			}
		}
	}
	c.Window()
	return c.Builder.Finish(), props
}

// lowerer makes the automaton of one thread.
type lowerer struct {
	low  *statement.Lowerer
	tt   *thread
	seen [][2]bool   // by state, without and with the memory locked
	locs [][2]ir.Loc // -1 where not seen

	blocked [2]ir.Loc // where what blocks forever would lead, -1 until needed

	marked bool              // asked where fences can be written
	after  map[ir.Loc]ir.Loc // the location after the mark of each
}

func (p *parser) lower(c *statement.Compiler, tt *thread) property.At {
	th := &statement.Thread{Compiler: c, Name: tt.name.Text, Count: 1, Regs: tt.regIDs}
	th.Decl = &statement.ThreadDecl{Name: tt.name, Start: tt.start, Head: tt.name.End, Regs: tt.regs}
	c.Order = append(c.Order, th)
	fb := c.Builder.Func(th.Name, c.Span(tt.start, tt.name.End))
	l := &lowerer{low: &statement.Lowerer{Scope: statement.Scope{Compiler: c, Thread: th}, Func: fb}, tt: tt, blocked: [2]ir.Loc{-1, -1}, marked: p.marked}
	tt.marks = map[int][]ir.EdgeID{}
	for _, r := range tt.regs {
		fb.Reg(r.Name.Text, 0, c.Span(r.Name.Start, r.Name.End))
		if !tt.written[r.Name.Text] {
			c.Warnf(codeTUnset, r.Name.Start, r.Name.End, "register '%s' is never written, so it is always 0", statement.Clip(r.Name.Text))
		}
	}
	l.walk()
	l.makeLocs()
	stuck := l.edges()
	l.holdStuck(stuck)
	fb.Entry(l.locs[tt.initial][0])
	th.First = c.Builder.Thread(ir.Thread{Name: th.Name, Func: fb.ID, Start: true, Pos: c.Span(tt.name.Start, tt.name.End)})
	at := property.At{Thread: th.First}
	for _, f := range tt.finals {
		for _, loc := range l.locs[tt.index[f.Text]] {
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
func (l *lowerer) walk() {
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
	dead, first := 0, statement.Ident{}
	for i, s := range l.tt.states {
		if !l.seen[i][0] && !l.seen[i][1] {
			if dead == 0 {
				first = s
			}
			dead++
		}
	}
	if dead > 0 {
		l.low.Compiler.Warnf(codeTDead, first.Start, first.End, "%d of the %d states of thread '%s' cannot be reached from '%s', for example '%s'",
			dead, len(l.tt.states), statement.Clip(l.tt.name.Text), statement.Clip(l.tt.states[l.tt.initial].Text), statement.Clip(first.Text))
	}
}

// makeLocs makes the locations, in the order of the file. Final states exist
// even where they cannot be reached.
func (l *lowerer) makeLocs() {
	final := map[int]bool{}
	for _, f := range l.tt.finals {
		final[l.tt.index[f.Text]] = true
	}
	l.locs = make([][2]ir.Loc, len(l.tt.states))
	for i, s := range l.tt.states {
		at := l.low.Compiler.Span(s.Start, s.End)
		l.locs[i] = [2]ir.Loc{-1, -1}
		if l.seen[i][0] || final[i] && !l.seen[i][1] {
			l.locs[i][0] = l.low.Func.Loc(s.Text, at)
		}
		if l.seen[i][1] {
			name := s.Text
			if l.seen[i][0] {
				name += "@locked"
			}
			l.locs[i][1] = l.low.Func.Loc(name, at)
		}
	}
}

// edges makes the edges. It tells which locations have none yet.
func (l *lowerer) edges() (stuck [][2]bool) {
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
				l.low.Edge(from, ir.NewOp(kind), l.locs[tr.to][after], tr.start, tr.end)
			default:
				l.low.Simple(tr.stmt, from, l.locs[tr.to][after])
			}
		}
	}
	return stuck
}

func (l *lowerer) warnBlocked(tr *transition, held int) {
	why := "the memory is not locked here: 'unlock' blocks forever"
	if held == 1 {
		why = "the memory is already locked: 'lock' blocks forever"
	}
	d := l.low.Compiler.Warnf(codeTBlocked, tr.start, tr.end, "%s", why)
	if l.seen[tr.from][1-held] {
		d.Note("state '%s' can be reached with the memory locked and with the memory unlocked", statement.Clip(l.tt.states[tr.from].Text))
	}
}

// holdStuck keeps threads that stop with the memory locked from ending there: a
// section without an end is no section.
func (l *lowerer) holdStuck(stuck [][2]bool) {
	for i, s := range l.tt.states {
		if stuck[i][1] {
			l.low.Compiler.Warnf(codeTHeld, s.Start, s.End, "thread '%s' stops at '%s' with the memory locked", statement.Clip(l.tt.name.Text), statement.Clip(s.Text))
			l.block(l.locs[i][1], 1, s.Start, s.End)
		}
	}
}

// block makes an edge that can never be taken.
func (l *lowerer) block(from ir.Loc, held, start, end int) {
	if l.blocked[0] < 0 {
		l.blocked[0] = l.low.Func.Loc("blocked", l.low.Compiler.Span(start, end))
	}
	if held == 1 && l.blocked[1] < 0 {
		l.blocked[1] = l.low.Func.Loc("blocked@locked", l.low.Compiler.Span(start, end))
		l.low.Edge(l.blocked[1], ir.NewOp(ir.AtomicEnd), l.blocked[0], start, end)
	}
	l.low.Assume(ir.Int(0), from, l.blocked[held], start, end)
}
