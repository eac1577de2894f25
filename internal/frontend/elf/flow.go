package elf

import (
	"slices"
	"strings"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/ir"
)

// Which registers matter where. The System V ABI says which registers a call takes and leaves: a function
// gets up to six parameters in registers, of which only those count that it reads, and returns rax. The
// registers that belong to the caller are as before after a call. The other registers belong to the callee: their values
// are undefined after a call that overwrites them. So are registers at the beginning of a function, unless they are
// parameters. An undefined value may be saved and handed over, as functions do that return two words and leave the second
// one alone; an execution that decides something by it is not supported (transform/undefined.go). A function of the
// program that does not write a register leaves it, also rax.

// regSet is a set of the registers of the processor.
type regSet uint64

func one(r ir.Reg) regSet {
	if r >= lift.FirstTemp {
		return 0
	}
	return 1 << r
}

func (s regSet) has(r ir.Reg) bool { return s&one(r) != 0 }

// argumentRegs are the registers of parameters, in their order.
var argumentRegs = []ir.Reg{lift.RDI, lift.RSI, lift.RDX, lift.RCX, lift.R8, lift.R9}

// callRegs are the registers that a call hands over: those of parameters, and rax, whose lowest byte tells a function with
// variable arguments whether some are in vector registers.
var callRegs = append(slices.Clone(argumentRegs), lift.RAX)

// volatileRegs are the registers that a call may change.
var volatileRegs = func() regSet {
	s := one(lift.RAX) | one(lift.RCX) | one(lift.RDX) | one(lift.RSI) | one(lift.RDI) | one(lift.R8) | one(lift.R9) | one(lift.R10) | one(lift.R11)
	for r := lift.Vector; r < lift.FirstTemp; r++ {
		s |= one(r)
	}
	return s
}()

// isPart reports whether a symbol is a part of a function that the compiler has put elsewhere.
func isPart(name string) bool { return strings.Contains(name, ".cold") }

// analyse finds the parameters of all functions, drops what is never read, and takes the stacks apart.
func (p *program) analyse() {
	pointers := false
	for _, f := range p.funcs {
		f.used = p.inC(f)
		f.findVariadic(p)
		p.threadBlocks(f)
		for _, in := range f.order {
			if in.extern != "" && in.refused == "" {
				p.external(f, in)
			}
			pointers = pointers || in.pointer
			if in.callee != nil && in.callee.main && len(p.first) > 0 && in.refused == "" {
				in.refused, in.code = callsMain, codeFlow
			}
		}
	}
	for _, t := range p.threads {
		t.f.starts = t.f.starts || pointers
	}
	p.findWrites()
	for again := true; again; {
		again = false
		p.findAllResults() // first: what a callee returns is no parameter of its caller
		for _, f := range p.funcs {
			entry := p.liveness(f)
			if sure := f.insts[f.sym.Addr()].before(p); sure != f.reads {
				f.reads, again = sure, true
			}
			for i, r := range argumentRegs {
				if entry.has(r) && i >= len(f.params) && !(f.starts && i > 0) {
					f.params, again = argumentRegs[:i+1], true
				}
			}
			if f.variadic && len(f.params) < len(callRegs) {
				f.params, again = callRegs, true
			}
			again = p.findResults(f) || again
		}
	}
	for _, f := range p.funcs {
		f.unset = f.insts[f.sym.Addr()].before(p) & volatileRegs
		for _, in := range f.order {
			p.dropDead(in)
			if in.isCall() && !in.tail && in.refused == "" {
				in.spoils = in.live & in.overwrites() &^ in.defines(p)
			}
		}
		f.takeApart(p)
		f.inspectAll(p)
	}
	p.passOnStack()
	for _, f := range p.funcs {
		f.inspectAll(p) // with the parameters of its callees
	}
	p.alignments()
}

// callsMain: the functions that run before main are called where main begins.
const callsMain = "a program that calls main and has functions that run before it is not supported"

