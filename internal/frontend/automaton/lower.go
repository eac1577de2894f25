package automaton

import (
	"fencepost/internal/diag"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// The idea: a statement is translated between two given locations, where it
// starts and where it leads. A statement that is a label, a jump or nothing has
// its start fixed (lowerer.fixed), and whatever stands before leads straight
// there; so no edge without meaning is made, and "instr; goto M" is one edge.

// lowerer makes the automaton of one instance.
type lowerer struct {
	scope
	fb      *ir.FuncBuilder
	end     ir.Loc
	loops   []loop
	section int // the atomic section the current statement is in, 0 outside
	temps   int

	sectionEnd ir.Loc              // where that section ends
	ranges     map[ir.Reg][2]int64 // declared ranges
	said       []property.Invariant
}

// loop is where break and continue lead.
type loop struct {
	out, again ir.Loc
	section    int
}

// instantiate makes all instances of a thread.
func (c *compiler) instantiate(t *thread) {
	t.analyse()
	if t.count == 0 {
		// Nothing runs, but mistakes in the body are still mistakes.
		b := ir.NewBuilder("", c.cells)
		(&lowerer{scope: scope{c: c, t: t}, fb: b.Func(t.name, source.Span{})}).lower()
		return
	}
	d := t.decl
	for i := range t.count {
		name := t.instanceName(i)
		if t.unbounded {
			name = t.name
		}
		fb := c.b.Func(name, c.span(d.start, d.head))
		l := &lowerer{scope: scope{c: c, t: t, instance: int64(i)}, fb: fb}
		l.lower()
		th := ir.Thread{Name: name, Func: fb.ID, Start: true, Unbounded: t.unbounded, Pos: c.span(d.name.start, d.name.end)}
		if t.template {
			th.Template = t.name
		}
		id := c.b.Thread(th)
		if r, ok := l.number(d.index.text); ok {
			c.numbered[id] = r
		}
		c.invariantsOf(id, l.said)
		if i == 0 {
			t.first = id
		}
	}
}

func (l *lowerer) lower() {
	d := l.t.decl
	l.ranges, l.sectionEnd = map[ir.Reg][2]int64{}, -1
	// Most statements are one edge and one location.
	room := max(0, min(l.t.size+1, maxEdges-l.c.edges))
	l.fb.F.Edges, l.fb.F.Locs = make([]ir.Edge, 0, room), make([]ir.Location, 0, room)
	for i, r := range d.regs {
		var init int64
		if r.init != nil {
			init, _ = l.constant(r.init, "the first value of a register")
		}
		l.fb.Reg(r.name.text, init, l.c.span(r.name.start, r.name.end))
		if r.lo != nil {
			lo, hi := l.c.constRange(&l.scope, r.lo, r.hi)
			l.ranges[ir.Reg(i)] = [2]int64{lo, hi}
		}
	}
	if _, ok := l.number(d.index.text); ok {
		l.fb.Reg(d.index.text, 0, l.c.span(d.index.start, d.index.end))
	}
	next := ir.Loc(0)
	for _, lab := range l.t.labelList {
		if lab.find().loc == next {
			l.fb.Loc(lab.id.text, l.c.span(lab.id.start, lab.id.end))
			next++
		}
	}
	l.end = l.endOf(d.body, "end", d.end)
	entry, ok := l.fixed(d.body, l.end)
	if !ok {
		entry = l.loc(d.body.list[0].start)
	}
	l.list(d.body.list, entry, l.end)
	if d.init.text != "" {
		entry = l.label(d.init)
	}
	if l.t.prologue != nil {
		entry = l.t.prologue(l, entry)
	}
	l.fb.Entry(entry)
}

// endOf is the location at the end of a block: that of the labels there, if they
// stand nowhere else, or a new one.
func (l *lowerer) endOf(b *stmt, name string, at int) ir.Loc {
	if n := len(b.list); n > 0 && b.list[n-1].kind == sEmpty {
		if root := l.t.labels[b.list[n-1].labels[0].text].find(); root.count == 1 {
			return root.loc
		}
	}
	return l.fb.Loc(name, l.c.span(at, at))
}

// loc is a new location without a name of its own.
func (l *lowerer) loc(at int) ir.Loc { return l.fb.Loc("", l.c.span(at, at)) }

// edge adds an edge for the text from start to end.
func (l *lowerer) edge(from ir.Loc, op ir.Op, to ir.Loc, start, end int) {
	if l.c.full {
		return
	}
	l.c.edges++
	if l.c.edges > maxEdges {
		l.c.full = true
		l.c.errorf(codeTooLarge, start, end, "the program has more than %d steps", maxEdges)
		return
	}
	if op.Kind == ir.Assert {
		l.c.checks = true
	}
	l.fb.Edge(from, op, to, l.c.span(start, end))
}

func (l *lowerer) nop(from, to ir.Loc, start, end int) {
	l.edge(from, ir.NewOp(ir.Nop), to, start, end)
}

// temp is a new register.
func (l *lowerer) temp(name string, n *node) ir.Reg {
	l.temps++
	return l.fb.Reg(tempName(name, l.temps), 0, l.c.span(n.src.start, n.src.end))
}

// label is the location a jump leads to.
func (l *lowerer) label(id ident) ir.Loc {
	lab := l.t.labels[id.text]
	if lab == nil {
		d := l.c.errorf(codeLabel, id.start, id.end, "thread '%s' has no label '%s'", clip(l.t.name), clip(id.text))
		l.t.suggestLabel(d, id.text)
		return l.end
	}
	root := lab.find()
	if root.section != l.section {
		l.c.errorf(codeSection, id.start, id.end, "the jump to '%s' crosses the border of an atomic section", clip(id.text))
	}
	return root.loc
}

func (t *thread) suggestLabel(d *diag.Diagnostic, name string) {
	suggest(d, name, t.labels)
	if len(d.Notes) == 0 {
		d.Note("a label for the end of the thread is written '%s:' after the last statement", clip(name))
	}
}

// jump is where a jump statement leads.
func (l *lowerer) jump(s *stmt) ir.Loc {
	switch s.kind {
	case sGoto:
		return l.label(s.name)
	case sReturn:
		if l.section != 0 {
			l.c.errorf(codeSection, s.start, s.end, "'return' inside an atomic section")
		}
		return l.end
	}
	word := "break"
	if s.kind == sContinue {
		word = "continue"
	}
	if len(l.loops) == 0 {
		l.c.errorf(codeOutsideLoop, s.start, s.end, "'%s' outside a loop", word)
		return l.end
	}
	in := l.loops[len(l.loops)-1]
	if in.section != l.section {
		l.c.errorf(codeSection, s.start, s.end, "'%s' leaves an atomic section", word)
	}
	if s.kind == sContinue {
		return in.again
	}
	return in.out
}

func (s *stmt) isJump() bool { return s.kind >= sGoto && s.kind <= sReturn }

// fixed is the location where s must start, if that is given: a label, what a
// jump leads to, or next for nothing at all.
func (l *lowerer) fixed(s *stmt, next ir.Loc) (ir.Loc, bool) {
	switch {
	case len(s.labels) > 0:
		return l.t.labels[s.labels[0].text].find().loc, true
	case s.isJump():
		return l.jump(s), true
	case s.kind == sBlock && len(s.list) == 0:
		return next, true
	case s.kind == sBlock && (s.list[0].isJump() || len(s.list[0].labels) > 0):
		return l.fixed(s.list[0], next)
	case s.kind == sLoop:
		// The label at the top of the body is the top of the loop.
		if body := s.list[0]; len(body.list) > 0 && len(body.list[0].labels) > 0 {
			root := l.t.labels[body.list[0].labels[0].text].find()
			return root.loc, root.count == 1
		}
	}
	return 0, false
}

// start is where s starts: the fixed location or a new one.
func (l *lowerer) start(s *stmt, next ir.Loc) ir.Loc {
	if f, ok := l.fixed(s, next); ok {
		return f
	}
	return l.loc(s.start)
}

// list translates statements one after the other.
func (l *lowerer) list(list []*stmt, from, next ir.Loc) {
	for i, s := range list {
		if l.c.full {
			return
		}
		after := next
		if i+1 < len(list) {
			after = l.start(list[i+1], next)
		}
		l.stmt(s, from, after)
		from = after
	}
}

// enter translates a body that control reaches at from, where nothing else but
// the body may start unless shared is set.
func (l *lowerer) enter(s *stmt, from, next ir.Loc, shared bool, start, end int) {
	f, ok := l.fixed(s, next)
	switch {
	case ok && f == from && !s.startsWithJump():
	case ok:
		l.nop(from, f, start, end)
		from = f
	case shared && s.list[0].isLoop():
		// A loop comes back to its start and must not find the other choices there.
		top := l.loc(s.start)
		l.nop(from, top, start, end)
		from = top
	}
	l.stmt(s, from, next)
}

func (s *stmt) isLoop() bool { return s.kind == sWhile || s.kind == sDo || s.kind == sLoop }

// startsWithJump reports whether a body's fixed start is the target of a jump,
// or, for an empty body, what follows: getting there takes an edge.
func (s *stmt) startsWithJump() bool {
	return len(s.list) == 0 || s.list[0].isJump() && len(s.list[0].labels) == 0
}

func (l *lowerer) stmt(s *stmt, from, next ir.Loc) {
	l.invariants(s, from)
	switch s.kind {
	case sEmpty:
		if next != from || next != l.end && next != l.sectionEnd {
			l.nop(from, next, s.start, s.end)
		}
	case sGoto, sBreak, sContinue, sReturn:
		to := l.jump(s)
		switch {
		case len(s.labels) > 0:
			l.nop(from, to, s.start, s.end)
		case to != from:
			// A jump without a label starts where it leads (fixed). Starting
			// elsewhere, it would leave the thread there without a way on.
			panic("BUG: a jump is not at its target")
		}
	case sBlock:
		l.list(s.list, from, next)
	case sIf:
		l.ifStmt(s, from, next)
	case sWhile, sDo, sLoop:
		l.loopStmt(s, from, next)
	case sEither:
		for _, b := range s.list {
			l.enter(b, from, next, true, s.start, s.head)
		}
	case sAtomic:
		l.atomic(s, from, next)
	default:
		l.simple(s, from, next)
	}
}

func (l *lowerer) ifStmt(s *stmt, from, next ir.Loc) {
	cond := l.resolve(s.x)
	otherwise := &stmt{kind: sBlock, start: s.end, end: s.end}
	if len(s.list) > 1 {
		otherwise = s.list[1]
	}
	if v, ok := cond.isConst(); ok {
		taken, dead := s.list[0], otherwise
		if v == 0 {
			taken, dead = dead, taken
		}
		l.enter(taken, from, next, true, s.start, s.head)
		l.stmt(dead, l.start(dead, next), next) // labels may lead there
		return
	}
	yes, no := l.start(s.list[0], next), l.start(otherwise, next)
	l.branch(cond, from, yes, no, s.start, s.head)
	l.stmt(s.list[0], yes, next)
	l.stmt(otherwise, no, next)
}

func (l *lowerer) loopStmt(s *stmt, from, next ir.Loc) {
	body := s.list[0]
	if len(s.labels) > 0 && l.t.labels[s.labels[0].text].find().count > 1 {
		// The label has other statements too, which the loop must not come back to.
		top := l.loc(s.start)
		l.nop(from, top, s.start, s.head)
		from = top
	}
	always, never := s.kind == sLoop, false
	var cond *node
	if s.kind != sLoop {
		cond = l.resolve(s.x)
		if v, ok := cond.isConst(); ok {
			always, never = v != 0, v == 0
		}
	}
	switch {
	case always:
		l.inLoop(next, from, func() { l.enter(body, from, from, false, s.start, s.head) })
	case s.kind == sWhile:
		if never {
			l.nop(from, next, s.start, s.head)
		}
		l.inLoop(next, from, func() {
			top := l.start(body, from)
			if !never {
				l.branch(cond, from, top, next, s.start, s.head)
			}
			l.stmt(body, top, from)
		})
	default:
		test := next
		if !never {
			test = l.loc(s.x.start)
		}
		l.inLoop(next, test, func() { l.enter(body, from, test, false, s.start, s.start+len("do")) })
		if !never {
			l.branch(cond, test, from, next, s.x.start, s.x.end)
		}
	}
}

// inLoop runs f inside a loop.
func (l *lowerer) inLoop(out, again ir.Loc, f func()) {
	l.loops = append(l.loops, loop{out, again, l.section})
	f()
	l.loops = l.loops[:len(l.loops)-1]
}

func (l *lowerer) atomic(s *stmt, from, next ir.Loc) {
	if l.section != 0 {
		return // reported by analyse
	}
	l.section = s.section
	body := s.list[0]
	last := l.endOf(body, "", body.end-1)
	l.sectionEnd = last
	first := l.start(body, last)
	l.edge(from, ir.NewOp(ir.AtomicBegin), first, s.start, s.head)
	l.stmt(body, first, last)
	l.section, l.sectionEnd = 0, -1
	l.edge(last, ir.NewOp(ir.AtomicEnd), next, body.end-1, body.end)
}
