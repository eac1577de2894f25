package translate

import (
	"cmp"
	"slices"

	"fencepost/internal/lang/c/parse"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Functions with the attribute constructor or destructor. The first run before main, in the order
// of the text; the others run when main returns or the program calls exit, in the opposite order.
// main becomes a function that calls them and the program's main. If main ends by pthread_exit, the last
// thread would run the destructors: that is not supported.
//
// What the program registers with atexit runs before the destructors (library/source/exit.c).

// collectStartAndEnd finds the functions that run before and after main.
func (c *Symbols) collectStartAndEnd() {
	priorities := map[*symbol]int64{}
	for _, u := range c.units {
		if u.ofLibrary() {
			continue
		}
		for _, a := range startAttributes(u) {
			s := c.bodyOf(a.of.Text)
			n, ok := priority(u, a.Attribute)
			if s == nil || s.Params() != 0 || !ok {
				continue
			}
			priorities[s] = n
			c.main.startOrEnd[s] = true
			early := a.Name == "constructor"
			if list := &c.main.early; early && !slices.Contains(*list, s) {
				*list = append(*list, s)
			}
			if list := &c.main.late; !early && !slices.Contains(*list, s) {
				*list = append([]*symbol{s}, *list...)
			}
		}
	}
	slices.SortStableFunc(c.main.early, func(x, y *symbol) int { return cmp.Compare(priorities[x], priorities[y]) })
	slices.SortStableFunc(c.main.late, func(x, y *symbol) int { return cmp.Compare(priorities[y], priorities[x]) })
}

// startAttribute is an attribute of a function.
type startAttribute struct {
	parse.Attribute
	of *parse.Object
}

// startAttributes returns the attributes constructor and destructor of a file, in the order of the text.
func startAttributes(u *unit) []startAttribute {
	var out []startAttribute
	for _, o := range u.In.Tree.Objects {
		for _, a := range o.Attrs {
			if o.Kind == parse.Function && (a.Name == "constructor" || a.Name == "destructor") {
				out = append(out, startAttribute{a, o})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y startAttribute) int { return cmp.Compare(x.Tok, y.Tok) })
	return out
}

// priority returns the number in an attribute such as constructor(101). Functions without one come after
// all others at the start, and before them at the end.
func priority(u *unit, a parse.Attribute) (n int64, ok bool) {
	if a.From >= a.To {
		return 1 << 16, true
	}
	return u.In.Tree.Argument(a)
}

// bodyOf returns the only function of that name that has a body, or nil.
func (c *Symbols) bodyOf(name string) *symbol {
	var found []*symbol
	if s := c.Names.Linked[name]; s != nil && s.Def != nil {
		found = append(found, s)
	}
	for _, u := range c.units {
		if s := u.static[name]; s != nil && s.Def != nil && !u.ofLibrary() {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// AtExit returns the functions that run at the end of the program, in their order.
func (c *Symbols) AtExit() []*ir.FuncBuilder {
	var out []*ir.FuncBuilder
	if s := c.handlers("__fp_at_exit"); s != nil {
		out = append(out, c.Function(s))
	}
	for _, s := range c.main.late {
		out = append(out, c.Function(s))
	}
	return out
}

// Exit returns a function that runs what runs at the end of the program and then ends it, nil if nothing runs there.
// It does not return, so that the error paths of a thread can share one copy of it.
func (c *Symbols) Exit(pos source.Span) *ir.FuncBuilder {
	if c.main.exit != nil {
		return c.main.exit
	}
	last := c.AtExit()
	if len(last) == 0 {
		return nil
	}
	c.main.exit = c.B.Func("exit", pos)
	from := c.main.exit.Loc("", pos)
	c.main.exit.Entry(from)
	for _, called := range last {
		op, to := ir.NewOp(ir.Call), c.main.exit.Loc("", pos)
		op.Call.Func = called.ID
		c.main.exit.Edge(from, op, to, pos)
		from = to
	}
	c.main.exit.Edge(from, ir.NewOp(ir.Exit), c.main.exit.Loc("", pos), pos)
	return c.main.exit
}

// handlers returns a function about the functions that atexit registers, nil if there are none.
func (c *Symbols) handlers(name string) *symbol {
	if !c.Names.Mentioned["atexit"] {
		return nil
	}
	return c.InLibrary(name)
}

// EndsLate returns the function that says whether a function of atexit is to run at the end of the
// program, nil if there are none; always says that some function runs there in any case.
func (c *Symbols) EndsLate() (asks *ir.FuncBuilder, always bool) {
	if s := c.handlers("__fp_ends_late"); s != nil {
		asks = c.Function(s)
	}
	return asks, len(c.main.late) > 0
}

// wholeMain returns the function in which the program begins: main, or one that calls it between the
// functions that run before and after it.
func (c *Symbols) wholeMain(main *symbol) *ir.FuncBuilder {
	last := c.AtExit()
	if len(c.main.early)+len(last) == 0 {
		return main.Fb
	}
	pos := main.span()
	fb := c.B.Func("main", pos)
	call, end := ir.NewOp(ir.Call), ir.NewOp(ir.Return)
	call.Call.Func = main.Fb.ID
	for range main.Fb.F.Params {
		call.Call.Args = append(call.Call.Args, ir.R(fb.Param("arg", pos)))
	}
	call.Dst = fb.Reg("result", 0, pos)
	end.Val = ir.R(call.Dst)
	var ops []ir.Op
	add := func(called *ir.FuncBuilder) {
		op := ir.NewOp(ir.Call)
		op.Call.Func = called.ID
		ops = append(ops, op)
	}
	for _, s := range c.main.early {
		add(s.Fb)
	}
	ops = append(ops, call)
	for _, called := range last {
		add(called)
	}
	from := fb.Loc("", pos)
	fb.Entry(from)
	for _, op := range append(ops, end) {
		to := fb.Loc("", pos)
		fb.Edge(from, op, to, pos)
		from = to
	}
	return fb
}
