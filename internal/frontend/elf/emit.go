package elf

import (
	"fmt"
	"slices"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// emitter makes the edges of one function.
type emitter struct {
	p     *program
	f     *function
	l     *translate.Linker
	fb    *ir.FuncBuilder
	regs  map[ir.Reg]ir.Reg
	slots map[slot]ir.Reg // the pieces of a stack that consists of registers
	locs  map[*inst]ir.Loc
	low   *alignment // what is known about the registers
	block ir.Reg     // holds the address of the frame, if that is a block
	parts []ir.Reg   // of values that are loaded in parts
	at    ir.Loc
	pos   source.Span
	above ir.Reg // holds the types of exceptions that callers take
}

// emit makes the body of a function.
func (p *program) emit(l *translate.Linker, f *function) {
	e := &emitter{p: p, f: f, l: l, fb: f.fb, regs: map[ir.Reg]ir.Reg{}, slots: map[slot]ir.Reg{}, locs: map[*inst]ir.Loc{}}
	first := f.insts[f.sym.Addr()]
	e.pos = first.pos
	f.fb.F.Pos = first.pos
	inRegisters := f.fb.F.Params
	if !p.inC(f) {
		inRegisters -= len(f.passed)
	}
	for i := range inRegisters {
		e.regs[callRegs[i]] = ir.Reg(i)
	}
	e.at = f.fb.Loc("", e.pos)
	f.fb.Entry(e.at)
	if f.problem != "" {
		e.unsupported(codeFlow, f.sym.Name+": "+f.problem)
		return
	}
	for _, in := range f.order {
		e.locs[in] = f.fb.Loc(fmt.Sprintf("%x", in.addr-f.sym.Addr()), in.pos)
	}
	if f.frame.escapes {
		e.block = f.fb.Reg("frame", 0, e.pos)
		op := ir.NewOp(ir.Alloc)
		op.Dst, op.Val, op.Block.Stack, op.Block.Name, op.Block.Align = e.block, ir.Int(f.frame.high-f.frame.low), true, shortName(f.sym.Name)+".frame", max(64, f.frame.align)
		op.Block.Layout = p.frameLayout(f)
		e.add(op)
		e.add(assign(e.reg(lift.RSP), e.inFrame(0)))
	}
	words := ir.Reg(f.fb.F.Params - len(f.passed))
	if p.inC(f) {
		words = e.takeOver()
	}
	for i, s := range f.passed {
		param := words + ir.Reg(i)
		if f.frame.escapes {
			op := ir.NewOp(ir.Store)
			op.Type, op.Addr, op.Val, op.Sync.Order = ir.Type{Bits: uint8(8 * s.size)}, e.inFrame(s.off), ir.R(param), ir.Relaxed
			e.add(op)
		} else {
			e.slots[s] = param
		}
	}
	for i := range inRegisters {
		f.unset &^= one(callRegs[i])
	}
	e.undefine(f.unset)
	e.enterMasked()
	if f.main {
		e.callFirst()
	}
	f.fb.Edge(e.at, ir.NewOp(ir.Nop), e.locs[first], e.pos)
	for _, in := range f.order {
		e.at, e.pos = e.locs[in], in.pos
		e.instruction(in)
	}
}

// undefine makes registers undefined.
func (e *emitter) undefine(regs regSet) {
	for r := ir.Reg(0); r < lift.FirstTemp; r++ {
		if regs.has(r) {
			e.add(assign(e.reg(r), ir.Undefined(ir.U64)))
		}
	}
}

func assign(to ir.Reg, v *ir.Expr) ir.Op {
	op := ir.NewOp(ir.Assign)
	op.Dst, op.Val = to, v
	return op
}

// inFrame is the address of an offset in the frame.
func (e *emitter) inFrame(off int64) *ir.Expr {
	return ir.Binary(ir.Add, ir.U64, ir.R(e.block), ir.Int(off-e.f.frame.low))
}

func (e *emitter) add(op ir.Op) {
	to := e.fb.Loc("", e.pos)
	e.fb.Edge(e.at, op, to, e.pos)
	e.at = to
}

func (e *emitter) unsupported(code, msg string) {
	op := ir.NewOp(ir.Unsupported)
	op.Report = ir.Report{Code: code, Msg: msg}
	e.add(op)
}

// reg returns the register that stands for one of the processor's.
func (e *emitter) reg(r ir.Reg) ir.Reg {
	if have, ok := e.regs[r]; ok {
		return have
	}
	e.regs[r] = e.fb.Reg(lift.RegisterName(r), 0, e.pos)
	return e.regs[r]
}

// expr puts registers, objects and functions of the ir program into an expression.
func (e *emitter) expr(x *ir.Expr) *ir.Expr {
	return x.Map(func(leaf *ir.Expr) *ir.Expr {
		switch leaf.Op {
		case ir.RegRef:
			return ir.R(e.reg(leaf.Reg))
		case ir.AddrOf:
			return ir.Addr(e.p.data[leaf.Obj].obj, leaf.Value)
		case ir.FuncAddr:
			return &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: e.p.funcs[leaf.Func].fb.ID}
		}
		return leaf
	})
}

