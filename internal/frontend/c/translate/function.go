package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
)

// lowerFunction translates a function. A function whose parameters or result have no translation is
// one operation that is not supported.
func (c *Compiler) lowerFunction(s *symbol) {
	f := c.newLowering(s.Unit)
	f.sym, f.Code.Fb = s, s.Fb
	if body := c.Opt.Bodies[s.Name]; body != nil {
		t := s.Decl.Type().(*cc.FunctionType)
		f.result = t.Result()
		f.Vars.parameters(t)
		body(&Linker{c}, s.Fb)
		return
	}
	r := c.In.Catch(func() { c.lowerBody(f, s) })
	switch {
	case r == nil:
		f.Code.closeEnds()
	case r.Diag == nil || c.Opt.Strict:
		panic(*r)
	default:
		f.Code.Fb.F.Edges = nil
		f.Code.At = f.Code.Fb.Loc("", r.Diag.Span)
		f.Code.Fb.Entry(f.Code.At)
		f.Code.unsupported(r)
	}
}

func (c *Compiler) lowerBody(f *Lowering, s *symbol) {
	c.marks.findBare(s.Def.CompoundStatement)
	t, ok := s.Decl.Type().(*cc.FunctionType)
	if !ok {
		panic("BUG: a function without a function type")
	}
	f.result = t.Result()
	if !IsVoid(f.result) && !inWords(f.result) {
		c.Types.Scalar(f.result, s.Decl)
	}
	f.Vars.escaped = f.Vars.escapes(s.Def.CompoundStatement)
	f.Vars.escapeCleanups(s.Def.CompoundStatement)
	f.Code.Pos = c.In.Span(s.Decl)
	var params []spilled
	var entry []func()
	if f.Vars.thread = c.threads[s]; f.Vars.thread != nil {
		params, entry = f.Vars.bind(t)
	} else {
		params = f.Vars.parameters(t)
	}
	if r := c.Syms.refusal(s); r != nil {
		panic(*r)
	}
	f.Code.At = f.Code.Fb.Loc("", f.Code.Pos)
	f.Code.Fb.Entry(f.Code.At)
	f.Vars.allocLocals(s.Def.CompoundStatement)
	f.Vars.allocAtomicResults(s.Def.CompoundStatement)
	if f.Vars.thread != nil {
		f.Vars.findLocals(s.Def.CompoundStatement)
	}
	for _, begin := range entry {
		begin()
	}
	for _, p := range params {
		f.Vars.spill(p)
	}
	f.stmts.compound(s.Def.CompoundStatement)
	if f.Code.At != Nowhere {
		f.Code.Pos = c.In.ClosingBrace(s.Def.CompoundStatement)
		f.Vars.leave(nil)
	}
}

// spilled is a parameter that lives in memory.
type spilled struct {
	decl   *cc.Declarator
	value  Value
	leaves []Leaf // of a struct, or of an integer of 128 bits
	first  ir.Reg
}

// spill writes a parameter to its block.
func (f *Storage) spill(p spilled) {
	to, ok := f.vars[p.decl]
	if !ok {
		f.missing(p.decl)
	}
	if !inWords(to.Type) {
		f.Mem.Store(to, p.value, p.decl)
		return
	}
	for i, l := range p.leaves {
		f.Mem.StoreWord(f.Mem.leaf(to, l), l.Typ, ir.R(p.first+ir.Reg(i)))
	}
}

// parameters makes the registers the arguments arrive in.
func (f *Storage) parameters(t *cc.FunctionType) []spilled {
	var out []spilled
	if inWords(f.result) {
		f.resultAt = f.Code.Fb.Param("result", f.Code.Pos)
	}
	if t.IsVariadic() {
		f.Varargs = f.Code.Fb.Param("varargs", f.Code.Pos)
	}
	for _, p := range t.Parameters() {
		pt := p.Type()
		if IsVoid(pt) {
			if len(t.Parameters()) > 1 {
				f.In.Reject(read.CodeType, f.sym.Decl, "a parameter of type void")
			}
			break
		}
		name := p.Name()
		if name == "" {
			name = "arg"
		}
		d := p.Declarator
		if inWords(pt) {
			if s, ok := f.structParam(name, pt, d); ok {
				out = append(out, s)
			}
			continue
		}
		it := f.Types.Scalar(pt, f.sym.Decl)
		r := f.Code.Fb.Param(name, f.Code.Pos)
		if d == nil {
			continue
		}
		if f.sym.Name == "main" && f.uses(d) {
			f.In.Diags.Warnf(codeMainArgs, f.In.Span(d), "main is run without arguments: argc is 1, and argv holds a name")
		}
		if f.inMemory(d) {
			out = append(out, spilled{decl: d, value: Value{Expr: ir.R(r), Type: it, Elem: ElemOf(pt), Obj: ir.NoObject}})
			f.block(d)
			continue
		}
		f.vars[d] = Lvalue{Reg: r, Type: pt, Obj: ir.NoObject}
	}
	return out
}

// structParam makes a parameter of every scalar of a struct. ok is false if nothing
// can name the struct.
func (f *Storage) structParam(name string, t cc.Type, d *cc.Declarator) (p spilled, ok bool) {
	p = spilled{decl: d, leaves: f.Layouts.Leaves(t, f.sym.Decl), first: ir.Reg(len(f.Code.Fb.F.Regs))}
	for range p.leaves {
		f.Code.Fb.Param(name, f.Code.Pos)
	}
	if d == nil {
		return p, false
	}
	f.block(d)
	return p, true
}

