package litmus

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/stress"
)

// Tests for the processor. Each instruction is written as an assembler takes it, from
// its decoded form. A location has another address in every round, so an instruction
// that names one gets a register that holds its address and that the thread does not
// use.

// Native returns the test as a stress program runs it. reason is not empty if the
// test cannot be run.
func (u *Unit) Native() (test *stress.Test, reason string) {
	c := u.compiled
	n := &native{c: c, test: &stress.Test{Name: u.Name, Base: chooseBase(c.file.Text)}, index: map[string]int{}}
	if len(c.symbols) == 0 || len(c.tree.procs) == 0 {
		return nil, "the test has no variable or no thread"
	}
	for i, s := range c.symbols {
		n.index[s.name] = i
		n.location(&s)
	}
	if c.arch == archC {
		n.inC()
	} else {
		for i := range c.tree.procs {
			n.thread(i)
		}
	}
	if n.reason == "" {
		n.observe()
	}
	return n.test, n.reason
}

// NativeValue is the number that stands for a value of a stress program in the model.
func (u *Unit) NativeValue(v stress.Value) int64 {
	if !v.IsAddress {
		return v.Number
	}
	if at := v.Address.Location; at < len(u.symbols) {
		return int64(u.symbols[at].addr) + v.Address.Offset
	}
	return int64(u.compiled.nativeBase[v.Address.Location-len(u.symbols)]) + v.Address.Offset
}

// ComputesAddresses reports whether a thread computes an address that it accesses.
func (u *Unit) ComputesAddresses() bool { return u.compiled.checks }

// native makes a stress.Test.
type native struct {
	c      *compiler
	test   *stress.Test
	index  map[string]int // of locations, by name
	reason string         // why the test cannot be run
	outs   []map[int]int  // of each thread, where a register is kept
}

func (n *native) refuse(format string, args ...any) {
	if n.reason == "" {
		n.reason = fmt.Sprintf(format, args...)
	}
}

func (n *native) location(s *symbol) {
	l := n.c.locations[s.name]
	out := stress.Location{Name: s.name, Size: s.size, Align: max(1, l.typ.Size())}
	if s.size != l.size() { // a struct of a test in C
		out.Align = 8
	}
	size := l.typ.Size()
	for k := range l.vals {
		v := &l.vals[k]
		if v.sym != "" {
			out.Pointers = append(out.Pointers, stress.Pointer{At: k * size, Width: min(size, n.c.arch.word()), Target: n.address(v)})
			out.Init = append(out.Init, make([]byte, size)...)
			continue
		}
		for b := range size {
			out.Init = append(out.Init, byte(v.num>>(8*b)))
		}
	}
	n.test.Locations = append(n.test.Locations, out)
}

func (n *native) address(v *value) stress.Address {
	off := v.num
	if v.hasIdx {
		off *= int64(n.c.locations[v.sym].typ.Size())
	}
	return stress.Address{Location: n.symbol(v.sym), Offset: off}
}

// symbol returns the index of a location. Locations without a declaration come after
// the first location whose value uses them.
func (n *native) symbol(name string) int {
	return slices.IndexFunc(n.c.symbols, func(s symbol) bool { return s.name == name })
}

// asm is a thread under translation.
type asm struct {
	*native
	t    *thread
	out  stress.Thread
	free []int // registers that the thread does not use
	held map[held]int
	used map[int]bool
}

// held is an address that a register holds all the time.
type held struct {
	sym string
	off int64
}

// scratchOrder has the registers that can be taken without a prefix that excludes the
// second byte of others first.
var scratchOrder = []int{regCX, regDX, regSI, regDI, regBP, regBX, regAX, 8, 9, 10, 11, 12, 13, 14, 15}

const (
	regBX = 1
	regCX = 2
	regDX = 3
	regSI = 4
	regDI = 5
	regBP = 6
)

func (n *native) thread(i int) {
	t := n.c.threads[i]
	a := &asm{native: n, t: t, held: map[held]int{}, used: map[int]bool{}}
	outs := map[int]int{}
	for num := range t.regs {
		a.used[num] = true
	}
	for k := range t.proc.code {
		for _, op := range t.proc.code[k].ops {
			if op.kind == isRegister {
				a.used[op.reg.num] = true
			}
			if op.hasBase {
				a.used[op.base.num] = true
			}
			if op.hasIndex {
				a.used[op.index.num] = true
			}
		}
	}
	if a.used[regSP] {
		n.refuse("thread P%d uses the stack pointer", t.proc.num)
		return
	}
	for _, num := range scratchOrder {
		if !a.used[num] {
			a.free = append(a.free, num)
		}
	}
	for num := range numReg {
		if a.used[num] {
			a.input(num)
			outs[num] = len(a.out.Out)
			a.out.Out = append(a.out.Out, register{num, part64}.name())
		}
	}
	for k := range t.proc.code {
		a.labels(k, t.proc.code[k].labels)
		a.instruction(&t.proc.code[k])
	}
	a.labels(len(t.proc.code), t.proc.ends)
	n.test.Threads = append(n.test.Threads, a.out)
	n.outs = append(n.outs, outs)
}

