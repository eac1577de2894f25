package statement

import (
	"fmt"

	"fencepost/internal/ir"
)

// Thread is a declared thread or template, with what all its instances share:
// the same labels and registers get the same ids in every instance.
type Thread struct {
	Compiler  *Compiler
	Decl      *ThreadDecl
	Name      string
	Template  bool
	Unbounded bool
	Count     int
	First     ir.ThreadID // id of instance 0; the others follow

	Regs      map[string]ir.Reg
	Labels    map[string]*label
	labelList []*label // in order of the text
	size      int      // statements
	sections  int      // atomic sections seen so far
	section   int      // the one being walked, 0 outside

	// prologue makes what comes before the first statement and tells where the
	// thread begins then; nil: nothing.
	Prologue func(l *Lowerer, entry ir.Loc) ir.Loc
}

// label is a label of a thread. Labels of one statement are one location: they
// lead to a common root, which holds the facts.
type label struct {
	id      Ident
	root    *label // itself if nil
	count   int    // statements that carry it
	section int
	Loc     ir.Loc
}

// Find returns the label that stands for all labels of the statement.
func (l *label) Find() *label {
	for l.root != nil {
		if l.root.root != nil {
			l.root = l.root.root
		}
		l = l.root
	}
	return l
}

// InstanceName returns the name of instance i of the thread.
func (t *Thread) InstanceName(i int) string {
	if !t.Template {
		return t.Name
	}
	return fmt.Sprintf("%s[%d]", t.Name, i)
}

// Analyse finds the registers and labels of the thread.
func (t *Thread) Analyse() {
	t.Regs = map[string]ir.Reg{}
	t.Labels = map[string]*label{}
	c := t.Compiler
	if ix := t.Decl.Index; ix.Text != "" {
		t.checkShadow(ix, "index")
	}
	seen := map[string]Ident{}
	for i, r := range t.Decl.Regs {
		id := r.Name
		if old, ok := seen[id.Text]; ok {
			c.Errorf(CodeRedeclared, id.Start, id.End, "register '%s' is declared twice", Clip(id.Text)).
				Note("the first declaration is at %s", c.File.Pos(old.Start))
			continue
		}
		if id.Text == t.Decl.Index.Text {
			c.Errorf(CodeRedeclared, id.Start, id.End, "register '%s' has the name of the thread's index", Clip(id.Text))
			continue
		}
		seen[id.Text] = id
		if t.checkShadow(id, "register") {
			t.Regs[id.Text] = ir.Reg(i)
		}
	}
	t.walk(t.Decl.Body, false)
	// Locations of labels come first, so that made-up names give way to them.
	next := ir.Loc(0)
	for _, l := range t.labelList {
		if r := l.Find(); r.Loc < 0 {
			r.Loc = next
			next++
		}
	}
}

func (t *Thread) checkShadow(id Ident, what string) bool {
	old, ok := t.Compiler.Declared[id.Text]
	if ok {
		t.Compiler.Errorf(CodeRedeclared, id.Start, id.End, "%s '%s' has the name of something shared by all threads", what, Clip(id.Text)).
			Note("the shared name is declared at %s", t.Compiler.File.Pos(old.Start))
	}
	return !ok
}

// walk counts statements, collects labels and numbers the sections. entered says
// whether control can reach the beginning of the block from what stands before it.
func (t *Thread) walk(b *Stmt, entered bool) {
	t.size += len(b.List)
	for i, s := range b.List {
		t.enterLabels(s, func() bool {
			if i == 0 {
				return entered
			}
			return falls(b.List[i-1])
		})
		switch s.Kind {
		case StmtIf, StmtWhile, StmtDo, StmtLoop, StmtEither:
			for _, body := range s.List {
				t.walk(body, true)
			}
		case StmtAtomic:
			if t.section != 0 {
				t.Compiler.Errorf(codeNested, s.Start, s.Head, "an atomic section inside another")
				t.walk(s.List[0], true)
				continue
			}
			t.sections++
			t.section, s.section = t.sections, t.sections
			t.walk(s.List[0], true)
			t.section = 0
		}
	}
}

func (t *Thread) enterLabels(s *Stmt, before func() bool) {
	var root *label
	for _, id := range s.Labels {
		l := t.Labels[id.Text]
		if l == nil {
			l = &label{id: id, section: t.section, Loc: -1}
			t.Labels[id.Text] = l
			t.labelList = append(t.labelList, l)
		}
		l = l.Find()
		if l.section != t.section {
			t.Compiler.Errorf(codeSection, id.Start, id.End, "label '%s' is defined both inside and outside an atomic section", Clip(id.Text)).
				Note("its first definition is at %s", t.Compiler.File.Pos(l.id.Start))
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
		id := s.Labels[0]
		t.Compiler.Errorf(codeFallThrough, id.Start, id.End, "the statement before runs on into the repeated label '%s'", Clip(id.Text)).
			Note("the first definition of the label is at %s; end the statement before with a goto", t.Compiler.File.Pos(root.id.Start))
	}
}

// falls reports whether control can leave a statement at its end.
func falls(s *Stmt) bool {
	switch s.Kind {
	case StmtGoto, StmtBreak, StmtContinue, StmtReturn:
		return false
	case StmtLoop:
		return breaks(s.List[0])
	case StmtWhile:
		return !(s.X.Kind == ExprInt && s.X.Val != 0) || breaks(s.List[0])
	case StmtIf:
		return len(s.List) == 1 || falls(s.List[0]) || falls(s.List[1])
	case StmtEither:
		for _, b := range s.List {
			if falls(b) {
				return true
			}
		}
		return false
	case StmtAtomic:
		return falls(s.List[0])
	case StmtBlock:
		return len(s.List) == 0 || falls(s.List[len(s.List)-1])
	default:
		return true
	}
}

// breaks reports whether a break inside s leaves the loop around s.
func breaks(s *Stmt) bool {
	switch s.Kind {
	case StmtBreak:
		return true
	case StmtIf, StmtEither, StmtAtomic, StmtBlock:
		for _, b := range s.List {
			if breaks(b) {
				return true
			}
		}
	}
	return false
}