// throughPointers returns how many parameters functions take that are called through pointers, and the registers
// beside rax that they return.
func (p *program) throughPointers() (params int, results regSet) {
	for f := range p.taken {
		params, results = max(params, len(f.params)), results|f.results
	}
	return params, results
}

// resultRegs are the registers that hold a result in the ABI, beside rax.
var resultRegs = one(lift.RDX)

// findAllResults finds the registers that functions return, for the parameters that are known.
func (p *program) findAllResults() {
	for again := true; again; {
		again = false
		p.pointerParams, p.pointerResults = p.throughPointers()
		for _, f := range p.funcs {
			p.liveness(f)
			again = p.findResults(f) || again
		}
	}
}

// findResults finds the registers that callees return to a function. It reports whether there are new ones.
func (p *program) findResults(f *function) bool {
	found := false
	for _, in := range f.order {
		if in.refused != "" || !in.isCall() || in.extern != "" {
			continue
		}
		read := in.live
		if in.tail {
			read |= f.results
		}
		add := func(callee *function) {
			if (read & callee.writes).has(lift.RAX) && !callee.used {
				callee.used, found = true, true
			}
			if more := read & resultRegs & callee.writes &^ callee.results; more != 0 {
				callee.results, found = callee.results|more, true
			}
		}
		if in.callee != nil {
			add(in.callee)
		} else {
			for callee := range p.taken {
				add(callee)
			}
		}
	}
	return found
}

// defines returns the registers that a call leaves with a result.
func (in *inst) defines(p *program) regSet {
	rax := in.overwrites() & one(lift.RAX)
	switch {
	case in.callee != nil:
		return rax | in.callee.results
	case in.pointer:
		return rax | p.pointerResults
	case in.stub != nil && in.stub.isPair():
		return rax | resultRegs
	}
	return rax
}

// findWrites finds the registers that each function overwrites, by itself and by its calls. Compilers know
// them of functions in the same file, and leave values in the others (gcc -fipa-ra).
func (p *program) findWrites() {
	for changed := true; changed; {
		changed = false
		for _, f := range p.funcs {
			writes := f.writes
			for _, in := range f.order {
				if in.isCall() {
					writes |= in.overwrites()
				}
				if in.Inst == nil {
					continue
				}
				for i := range in.Ops {
					in.Ops[i].Defs(func(r ir.Reg) { writes |= one(r) & volatileRegs })
				}
			}
			if writes != f.writes {
				f.writes, changed = writes, true
			}
		}
	}
}

// overwrites returns the registers that a call overwrites.
func (in *inst) overwrites() regSet {
	switch {
	case in.final:
		return 0
	case in.callee != nil:
		return in.callee.writes
	}
	return volatileRegs
}

func (in *inst) isCall() bool { return in.callee != nil || in.extern != "" || in.pointer }

// liveness computes the registers that matter after each instruction, and returns those of the entry.
func (p *program) liveness(f *function) regSet {
	enter := func(in *inst) {
		in.liveBefore, in.upperBefore, in.highBefore = in.parts(p)
		in.maybeBefore = in.maybeArguments(p)
	}
	for _, in := range f.order { // what is known about callees may have changed
		enter(in)
	}
	for changed := true; changed; {
		changed = false
		for i := len(f.order) - 1; i >= 0; i-- {
			in := f.order[i]
			var out, upper, high, maybe, whole regSet
			for _, n := range in.next {
				out, upper, high, maybe = out|n.liveBefore, upper|n.upperBefore, high|n.highBefore, maybe|n.maybeBefore
			}
			if n := in.pad; n != nil { // which gets no other registers but those of the function
				kept := ^volatileRegs
				out, upper, high, maybe = out|n.liveBefore&kept, upper|n.upperBefore&kept, high|n.highBefore&kept, maybe|n.maybeBefore&kept
			}
			if in.refused == "" && (in.End == lift.Ret || in.tail) && f.used {
				whole |= one(lift.RAX)
			}
			if in.refused == "" && in.End == lift.Ret {
				whole |= f.results
			}
			out, upper, high = out|whole, upper|whole, high|whole
			if out != in.live || upper != in.upper || high != in.high || maybe != in.maybe {
				in.live, in.upper, in.high, in.maybe, changed = out, upper, high, maybe, true
				enter(in)
			}
		}
	}
	first := f.insts[f.sym.Addr()]
	return first.liveBefore | first.maybeBefore
}

