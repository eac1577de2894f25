package automaton

import (
	"fmt"

	"fencepost/internal/ir"
)

// thread is a declared thread or template, with what all its instances share:
// the same labels and registers get the same ids in every instance.
type thread struct {
	c         *compiler
	decl      *threadDecl
	name      string
	template  bool
	unbounded bool
	count     int
	first     ir.ThreadID // id of instance 0; the others follow

	regs      map[string]ir.Reg
	labels    map[string]*label
	labelList []*label // in order of the text
	size      int      // statements
	sections  int      // atomic sections seen so far
	section   int      // the one being walked, 0 outside

	// prologue makes what comes before the first statement and tells where the
	// thread begins then; nil: nothing.
	prologue func(l *lowerer, entry ir.Loc) ir.Loc
}

// label is a label of a thread. Labels of one statement are one place: they
// lead to a common root, which holds the facts.
type label struct {
	id      ident
	root    *label // itself if nil
	count   int    // statements that carry it
	section int
	loc     ir.Loc
}

func (l *label) find() *label {
	for l.root != nil {
		if l.root.root != nil {
			l.root = l.root.root
		}
		l = l.root
	}
	return l
}

func (t *thread) instanceName(i int) string {
	if !t.template {
		return t.name
	}
	return fmt.Sprintf("%s[%d]", t.name, i)
}

// analyse finds the registers and labels of the thread.
func (t *thread) analyse() {
	t.regs = map[string]ir.Reg{}
	t.labels = map[string]*label{}
	c := t.c
	if ix := t.decl.index; ix.text != "" {
		t.checkShadow(ix, "index")
	}
	seen := map[string]ident{}
	for i, r := range t.decl.regs {
		id := r.name
		if old, ok := seen[id.text]; ok {
			c.errorf(codeRedeclared, id.start, id.end, "register '%s' is declared twice", clip(id.text)).
				Note("the first declaration is at %s", c.file.Pos(old.start))
			continue
		}
		if id.text == t.decl.index.text {
			c.errorf(codeRedeclared, id.start, id.end, "register '%s' has the name of the thread's index", clip(id.text))
			continue
		}
		seen[id.text] = id
		if t.checkShadow(id, "register") {
			t.regs[id.text] = ir.Reg(i)
		}
	}
	t.walk(t.decl.body, false)
	// Locations of labels come first, so that made-up names give way to them.
	next := ir.Loc(0)
	for _, l := range t.labelList {
		if r := l.find(); r.loc < 0 {
			r.loc = next
			next++
		}
	}
}

func (t *thread) checkShadow(id ident, what string) bool {
	old, ok := t.c.declared[id.text]
	if ok {
		t.c.errorf(codeRedeclared, id.start, id.end, "%s '%s' has the name of something shared by all threads", what, clip(id.text)).
			Note("that is declared at %s", t.c.file.Pos(old.start))
	}
	return !ok
}

// walk counts statements, collects labels and numbers the sections. entered says
// whether control can reach the beginning of the block from what stands before it.
func (t *thread) walk(b *stmt, entered bool) {
	t.size += len(b.list)
	for i, s := range b.list {
		t.enterLabels(s, func() bool {
			if i == 0 {
				return entered
			}
			return falls(b.list[i-1])
		})
		switch s.kind {
		case sIf, sWhile, sDo, sLoop, sEither:
			for _, body := range s.list {
				t.walk(body, true)
			}
		case sAtomic:
			if t.section != 0 {
				t.c.errorf(codeNested, s.start, s.head, "an atomic section inside another")
				t.walk(s.list[0], true)
				continue
			}
			t.sections++
			t.section, s.section = t.sections, t.sections
			t.walk(s.list[0], true)
			t.section = 0
		}
	}
}

func (t *thread) enterLabels(s *stmt, before func() bool) {
	var root *label
	for _, id := range s.labels {
		l := t.labels[id.text]
		if l == nil {
			l = &label{id: id, section: t.section, loc: -1}
			t.labels[id.text] = l
			t.labelList = append(t.labelList, l)
		}
		l = l.find()
		if l.section != t.section {
			t.c.errorf(codeSection, id.start, id.end, "label '%s' stands inside and outside an atomic section", clip(id.text)).
				Note("it first stands at %s", t.c.file.Pos(l.id.start))
		}
		switch {
		case root == nil:
			root = l
		case root != l:
			root.count += l.count
			l.root = root
		}
	}
	if root == nil {
		return
	}
	root.count++
	if root.count > 1 && before() {
		id := s.labels[0]
		t.c.errorf(codeFallThrough, id.start, id.end, "the statement before falls into the repeated label '%s'", clip(id.text)).
			Note("the label first stands at %s; end what stands before with a goto", t.c.file.Pos(root.id.start))
	}
}

// falls reports whether control can leave a statement at its end.
func falls(s *stmt) bool {
	switch s.kind {
	case sGoto, sBreak, sContinue, sReturn:
		return false
	case sLoop:
		return breaks(s.list[0])
	case sWhile:
		return !(s.x.kind == eInt && s.x.val != 0) || breaks(s.list[0])
	case sIf:
		return len(s.list) == 1 || falls(s.list[0]) || falls(s.list[1])
	case sEither:
		for _, b := range s.list {
			if falls(b) {
				return true
			}
		}
		return false
	case sAtomic:
		return falls(s.list[0])
	case sBlock:
		return len(s.list) == 0 || falls(s.list[len(s.list)-1])
	default:
		return true
	}
}

// breaks reports whether a break inside s leaves the loop around s.
func breaks(s *stmt) bool {
	switch s.kind {
	case sBreak:
		return true
	case sIf, sEither, sAtomic, sBlock:
		for _, b := range s.list {
			if breaks(b) {
				return true
			}
		}
	}
	return false
}