// uses reports whether a parameter is mentioned in the body.
func (f *Storage) uses(d *cc.Declarator) bool {
	found := false
	inspect(f.sym.Def.CompoundStatement, func(n cc.Node) bool {
		if p, ok := n.(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionIdent && p.ResolvedTo() == cc.Node(d) {
			found = true
		}
		return true
	})
	return found
}

// inMemory reports whether a local needs an address.
func (f *Storage) inMemory(d *cc.Declarator) bool {
	return isAggregate(d.Type()) || f.escaped[d] || f.Types.ofDeclarator(d).IsAtomic()
}

// block reserves the register that holds the address of a local.
func (f *Storage) block(d *cc.Declarator) {
	f.vars[d] = Lvalue{Reg: ir.NoReg, pending: true, Type: d.Type(), Obj: ir.NoObject}
}

// allocLocals makes the registers and blocks of all locals, at the entry of the
// function: a local of a loop's body is the same object in every iteration, as
// compilers have it.
func (f *Storage) allocLocals(body *cc.CompoundStatement) {
	var locals []*cc.Declarator
	for _, p := range f.sym.Decl.Type().(*cc.FunctionType).Parameters() {
		if p.Declarator != nil && f.vars[p.Declarator].pending {
			locals = append(locals, p.Declarator)
		}
	}
	inspect(body, func(n cc.Node) bool {
		if x, ok := n.(*cc.PostfixExpression); ok {
			f.attempt(x, func() { f.allocTemporaries(x) })
		}
		return true
	})
	for _, d := range append(locals, localDeclarators(body)...) {
		f.attempt(d, func() { f.allocLocal(d) })
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
func (f *Storage) allocTemporaries(x *cc.PostfixExpression) {
	switch x.Case {
	case cc.PostfixExpressionComplit:
		f.literals[x] = f.alloc("literal", x.TypeName.Type(), x)
	case cc.PostfixExpressionCall:
		if inWords(x.Type()) {
			f.literals[x] = f.alloc("result", x.Type(), x)
		}
		if n := variableSlots(x); n > 0 && !f.modelled(x) {
			f.arguments[x] = f.allocBytes("arguments", ir.Int(argumentSlot*n), nil, 0, x)
		}
	}
}

// modelled reports whether a call is of a function by name that has no body.
func (f *Storage) modelled(x *cc.PostfixExpression) bool {
	d := VariableOf(x.PostfixExpression)
	if d == nil {
		return calledName(x) != ""
	}
	s := f.Syms.Find(f.Unit, d)
	return d.Type().Kind() == cc.Function && (s == nil || s.Def == nil)
}

func (f *Storage) allocLocal(d *cc.Declarator) {
	t := d.Type()
	switch {
	case d.IsTypename() || d.IsExtern() || d.IsStatic() || t.Kind() == cc.Function:
		return
	case isVariable(t):
		f.declareVariable(d)
		return
	case t.Kind() == cc.Array:
		f.Types.checkArray(t, d)
	}
	pos := f.In.Span(d)
	if _, ok := ScalarType(t); ok && !f.inMemory(d) {
		r := f.Code.Fb.Reg(d.Name(), 0, pos)
		f.vars[d] = Lvalue{Reg: r, Type: t, Obj: ir.NoObject}
		if it, _ := ScalarType(t); f.Opt.Undefined {
			f.Code.Fb.F.Regs[r].Undef = it
		}
		return
	}
	f.vars[d] = f.allocAligned(d.Name(), t, read.DeclaredAlign(d), d)
}

// alloc makes a block of automatic storage.
func (f *Storage) alloc(name string, t cc.Type, n cc.Node) Lvalue {
	return f.allocAligned(name, t, int64(t.Align()), n)
}

// allocAligned makes a block of automatic storage whose address is a multiple of align.
func (f *Storage) allocAligned(name string, t cc.Type, align int64, n cc.Node) Lvalue {
	f.Types.checkArray(t, n)
	if t.IsIncomplete() || t.Size() < 0 || t.Size() > maxObject {
		f.In.Refuse(codeLarge, n, "%s has no size, or more than %d bytes", name, maxObject)
	}
	l := f.allocBytes(name, ir.Int(max(1, t.Size())), f.Layouts.layoutOf(t), f.BlockAlign(align, n), n)
	l.Type, l.known = t, wordSize
	return l
}

// allocBytes makes a block of some size that lives until the function returns. The
// layout may be nil.
func (f *Storage) allocBytes(name string, size *ir.Expr, layout *ir.Layout, align int64, n cc.Node) Lvalue {
	old := f.Code.Pos
	f.Code.Pos = f.In.Span(n)
	r := f.Code.Fb.Reg(name, 0, f.Code.Pos)
	f.blocks = append(f.blocks, r)
	op := ir.NewOp(ir.Alloc)
	op.Dst, op.Val, op.Stack = r, size, true
	op.Msg, op.Layout, op.Align, op.Undef = name, layout, align, f.Opt.Undefined
	f.Code.Emit(op)
	f.Code.Pos = old
	return Lvalue{Reg: ir.NoReg, Addr: ir.R(r), Obj: ir.NoObject}
}

// BlockAlign is an alignment as allocations have it.
func (f *Storage) BlockAlign(align int64, n cc.Node) int64 {
	switch {
	case align <= 16:
		return 0
	case align > ir.MaxAlign || align&(align-1) != 0:
		f.In.Refuse(codeLarge, n, "an alignment of %d bytes is not supported", align)
	}
	return align
}

// leave ends the function.
func (f *Storage) leave(v *ir.Expr) {
	f.readLocals()
	if f.sym.Name != "main" {
		for _, r := range f.blocks {
			op := ir.NewOp(ir.Free)
			op.Addr, op.Stack = ir.R(r), true
			f.Code.Emit(op)
		}
	}
	op := ir.NewOp(ir.Return)
	op.Val = v
	f.Code.Emit(op)
	f.Code.At, f.Code.Fresh = Nowhere, false
}
