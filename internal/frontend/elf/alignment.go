package elf

import (
	"math/bits"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/ir"
)

// What is known about the lowest bits of addresses: whether an access can cross a boundary of 8 bytes. The idea: sums,
// products and masks of numbers whose lowest bits are known have known lowest bits again, whatever their width
// [Granger 1989, arithmetical congruences, for powers of two]. Variables and blocks have known addresses modulo 16.
// The facts go forward through the functions, and from calls to the parameters of the callee and back with its result;
// functions that are called through pointers get anything. About memory nothing is known, but for words of the stack
// that are registers.

// lowBits says that the lowest bits of a number, known of them and at most knownBits, are equal to the bits of value.
type lowBits struct{ known, value uint8 }

const knownBits = 4

var anyBits = lowBits{}

// lowest returns the lowest bits of a number, of which the first n are known.
func lowest(n int, value uint64) lowBits {
	n = min(n, knownBits)
	return lowBits{uint8(n), uint8(value) & (1<<n - 1)}
}

// join returns what is true of two values.
func (a lowBits) join(b lowBits) lowBits {
	n := min(int(a.known), int(b.known))
	return lowest(min(n, bits.TrailingZeros8(a.value^b.value)), uint64(a.value))
}

// facts are the lowest bits of the general registers, and after them those of the words of the stack that are
// registers.
type facts []lowBits

// entryFacts: the stack pointer is 8 after a multiple of 16 when a function begins.
func (f *function) entryFacts() facts {
	out := make(facts, int(lift.Vector)+len(f.words))
	out[lift.RSP] = lowest(knownBits, 8)
	return out
}

// alignments finds the lowest bits of registers before every instruction.
func (p *program) alignments() {
	for _, f := range p.funcs {
		f.words = nil
		if !f.frame.escapes {
			f.words = map[int64]int{}
			for _, s := range f.frame.pieces {
				if s.size == 8 {
					f.words[s.off] = int(lift.Vector) + len(f.words)
				}
			}
		}
	}
	var todo []*function
	for _, f := range p.funcs {
		if p.inC(f) || p.isFirst(f) {
			todo = append(todo, f)
			f.begins = f.entryFacts()
		}
	}
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], p.alignIn(f)...)
	}
	for _, f := range p.funcs {
		p.countUnaligned(f)
	}
}

// countUnaligned counts the accesses of a function that may or may not cross a boundary of 8 bytes.
func (p *program) countUnaligned(f *function) {
	for _, in := range f.order {
		o, reached := f.frame.before[in]
		if !reached || in.refused != "" || f.problem != "" {
			continue
		}
		w := p.alignAt(f, in)
		o = o.clone()
		for i := range in.Ops {
			op := &in.Ops[i]
			if op.Kind == ir.Load || op.Kind == ir.Store {
				low := w.eval(op.Addr)
				if _, stack := o.eval(op.Addr); !stack && low.known < 3 && len(crossings(low, int64(op.Type.Size()))) > 0 {
					p.unaligned++
				}
			}
			o.step(op)
			w.step(op)
		}
	}
}

// isFirst reports whether a function runs before main.
func (p *program) isFirst(f *function) bool {
	for _, g := range p.first {
		if f == g {
			return true
		}
	}
	return false
}

// merge joins the facts of another way to an instruction, and reports whether less is known now. have is nil if no way
// to the instruction is known so far.
func merge(have *facts, more facts) bool {
	if *have == nil {
		*have = append(facts{}, more...)
		return true
	}
	changed := false
	for i, b := range *have {
		if j := b.join(more[i]); j != b {
			(*have)[i], changed = j, true
		}
	}
	return changed
}

// alignIn spreads the facts through a function, and returns the functions about whose parameters, or about the results
// of whose calls, less is known now.
func (p *program) alignIn(f *function) []*function {
	var out []*function
	first := f.insts[f.sym.Addr()]
	merge(&first.facts, f.begins)
	todo := []*inst{first}
	for _, in := range f.order { // less is known about the results of calls, perhaps
		if in.facts != nil && in.callee != nil {
			todo = append(todo, in)
		}
	}
	for len(todo) > 0 {
		in := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if in.refused != "" {
			continue
		}
		w := p.alignAt(f, in)
		for i := range in.Ops {
			w.step(&in.Ops[i])
		}
		if in.callee != nil {
			entry := in.callee.entryFacts()
			for _, r := range argumentRegs {
				if !p.inC(in.callee) {
					entry[r] = w.now[r]
				}
			}
			if merge(&in.callee.begins, entry) {
				out = append(out, in.callee)
			}
			if in.callee.callers == nil {
				in.callee.callers = map[*function]bool{}
			}
			in.callee.callers[f] = true
		}
		if in.End == lift.Ret || in.tail {
			result := anyBits
			if !in.tail {
				result = w.now[lift.RAX]
			}
			if !f.returns {
				f.returns, f.result = true, result
				out = appendCallers(out, f)
			} else if j := f.result.join(result); j != f.result {
				f.result = j
				out = appendCallers(out, f)
			}
		}
		if in.pad != nil {
			thrown := append(facts{}, w.now...)
			for r := ir.Reg(0); r < lift.Vector; r++ {
				if volatileRegs.has(r) {
					thrown[r] = anyBits
				}
			}
			if merge(&in.pad.facts, thrown) {
				todo = append(todo, in.pad)
			}
		}
		if in.isCall() && !in.tail && !w.call(in) {
			continue // the callee has not returned so far
		}
		if in.Guard != nil { // the operations may not run
			merge(&w.now, in.facts)
		}
		for _, n := range in.next {
			if merge(&n.facts, w.now) {
				todo = append(todo, n)
			}
		}
	}
	return out
}

