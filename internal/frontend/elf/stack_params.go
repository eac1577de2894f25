package elf

import (
	"fmt"
	"math"
	"strings"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/ir"
)

// Parameters on the stack. A callee owns the words above its return address that its caller has put there, so that they
// are passed by value here: each is a parameter of the function in ir, and a callee whose frame is a block has a copy in
// its block.
//
// Most accesses to them are at known offsets, which say which words are parameters. An address that is computed, such as
// that of an element of a structure, does not say where the parameters end. The debug information bounds them from above;
// so do the callers, whose frames end there. Where neither is known, an access above the frame is not supported.

// maxPassed is the most bytes of parameters on the stack.
const maxPassed = 1 << 10

// passOnStack finds the parameters on the stack: words above the return address. A function that another one jumps to
// at its end has those of its caller.
func (p *program) passOnStack() {
	for _, f := range p.funcs {
		f.eachOp(func(in *inst, op *ir.Op, o offsets) {
			if off, ok := o.eval(op.Addr); ok && op.Accesses() && off >= 8 {
				f.addPassed(slot{off, int64(op.Type.Size())})
			}
		})
	}
	p.passAreas()
	for changed := true; changed; {
		changed = false
		for _, f := range p.funcs {
			for _, in := range f.order {
				if in.tail && in.callee != nil {
					for _, s := range in.callee.passed {
						changed = f.addPassed(s) || changed
					}
				}
			}
		}
	}
	for _, f := range p.funcs {
		f.passed = words(cut(f.passed))
		if n := len(f.passed); n > 0 && f.passed[n-1].off > maxPassed {
			f.problem = fmt.Sprintf("the function has more than %d bytes of parameters on the stack, which is not supported", maxPassed)
		}
		if (len(f.passed) > 0 || f.wantsArea()) && f.main {
			f.problem = "main has parameters on the stack, which is not supported"
		}
	}
}

// eachOp calls do for the operations of a function, with the offsets before each.
func (f *function) eachOp(do func(in *inst, op *ir.Op, o offsets)) {
	for _, in := range f.order {
		o, ok := f.frame.before[in]
		if !ok || in.refused != "" {
			continue
		}
		o = o.clone()
		for i := range in.Ops {
			do(in, &in.Ops[i], o)
			o.step(&in.Ops[i])
		}
	}
}

func (f *function) addPassed(s slot) bool {
	for _, have := range f.passed {
		if have == s {
			return false
		}
	}
	f.passed = append(f.passed, s)
	return true
}

// stackParams returns how many bytes of parameters on the stack a function has at most; known is false if the files do
// not say it. The compiler gives other parameters to the copies that it makes of a function.
func (p *program) stackParams(f *function) (bytes int64, known bool) {
	if strings.Contains(f.sym.Name, ".") {
		return 0, false
	}
	return p.image.Lines.StackParams(f.sym.Addr())
}

// wantsArea reports whether a function uses addresses of parameters on the stack that are not known.
func (f *function) wantsArea() bool { return f.frame.escapes && f.frame.params }

// passAreas finds the extent of the parameters on the stack of functions that use addresses among them: as much as the
// source has, and as all callers have.
func (p *program) passAreas() {
	area := map[*function]int64{}
	for _, f := range p.funcs {
		f.exact = false
		bytes, known := p.stackParams(f)
		if !known {
			bytes = math.MaxInt64
		}
		if f.wantsArea() || known && bytes > 0 && f.frame.escapes {
			area[f] = bytes
		}
		f.exact = known && (bytes == 0 || !p.inC(f))
	}
	for changed := true; changed; { // who jumps to such a function hands its own parameters on
		changed = false
		for _, f := range p.funcs {
			for _, in := range f.order {
				if _, has := area[f]; in.tail && in.callee != nil && !has {
					if n, wants := area[in.callee]; wants {
						area[f], changed = n, true
					}
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range p.funcs {
			for _, in := range f.order {
				n, wants := area[in.callee]
				o, reached := f.frame.before[in]
				if in.callee == nil || !wants || !reached || in.refused != "" {
					continue
				}
				has := area[f]
				if !in.tail {
					sp, _ := in.after(o).of(lift.RSP)
					has = -sp
				}
				if has < n {
					area[in.callee], changed = has, true
				}
			}
		}
	}
	room := p.pointerRoom()
	for f, n := range area {
		switch {
		case n == math.MaxInt64 && p.taken[f]: // it is called through pointers, if at all
			n = room
		case n == math.MaxInt64: // nothing calls it
			n = 0
		}
		for off := int64(0); off+8 <= n && off <= maxPassed; off += 8 {
			f.addPassed(slot{8 + off, 8})
		}
	}
}

// guardStack makes a computed access to the stack not supported where it is at the return address, or where it may be at
// a parameter that is not known.
func (e *emitter) guardStack(in *inst, addr *ir.Expr, size int64) {
	fr := &e.f.frame
	if fr.high > 0 {
		e.refuseStack(addr, 1-size, 8, in.Text+": the function accesses its return address, which is not supported")
	}
	if !e.f.exact {
		const span = 1 << 20
		e.refuseStack(addr, max(8, fr.high)-size+1, span, in.Text+": the access may be one to a parameter on the stack that is not known")
	}
}

// refuseStack makes accesses from an offset of the stack up to another one not supported.
func (e *emitter) refuseStack(addr *ir.Expr, from, to int64, why string) {
	goesOn, stops := e.fb.Loc("", e.pos), e.fb.Loc("", e.pos)
	inside := ir.Binary(ir.Lt, ir.U64, ir.Binary(ir.Sub, ir.U64, addr, e.inFrame(from)), ir.Int(to-from))
	e.assume(ir.Negate(inside), goesOn)
	e.assume(inside, stops)
	e.at = stops
	e.unsupported(codeFlow, why)
	e.at = goesOn
}
