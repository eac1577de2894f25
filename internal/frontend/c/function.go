package c

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// nowhere is the current location after a jump.
const nowhere ir.Loc = -1

// lowering is the translation of one function, or of a static initialiser.
type lowering struct {
	*compiler
	unit   *unit
	sym    *symbol
	fb     *ir.FuncBuilder
	static bool // a static initialiser: nothing may be emitted

	at    ir.Loc
	fresh bool        // at was made by the last edge and nothing else leads there
	pos   source.Span // of the full expression being translated

	result cc.Type
	vars   map[*cc.Declarator]lvalue
	// literals are the objects of compound literals.
	literals map[*cc.PostfixExpression]lvalue
	blocks   []ir.Reg // addresses of locals in memory
	labels   map[string]ir.Loc
	cases    map[*cc.LabeledStatement]ir.Loc
	breaks   []ir.Loc
	conts    []ir.Loc
	temps    []ir.Reg
	inUse    int // temps holding values of the current full expression
	escaped  map[*cc.Declarator]bool
}

// lowerFunction translates the body of a function.
func (c *compiler) lowerFunction(s *symbol) {
	f := &lowering{
		compiler: c, unit: s.unit, sym: s, fb: s.fb,
		vars:     map[*cc.Declarator]lvalue{},
		literals: map[*cc.PostfixExpression]lvalue{},
		labels:   map[string]ir.Loc{},
		cases:    map[*cc.LabeledStatement]ir.Loc{},
	}
	t, ok := s.decl.Type().(*cc.FunctionType)
	if !ok {
		panic("BUG: a function without a function type")
	}
	switch {
	case t.IsVariadic():
		c.refuse(codeVariadic, s.decl, "%s takes a variable number of arguments", s.name)
	case s.def.DeclarationList != nil:
		c.refuse(codeOldStyle, s.decl, "%s is defined in the style before ANSI C", s.name)
	}
	f.result = t.Result()
	if !isVoid(f.result) {
		c.scalar(f.result, s.decl)
	}
	f.escaped = escapes(s.def.CompoundStatement)
	f.pos = c.span(s.decl)
	params := f.parameters(t)
	f.at = f.fb.Loc("", f.pos)
	f.fb.Entry(f.at)
	f.allocLocals(s.def.CompoundStatement)
	f.allocAtomicResults(s.def.CompoundStatement)
	for _, p := range params {
		f.store(f.vars[p.decl], p.value, p.decl)
	}
	f.compound(s.def.CompoundStatement)
	if f.at != nowhere {
		f.pos = c.closingBrace(s.def.CompoundStatement)
		f.leave(nil)
	}
}

// closingBrace is where a function ends.
func (c *compiler) closingBrace(s *cc.CompoundStatement) source.Span {
	p := s.Token2.Position()
	return source.Span{Pos: source.Pos{File: p.Filename, Line: p.Line, Col: p.Column}, EndLine: p.Line, EndCol: p.Column + 1}
}

// spilled is a parameter that lives in memory.
type spilled struct {
	decl  *cc.Declarator
	value value
}

// parameters makes the registers the arguments arrive in.
func (f *lowering) parameters(t *cc.FunctionType) []spilled {
	var out []spilled
	for _, p := range t.Parameters() {
		pt := p.Type()
		if isVoid(pt) {
			if len(t.Parameters()) > 1 {
				f.refuse(codeType, f.sym.decl, "a parameter of type void")
			}
			break
		}
		it := f.scalar(pt, f.sym.decl)
		name := p.Name()
		if name == "" {
			name = "arg"
		}
		r := f.fb.Param(name, f.pos)
		d := p.Declarator
		if d == nil {
			continue
		}
		if f.sym.name == "main" && f.uses(d) {
			f.refuse(codeMainArgs, d, "main uses its argument %s, whose value is not known", name)
		}
		if f.inMemory(d) {
			out = append(out, spilled{d, value{e: ir.R(r), t: it, elem: elemOf(pt), obj: ir.NoObject}})
			f.block(d)
			continue
		}
		f.vars[d] = lvalue{reg: r, typ: pt, obj: ir.NoObject}
	}
	return out
}

