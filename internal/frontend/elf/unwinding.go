package elf

import (
	"fmt"
	"math/bits"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// What exceptions do in the program that is made: see exceptions.go.
//
// The library keeps a header for each exception that is thrown, whose words runtime_cpp.txt describes. Code at a
// handler gets its address in rax, and hands it to the library.

const (
	headerObject   = 0
	headerType     = 8
	headerAdjusted = 16
)

// makeExceptions makes the variables of the threads.
func (p *program) makeExceptions(b *ir.Builder) {
	for _, o := range []struct {
		id   *ir.ObjectID
		name string
		used bool
	}{{&p.inFlight, "exception", len(p.leaves) > 0 || len(p.fates) > 0}, {&p.flightType, "exception.type", len(p.fates) > 0}, {&p.handled, "exception.handled", p.masked}} {
		if o.used {
			*o.id = b.Object(o.name, 8, 8, ir.U64, nil, source.Span{})
			b.SetPerThread(*o.id)
		}
	}
}

// throwing returns the call in C of a function that throws; or, if nothing takes the exception, an error.
func (p *program) throwing(f *function, in *inst) (pr *prototype, problem string) {
	types, problem := p.thrownAt(f, in)
	if problem != "" {
		return nil, problem
	}
	if p.fates[in] == uncaughtThere {
		return uncaught(in.extern, p.nameOfThrown(types)), ""
	}
	number, call := bits.TrailingZeros64(uint64(types)), ""
	switch m := libraryThrows.FindStringSubmatch(in.extern); {
	case in.extern == resume:
		call = "(long *) = fp_exception_resume($0)"
	case in.extern == "__cxa_rethrow":
		call = "(void) = fp_exception_again()"
	case again[in.extern]:
		call = "(long **) = fp_exception_throw_kept($0)"
	case in.extern == "__cxa_throw":
		call = fmt.Sprintf("(long *, long, long) = fp_exception_throw($0, %d, $1, $2)", number)
	case m != nil && (m[1] == "system_error" || m[1] == "future_error"):
		call = fmt.Sprintf("(int) = fp_exception_throw_code($0, %d)", number)
	default:
		call = fmt.Sprintf("(void) = fp_exception_throw_standard(%d)", number)
	}
	pr = parsePrototype("void *" + in.extern + call + ";")
	pr.throws = true
	return pr, ""
}

// nameOfThrown returns the name of the only type of a mask, "" if there are several.
func (p *program) nameOfThrown(types typeMask) string {
	for i, t := range p.thrown {
		if types == 1<<i && (len(p.thrown) > 1 || types != 0) {
			return t.shortName()
		}
	}
	return ""
}

// inThread is an access to a variable of the thread: a load to a new register, or a store.
func (e *emitter) inThread(o ir.ObjectID, value *ir.Expr) ir.Reg {
	op := ir.NewOp(ir.Load)
	if value != nil {
		op = ir.NewOp(ir.Store)
		op.Val = value
	} else {
		op.Dst = e.fb.Reg("exception", 0, e.pos)
	}
	op.Type, op.Sync.Order, op.Addr, op.Obj = ir.U64, ir.Relaxed, ir.Addr(o, 0), o
	e.add(op)
	return op.Dst
}

// loadWord loads a word of memory to a new register.
func (e *emitter) loadWord(addr *ir.Expr) ir.Reg {
	op := ir.NewOp(ir.Load)
	op.Type, op.Sync.Order, op.Addr, op.Dst = ir.U64, ir.Relaxed, addr, e.fb.Reg("exception", 0, e.pos)
	e.add(op)
	return op.Dst
}

// describe finds the number of a type, by the address of its description, in front of a call that throws it; ir.NoReg: it is
// the same each time.
func (e *emitter) describe(in *inst) ir.Reg {
	if in.extern != "__cxa_throw" || e.p.typeOf(e.f.constant(in, argumentRegs[1])) != nil {
		return ir.NoReg
	}
	number := e.fb.Reg("exception", 0, e.pos)
	found, from := e.fb.Loc("", e.pos), e.at
	var any *ir.Expr
	for _, d := range e.p.descriptions(e.f) {
		bit, _ := e.p.bit(e.p.typeOf(d))
		is := ir.Binary(ir.Eq, ir.U64, ir.R(e.reg(argumentRegs[1])), e.expr(d))
		e.at = e.fb.Loc("", e.pos)
		to := e.at
		e.at = from
		e.assume(is, to)
		e.at = to
		e.fb.Edge(e.at, assign(number, ir.Int(int64(bits.TrailingZeros64(uint64(bit))))), found, e.pos)
		any = orElse(any, is)
	}
	none := e.fb.Loc("", e.pos)
	e.at = from
	e.assume(ir.Negate(any), none)
	e.at = none
	e.unsupported(codeFlow, in.words()+": the type of the exception is not known")
	e.at = found
	return number
}

// raised makes what comes after a call of a function of the library that throws: the header is in rax.
func (e *emitter) raised(in *inst, o offsets, described ir.Reg) {
	header := ir.R(e.reg(lift.RAX))
	types, _ := e.p.thrownAt(e.f, in)
	kind := described
	switch {
	case again[in.extern]:
		kind = e.loadWord(ir.Binary(ir.Add, ir.U64, header, ir.Int(headerType)))
	case described != ir.NoReg:
		op := ir.NewOp(ir.Store)
		op.Type, op.Sync.Order, op.Addr, op.Val = ir.U64, ir.Relaxed, ir.Binary(ir.Add, ir.U64, header, ir.Int(headerType)), ir.R(kind)
		e.add(op)
	default:
		kind = e.fb.Reg("exception", 0, e.pos)
		e.add(assign(kind, ir.Int(int64(bits.TrailingZeros64(uint64(types))))))
	}
	at := e.p.passage(e.f, in)
	if at.barrier != "" {
		e.unsupported(codeFlow, at.barrier)
		return
	}
	if e.p.fates[in] == maskDecides {
		e.findTaker(in, e.p.takes(at), kind, e.p.nameOfThrown(types))
	}
	e.inThread(e.p.inFlight, header)
	e.inThread(e.p.flightType, ir.R(kind))
	if in.tail {
		e.ret(0)
		return
	}
	e.unwind(in, o, types)
}

// findTaker ends the execution if nothing takes an exception of a type.
func (e *emitter) findTaker(in *inst, takes typeMask, kind ir.Reg, name string) {
	mask := ir.Binary(ir.Or, ir.U64, ir.R(e.inThread(e.p.handled, nil)), ir.Int(int64(takes)))
	taken := ir.Binary(ir.Ne, ir.U64, ir.Binary(ir.And, ir.U64, ir.Binary(ir.Shr, ir.U64, mask, ir.R(kind)), ir.Int(1)), ir.Int(0))
	goesOn, not := e.fb.Loc("", e.pos), e.fb.Loc("", e.pos)
	e.assume(taken, goesOn)
	e.assume(ir.Negate(taken), not)
	e.at = not
	hidden := ir.Binary(ir.Ne, ir.U64, ir.Binary(ir.Shr, ir.U64, mask, ir.Int(63)), ir.Int(0))
	refused, uncaught := e.fb.Loc("", e.pos), e.fb.Loc("", e.pos)
	e.assume(hidden, refused)
	e.assume(ir.Negate(hidden), uncaught)
	e.at = refused
	e.unsupported(codeFlow, in.words()+": the exception goes through a function of a library, or through code without handlers that are read")
	e.at = uncaught
	e.fail(uncaughtMessage(name))
	e.at = goesOn
}

// fail is an error of the program.
func (e *emitter) fail(message string) {
	op := ir.NewOp(ir.Assert)
	op.Val, op.Report = ir.Int(0), ir.Report{Class: ir.ReachError, Msg: "assert(" + message + ")"}
	e.add(op)
}

// unwind makes the ways of an exception that comes out of a call, or is thrown by it.
func (e *emitter) unwind(in *inst, o offsets, types typeMask) {
	at := e.p.passage(e.f, in)
	switch {
	case at.barrier != "":
		e.unsupported(codeFlow, at.barrier)
		return
	case at.ends:
		e.fail("no exception leaves a function that is noexcept")
		return
	}
	outcomes := e.p.outcomes(at.site, types)
	kind := ir.NoReg
	if len(outcomes) > 1 {
		kind = e.inThread(e.p.flightType, nil)
	}
	var before *ir.Expr
	from := e.at
	for i, out := range outcomes {
		var is *ir.Expr
		for t := range e.p.thrown {
			if out.types>>t&1 == 1 && i < len(outcomes)-1 {
				is = orElse(is, ir.Binary(ir.Eq, ir.U64, ir.R(kind), ir.Int(int64(t))))
			}
		}
		if i == len(outcomes)-1 && before != nil {
			is = ir.Negate(before)
		} else if is != nil {
			before = orElse(before, is)
		}
		e.at = from
		if is != nil {
			to := e.fb.Loc("", e.pos)
			e.assume(is, to)
			e.at = to
		}
		e.handle(in, o, out)
	}
}

// handle goes on where an exception leads to.
func (e *emitter) handle(in *inst, o offsets, out outcome) {
	switch {
	case out.is == perhaps:
		e.unsupported(codeFlow, in.words()+": whether a handler takes the exception is not known")
		return
	case out.pad && in.pad == nil:
		e.unsupported(codeFlow, in.words()+": the handler of the exception is not found")
		return
	case !out.pad && e.f.main:
		e.unsupported(codeFlow, in.words()+": an exception leaves main")
		return
	case !out.pad:
		e.ret(0)
		return
	}
	header := e.inThread(e.p.inFlight, nil)
	e.adjust(ir.R(header), out)
	e.inThread(e.p.inFlight, ir.Int(0))
	if n := e.p.pushed(in); n != 0 && e.f.frame.escapes {
		e.add(assign(e.reg(lift.RSP), ir.Binary(ir.Add, ir.U64, ir.R(e.reg(lift.RSP)), ir.Int(n))))
	}
	e.undefine(in.pad.before(e.p) & volatileRegs &^ (one(lift.RAX) | one(lift.RDX)))
	e.add(assign(e.reg(lift.RAX), ir.R(header)))
	e.add(assign(e.reg(lift.RDX), ir.Int(out.number)))
	e.jump(e.locs[in.pad])
}

// adjust leaves what a handler gets in the header.
func (e *emitter) adjust(header *ir.Expr, out outcome) {
	var value *ir.Expr
	switch {
	case out.null:
		value = ir.Int(0)
	case out.pointer:
		object := e.loadWord(ir.Binary(ir.Add, ir.U64, header, ir.Int(headerObject)))
		pointer := ir.R(e.loadWord(ir.R(object)))
		value = pointer
		if out.offset != 0 { // a null pointer stays one
			value = ir.Conditional(ir.Binary(ir.Eq, ir.U64, pointer, ir.Int(0)), pointer, ir.Binary(ir.Add, ir.U64, pointer, ir.Int(out.offset)))
		}
	case out.offset != 0:
		object := e.loadWord(ir.Binary(ir.Add, ir.U64, header, ir.Int(headerObject)))
		value = ir.Binary(ir.Add, ir.U64, ir.R(object), ir.Int(out.offset))
	default:
		return
	}
	op := ir.NewOp(ir.Store)
	op.Type, op.Sync.Order, op.Addr, op.Val = ir.U64, ir.Relaxed, ir.Binary(ir.Add, ir.U64, header, ir.Int(headerAdjusted)), value
	e.add(op)
}

// pushed returns how many bytes of parameters are on the stack at a call.
func (p *program) pushed(in *inst) int64 {
	if fr := p.image.FrameAt(in.addr); fr != nil {
		return fr.Pushed(in.NextAddr() - 1)
	}
	return 0
}

// maskFor returns what the mask is in a call, nil if it stays.
func (e *emitter) maskFor(in *inst) *ir.Expr {
	if !e.p.masked || in.tail {
		return nil
	}
	if in.stub != nil {
		if in.stub.proto.throws || !callsProgram(in.extern) {
			return nil
		}
		return ir.Int(-1 << 63)
	}
	if !e.p.throws(in) {
		return nil
	}
	at := e.p.passage(e.f, in)
	takes := e.p.takes(at)
	switch {
	case at.barrier != "":
		return ir.Int(-1 << 63)
	case takes == 0:
		return nil
	}
	return ir.Binary(ir.Or, ir.U64, ir.R(e.above), ir.Int(int64(takes)))
}

// enterMasked keeps the mask that the function is called with, if it makes calls with another one.
func (e *emitter) enterMasked() {
	e.above = 0 // any register: whether there is a mask does not depend on it
	for _, in := range e.f.order {
		if in.refused == "" && in.isCall() && e.maskFor(in) != nil {
			e.above = e.inThread(e.p.handled, nil)
			return
		}
	}
}

// cameBack makes what comes after a call that may throw.
func (e *emitter) cameBack(in *inst, o offsets, masked bool) {
	if masked {
		e.inThread(e.p.handled, ir.R(e.above))
	}
	if in.tail || in.extern != "" || !e.p.throws(in) {
		return
	}
	if !in.final {
		exception := ir.R(e.inThread(e.p.inFlight, nil))
		none := ir.Binary(ir.Eq, ir.U64, exception, ir.Int(0))
		returns, thrown := e.fb.Loc("", e.pos), e.fb.Loc("", e.pos)
		e.assume(none, returns)
		e.assume(ir.Negate(none), thrown)
		e.at = thrown
		e.unwind(in, o, e.p.allThrown())
		e.at = returns
		return
	}
	e.unwind(in, o, e.p.allThrown())
	e.at = e.fb.Loc("", e.pos)
}
