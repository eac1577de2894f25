package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// lowerFunction translates the body of a function.
func (c *compiler) lowerFunction(s *symbol) {
	f := c.newLowering(s.unit)
	f.sym, f.code.fb = s, s.fb
	c.marks.findBare(s.def.CompoundStatement)
	t, ok := s.decl.Type().(*cc.FunctionType)
	if !ok {
		panic("BUG: a function without a function type")
	}
	f.result = t.Result()
	if !isVoid(f.result) && !isStruct(f.result) {
		c.types.scalar(f.result, s.decl)
	}
	f.vars.escaped = escapes(s.def.CompoundStatement)
	f.code.pos = c.in.span(s.decl)
	var params []spilled
	var entry []func()
	if f.vars.thread = c.threads[s]; f.vars.thread != nil {
		params, entry = f.vars.bind(t)
	} else {
		params = f.vars.parameters(t)
	}
	f.code.at = f.code.fb.Loc("", f.code.pos)
	f.code.fb.Entry(f.code.at)
	f.vars.allocLocals(s.def.CompoundStatement)
	f.vars.allocAtomicResults(s.def.CompoundStatement)
	if f.vars.thread != nil {
		f.vars.findLocals(s.def.CompoundStatement)
	}
	for _, begin := range entry {
		begin()
	}
	for _, p := range params {
		f.vars.spill(p)
	}
	f.stmts.compound(s.def.CompoundStatement)
	if f.code.at != nowhere {
		f.code.pos = c.in.closingBrace(s.def.CompoundStatement)
		f.vars.leave(nil)
	}
}

// closingBrace is where a function ends.
func (c *input) closingBrace(s *cc.CompoundStatement) source.Span {
	p := s.Token2.Position()
	return source.Span{Pos: source.Pos{File: p.Filename, Line: p.Line, Col: p.Column}, EndLine: p.Line, EndCol: p.Column + 1}
}

// spilled is a parameter that lives in memory.
type spilled struct {
	decl   *cc.Declarator
	value  value
	leaves []leaf // of a struct
	first  ir.Reg
}

// spill writes a parameter to its block.
func (f *storage) spill(p spilled) {
	to, ok := f.vars[p.decl]
	if !ok {
		panic(refusal{})
	}
	if !isStruct(to.typ) {
		f.mem.store(to, p.value, p.decl)
		return
	}
	for i, l := range p.leaves {
		f.mem.storeWord(f.mem.offset(to, l.off), l.typ, ir.R(p.first+ir.Reg(i)))
	}
}

// parameters makes the registers the arguments arrive in.
func (f *storage) parameters(t *cc.FunctionType) []spilled {
	var out []spilled
	if isStruct(f.result) {
		f.resultAt = f.code.fb.Param("result", f.code.pos)
	}
	if t.IsVariadic() {
		f.varargs = f.code.fb.Param("varargs", f.code.pos)
	}
	for _, p := range t.Parameters() {
		pt := p.Type()
		if isVoid(pt) {
			if len(t.Parameters()) > 1 {
				f.in.refuse(codeType, f.sym.decl, "a parameter of type void")
			}
			break
		}
		name := p.Name()
		if name == "" {
			name = "arg"
		}
		d := p.Declarator
		if isStruct(pt) {
			if s, ok := f.structParam(name, pt, d); ok {
				out = append(out, s)
			}
			continue
		}
		it := f.types.scalar(pt, f.sym.decl)
		r := f.code.fb.Param(name, f.code.pos)
		if d == nil {
			continue
		}
		if f.sym.name == "main" && f.uses(d) {
			f.in.diags.Warnf(codeMainArgs, f.in.span(d), "main is run without arguments: argc is 1, and argv holds a name")
		}
		if f.inMemory(d) {
			out = append(out, spilled{decl: d, value: value{e: ir.R(r), t: it, elem: elemOf(pt), obj: ir.NoObject}})
			f.block(d)
			continue
		}
		f.vars[d] = lvalue{reg: r, typ: pt, obj: ir.NoObject}
	}
	return out
}

// structParam makes a parameter of every scalar of a struct. ok is false if nothing
// can name the struct.
func (f *storage) structParam(name string, t cc.Type, d *cc.Declarator) (p spilled, ok bool) {
	p = spilled{decl: d, leaves: f.layouts.leaves(t, f.sym.decl), first: ir.Reg(len(f.code.fb.F.Regs))}
	for range p.leaves {
		f.code.fb.Param(name, f.code.pos)
	}
	if d == nil {
		return p, false
	}
	f.block(d)
	return p, true
}