// uses reports whether a parameter is mentioned in the body.
func (f *lowering) uses(d *cc.Declarator) bool {
	found := false
	inspect(f.sym.def.CompoundStatement, func(n cc.Node) bool {
		if p, ok := n.(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionIdent && p.ResolvedTo() == cc.Node(d) {
			found = true
		}
		return true
	})
	return found
}

// inMemory reports whether a local needs an address.
func (f *lowering) inMemory(d *cc.Declarator) bool {
	return isAggregate(d.Type()) || f.escaped[d] || f.ofDeclarator(d).isAtomic()
}

// block reserves the register that holds the address of a local.
func (f *lowering) block(d *cc.Declarator) {
	f.vars[d] = lvalue{reg: ir.NoReg, pending: true, typ: d.Type(), obj: ir.NoObject}
}

// allocLocals makes the registers and blocks of all locals, at the entry of the
// function: a local of a loop's body is the same object in every iteration, as
// compilers have it.
func (f *lowering) allocLocals(body *cc.CompoundStatement) {
	var locals []*cc.Declarator
	for _, p := range f.sym.decl.Type().(*cc.FunctionType).Parameters() {
		if p.Declarator != nil && f.vars[p.Declarator].pending {
			locals = append(locals, p.Declarator)
		}
	}
	inspect(body, func(n cc.Node) bool {
		if x, ok := n.(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionComplit {
			f.guard(func() { f.literals[x] = f.alloc("literal", x.TypeName.Type(), x) })
		}
		d, ok := n.(*cc.Declaration)
		if !ok {
			return true
		}
		for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
			locals = append(locals, l.InitDeclarator.Declarator)
		}
		return true
	})
	for _, d := range locals {
		f.guard(func() { f.allocLocal(d) })
	}
}

func (f *lowering) allocLocal(d *cc.Declarator) {
	t := d.Type()
	switch {
	case d.IsTypename() || d.IsExtern() || d.IsStatic() || t.Kind() == cc.Function:
		return
	case d.IsThreadLocal():
		f.refuse(codeThreadVar, d, "thread-local storage is not supported: %s", d.Name())
	case t.Kind() == cc.Array:
		f.checkArray(t, d)
	}
	pos := f.span(d)
	if !f.inMemory(d) {
		f.scalar(t, d)
		f.vars[d] = lvalue{reg: f.fb.Reg(d.Name(), 0, pos), typ: t, obj: ir.NoObject}
		return
	}
	f.vars[d] = f.alloc(d.Name(), t, d)
}

// alloc makes a block of automatic storage.
func (f *lowering) alloc(name string, t cc.Type, n cc.Node) lvalue {
	f.checkArray(t, n)
	if t.IsIncomplete() || t.Size() <= 0 || t.Size() > maxObject {
		f.refuse(codeLarge, n, "%s has no size, or more than %d bytes", name, maxObject)
	}
	f.rejectBitFields(t, n)
	old := f.pos
	f.pos = f.span(n)
	r := f.fb.Reg(name, 0, f.pos)
	f.blocks = append(f.blocks, r)
	op := ir.NewOp(ir.Alloc)
	op.Dst, op.Val, op.Stack = r, ir.Int(t.Size()), true
	op.Msg, op.Layout = name, f.layoutOf(t)
	f.emit(op)
	f.pos = old
	return lvalue{reg: ir.NoReg, addr: ir.R(r), typ: t, obj: ir.NoObject}
}

// rejectBitFields refuses a type whose scalars cannot be listed.
func (f *lowering) rejectBitFields(t cc.Type, n cc.Node) {
	if s, ok := t.(*cc.StructType); ok {
		for i := 0; i < s.NumFields(); i++ {
			if s.FieldByIndex(i).IsBitfield() {
				f.refuse(codeBitField, n, "bit-fields are not supported")
			}
		}
	}
}

// emit adds an edge from where we are to a new location.
func (f *lowering) emit(op ir.Op) {
	if f.static {
		f.errorf(codeInit, f.pos, "the initialiser is not constant")
		panic(refusal{})
	}
	if f.at == nowhere {
		f.at = f.fb.Loc("", f.pos)
	}
	to := f.fb.Loc("", f.pos)
	f.fb.Edge(f.at, op, to, f.pos)
	f.at, f.fresh = to, true
}

// jump goes on at a location. The last edge is bent there where nothing else
// leads to its end.
func (f *lowering) jump(to ir.Loc) {
	if f.at == nowhere {
		return
	}
	if n := len(f.fb.F.Edges); f.fresh && n > 0 && f.fb.F.Edges[n-1].To == f.at {
		f.fb.F.Edges[n-1].To = to
	} else {
		f.fb.Edge(f.at, ir.NewOp(ir.Nop), to, f.pos)
	}
	f.at, f.fresh = nowhere, false
}

// here continues at a location others lead to.
func (f *lowering) here(l ir.Loc) {
	f.jump(l)
	f.at, f.fresh = l, false
}

func (f *lowering) label(name string) ir.Loc { return f.fb.Loc(name, f.pos) }

// assume adds a branch.
func (f *lowering) assume(from ir.Loc, cond *ir.Expr, to ir.Loc) {
	if v, ok := cond.IsConst(); ok {
		if v != 0 {
			f.fb.Edge(from, ir.NewOp(ir.Nop), to, f.pos)
		}
		return
	}
	op := ir.NewOp(ir.Assume)
	op.Val = cond
	f.fb.Edge(from, op, to, f.pos)
}

// start makes sure that there is a current location, and that no edge into it is
// bent any more.
func (f *lowering) start() ir.Loc {
	if f.static {
		f.errorf(codeInit, f.pos, "the initialiser is not constant")
		panic(refusal{})
	}
	if f.at == nowhere {
		f.at = f.fb.Loc("", f.pos)
	}
	f.fresh = false
	return f.at
}

// temp is a register for a value of the current full expression.
func (f *lowering) temp() ir.Reg {
	if f.static {
		f.errorf(codeInit, f.pos, "the initialiser is not constant")
		panic(refusal{})
	}
	if f.inUse == len(f.temps) {
		f.temps = append(f.temps, f.fb.Reg("t", 0, f.pos))
	}
	f.inUse++
	return f.temps[f.inUse-1]
}

func (f *lowering) assign(r ir.Reg, v *ir.Expr) {
	op := ir.NewOp(ir.Assign)
	op.Dst, op.Val = r, v
	f.emit(op)
}

// keep holds a value that mentions registers in a register of its own.
func (f *lowering) keep(v value) value {
	if _, ok := v.e.IsConst(); ok || v.e.Op == ir.AddrOf || v.e.Op == ir.FuncAddr {
		return v
	}
	r := f.temp()
	f.assign(r, v.e)
	v.e = ir.R(r)
	return v
}

// leave ends the function.
func (f *lowering) leave(v *ir.Expr) {
	if f.sym.name != "main" {
		for _, r := range f.blocks {
			op := ir.NewOp(ir.Free)
			op.Addr = ir.R(r)
			f.emit(op)
		}
	}
	op := ir.NewOp(ir.Return)
	op.Val = v
	f.emit(op)
	f.at, f.fresh = nowhere, false
}