// input gives a register of the test its first value.
func (a *asm) input(num int) {
	in := stress.Input{Register: register{num, part64}.name()}
	whole := a.c.arch.whole(register{num: num})
	if v, ok := a.c.regInit[regKey{a.t.index, whole}]; ok && v.val.sym != "" {
		in.IsAddress, in.Address = true, a.address(&v.val)
	} else if r, ok := a.t.regs[num]; ok {
		in.Number = a.t.fb.F.Regs[r].Init
		if a.c.arch == arch32 {
			in.Number = int64(uint32(in.Number)) // the upper half of the register is no part of the test
		}
	}
	a.out.In = append(a.out.In, in)
}

func (a *asm) labels(k int, labels []ident) {
	if len(labels) > 0 {
		a.out.Asm = append(a.out.Asm, a.label(k)+":")
	}
}

// label is the name of the position before instruction k.
func (a *asm) label(k int) string { return fmt.Sprintf(".Lfp_%d_%d", a.t.index, k) }

// take gives the thread a register that it does not use.
func (a *asm) take() int {
	if len(a.free) == 0 {
		a.refuse("thread P%d needs more registers than the processor has", a.t.proc.num)
		return regAX
	}
	num := a.free[0]
	a.free = a.free[1:]
	return num
}

// holding is the register that holds the address of an address in a location.
func (a *asm) holding(sym string, off int64) int {
	key := held{sym, off}
	num, ok := a.held[key]
	if !ok {
		num = a.take()
		a.held[key] = num
		a.out.In = append(a.out.In, stress.Input{
			Register: register{num, part64}.name(), IsAddress: true, Address: stress.Address{Location: a.symbol(sym), Offset: off},
		})
	}
	return num
}

// temporary is a register that instructions may overwrite between them.
func (a *asm) temporary(which int) int {
	key := held{sym: "", off: int64(which)}
	num, ok := a.held[key]
	if !ok {
		num = a.take()
		a.held[key] = num
	}
	return num
}

func (a *asm) emit(format string, args ...any) {
	a.out.Asm = append(a.out.Asm, fmt.Sprintf(format, args...))
}

// sizeSuffix is the letter of a size.
func sizeSuffix(size int) string { return map[int]string{1: "b", 2: "w", 4: "l", 8: "q"}[size] }

// partOf is the part of a register that has a size.
func partOf(size int) part {
	return map[int]part{1: part8, 2: part16, 4: part32, 8: part64}[size]
}

func regName(num, size int) string { return "%" + register{num, partOf(size)}.name() }

// operand is an operand as the assembler takes it; size is that of the access.
func (a *asm) operand(op *operand, size int) string {
	switch op.kind {
	case isRegister:
		return "%" + op.reg.name()
	case isImmediate:
		if op.sym != "" {
			return regName(a.holding(op.sym, op.num), size)
		}
		return fmt.Sprintf("$%d", a.c.integer(size, true).Wrap(op.num))
	case isMemory:
		return a.memory(op)
	default:
		panic("BUG: unknown operand")
	}
}

// memory is an operand in memory.
func (a *asm) memory(op *operand) string {
	if op.sym == "" {
		base, index := "", ""
		if op.hasBase {
			base = "%" + op.base.name()
		}
		if op.hasIndex {
			index = fmt.Sprintf(",%%%s,%d", op.index.name(), op.scale)
		}
		if base == "" && index == "" {
			a.refuse("thread P%d accesses the address %d", a.t.proc.num, op.num)
			return ""
		}
		return fmt.Sprintf("%d(%s%s)", op.num, base, index)
	}
	num := a.holding(op.sym, 0)
	size := 8
	for _, r := range []register{op.base, op.index} {
		if r.part == part32 {
			size = 4 // the registers of an address have one size
		}
	}
	at := regName(num, size)
	switch {
	case op.hasBase && op.hasIndex:
		tmp := a.temporary(0)
		a.emit("lea (%s,%%%s), %s", at, op.base.name(), regName(tmp, size))
		return fmt.Sprintf("%d(%s,%%%s,%d)", op.num, regName(tmp, size), op.index.name(), op.scale)
	case op.hasBase:
		return fmt.Sprintf("%d(%s,%%%s)", op.num, at, op.base.name())
	case op.hasIndex:
		return fmt.Sprintf("%d(%s,%%%s,%d)", op.num, at, op.index.name(), op.scale)
	default:
		return fmt.Sprintf("%d(%s)", op.num, at)
	}
}

