package statement

import (
	"fencepost/internal/analysis"
	"fencepost/internal/diag"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// The idea: a statement is translated between two given locations, where it
// starts and where it leads. A statement that is a label, a jump or nothing has
// its start fixed (lowerer.fixed), and whatever stands before leads straight
// there; so no edge without meaning is made, and "instr; goto M" is one edge.

// Lowerer makes the automaton of one instance.
type Lowerer struct {
	Scope
	Func    *ir.FuncBuilder
	end     ir.Loc
	loops   []loop
	section int // the atomic section the current statement is in, 0 outside
	temps   int

	sectionEnd ir.Loc                       // where that section ends
	Ranges     map[ir.Reg]analysis.Interval // declared ranges
	said       []property.Invariant
}

// loop is where break and continue lead.
type loop struct {
	out, again ir.Loc
	section    int
}

// Instantiate makes all instances of a thread.
func (c *Compiler) Instantiate(t *Thread) {
	t.Analyse()
	if t.Count == 0 {
		// Nothing runs, but mistakes in the body are still mistakes.
		b := ir.NewBuilder("", c.Cells)
		(&Lowerer{Scope: Scope{Compiler: c, Thread: t}, Func: b.Func(t.Name, source.Span{})}).Lower()
		return
	}
	d := t.Decl
	for i := range t.Count {
		name := t.InstanceName(i)
		if t.Unbounded {
			name = t.Name
		}
		fb := c.Builder.Func(name, c.Span(d.Start, d.Head))
		l := &Lowerer{Scope: Scope{Compiler: c, Thread: t, Instance: int64(i)}, Func: fb}
		l.Lower()
		th := ir.Thread{Name: name, Func: fb.ID, Start: true, Unbounded: t.Unbounded, Pos: c.Span(d.Name.Start, d.Name.End)}
		if t.Template {
			th.Template = t.Name
		}
		id := c.Builder.Thread(th)
		if r, ok := l.number(d.Index.Text); ok {
			c.Numbered[id] = r
		}
		c.invariantsOf(id, l.said)
		if i == 0 {
			t.First = id
		}
	}
}

// Lower makes the automaton of the instance.
func (l *Lowerer) Lower() {
	d := l.Thread.Decl
	l.Ranges, l.sectionEnd = map[ir.Reg]analysis.Interval{}, -1
	// Most statements are one edge and one location.
	room := max(0, min(l.Thread.size+1, maxEdges-l.Compiler.edges))
	l.Func.F.Edges, l.Func.F.Locs = make([]ir.Edge, 0, room), make([]ir.Location, 0, room)
	for i, r := range d.Regs {
		var init int64
		if r.Init != nil {
			init, _ = l.constant(r.Init, "the first value of a register")
		}
		l.Func.Reg(r.Name.Text, init, l.Compiler.Span(r.Name.Start, r.Name.End))
		if r.Lo != nil {
			lo, hi := l.Compiler.ConstRange(&l.Scope, r.Lo, r.Hi)
			l.Ranges[ir.Reg(i)] = analysis.Between(lo, hi)
		}
	}
	if _, ok := l.number(d.Index.Text); ok {
		l.Func.Reg(d.Index.Text, 0, l.Compiler.Span(d.Index.Start, d.Index.End))
	}
	next := ir.Loc(0)
	for _, lab := range l.Thread.labelList {
		if lab.Find().Loc == next {
			l.Func.Loc(lab.id.Text, l.Compiler.Span(lab.id.Start, lab.id.End))
			next++
		}
	}
	l.end = l.endOf(d.Body, "end", d.End)
	entry, ok := l.fixed(d.Body, l.end)
	if !ok {
		entry = l.Loc(d.Body.List[0].Start)
	}
	l.list(d.Body.List, entry, l.end)
	if d.Init.Text != "" {
		entry = l.label(d.Init)
	}
	if l.Thread.Prologue != nil {
		entry = l.Thread.Prologue(l, entry)
	}
	l.Func.Entry(entry)
}

// endOf is the location at the end of a block: that of the labels there, if they
// stand nowhere else, or a new one.
func (l *Lowerer) endOf(b *Stmt, name string, at int) ir.Loc {
	if n := len(b.List); n > 0 && b.List[n-1].Kind == StmtEmpty {
		if root := l.Thread.Labels[b.List[n-1].Labels[0].Text].Find(); root.count == 1 {
			return root.Loc
		}
	}
	return l.Func.Loc(name, l.Compiler.Span(at, at))
}

// Loc is a new location without a name of its own.
func (l *Lowerer) Loc(at int) ir.Loc { return l.Func.Loc("", l.Compiler.Span(at, at)) }

// Edge adds an edge for the text from start to end.
func (l *Lowerer) Edge(from ir.Loc, op ir.Op, to ir.Loc, start, end int) {
	if l.Compiler.Full {
		return
	}
	l.Compiler.edges++
	if l.Compiler.edges > maxEdges {
		l.Compiler.Full = true
		l.Compiler.Errorf(CodeTooLarge, start, end, "the program has more than %d steps", maxEdges)
		return
	}
	if op.Kind == ir.Assert {
		l.Compiler.Checks = true
	}
	l.Func.Edge(from, op, to, l.Compiler.Span(start, end))
}

func (l *Lowerer) nop(from, to ir.Loc, start, end int) {
	l.Edge(from, ir.NewOp(ir.Nop), to, start, end)
}

// temp is a new register.
func (l *Lowerer) temp(name string, n *node) ir.Reg {
	l.temps++
	return l.Func.Reg(tempName(name, l.temps), 0, l.Compiler.Span(n.src.Start, n.src.End))
}

// label is the location a jump leads to.
func (l *Lowerer) label(id Ident) ir.Loc {
	lab := l.Thread.Labels[id.Text]
	if lab == nil {
		d := l.Compiler.Errorf(CodeLabel, id.Start, id.End, "thread '%s' has no label '%s'", Clip(l.Thread.Name), Clip(id.Text))
		l.Thread.suggestLabel(d, id.Text)
		return l.end
	}
	root := lab.Find()
	if root.section != l.section {
		l.Compiler.Errorf(codeSection, id.Start, id.End, "the jump to '%s' enters or leaves an atomic section", Clip(id.Text))
	}
	return root.Loc
}

func (t *Thread) suggestLabel(d *diag.Diagnostic, name string) {
	Suggest(d, name, t.Labels)
	if len(d.Notes) == 0 {
		d.Note("a label for the end of the thread is written '%s:' after the last statement", Clip(name))
	}
}

// jump is where a jump statement leads.
func (l *Lowerer) jump(s *Stmt) ir.Loc {
	switch s.Kind {
	case StmtGoto:
		return l.label(s.Name)
	case StmtReturn:
		if l.section != 0 {
			l.Compiler.Errorf(codeSection, s.Start, s.End, "'return' inside an atomic section")
		}
		return l.end
	}
	word := "break"
	if s.Kind == StmtContinue {
		word = "continue"
	}
	if len(l.loops) == 0 {
		l.Compiler.Errorf(codeOutsideLoop, s.Start, s.End, "'%s' outside a loop", word)
		return l.end
	}
	in := l.loops[len(l.loops)-1]
	if in.section != l.section {
		l.Compiler.Errorf(codeSection, s.Start, s.End, "'%s' leaves an atomic section", word)
	}
	if s.Kind == StmtContinue {
		return in.again
	}
	return in.out
}

func (s *Stmt) isJump() bool { return s.Kind >= StmtGoto && s.Kind <= StmtReturn }

// fixed is the location where s must start, if that is given: a label, what a
// jump leads to, or next for nothing at all.
func (l *Lowerer) fixed(s *Stmt, next ir.Loc) (ir.Loc, bool) {
	switch {
	case len(s.Labels) > 0:
		return l.Thread.Labels[s.Labels[0].Text].Find().Loc, true
	case s.isJump():
		return l.jump(s), true
	case s.Kind == StmtBlock && len(s.List) == 0:
		return next, true
	case s.Kind == StmtBlock && (s.List[0].isJump() || len(s.List[0].Labels) > 0):
		return l.fixed(s.List[0], next)
	case s.Kind == StmtLoop:
		// The label at the top of the body is the top of the loop.
		if body := s.List[0]; len(body.List) > 0 && len(body.List[0].Labels) > 0 {
			root := l.Thread.Labels[body.List[0].Labels[0].Text].Find()
			return root.Loc, root.count == 1
		}
	}
	return 0, false
}

// start is where s starts: the fixed location or a new one.
func (l *Lowerer) start(s *Stmt, next ir.Loc) ir.Loc {
	if f, ok := l.fixed(s, next); ok {
		return f
	}
	return l.Loc(s.Start)
}

// list translates statements one after the other.
func (l *Lowerer) list(list []*Stmt, from, next ir.Loc) {
	for i, s := range list {
		if l.Compiler.Full {
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
func (l *Lowerer) enter(s *Stmt, from, next ir.Loc, shared bool, start, end int) {
	f, ok := l.fixed(s, next)
	switch {
	case ok && f == from && !s.startsWithJump():
	case ok:
		l.nop(from, f, start, end)
		from = f
	case shared && s.List[0].isLoop():
		// A loop comes back to its start and must not find the other choices there.
		top := l.Loc(s.Start)
		l.nop(from, top, start, end)
		from = top
	}
	l.stmt(s, from, next)
}

func (s *Stmt) isLoop() bool { return s.Kind == StmtWhile || s.Kind == StmtDo || s.Kind == StmtLoop }

// startsWithJump reports whether a body's fixed start is the target of a jump,
// or, for an empty body, what follows: getting there takes an edge.
func (s *Stmt) startsWithJump() bool {
	return len(s.List) == 0 || s.List[0].isJump() && len(s.List[0].Labels) == 0
}

func (l *Lowerer) stmt(s *Stmt, from, next ir.Loc) {
	l.invariants(s, from)
	switch s.Kind {
	case StmtEmpty:
		if next != from || next != l.end && next != l.sectionEnd {
			l.nop(from, next, s.Start, s.End)
		}
	case StmtGoto, StmtBreak, StmtContinue, StmtReturn:
		to := l.jump(s)
		switch {
		case len(s.Labels) > 0:
			l.nop(from, to, s.Start, s.End)
		case to != from:
			// A jump without a label starts where it leads (fixed). Starting
			// elsewhere, it would leave the thread there without a way on.
			panic("BUG: a jump is not at its target")
		}
	case StmtBlock:
		l.list(s.List, from, next)
	case StmtIf:
		l.ifStmt(s, from, next)
	case StmtWhile, StmtDo, StmtLoop:
		l.loopStmt(s, from, next)
	case StmtEither:
		for _, b := range s.List {
			l.enter(b, from, next, true, s.Start, s.Head)
		}
	case StmtAtomic:
		l.atomic(s, from, next)
	case StmtGhost:
		l.ghost(s, from, next)
	default:
		l.Simple(s, from, next)
	}
}

func (l *Lowerer) ifStmt(s *Stmt, from, next ir.Loc) {
	cond := l.Resolve(s.X)
	otherwise := &Stmt{Kind: StmtBlock, Start: s.End, End: s.End}
	if len(s.List) > 1 {
		otherwise = s.List[1]
	}
	if v, ok := cond.isConst(); ok {
		taken, dead := s.List[0], otherwise
		if v == 0 {
			taken, dead = dead, taken
		}
		l.enter(taken, from, next, true, s.Start, s.Head)
		l.stmt(dead, l.start(dead, next), next) // labels may lead there
		return
	}
	yes, no := l.start(s.List[0], next), l.start(otherwise, next)
	l.branch(cond, from, yes, no, s.Start, s.Head)
	l.stmt(s.List[0], yes, next)
	l.stmt(otherwise, no, next)
}

func (l *Lowerer) loopStmt(s *Stmt, from, next ir.Loc) {
	body := s.List[0]
	if len(s.Labels) > 0 && l.Thread.Labels[s.Labels[0].Text].Find().count > 1 {
		// The label has other statements too, which the loop must not come back to.
		top := l.Loc(s.Start)
		l.nop(from, top, s.Start, s.Head)
		from = top
	}
	always, never := s.Kind == StmtLoop, false
	var cond *node
	if s.Kind != StmtLoop {
		cond = l.Resolve(s.X)
		if v, ok := cond.isConst(); ok {
			always, never = v != 0, v == 0
		}
	}
	switch {
	case always:
		l.inLoop(next, from, func() { l.enter(body, from, from, false, s.Start, s.Head) })
	case s.Kind == StmtWhile:
		if never {
			l.nop(from, next, s.Start, s.Head)
		}
		l.inLoop(next, from, func() {
			top := l.start(body, from)
			if !never {
				l.branch(cond, from, top, next, s.Start, s.Head)
			}
			l.stmt(body, top, from)
		})
	default:
		test := next
		if !never {
			test = l.Loc(s.X.Start)
		}
		l.inLoop(next, test, func() { l.enter(body, from, test, false, s.Start, s.Start+len("do")) })
		if !never {
			l.branch(cond, test, from, next, s.X.Start, s.X.End)
		}
	}
}

// inLoop runs f inside a loop.
func (l *Lowerer) inLoop(out, again ir.Loc, f func()) {
	l.loops = append(l.loops, loop{out, again, l.section})
	f()
	l.loops = l.loops[:len(l.loops)-1]
}

func (l *Lowerer) atomic(s *Stmt, from, next ir.Loc) {
	if l.section != 0 {
		return // reported by analyse
	}
	l.section = s.section
	body := s.List[0]
	last := l.endOf(body, "", body.End-1)
	l.sectionEnd = last
	first := l.start(body, last)
	l.Edge(from, ir.NewOp(ir.AtomicBegin), first, s.Start, s.Head)
	l.stmt(body, first, last)
	l.section, l.sectionEnd = 0, -1
	l.Edge(last, ir.NewOp(ir.AtomicEnd), next, body.End-1, body.End)
}