// instruction makes the edges of an instruction.
func (e *emitter) instruction(in *inst) {
	o, reached := e.f.frame.before[in]
	switch {
	case !reached:
		return
	case in.refused != "":
		e.unsupported(in.code, in.refused)
		return
	}
	e.fence(in)
	begin := e.at
	if in.Needs != nil {
		e.needs(in)
	}
	if in.Guard != nil {
		body := e.fb.Loc("", e.pos)
		e.assume(e.expr(in.Guard), body)
		e.assume(ir.Negate(e.expr(in.Guard)), e.next(in, 1))
		e.at = body
	}
	for _, t := range in.keeps {
		e.add(assign(e.tableReg(t), e.expr(t.offset)))
	}
	o = o.clone()
	e.low = e.p.alignAt(e.f, in)
	section := false
	for i := range in.Ops {
		op := &in.Ops[i]
		section = op.Kind == ir.AtomicBegin || section && op.Kind != ir.AtomicEnd
		e.op(in, op, o, section)
		o.step(op)
		e.low.step(op)
	}
	switch {
	case in.isCall():
		e.call(in, o)
	case in.table != nil:
		e.branchTable(in)
	case in.End == lift.Ret:
		e.ret(e.f.results)
	case in.End == lift.Stop:
	case in.End == lift.Branch:
		cond := e.expr(in.Cond)
		e.assume(cond, e.next(in, 0))
		e.assume(ir.Negate(cond), e.next(in, 1))
	case in.End == lift.Repeat:
		e.jump(begin) // a fence in front of the instruction is not between its rounds
	default:
		e.jump(e.next(in, 0))
	}
}

// needs makes the case in which the translation does not hold unsupported.
func (e *emitter) needs(in *inst) {
	holds, not := e.fb.Loc("", e.pos), e.fb.Loc("", e.pos)
	e.assume(e.expr(in.Needs), holds)
	e.assume(ir.Negate(e.expr(in.Needs)), not)
	e.at = not
	e.unsupported(codeInstruction, in.Text+" with a dividend of 128 bits is not supported")
	e.at = holds
}

// next returns where successor i begins.
func (e *emitter) next(in *inst, i int) ir.Loc {
	if i < len(in.next) {
		return e.locs[in.next[i]]
	}
	from, at := e.at, e.fb.Loc("", e.pos)
	e.at = at
	e.unsupported(codeFlow, "the function has too many instructions")
	e.at = from
	return at
}

func (e *emitter) assume(cond *ir.Expr, to ir.Loc) {
	op := ir.NewOp(ir.Assume)
	op.Val = cond
	e.fb.Edge(e.at, op, to, e.pos)
}

// jump goes on at a location: the last edge is bent there if it has just been made.
func (e *emitter) jump(to ir.Loc) {
	if n := len(e.fb.F.Edges); n > 0 && e.fb.F.Edges[n-1].To == e.at && e.at == ir.Loc(len(e.fb.F.Locs)-1) {
		e.fb.F.Edges[n-1].To = to
		return
	}
	e.fb.Edge(e.at, ir.NewOp(ir.Nop), to, e.pos)
}

// op makes the edge of an operation.
// section says that the instruction has
// an atomic section around it.
func (e *emitter) op(in *inst, op *ir.Op, o offsets, section bool) {
	out := *op
	if op.Accesses() {
		if off, ok := o.eval(op.Addr); ok {
			if !e.f.frame.escapes {
				e.slotAccess(op, slot{off, int64(op.Type.Size())})
				return
			}
			out.Addr = nil
			out.Exprs(e.expr)
			out.Addr = e.inFrame(off)
			e.access(in, out, lowest(knownBits, uint64(off+8)), section) // the entry is 8 past a multiple of 16
			return
		}
	}
	if _, ok := o.eval(op.Val); ok && op.Kind == ir.Assign && !e.f.frame.escapes {
		return // an address in a stack that consists of registers
	}
	out.Exprs(e.expr)
	if op.Accesses() {
		if e.f.frame.escapes && o.mentions(op.Addr) {
			e.guardStack(in, out.Addr, int64(op.Type.Size()))
		}
		e.access(in, out, e.low.eval(op.Addr), section)
		return
	}
	e.finish(out)
}

// finish gives an operation its registers and objects.
func (e *emitter) finish(op ir.Op) {
	if op.Obj != ir.NoObject {
		op.Obj = e.p.data[op.Obj].obj
	}
	if op.Dst != ir.NoReg {
		op.Dst = e.reg(op.Dst)
	}
	if op.Dst2 != ir.NoReg {
		op.Dst2 = e.reg(op.Dst2)
	}
	e.add(op)
}