func appendCallers(list []*function, f *function) []*function {
	for caller := range f.callers {
		list = append(list, caller)
	}
	return list
}

// alignment evaluates expressions in one instruction.
type alignment struct {
	p     *program
	f     *function
	now   facts
	temps map[ir.Reg]lowBits
	stack offsets
}

// alignAt returns what is known before an instruction.
func (p *program) alignAt(f *function, in *inst) *alignment {
	w := &alignment{p: p, f: f, now: make(facts, int(lift.Vector)+len(f.words))} // where no execution gets, nothing is known
	copy(w.now, in.facts)
	if len(f.words) > 0 {
		w.stack = f.frame.before[in].clone()
	}
	return w
}

// word returns the number of the word of the stack that an operation accesses; ok is false if it accesses none, or a
// part of one.
func (w *alignment) word(op *ir.Op) (n int, ok bool) {
	if w.stack == nil {
		return 0, false
	}
	off, ok := w.stack.eval(op.Addr)
	if !ok || op.Type.Size() != 8 {
		return 0, false
	}
	n, ok = w.f.words[off]
	return n, ok
}

// step applies an operation.
func (w *alignment) step(op *ir.Op) {
	result := anyBits
	switch op.Kind {
	case ir.Assign:
		result = w.eval(op.Val)
	case ir.Load:
		if n, ok := w.word(op); ok {
			result = w.now[n]
		}
	case ir.Store:
		if n, ok := w.word(op); ok {
			w.now[n] = w.eval(op.Val)
		}
	case ir.RMW:
		if n, ok := w.word(op); ok {
			w.now[n] = anyBits
		}
	}
	op.Defs(func(r ir.Reg) {
		switch {
		case r < lift.Vector:
			w.now[r] = result
		case r >= lift.FirstTemp:
			if w.temps == nil {
				w.temps = map[ir.Reg]lowBits{}
			}
			w.temps[r] = result
		}
		result = anyBits // the second register of a compare-and-swap
	})
	if w.stack != nil {
		w.stack.step(op)
	}
}

// call applies what a call does to the registers. It returns false if it does not come back.
func (w *alignment) call(in *inst) bool {
	result := anyBits
	switch {
	case in.callee != nil && !in.callee.returns:
		return false
	case in.callee != nil:
		result = in.callee.result
	case in.stub != nil && in.stub.isAllocator():
		result = lowest(knownBits, 0) // blocks are at multiples of 16
	}
	changed := in.overwrites()
	for r := ir.Reg(0); r < lift.Vector; r++ {
		if changed.has(r) {
			w.now[r] = anyBits
		}
	}
	if changed.has(lift.RAX) {
		w.now[lift.RAX] = result
	}
	return true
}

// eval returns what is known about the value of an expression.
func (w *alignment) eval(e *ir.Expr) lowBits {
	switch e.Op {
	case ir.Const:
		return lowest(knownBits, uint64(e.Value))
	case ir.AddrOf:
		return lowest(knownBits, w.p.data[e.Obj].residue(w.p)+uint64(e.Value))
	case ir.RegRef:
		switch {
		case e.Reg < lift.Vector:
			return w.now[e.Reg]
		case e.Reg >= lift.FirstTemp:
			return w.temps[e.Reg]
		}
		return anyBits
	case ir.Cast:
		return w.eval(e.X)
	case ir.Ite:
		return w.eval(e.Y).join(w.eval(e.Z))
	case ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor, ir.Shl:
		return combine(e, w.eval(e.X), w.eval(e.Y))
	}
	return anyBits
}

// combine returns what is known about the result of an operator. No number has fewer than 8 bits, so that the width
// of the operator does not matter.
func combine(e *ir.Expr, x, y lowBits) lowBits {
	n := int(min(x.known, y.known))
	a, b := uint64(x.value), uint64(y.value)
	switch e.Op {
	case ir.Add:
		return lowest(n, a+b)
	case ir.Sub:
		return lowest(n, a-b)
	case ir.Or:
		return lowest(n, a|b)
	case ir.Xor:
		return lowest(n, a^b)
	case ir.And: // a bit that is 0 in one of them
		for n < knownBits && (n < int(x.known) && a>>n&1 == 0 || n < int(y.known) && b>>n&1 == 0) {
			n++
		}
		return lowest(n, a&b)
	case ir.Mul: // zeros of one of them make further bits known
		return lowest(min(int(x.known)+zeros(y), int(y.known)+zeros(x)), a*b)
	default: // ir.Shl
		count, ok := e.Y.IsConst()
		if !ok || count < 0 || count >= int64(e.Type.Bits) {
			return anyBits
		}
		return lowest(int(x.known)+int(min(count, knownBits)), a<<count)
	}
}

// zeros is how many of the known bits are zeros at the end.
func zeros(x lowBits) int { return min(int(x.known), bits.TrailingZeros8(x.value)) }