// uses reports whether a parameter is mentioned in the body.
func (f *storage) uses(d *cc.Declarator) bool {
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
func (f *storage) inMemory(d *cc.Declarator) bool {
	return isAggregate(d.Type()) || f.escaped[d] || f.types.ofDeclarator(d).isAtomic()
}

// block reserves the register that holds the address of a local.
func (f *storage) block(d *cc.Declarator) {
	f.vars[d] = lvalue{reg: ir.NoReg, pending: true, typ: d.Type(), obj: ir.NoObject}
}

// allocLocals makes the registers and blocks of all locals, at the entry of the
// function: a local of a loop's body is the same object in every iteration, as
// compilers have it.
func (f *storage) allocLocals(body *cc.CompoundStatement) {
	var locals []*cc.Declarator
	for _, p := range f.sym.decl.Type().(*cc.FunctionType).Parameters() {
		if p.Declarator != nil && f.vars[p.Declarator].pending {
			locals = append(locals, p.Declarator)
		}
	}
	inspect(body, func(n cc.Node) bool {
		if x, ok := n.(*cc.PostfixExpression); ok {
			f.in.guard(func() { f.allocTemporaries(x) })
		}
		return true
	})
	for _, d := range append(locals, localDeclarators(body)...) {
		f.in.guard(func() { f.allocLocal(d) })
	}
}

// localDeclarators are the variables that a body declares, in the order of the text.
func localDeclarators(body *cc.CompoundStatement) []*cc.Declarator {
	var out []*cc.Declarator
	inspect(body, func(n cc.Node) bool {
		d, ok := n.(*cc.Declaration)
		if !ok {
			return true
		}
		if d.Case == cc.DeclarationAuto {
			out = append(out, d.Declarator)
		}
		for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
			out = append(out, l.InitDeclarator.Declarator)
		}
		return true
	})
	return out
}

// allocTemporaries makes the blocks an expression needs: of a compound literal, of a
// struct that a call returns, of variable arguments.
func (f *storage) allocTemporaries(x *cc.PostfixExpression) {
	switch x.Case {
	case cc.PostfixExpressionComplit:
		f.literals[x] = f.alloc("literal", x.TypeName.Type(), x)
	case cc.PostfixExpressionCall:
		if isStruct(x.Type()) {
			f.literals[x] = f.alloc("result", x.Type(), x)
		}
		if n := variableCount(x); n > 0 && !f.modelled(x) {
			f.arguments[x] = f.allocBytes("arguments", ir.Int(argumentSlot*int64(n)), nil, x)
		}
	}
}

// modelled reports whether a call is of a function by name that has no body.
func (f *storage) modelled(x *cc.PostfixExpression) bool {
	d := variable(x.PostfixExpression)
	if d == nil {
		return calledName(x) != ""
	}
	s := f.syms.find(f.unit, d)
	return d.Type().Kind() == cc.Function && (s == nil || s.def == nil)
}

func (f *storage) allocLocal(d *cc.Declarator) {
	t := d.Type()
	switch {
	case d.IsTypename() || d.IsExtern() || d.IsStatic() || t.Kind() == cc.Function:
		return
	case isVariable(t):
		f.declareVariable(d)
		return
	case t.Kind() == cc.Array:
		f.types.checkArray(t, d)
	}
	pos := f.in.span(d)
	if !f.inMemory(d) {
		f.types.scalar(t, d)
		f.vars[d] = lvalue{reg: f.code.fb.Reg(d.Name(), 0, pos), typ: t, obj: ir.NoObject}
		return
	}
	f.vars[d] = f.alloc(d.Name(), t, d)
}

// alloc makes a block of automatic storage.
func (f *storage) alloc(name string, t cc.Type, n cc.Node) lvalue {
	f.types.checkArray(t, n)
	if t.IsIncomplete() || t.Size() < 0 || t.Size() > maxObject {
		f.in.refuse(codeLarge, n, "%s has no size, or more than %d bytes", name, maxObject)
	}
	f.layouts.checkLayout(t, n)
	l := f.allocBytes(name, ir.Int(max(1, t.Size())), f.layouts.layoutOf(t), n)
	l.typ = t
	return l
}

// allocBytes makes a block of some size that lives until the function returns. The
// layout may be nil.
func (f *storage) allocBytes(name string, size *ir.Expr, layout *ir.Layout, n cc.Node) lvalue {
	old := f.code.pos
	f.code.pos = f.in.span(n)
	r := f.code.fb.Reg(name, 0, f.code.pos)
	f.blocks = append(f.blocks, r)
	op := ir.NewOp(ir.Alloc)
	op.Dst, op.Val, op.Stack = r, size, true
	op.Msg, op.Layout = name, layout
	f.code.emit(op)
	f.code.pos = old
	return lvalue{reg: ir.NoReg, addr: ir.R(r), obj: ir.NoObject}
}

// leave ends the function.
func (f *storage) leave(v *ir.Expr) {
	f.lookAtLocals()
	if f.sym.name != "main" {
		for _, r := range f.blocks {
			op := ir.NewOp(ir.Free)
			op.Addr, op.Stack = ir.R(r), true
			f.code.emit(op)
		}
	}
	op := ir.NewOp(ir.Return)
	op.Val = v
	f.code.emit(op)
	f.code.at, f.code.fresh = nowhere, false
}
