package elf

import (
	"math"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Parameters on the stack of functions whose addresses are taken. Such a function has parameters in registers only, as
// pointers to functions of C have them, so its caller writes the words to an object of the thread, after the address of the
// function, and the function takes them from there. If the address is another one, something else has called the
// function, as a thread begins with it, and that is not supported.

// makeArgs makes the object of the thread.
func (p *program) makeArgs(b *ir.Builder) {
	size := int64(0)
	for _, f := range p.funcs {
		for _, s := range f.passed {
			if p.onStack(f) {
				size = max(size, (s.off+s.size+7)&^7)
			}
		}
	}
	if size > 0 {
		p.args = b.Object("arguments", size, 8, ir.U64, nil, source.Span{})
		b.SetPerThread(p.args)
	}
}

// onStack reports whether a function takes parameters from the object of the thread.
func (p *program) onStack(f *function) bool { return p.taken[f] && !f.main && len(f.passed) > 0 }

// hasRoom reports whether the stack before a call has as many words as a function takes.
func (in *inst) hasRoom(o offsets, f *function) bool {
	if in.tail {
		return false
	}
	for _, s := range f.passed {
		if at := in.passes(o, s); at.off+at.size > 0 {
			return false
		}
	}
	return true
}

// pointerRoom returns how many bytes of the stack every call through a pointer can pass.
func (p *program) pointerRoom() int64 {
	room := int64(math.MaxInt64)
	for _, f := range p.funcs {
		for _, in := range f.order {
			if o, reached := f.frame.before[in]; in.pointer && !in.tail && reached && in.refused == "" {
				sp, _ := in.after(o).of(lift.RSP)
				room = min(room, -sp)
			}
		}
	}
	if room == math.MaxInt64 {
		return 0
	}
	return room
}

// passedWord is an access to the word of a parameter in the object of the thread; offset 0 has the address of the function.
func (e *emitter) passedWord(kind ir.OpKind, s slot) ir.Op {
	op := ir.NewOp(kind)
	op.Type, op.Sync.Order, op.Addr, op.Obj = ir.Type{Bits: uint8(8 * s.size)}, ir.Relaxed, ir.Addr(e.p.args, s.off), e.p.args
	return op
}

// address is the address of a function.
func (f *function) address() *ir.Expr { return &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: f.fb.ID} }

// handOver writes the parameters of a function to the object of the thread.
func (e *emitter) handOver(in *inst, o offsets, f *function) {
	if !e.p.onStack(f) {
		return
	}
	for _, s := range f.passed {
		op := e.passedWord(ir.Store, s)
		op.Val = ir.R(e.argument(in, o, s))
		e.add(op)
	}
	op := e.passedWord(ir.Store, slot{0, 8})
	op.Val = f.address()
	e.add(op)
}

// takeOver reads the parameters of the function from the object of the thread, and returns the first of their registers.
func (e *emitter) takeOver() ir.Reg {
	if !e.p.onStack(e.f) {
		return 0
	}
	whose := e.passedWord(ir.Load, slot{0, 8})
	whose.Dst = e.fb.Reg("passed", 0, e.pos)
	e.add(whose)
	is := ir.Binary(ir.Eq, ir.U64, ir.R(whose.Dst), e.f.address())
	goesOn, stops := e.fb.Loc("", e.pos), e.fb.Loc("", e.pos)
	e.assume(is, goesOn)
	e.assume(ir.Negate(is), stops)
	e.at = stops
	e.unsupported(codeFlow, e.f.sym.Name+": the function has parameters on the stack, and is called by something that passes none")
	e.at = goesOn
	again := e.passedWord(ir.Store, slot{0, 8})
	again.Val = ir.Int(0)
	e.add(again)
	var regs []ir.Reg
	for range e.f.passed {
		regs = append(regs, e.fb.Reg("passed", 0, e.pos))
	}
	for i, s := range e.f.passed {
		op := e.passedWord(ir.Load, s)
		op.Dst = regs[i]
		e.add(op)
	}
	return regs[0]
}

// callOnStack makes the call of a function with parameters on the stack through a pointer to it.
func (e *emitter) callOnStack(in *inst, o offsets, f *function, after ir.Loc) {
	if o == nil || !in.hasRoom(o, f) {
		e.unsupported(codeFlow, in.Text+": a call through a pointer does not pass what "+f.sym.Name+" takes from the stack")
		return
	}
	e.handOver(in, o, f)
	op := ir.NewOp(ir.Call)
	op.Dst, op.Call.Func = e.reg(lift.RAX), f.fb.ID
	for i := range f.arity() {
		op.Call.Args = append(op.Call.Args, ir.R(e.reg(callRegs[i])))
	}
	e.fb.Edge(e.at, op, after, e.pos)
}

// orElse is the disjunction of conditions, of which the first may be nil.
func orElse(x, y *ir.Expr) *ir.Expr {
	if x == nil {
		return y
	}
	return ir.Binary(ir.LOr, ir.S64, x, y)
}