// instruction writes an instruction, which lowering has found no fault with.
func (a *asm) instruction(in *instruction) {
	t := a.t
	oc, _ := decode(a.c.arch, in.name.text)
	t.in, t.oc = in, oc
	ops, _ := t.arrange()
	t.checkWidths(ops)
	size, oc := t.size, t.oc // the width of a source is known now
	lock := ""
	if in.lock {
		lock = "lock "
	}
	two := func(name string) {
		dst, src := a.operand(ops[0], size), a.operand(ops[1], size)
		a.emit("%s%s%s %s, %s", lock, name, sizeSuffix(size), src, dst)
	}
	switch oc.kind {
	case kFence:
		a.emit("%s", plainName(in.name.text))
	case kJump:
		a.jump(oc)
	case kMove:
		two("mov")
	case kExtend:
		a.extend(ops, size, oc)
	case kSwap:
		two("xchg")
	case kUnlocked:
		a.unlocked(ops, size)
	case kXadd:
		two("xadd")
	case kCmpxchg:
		two("cmpxchg")
	case kArith:
		if oc.operands == 2 {
			two(oc.alu.String())
		} else {
			a.emit("%s%s%s %s", lock, oc.alu, sizeSuffix(size), a.operand(ops[0], size))
		}
	case kLea:
		two("lea")
	case kSet:
		a.emit("set%s %s", oc.cond, a.operand(ops[0], 1))
	case kCmov:
		two("cmov" + oc.cond.String())
	default:
		panic("BUG: unknown instruction")
	}
}

// plainName is the assembler's name of an instruction without operands.
func plainName(text string) string {
	for _, name := range []string{"nop", "pause", "lfence", "mfence", "sfence"} {
		if strings.EqualFold(text, name) {
			return name
		}
	}
	panic("BUG: unknown instruction")
}

func (a *asm) jump(oc opcode) {
	to := slices.IndexFunc(a.t.proc.code, func(in instruction) bool { return a.named(in.labels) })
	if to < 0 {
		to = len(a.t.proc.code)
	}
	name := "jmp"
	if oc.when {
		name = "j" + oc.cond.String()
	}
	a.emit("%s %s", name, a.label(to))
}

// named reports whether the target of the current jump is among labels.
func (a *asm) named(labels []ident) bool {
	return slices.ContainsFunc(labels, func(l ident) bool { return l.text == a.t.in.ops[0].sym })
}

func (a *asm) extend(ops []*operand, size int, oc opcode) {
	src := a.operand(ops[1], oc.from)
	switch {
	case oc.signed:
		a.emit("movs%s%s %s, %%%s", sizeSuffix(oc.from), sizeSuffix(size), src, ops[0].reg.name())
	case oc.from == 4: // a 32-bit move clears the upper half
		a.emit("movl %s, %s", src, regName(ops[0].reg.num, 4))
	default:
		a.emit("movz%s%s %s, %%%s", sizeSuffix(oc.from), sizeSuffix(size), src, ops[0].reg.name())
	}
}

// unlocked is herd's exchange that is a load and a store.
func (a *asm) unlocked(ops []*operand, size int) {
	s := sizeSuffix(size)
	dst, src := a.operand(ops[0], size), a.operand(ops[1], size)
	if ops[0].kind == isRegister {
		a.emit("xchg%s %s, %s", s, src, dst)
		return
	}
	old := regName(a.temporary(1), size)
	a.emit("mov%s %s, %s", s, dst, old)
	a.emit("mov%s %s, %s", s, src, dst)
	a.emit("mov%s %s, %s", s, old, src)
}

// observe says what is read when a round has ended.
func (n *native) observe() {
	shown := &collector{c: n.c}
	for i := range n.c.tree.locations {
		shown.ref(&n.c.tree.locations[i].at)
	}
	see := func(a *prop) {
		shown.ref(&a.left)
		if a.isRef {
			shown.ref(&a.right)
		}
	}
	n.c.tree.cond.walk(see)
	n.c.tree.filter.walk(see)
	for _, v := range n.c.unit.Props.Observe {
		o := shown.seen[v.Name]
		out := stress.Var{Thread: -1, Held: int(v.Type.Bits), Bits: int(v.Type.Bits), Signed: v.Type.Signed}
		switch {
		case v.Reg == ir.NoReg:
			at := n.symbol(o.name)
			out.Address = stress.Address{Location: at, Offset: int64(v.Addr - n.c.symbols[at].addr)}
		case n.c.arch == archC:
			out.Thread = n.c.threadOf[o.thread]
			out.Out = n.kept(out.Thread, v.Reg)
		default:
			out.Thread = n.c.threadOf[o.thread]
			out.Out = n.outs[out.Thread][o.reg.num]
			out.Held = 8 * o.reg.part.size()
			if o.reg.part == part8h {
				out.Shift = 8
			}
		}
		n.test.Observe = append(n.test.Observe, out)
	}
}
