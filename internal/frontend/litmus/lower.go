package litmus

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/internal/x86"
)

// The idea: a location of the automaton stands before every instruction, and one
// at the end. An instruction becomes a chain of edges in between; of these at
// most one accesses memory if the instruction is atomic (a move, a locked
// instruction), while a plain read-modify-write is a load and a store.
//
// A register of the processor is one ir register. On X86_64 it holds the 64 bits
// as a signed word, on X86 the 32 bits as a signed word. Flags are registers
// too. A flag is computed only if some jump, set or conditional move of the thread reads
// it.

// thread is a column under translation.
type thread struct {
	c     *compiler
	fb    *ir.FuncBuilder
	proc  *proc
	index int
	id    ir.ThreadID

	regs   map[int]ir.Reg
	flags  [x86.FlagCount]ir.Reg // NoReg: it is never read
	temps  []ir.Reg
	views  map[view]ir.Reg
	labels map[string]ir.Loc
	end    ir.Loc

	current
}

// current is the instruction being translated.
type current struct {
	// The instruction being translated.
	in       *instruction
	row      int // in the column
	oc       opcode
	args     []*operand // the destination first
	size     int        // of the operation in bytes
	ops      []ir.Op    // its chain so far
	used     int        // temporaries
	inside   int        // locations made
	at, next ir.Loc
}

// view is a register shown at another type than its own.
type view struct {
	reg register
	typ ir.Type
}

func (c *compiler) lower(i int) {
	pr := &c.tree.procs[i]
	name := procName(pr.num)
	t := &thread{
		c: c, proc: pr, index: i, fb: c.b.Func(name, c.span(pr.extent)),
		regs: map[int]ir.Reg{}, views: map[view]ir.Reg{}, labels: map[string]ir.Loc{},
	}
	t.id = c.b.Thread(ir.Thread{Name: name, Func: t.fb.ID, Start: true, Pos: c.span(pr.extent)})
	c.threads = append(c.threads, t)
	t.chooseFlags()
	locs := make([]ir.Loc, len(pr.code)+1)
	for k := range pr.code {
		locs[k] = t.location(k, pr.code[k].labels, c.span(pr.code[k].extent))
	}
	locs[len(pr.code)] = t.location(len(pr.code), pr.ends, c.span(pr.extent))
	t.end = locs[len(pr.code)]
	for k := range pr.code {
		t.at, t.next, t.row = locs[k], locs[k+1], k
		t.instruction(&pr.code[k])
	}
}

// location makes the location before instruction k, named by its first label.
func (t *thread) location(k int, labels []ident, pos source.Span) ir.Loc {
	name := fmt.Sprintf("i%d", k)
	if len(labels) > 0 {
		name = labels[0].text
	}
	l := t.fb.Loc(name, pos)
	for _, lab := range labels {
		if _, twice := t.labels[lab.text]; twice {
			t.c.errorf(codeLabelTwice, lab.extent, "label '%s' is defined twice", clip(lab.text))
			continue
		}
		t.labels[lab.text] = l
	}
	return l
}

// chooseFlags finds the flags that matter.
func (t *thread) chooseFlags() {
	for f := range t.flags {
		t.flags[f] = ir.NoReg
	}
	for k := range t.proc.code {
		in := &t.proc.code[k]
		oc, _ := decode(t.c.arch, in.name.text)
		if !oc.when {
			continue
		}
		for _, f := range oc.cond.Reads() {
			if t.flags[f] == ir.NoReg {
				t.flags[f] = t.fb.Reg(flagNames[f], 0, t.c.span(in.extent))
			}
		}
	}
}

// reg is the ir register of a register of the processor.
func (t *thread) reg(num int) ir.Reg {
	if r, ok := t.regs[num]; ok {
		return r
	}
	whole := t.c.arch.whole(register{num: num})
	v, has := t.c.regInit[regKey{t.index, whole}]
	first, pos := int64(0), t.c.span(t.proc.extent)
	if has {
		first, pos = t.c.valueOf(&v.val), t.c.span(v.val.extent)
		bits := t.c.integer(v.part.size(), v.part == whole.part).Wrap(first)
		if v.part == part8h {
			bits <<= 8
		}
		first = bits
	}
	r := t.fb.Reg(t.c.arch.show(whole), first, pos)
	t.regs[num] = r
	return r
}

