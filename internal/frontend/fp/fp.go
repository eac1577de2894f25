package fp

import (
	"fencepost/internal/diag"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// Parse translates a file. The unit is never nil; its Program is nil exactly if
// the list has errors.
func Parse(f *source.File, opt statement.Options) (*statement.Unit, *diag.List) {
	diags := &diag.List{}
	p := &grammar{Parser: statement.Parser{Lexer: statement.NewLexer(f, diags)}, ghosts: opt.Ghosts}
	p.parseFile()
	u := &statement.Unit{Expect: p.Lexer.Expect, ExpectPos: p.ExpectPos}
	// Names that syntax errors hid would be reported as undeclared: stop here.
	if !p.Failed {
		c := &fileCompiler{Compiler: statement.NewCompiler(f, diags), tree: &p.tree}
		c.Opt = opt
		c.markTree()
		name := p.tree.name
		if name == "" {
			name = statement.BaseName(f)
		}
		u.Program, u.Props = c.compile(name)
		u.ShowCells()
		u.SetSites(c.Marks)
	}
	return u.Finish(diags), diags
}

func (c *fileCompiler) compile(name string) (*ir.Program, *property.Set) {
	c.declare()
	c.Cells = c.tree.addrs
	for _, m := range c.tree.mems {
		if m.X.Kind != statement.ExprName || c.Vars[m.X.Name] == nil {
			c.Cells = true
		}
	}
	c.Builder = ir.NewBuilder(name, c.Cells)
	for _, v := range c.VarList {
		v.Obj = c.Builder.Object(v.Name, v.Size(), v.Typ.Size(), v.Typ, v.Init, c.Span(v.Decl.Name.Start, v.Decl.Name.End))
	}
	for _, t := range c.Order {
		c.Instantiate(t)
	}
	if len(c.Order) == 0 || c.running() == 0 && !c.Diags.HasErrors() {
		c.Errorf(statement.CodeNoThread, 0, 0, "the program has no thread")
	}
	props := c.properties()
	if c.Diags.HasErrors() {
		return nil, nil
	}
	c.Window()
	return c.Builder.Finish(), props
}

// running is the number of threads that exist.
func (c *fileCompiler) running() int {
	n := 0
	for _, t := range c.Order {
		n += t.Count
	}
	return n
}

// markTree puts marks into the threads of a file, if asked to.
func (c *fileCompiler) markTree() {
	if !c.Opt.Sites {
		return
	}
	c.Marks = statement.NewMarks(c.File)
	for _, it := range c.tree.items {
		if it.thread != nil && it.thread.Body != nil {
			c.Marks.Block(it.thread.Body, true)
		}
	}
}

// fileCompiler turns the tree of a file into a program.
type fileCompiler struct {
	*statement.Compiler
	tree *tree
}
