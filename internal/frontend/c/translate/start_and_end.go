package translate

import (
	"cmp"
	"slices"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Functions with the attribute constructor or destructor. The first run before main, in the order
// of the text; the others run when main returns or the program calls exit, in the opposite order.
// main becomes a function that calls them and the program's main. If main ends by pthread_exit, the last
// thread would run the destructors: that is not supported.
//
// What the program registers with atexit runs before the destructors (library/source/exit.c).

// collectStartAndEnd finds the functions that run before and after main.
func (c *Symbols) collectStartAndEnd() {
	c.startOrEnd = map[*cc.AttributeValue]bool{}
	priorities := map[*symbol]int64{}
	for _, a := range c.attributes {
		early := a.name == "constructor"
		if !early && a.name != "destructor" || a.of == nil || len(a.of.names) != 1 || c.test != nil {
			continue
		}
		s := c.bodyOf(a.of.names[0])
		n, ok := priority(a.value)
		if s == nil || s.Params() != 0 || !ok {
			continue
		}
		priorities[s] = n
		c.startOrEnd[a.value] = true
		if list := &c.early; early && !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
		if list := &c.late; !early && !slices.Contains(*list, s) {
			*list = append([]*symbol{s}, *list...)
		}
	}
	slices.SortStableFunc(c.early, func(x, y *symbol) int { return cmp.Compare(priorities[x], priorities[y]) })
	slices.SortStableFunc(c.late, func(x, y *symbol) int { return cmp.Compare(priorities[y], priorities[x]) })
}

// priority returns the number in an attribute such as constructor(101). Functions without one come after
// all others at the start, and before them at the end.
func priority(x *cc.AttributeValue) (n int64, ok bool) {
	if x.Case == cc.AttributeValueIdent || x.ArgumentExpressionList == nil {
		return 1 << 16, true
	}
	v, ok := x.ArgumentExpressionList.AssignmentExpression.Value().(cc.Int64Value)
	return int64(v), ok
}

// bodyOf returns the only function of that name that has a body, or nil.
func (c *Symbols) bodyOf(name string) *symbol {
	var found []*symbol
	if s := c.Linked[name]; s != nil && s.Def != nil {
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

func (c *Symbols) startAndEndNames() []string {
	var out []string
	for _, s := range append(slices.Clone(c.early), c.late...) {
		out = append(out, s.Name)
	}
	return out
}

// AtExit returns the functions that run at the end of the program, in their order.
func (c *Symbols) AtExit() []*ir.FuncBuilder {
	var out []*ir.FuncBuilder
	if s := c.handlers("__fp_at_exit"); s != nil {
		out = append(out, c.Function(s))
	}
	for _, s := range c.late {
		out = append(out, c.Function(s))
	}
	return out
}

// handlers returns a function about the functions that atexit registers, nil if there are none.
func (c *Symbols) handlers(name string) *symbol {
	if !c.Mentioned["atexit"] {
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
	return asks, len(c.late) > 0
}

// wholeMain returns the function in which the program begins: main, or one that calls it between the
// functions that run before and after it.
func (c *Symbols) wholeMain(main *symbol) *ir.FuncBuilder {
	last := c.AtExit()
	if len(c.early)+len(last) == 0 {
		return main.Fb
	}
	pos := c.In.Span(main.Decl)
	fb := c.B.Func("main", pos)
	call, end := ir.NewOp(ir.Call), ir.NewOp(ir.Return)
	call.Func = main.Fb.ID
	for range main.Fb.F.Params {
		call.Args = append(call.Args, ir.R(fb.Param("arg", pos)))
	}
	call.Dst = fb.Reg("result", 0, pos)
	end.Val = ir.R(call.Dst)
	var ops []ir.Op
	add := func(called *ir.FuncBuilder) {
		op := ir.NewOp(ir.Call)
		op.Func = called.ID
		ops = append(ops, op)
	}
	for _, s := range c.early {
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
