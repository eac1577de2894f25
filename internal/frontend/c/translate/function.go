package translate

import (
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// lowerFunction translates a function. A function whose parameters or result have no translation is
// one operation that is not supported.
func (c *Compiler) lowerFunction(s *symbol) {
	f := c.newLowering(s.Unit, s)
	if body := c.Opt.Bodies[s.Name]; body != nil {
		f.Vars.parameters()
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
		if f.Code.Fb.F.Params == 0 { // the body was refused before them; calls pass them
			c.In.Catch(func() { f.Vars.parameters() })
		}
		f.Code.Fb.F.Edges = nil
		f.Code.At = f.Code.Fb.Loc("", r.Diag.Span)
		f.Code.Fb.Entry(f.Code.At)
		f.Code.unsupported(r)
	}
}

func (c *Compiler) lowerBody(f *Lowering, s *symbol) {
	body := f.In.Body(s.Def)
	c.marks.findBare(f.In, body)
	f.Mem.sites.opens = f.In.Pos(body.Tok)
	if result := f.Vars.result; !IsVoid(result) && !inWords(result) {
		f.Types.Scalar(result, s.Decl)
	}
	f.Vars.escaped = f.Vars.escapes(body)
	f.Vars.escapeCleanups(body)
	f.Code.Pos = s.span()
	var params []spilled
	var entry []func()
	if f.Vars.thread = c.threads[s]; f.Vars.thread != nil {
		params, entry = f.Vars.bind()
	} else {
		params = f.Vars.parameters()
	}
	if r := c.Syms.refusal(s); r != nil {
		panic(*r)
	}
	f.Code.At = f.Code.Fb.Loc("", f.Code.Pos)
	f.Code.Fb.Entry(f.Code.At)
	f.Vars.allocLocals(body)
	if f.Vars.thread != nil {
		f.Vars.findLocals(body)
	}
	for _, begin := range entry {
		begin()
	}
	for _, p := range params {
		f.Vars.spill(p)
	}
	f.stmts.lengths()
	f.stmts.compound(body)
	if f.Code.At != Nowhere {
		f.Code.Pos = f.In.ClosingBrace(body)
		f.Vars.leave(f.Vars.noResult())
	}
}

// noResult returns the result of a function that ends without a value: nil for void and for main, whose result is 0
// then, and for a struct, which is written to the caller's block.
func (f *Storage) noResult() *ir.Expr {
	if t, scalar := ScalarType(f.result); scalar && f.Opt.Undefined() && f.sym.Name != "main" {
		return ir.Undefined(t)
	}
	return nil
}

// spilled is a parameter that lives in memory.
type spilled struct {
	decl   *parse.Object
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
func (f *Storage) parameters() []spilled {
	var out []spilled
	warned := false
	if inWords(f.result) {
		f.resultAt = f.Code.Fb.Param("result", f.Code.Pos)
	}
	if f.sym.Decl.Type.Variadic {
		f.Varargs = f.Code.Fb.Param("varargs", f.Code.Pos)
	}
	for _, d := range f.sym.Def.Params {
		pt := d.Type
		name := d.Text
		if name == "" {
			name = "arg"
		}
		if inWords(pt) {
			if s, ok := f.structParam(name, pt, d); ok {
				out = append(out, s)
			}
			continue
		}
		it := f.Types.Scalar(pt, f.sym.Decl)
		r := f.Code.Fb.Param(name, f.Code.Pos)
		if d.Name == 0 {
			continue
		}
		if f.sym.Name == "main" && !warned && f.uses(d) {
			warned = true // once for argc and argv
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

// lengths evaluates the lengths in the types of parameters, and those of parameters that are declared as arrays, if
// that changes anything.
func (f *Statements) lengths() {
	visit := parse.Visitor{Expr: func(e *parse.Expr) bool {
		switch e.Op {
		case parse.Call, parse.Builtin, parse.StmtExpr, parse.Literal:
			f.In.Refuse(codeVLA, e, "calls in the length of a parameter are not supported")
		}
		return true
	}}
	for _, d := range f.Vars.sym.Def.Params {
		if d.Length != nil && hasEffects(d.Length) {
			visit.Exprs(d.Length)
			f.Exprs.Effect(d.Length)
		}
		if d.Type.IsModified() {
			visit.Lengths(d.Type)
			f.Exprs.lengthsOf(d.Type, d, d)
		}
	}
}

// structParam makes a parameter of every scalar of a struct. ok is false if nothing
// can name the struct.
func (f *Storage) structParam(name string, t *types.Type, d *parse.Object) (p spilled, ok bool) {
	p = spilled{decl: d, leaves: f.Layouts.Leaves(t, f.sym.Decl), first: ir.Reg(len(f.Code.Fb.F.Regs))}
	for range p.leaves {
		f.Code.Fb.Param(name, f.Code.Pos)
	}
	if d.Name == 0 {
		return p, false
	}
	f.block(d)
	return p, true
}

// uses reports whether a parameter is mentioned in the body.
func (f *Storage) uses(d *parse.Object) bool {
	found := false
	visit := parse.Visitor{Expr: func(e *parse.Expr) bool {
		found = found || e.Op == parse.Name && e.Obj == d
		return !found
	}}
	visit.Stmts(f.sym.Def.Body)
	return found
}

// inMemory reports whether a local needs an address.
func (f *Storage) inMemory(d *parse.Object) bool {
	return isAggregate(d.Type) || f.escaped[d] || isAtomic(d.Type) || isWide(d.Type)
}

// block reserves the register that holds the address of a local.
func (f *Storage) block(d *parse.Object) {
	f.vars[d] = Lvalue{Reg: ir.NoReg, pending: true, Type: d.Type, Obj: ir.NoObject}
}

// allocLocals makes the registers and blocks of all locals, at the entry of the
// function: a local of a loop's body is the same object in every iteration, as
// compilers have it.
func (f *Storage) allocLocals(body *parse.Stmt) {
	var locals []*parse.Object
	for _, d := range f.sym.Def.Params {
		if f.vars[d].pending {
			locals = append(locals, d)
		}
	}
	inWord := map[*parse.Expr]bool{} // arguments that are passed without a temporary
	visit := parse.Visitor{Expr: func(x *parse.Expr) bool {
		if x.Op == parse.Call {
			for _, a := range x.Args {
				inWord[a] = asWord(a)
			}
		}
		if !inWord[x] {
			f.attempt(x, func() { f.allocTemporaries(x) })
		}
		return true
	}}
	visit.Stmts(body)
	for _, d := range append(locals, localObjects(body)...) {
		f.attempt(d, func() { f.allocLocal(d) })
	}
	visit.Expr = func(x *parse.Expr) bool {
		if x.Op == parse.Builtin && IsStruct(x.Type) { // what an atomic operation returns
			f.attempt(x, func() { f.literals[x] = f.alloc("value", x.Type, x) })
		}
		return true
	}
	visit.Stmts(body)
}

// localObjects are the variables that a body declares, in the order of the text.
func localObjects(body *parse.Stmt) []*parse.Object {
	var out []*parse.Object
	visit := parse.Visitor{Object: func(o *parse.Object) {
		if o.Kind == parse.Variable {
			out = append(out, o)
		}
	}}
	visit.Stmts(body)
	return out
}

// allocTemporaries makes the blocks an expression needs: of a compound literal, of a
// struct that a call returns, of variable arguments.
func (f *Storage) allocTemporaries(x *parse.Expr) {
	switch x.Op {
	case parse.Literal:
		if x.Obj.Global {
			return
		}
		f.literals[x] = f.alloc("literal", x.Type, x)
	case parse.Convert:
		if x.Field != nil {
			f.literals[x] = f.alloc("value", x.Type, x)
		}
	case parse.Call:
		if inWords(x.Type) {
			f.literals[x] = f.alloc("result", x.Type, x)
		}
		if n := f.variableSlots(x); n > 0 {
			f.arguments[x] = f.allocBytes("arguments", ir.Int(argumentSlot*n), nil, 0, x)
		}
	}
}

func (f *Storage) allocLocal(d *parse.Object) {
	t := d.Type
	switch {
	case d.Global:
		return
	case t.Kind == types.Array && t.IsVariable():
		f.declareVariable(d)
		return
	case t.Kind == types.Array:
		f.Types.checkArray(t, d)
	}
	pos := f.In.Span(d)
	if _, ok := ScalarType(t); ok && !f.inMemory(d) {
		r := f.Code.Fb.Reg(d.Text, 0, pos)
		f.vars[d] = Lvalue{Reg: r, Type: t, Obj: ir.NoObject}
		if it, _ := ScalarType(t); f.Opt.Undefined() {
			f.Code.Fb.F.Regs[r].Undef = it
		}
		return
	}
	f.vars[d] = f.allocAligned(d.Text, t, declaredAlign(d), d)
}

// alloc makes a block of automatic storage.
func (f *Storage) alloc(name string, t *types.Type, n parse.Node) Lvalue {
	return f.allocAligned(name, t, t.Align(), n)
}

// allocAligned makes a block of automatic storage whose address is a multiple of align.
func (f *Storage) allocAligned(name string, t *types.Type, align int64, n parse.Node) Lvalue {
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
func (f *Storage) allocBytes(name string, size *ir.Expr, layout *ir.Layout, align int64, n parse.Node) Lvalue {
	old := f.Code.Pos
	f.Code.Pos = f.In.Span(n)
	r := f.Code.Fb.Reg(name, 0, f.Code.Pos)
	f.blocks = append(f.blocks, r)
	op := ir.NewOp(ir.Alloc)
	op.Dst, op.Val, op.Block.Stack = r, size, true
	op.Block.Name, op.Block.Layout, op.Block.Align, op.Block.Undef = name, layout, align, f.Opt.Undefined()
	f.Code.Emit(op)
	f.Code.Pos = old
	return Lvalue{Reg: ir.NoReg, Addr: ir.R(r), Obj: ir.NoObject}
}

// BlockAlign is an alignment as allocations have it.
func (f *Storage) BlockAlign(align int64, n parse.Node) int64 {
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
			op.Addr, op.Block.Stack = ir.R(r), true
			f.Code.Emit(op)
		}
	}
	op := ir.NewOp(ir.Return)
	op.Val = v
	f.Code.Emit(op)
	f.Code.At, f.Code.Fresh = Nowhere, false
}