// call makes the edge of a call.
func (e *emitter) call(in *inst, o offsets) {
	op := ir.NewOp(ir.Call)
	op.Dst = e.reg(lift.RAX)
	mask, described := e.maskFor(in), ir.NoReg
	if mask != nil {
		e.inThread(e.p.handled, mask)
	}
	switch {
	case in.pointer:
		e.callPointer(in, o)
		op = ir.NewOp(ir.Nop)
	case in.callee != nil:
		op.Call.Func = in.callee.fb.ID
		if !in.callee.writes.has(lift.RAX) {
			op.Dst = ir.NoReg
		}
		n, passed := len(in.callee.params), in.callee.passed
		if e.p.inC(in.callee) {
			e.handOver(in, o, in.callee)
			n, passed = in.callee.arity(), nil
		}
		for i := range n {
			op.Call.Args = append(op.Call.Args, ir.R(e.reg(callRegs[i])))
		}
		for _, s := range passed {
			op.Call.Args = append(op.Call.Args, ir.R(e.argument(in, o, s)))
		}
	case in.stub != nil:
		s := in.stub
		if s.proto.throws {
			described = e.describe(in)
		}
		s.fb = e.l.Function(s.name)
		op.Call.Func = s.fb.ID
		for i, c := range s.args {
			if c == nil && i < len(argumentRegs) {
				op.Call.Args = append(op.Call.Args, ir.R(e.reg(argumentRegs[i])))
			}
		}
		for _, word := range s.passed() {
			op.Call.Args = append(op.Call.Args, ir.R(e.argument(in, o, word)))
		}
		if s.isVoid() {
			op.Dst = ir.NoReg
		}
	case sections[in.extern] == ir.OpUnset && in.live.has(lift.RAX):
		e.unsupported(codeExtern, "the result of "+in.extern+" is used, but it is not known")
		return
	default:
		op = e.simpleCall(in)
	}
	e.add(op)
	if in.stub != nil && in.stub.proto.throws {
		e.raised(in, o, described)
		return
	}
	e.cameBack(in, o, mask != nil)
	e.undefine(in.spoils)
	pair := in.stub != nil && in.stub.isPair()
	switch more := in.defines(e.p) & in.live; {
	case pair && (more.has(lift.RDX) || in.tail && e.f.results.has(lift.RDX)):
		second := ir.NewOp(ir.Call)
		second.Dst, second.Call.Func = e.reg(lift.RDX), e.l.Function("fp_second").ID
		e.add(second)
	case more.has(lift.RDX) && !in.tail:
		e.add(e.result(ir.Load))
	}
	switch {
	case in.tail && pair:
		e.ret(e.f.results)
	case in.tail:
		e.ret(0) // the callee has left its other results
	case len(in.next) > 0:
		e.jump(e.next(in, 0))
	}
}

// simpleCall makes the operation of a call that begins or ends an atomic section, is a fence or does nothing.
func (e *emitter) simpleCall(in *inst) ir.Op {
	switch {
	case sections[in.extern] != ir.OpUnset:
		return ir.NewOp(sections[in.extern])
	case slices.Contains(e.p.opt.ExternFence, in.extern):
		op := ir.NewOp(ir.Fence)
		op.Fence = ir.FullFence
		return op
	}
	return ir.NewOp(ir.Nop)
}

// argument returns a register with a parameter that a call passes on the stack.
func (e *emitter) argument(in *inst, o offsets, s slot) ir.Reg {
	at := s
	if !in.tail {
		at = in.passes(o, s)
	}
	if pieces := e.f.frame.piecesOf(at); !e.f.frame.escapes && len(pieces) == 1 {
		return e.piece(pieces[0])
	}
	op := ir.NewOp(ir.Load)
	op.Dst, op.Type, op.Addr, op.Sync.Order = e.fb.Reg("argument", 0, e.pos), ir.Type{Bits: uint8(8 * s.size)}, e.inFrame(at.off), ir.Relaxed
	if e.f.frame.escapes {
		e.add(op)
	} else {
		e.add(assign(op.Dst, e.fromStack(at)))
	}
	return op.Dst
}

// result is the access to the variable of the thread that holds the second word of a result.
func (e *emitter) result(kind ir.OpKind) ir.Op {
	op := ir.NewOp(kind)
	op.Type, op.Sync.Order, op.Addr, op.Obj = ir.U64, ir.Relaxed, ir.Addr(e.p.rdx, 0), e.p.rdx
	if kind == ir.Load {
		op.Dst = e.reg(lift.RDX)
	} else {
		op.Val = ir.R(e.reg(lift.RDX))
	}
	return op
}

// ret makes the edges of a return, with results beside rax.
func (e *emitter) ret(results regSet) {
	if results.has(lift.RDX) {
		e.add(e.result(ir.Store))
	}
	if e.f.frame.escapes && !e.f.main {
		op := ir.NewOp(ir.Free)
		op.Addr, op.Block.Stack = ir.R(e.block), true
		e.add(op)
	}
	op := ir.NewOp(ir.Return)
	op.Val = ir.R(e.reg(lift.RAX))
	e.add(op)
}