// temp is a register for a value inside the instruction.
func (t *thread) temp() ir.Reg {
	if t.used == len(t.temps) {
		t.temps = append(t.temps, t.fb.Reg("tmp", 0, t.c.span(t.in.extent)))
	}
	t.used++
	return t.temps[t.used-1]
}

// inner makes a location inside the instruction.
func (t *thread) inner() ir.Loc {
	t.inside++
	return t.fb.Loc(fmt.Sprintf("i%d.%d", t.row, t.inside), t.c.span(t.in.extent))
}

func (t *thread) emit(op ir.Op) { t.ops = append(t.ops, op) }

func (t *thread) assign(dst ir.Reg, val *ir.Expr) {
	op := ir.NewOp(ir.Assign)
	op.Dst, op.Val = dst, val
	t.emit(op)
}

// link makes the edges of the chain. to is where it ends.
func (t *thread) link(from, to ir.Loc) {
	pos := t.c.span(t.in.extent)
	if len(t.ops) == 0 {
		t.emit(ir.NewOp(ir.Nop))
	}
	for i, op := range t.ops {
		at := to
		if i < len(t.ops)-1 {
			at = t.inner()
		}
		t.fb.Edge(from, op, at, pos)
		from = at
	}
	t.ops = nil
}

// instruction translates one instruction.
func (t *thread) instruction(in *instruction) {
	oc, ok := decode(t.c.arch, in.name.text)
	if !ok {
		t.c.errorf(codeInstruction, in.name.extent, "instruction '%s' is not supported", clip(in.name.text))
		return
	}
	t.in, t.oc, t.ops, t.used, t.inside = in, oc, nil, 0, 0
	if len(in.ops) != oc.operands {
		t.c.errorf(codeOperands, in.extent, "'%s' takes %d operands, not %d", in.name.text, oc.operands, len(in.ops))
		return
	}
	ops, ok := t.arrange()
	if !ok || !t.checkWidths(ops) || !t.checkLock(ops) {
		return
	}
	t.args = ops
	switch oc.kind {
	case kFence:
		if oc.fence != ir.FenceUnset {
			op := ir.NewOp(ir.Fence)
			op.Fence = oc.fence
			t.emit(op)
		}
	case kJump:
		t.jump()
		return
	case kMove:
		t.move(ops[0], ops[1])
	case kExtend:
		t.extend(ops[0], ops[1])
	case kUnlocked:
		if ops[0].kind == isMemory {
			t.swapUnlocked(ops[0], ops[1])
		} else {
			x86.Exchange(t, 8*t.size)
		}
	case kSwap:
		x86.Exchange(t, 8*t.size)
	case kXadd:
		x86.ExchangeAdd(t, 8*t.size, in.lock)
	case kCmpxchg:
		x86.CompareExchange(t, 8*t.size, in.lock)
	case kArith:
		x86.Arithmetic(t, oc.alu, 8*t.size, in.lock)
	case kLea:
		t.c.unit.addresses = t.c.unit.addresses || ops[1].sym != ""
		t.write(ops[0], t.address(ops[1]))
	case kSet:
		t.write(ops[0], oc.cond.Holds(t.Flag))
	case kCmov:
		x86.MoveIf(t, 8*t.size, func() *ir.Expr { return oc.cond.Holds(t.Flag) })
	default:
		panic("BUG: unknown instruction")
	}
	t.link(t.at, t.next)
}

// jump makes the edges of jmp and jcc.
func (t *thread) jump() {
	target := &t.in.ops[0]
	if target.kind != isTarget {
		t.c.errorf(codeOperands, target.extent, "the target of a jump is a label")
		return
	}
	to, ok := t.labels[target.sym]
	if !ok {
		t.c.errorf(codeLabel, target.extent, "thread P%d has no label '%s'", t.proc.num, clip(target.sym))
		return
	}
	if !t.oc.when {
		t.link(t.at, to)
		return
	}
	holds := t.oc.cond.Holds(t.Flag)
	pos := t.c.span(t.in.extent)
	yes, no := ir.NewOp(ir.Assume), ir.NewOp(ir.Assume)
	yes.Val, no.Val = holds, ir.Negate(holds)
	t.fb.Edge(t.at, yes, to, pos)
	t.fb.Edge(t.at, no, t.next, pos)
}