// maybeArguments returns the registers that may be arguments of a call through a pointer, before an instruction. A
// register that another call may change in between is none.
func (in *inst) maybeArguments(p *program) regSet {
	if in.refused != "" {
		return 0
	}
	maybe := in.maybe
	if in.isCall() {
		maybe &^= in.overwrites()
	}
	for i := range in.Ops {
		in.Ops[i].Defs(func(r ir.Reg) { maybe &^= one(r) })
	}
	if in.Guard != nil {
		maybe |= in.maybe
	}
	if in.pointer || in.callee != nil {
		for _, r := range callRegs[:in.arguments(p)] {
			defined := false
			for i := range in.Ops {
				in.Ops[i].Defs(func(d ir.Reg) { defined = defined || d == r })
			}
			if !defined {
				maybe |= one(r)
			}
		}
	}
	return maybe
}

// before returns the registers that matter before an instruction.
func (in *inst) before(p *program) regSet {
	live, _, _ := in.parts(p)
	return live
}

// arguments returns how many parameters the function takes that an instruction calls.
func (in *inst) arguments(p *program) int {
	if in.callee != nil {
		return len(in.callee.params)
	}
	if in.pointer {
		return p.pointerParams
	}
	if in.stub == nil {
		return 0
	}
	return len(in.stub.proto.params)
}

// dropDead removes assignments that nothing reads. The stack pointer stays.
func (p *program) dropDead(in *inst) {
	if in.refused != "" {
		return
	}
	live, temps := in.live|in.maybe, tempSet{}
	read := func(r ir.Reg) {
		live |= one(r)
		temps.set(r, true)
	}
	in.Cond.Walk(func(e *ir.Expr) {
		if e.Op == ir.RegRef {
			read(e.Reg)
		}
	})
	first := len(in.Ops) // of the operations that stay, which move to the end
	for i := len(in.Ops) - 1; i >= 0; i-- {
		op := &in.Ops[i]
		if d := op.Dst; op.Kind == ir.Assign && d != lift.RSP && !live.has(d) && !temps.has(d) && (in.Guard == nil || d > lift.R15) && !in.keepsArgument(p, d) {
			continue
		}
		op.Defs(func(r ir.Reg) {
			live &^= one(r)
			temps.set(r, false)
		})
		op.Uses(read)
		if first--; first != i {
			in.Ops[first] = *op
		}
	}
	in.Ops = in.Ops[first:]
}

// tempSet is a set of registers that only one instruction uses.
type tempSet [4]uint64

func (s *tempSet) set(r ir.Reg, in bool) {
	n := int(r) - int(lift.FirstTemp)
	if n < 0 || n >= 64*len(s) {
		return
	}
	if in {
		s[n/64] |= 1 << (n % 64)
	} else {
		s[n/64] &^= 1 << (n % 64)
	}
}

// has reports whether a register is in the set. Registers with higher numbers than the set has always are.
func (s *tempSet) has(r ir.Reg) bool {
	n := int(r) - int(lift.FirstTemp)
	return n >= 64*len(s) || n >= 0 && s[n/64]>>(n%64)&1 == 1
}

// keepsArgument reports whether an instruction that calls takes a register.
func (in *inst) keepsArgument(p *program, r ir.Reg) bool {
	if !in.isCall() {
		return false
	}
	for i, a := range callRegs {
		if a == r && i < in.arguments(p) {
			return true
		}
	}
	return false
}
