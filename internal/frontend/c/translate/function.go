package translate

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
	literals map[*cc.PostfixExpression]lvalue // and of structs that calls return
	// arguments are the blocks that variable arguments are passed in.
	arguments map[*cc.PostfixExpression]lvalue
	arrays    map[*cc.Declarator]*variableArray
	blocks    []ir.Reg // addresses of locals in memory
	labels    map[string]ir.Loc
	cases     map[*cc.LabeledStatement]ir.Loc
	breaks    []ir.Loc
	conts     []ir.Loc
	temps     []ir.Reg
	purity    map[cc.ExpressionNode]bool // what pure found
	inUse     int                        // temps holding values of the current full expression
	floor     int                        // temps holding values of the expression around a statement expression
	resultAt  ir.Reg                     // address of the block a struct is returned in, or NoReg
	varargs   ir.Reg                     // address of the variable arguments, or NoReg
	escaped   map[*cc.Declarator]bool
	marked    map[markKey]bool   // places marked in this function
	readOnly  map[source.Pos]int // read-only marks in this function
	thread    *testThread        // of a test; nil: an ordinary function
	straight  map[ir.EdgeID]bool // see goesOn
}

// lowerFunction translates the body of a function.
func (c *compiler) lowerFunction(s *symbol) {
	f := &lowering{
		purity:   map[cc.ExpressionNode]bool{},
		compiler: c, unit: s.unit, sym: s, fb: s.fb,
		vars:     map[*cc.Declarator]lvalue{},
		literals: map[*cc.PostfixExpression]lvalue{}, arguments: map[*cc.PostfixExpression]lvalue{},
		arrays:   map[*cc.Declarator]*variableArray{},
		resultAt: ir.NoReg, varargs: ir.NoReg,
		labels: map[string]ir.Loc{},
		cases:  map[*cc.LabeledStatement]ir.Loc{},
		marked: map[markKey]bool{}, readOnly: map[source.Pos]int{},
	}
	c.marks.findBare(s.def.CompoundStatement)
	t, ok := s.decl.Type().(*cc.FunctionType)
	if !ok {
		panic("BUG: a function without a function type")
	}
	f.result = t.Result()
	if !isVoid(f.result) && !isStruct(f.result) {
		c.scalar(f.result, s.decl)
	}
	f.escaped = escapes(s.def.CompoundStatement)
	f.pos = c.span(s.decl)
	var params []spilled
	var entry []func()
	if f.thread = c.threads[s]; f.thread != nil {
		params, entry = f.bind(t)
	} else {
		params = f.parameters(t)
	}
	f.at = f.fb.Loc("", f.pos)
	f.fb.Entry(f.at)
	f.allocLocals(s.def.CompoundStatement)
	f.allocAtomicResults(s.def.CompoundStatement)
	if f.thread != nil {
		f.findLocals(s.def.CompoundStatement)
	}
	for _, begin := range entry {
		begin()
	}
	for _, p := range params {
		f.spill(p)
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
	decl   *cc.Declarator
	value  value
	leaves []leaf // of a struct
	first  ir.Reg
}

// spill writes a parameter to its block.
func (f *lowering) spill(p spilled) {
	to, ok := f.vars[p.decl]
	if !ok {
		panic(refusal{})
	}
	if !isStruct(to.typ) {
		f.store(to, p.value, p.decl)
		return
	}
	for i, l := range p.leaves {
		f.storeWord(f.offset(to, l.off), l.typ, ir.R(p.first+ir.Reg(i)))
	}
}

// parameters makes the registers the arguments arrive in.
func (f *lowering) parameters(t *cc.FunctionType) []spilled {
	var out []spilled
	if isStruct(f.result) {
		f.resultAt = f.fb.Param("result", f.pos)
	}
	if t.IsVariadic() {
		f.varargs = f.fb.Param("varargs", f.pos)
	}
	for _, p := range t.Parameters() {
		pt := p.Type()
		if isVoid(pt) {
			if len(t.Parameters()) > 1 {
				f.refuse(codeType, f.sym.decl, "a parameter of type void")
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
		it := f.scalar(pt, f.sym.decl)
		r := f.fb.Param(name, f.pos)
		if d == nil {
			continue
		}
		if f.sym.name == "main" && f.uses(d) {
			f.diags.Warnf(codeMainArgs, f.span(d), "main is run without arguments: argc is 1, and argv holds a name")
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
func (f *lowering) structParam(name string, t cc.Type, d *cc.Declarator) (p spilled, ok bool) {
	p = spilled{decl: d, leaves: f.leaves(t, f.sym.decl), first: ir.Reg(len(f.fb.F.Regs))}
	for range p.leaves {
		f.fb.Param(name, f.pos)
	}
	if d == nil {
		return p, false
	}
	f.block(d)
	return p, true
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
		if x, ok := n.(*cc.PostfixExpression); ok {
			f.guard(func() { f.allocTemporaries(x) })
		}
		return true
	})
	for _, d := range append(locals, localDeclarators(body)...) {
		f.guard(func() { f.allocLocal(d) })
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
func (f *lowering) allocTemporaries(x *cc.PostfixExpression) {
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
func (f *lowering) modelled(x *cc.PostfixExpression) bool {
	d := variable(x.PostfixExpression)
	if d == nil {
		return calledName(x) != ""
	}
	s := f.find(f.unit, d)
	return d.Type().Kind() == cc.Function && (s == nil || s.def == nil)
}

func (f *lowering) allocLocal(d *cc.Declarator) {
	t := d.Type()
	switch {
	case d.IsTypename() || d.IsExtern() || d.IsStatic() || t.Kind() == cc.Function:
		return
	case isVariable(t):
		f.declareVariable(d)
		return
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
	if t.IsIncomplete() || t.Size() < 0 || t.Size() > maxObject {
		f.refuse(codeLarge, n, "%s has no size, or more than %d bytes", name, maxObject)
	}
	f.checkLayout(t, n)
	l := f.allocBytes(name, ir.Int(max(1, t.Size())), f.layoutOf(t), n)
	l.typ = t
	return l
}

// allocBytes makes a block of some size that lives until the function returns. The
// layout may be nil.
func (f *lowering) allocBytes(name string, size *ir.Expr, layout *ir.Layout, n cc.Node) lvalue {
	old := f.pos
	f.pos = f.span(n)
	r := f.fb.Reg(name, 0, f.pos)
	f.blocks = append(f.blocks, r)
	op := ir.NewOp(ir.Alloc)
	op.Dst, op.Val, op.Stack = r, size, true
	op.Msg, op.Layout = name, layout
	f.emit(op)
	f.pos = old
	return lvalue{reg: ir.NoReg, addr: ir.R(r), obj: ir.NoObject}
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
	r := f.tempFor(v)
	f.assign(r, v.e)
	v.e = ir.R(r)
	return v
}

// tempFor is a temporary for a value. A pointer gets a register that holds nothing
// else, so that passes can tell where addresses go.
func (f *lowering) tempFor(v value) ir.Reg {
	if v.elem == nil || f.static {
		return f.temp()
	}
	return f.fb.Reg("p", 0, f.pos)
}

// leave ends the function.
func (f *lowering) leave(v *ir.Expr) {
	f.lookAtLocals()
	if f.sym.name != "main" {
		for _, r := range f.blocks {
			op := ir.NewOp(ir.Free)
			op.Addr, op.Stack = ir.R(r), true
			f.emit(op)
		}
	}
	op := ir.NewOp(ir.Return)
	op.Val = v
	f.emit(op)
	f.at, f.fresh = nowhere, false
}
