package herd

// Expressions as instructions, and read-modify-writes.

import (
	"fmt"

	"fencepost/internal/ir"
)

// scratch returns a register that the program does not use, until the end of the operation.
func (c *column) scratch() string {
	if len(c.free) == 0 {
		c.w.Refuse(c.pos, "an expression needs more registers than a litmus test for x86 has")
		return x86Scratch[0]
	}
	reg := c.free[0]
	c.free = c.free[1:]
	return reg
}

// release gives back a scratch register.
func (c *column) release(reg string) { c.free = append([]string{reg}, c.free...) }

// source returns an expression as an operand of so many bytes: a number or a register.
func (c *column) source(e *ir.Expr, size int) string {
	for e.Op == ir.Cast && e.Type.Size() >= size {
		e = e.X
	}
	if v, ok := e.IsConst(); ok {
		if v = (ir.Type{Bits: uint8(8 * size), Signed: true}).Wrap(v); immediate(v) {
			return fmt.Sprintf("$%d", v)
		}
	}
	if e.Op == ir.RegRef && c.regs[e.Reg] != "" {
		return sized(c.regs[e.Reg], size)
	}
	reg := c.scratch()
	c.into(e, reg)
	return sized(reg, size)
}

// assign gives a register the value of an expression, which may read the register.
func (c *column) assign(dst ir.Reg, e *ir.Expr) {
	to := c.regs[dst]
	if to == "" {
		return
	}
	if e.Op == ir.Const || e.Op == ir.RegRef {
		c.into(e, to)
		return
	}
	reg := c.scratch()
	c.into(e, reg)
	c.emit("movq %s,%s", sized(reg, 8), sized(to, 8))
}

// into computes an expression in a register, which the expression does not read.
func (c *column) into(e *ir.Expr, reg string) {
	switch {
	case e.Op == ir.Const && immediate(e.Value):
		c.emit("movq $%d,%s", e.Value, sized(reg, 8))
	case e.Op == ir.Const:
		c.emit("movabs $%d,%s", e.Value, sized(reg, 8))
	case e.Op == ir.RegRef:
		if from := c.regs[e.Reg]; from != reg {
			c.emit("movq %s,%s", sized(from, 8), sized(reg, 8))
		}
	case e.Op == ir.Cast:
		c.into(e.X, reg)
		c.wrap(e.Type, reg)
	case e.Op == ir.Neg || e.Op == ir.BitNot:
		c.into(e.X, reg)
		c.emit("%s %s", map[ir.ExprOp]string{ir.Neg: "negq", ir.BitNot: "notq"}[e.Op], sized(reg, 8))
		c.wrap(e.Type, reg)
	case e.Op.IsTruth() && !e.Op.IsFloat() || e.Op == ir.Ite:
		c.choose(e, reg)
	default:
		c.binary(e, reg)
	}
}

// choose computes a truth value, or one of two values, by jumps.
func (c *column) choose(e *ir.Expr, reg string) {
	cond, yes, no := e, ir.Int(1), ir.Int(0)
	if e.Op == ir.Ite {
		cond, yes, no = e.X, e.Y, e.Z
	}
	holds, end := c.newLabel(), c.newLabel()
	c.test(cond, true, holds)
	c.into(no, reg)
	c.jump("jmp", end)
	c.mark(holds)
	c.into(yes, reg)
	c.mark(end)
}

var x86Arith = map[ir.ExprOp]string{ir.Add: "addq", ir.Sub: "subq", ir.And: "andq", ir.Or: "orq", ir.Xor: "xorq"}

func (c *column) binary(e *ir.Expr, reg string) {
	if v, ok := e.Y.IsConst(); e.Op == ir.Mul && ok && v >= 0 && v <= 8 && v&(v-1) == 0 && v > 0 {
		c.into(e.X, reg)
		for ; v > 1; v /= 2 {
			c.emit("addq %s,%s", sized(reg, 8), sized(reg, 8))
		}
		c.wrap(e.Type, reg)
		return
	}
	name := x86Arith[e.Op]
	if name == "" {
		c.w.Refuse(c.pos, "the operator %s cannot be exported to a litmus test", e.Op)
		return
	}
	c.into(e.X, reg)
	before := len(c.free)
	y := c.source(e.Y, 8)
	c.emit("%s %s,%s", name, y, sized(reg, 8))
	if len(c.free) < before {
		c.release(fullName(y))
	}
	c.wrap(e.Type, reg)
}

// fullName returns the register of an 8-byte operand.
func fullName(operand string) string { return operand[1:] }

// wrap cuts a register to a type and extends it again.
func (c *column) wrap(t ir.Type, reg string) {
	if t.Bits < 64 {
		c.emit("%s", extending(t, sized(reg, t.Size()), reg))
	}
}

// Jumps by comparison, signed and not.
var (
	signedJumps   = map[ir.ExprOp]string{ir.Eq: "je", ir.Ne: "jne", ir.Lt: "jl", ir.Le: "jle", ir.Gt: "jg", ir.Ge: "jge"}
	unsignedJumps = map[ir.ExprOp]string{ir.Eq: "je", ir.Ne: "jne", ir.Lt: "jb", ir.Le: "jbe", ir.Gt: "ja", ir.Ge: "jae"}
	opposite      = map[ir.ExprOp]ir.ExprOp{ir.Eq: ir.Ne, ir.Ne: ir.Eq, ir.Lt: ir.Ge, ir.Ge: ir.Lt, ir.Le: ir.Gt, ir.Gt: ir.Le}
)

// test jumps to a label if the truth of an expression is want, and goes on otherwise.
func (c *column) test(e *ir.Expr, want bool, label string) {
	switch {
	case e.Op == ir.Const:
		if (e.Value != 0) == want {
			c.jump("jmp", label)
		}
	case e.Op == ir.Not:
		c.test(e.X, !want, label)
	case e.Op == ir.LAnd && want || e.Op == ir.LOr && !want:
		skip := c.newLabel()
		c.test(e.X, !want, skip)
		c.test(e.Y, want, label)
		c.mark(skip)
	case e.Op == ir.LAnd || e.Op == ir.LOr:
		c.test(e.X, want, label)
		c.test(e.Y, want, label)
	case e.Op.IsCompare():
		op := e.Op
		if !want {
			op = opposite[op]
		}
		free := c.free
		x := c.register(e.X)
		y := c.source(e.Y, 8)
		c.emit("cmpq %s,%s", y, x)
		c.free = free
		jumps := unsignedJumps
		if e.Type.Signed {
			jumps = signedJumps
		}
		c.jump(jumps[op], label)
	default:
		c.test(&ir.Expr{Op: ir.Ne, Type: ir.S64, X: e, Y: ir.Int(0)}, want, label)
	}
}

// register returns an expression as a register.
func (c *column) register(e *ir.Expr) string {
	if e.Op == ir.RegRef && c.regs[e.Reg] != "" {
		return sized(c.regs[e.Reg], 8)
	}
	reg := c.scratch()
	c.into(e, reg)
	return sized(reg, 8)
}

// testSeen jumps to a label if a condition on the value in a register holds.
func (c *column) testSeen(cond *ir.Expr, reg, label string) {
	// The value that was seen is a register of its own for as long as the condition is computed.
	seen := ir.Reg(len(c.regs))
	c.regs = append(c.regs, reg)
	c.test(cond.Map(func(e *ir.Expr) *ir.Expr {
		if e.Op == ir.Seen {
			return ir.R(seen)
		}
		return e
	}), true, label)
	c.regs = c.regs[:seen]
}

// rmw writes a locked instruction.
func (c *column) rmw(op *ir.Op) {
	if op.Cond != nil {
		c.w.Refuse(c.pos, "a read-modify-write that waits for a value cannot be exported to a litmus test")
		return
	}
	size, s := op.Type.Size(), suffix(op.Type)
	wrote := func(one bool) {
		if op.Dst2 != ir.NoReg && c.regs[op.Dst2] != "" && one {
			c.emit("movq $1,%s", sized(c.regs[op.Dst2], 8))
		}
	}
	result := func(reg string) {
		if op.Dst != ir.NoReg && c.regs[op.Dst] != "" && (reg != c.regs[op.Dst] || op.Type != ir.S64 && op.Type != ir.U64 && op.Type != ir.U32) {
			c.emit("%s", extending(op.Type, sized(reg, size), c.regs[op.Dst]))
		}
	}
	switch {
	case op.RMW == ir.Xchg || op.RMW == ir.FetchAdd && op.Dst != ir.NoReg:
		reg := c.operand(op, size)
		name := map[ir.RMWKind]string{ir.Xchg: "xchg", ir.FetchAdd: "lock xadd"}[op.RMW]
		if op.RMW == ir.Xchg {
			c.emit("%s%s %s,%s", name, s, c.memory(op), sized(reg, size))
		} else {
			c.emit("%s%s %s,%s", name, s, sized(reg, size), c.memory(op))
		}
		result(reg)
		wrote(true)
	case op.RMW == ir.Cas:
		c.compareExchange(op, result)
	case byCompare(op):
		c.load(op, x86Accumulator)
		reg := c.scratch()
		c.emit("movq %s,%s", sized(x86Accumulator, 8), sized(reg, 8))
		c.emit("%s %s,%s", map[ir.RMWKind]string{ir.FetchAnd: "andq", ir.FetchOr: "orq", ir.FetchXor: "xorq"}[op.RMW], c.source(op.Val, 8), sized(reg, 8))
		c.emit("lock cmpxchg%s %s,%s", s, sized(reg, size), c.memory(op))
		ok := c.newLabel()
		c.jump("je", ok)
		c.set(stopped) // another thread has changed the variable in between
		c.mark(ok)
		result(x86Accumulator)
		wrote(true)
	default:
		name := map[ir.RMWKind]string{ir.FetchAdd: "add", ir.FetchAnd: "and", ir.FetchOr: "or", ir.FetchXor: "xor"}[op.RMW]
		c.emit("lock %s%s %s,%s", name, s, c.source(op.Val, size), c.memory(op))
		wrote(true)
	}
}

// operand puts the operand of an exchange or addition into a register that the instruction may change: that of the
// result, if the operand is there already.
func (c *column) operand(op *ir.Op, size int) string {
	e := op.Val
	for e.Op == ir.Cast && e.Type.Size() >= size {
		e = e.X
	}
	if e.Op == ir.RegRef && e.Reg == op.Dst && c.regs[e.Reg] != "" {
		return c.regs[e.Reg]
	}
	reg := c.scratch()
	c.into(e, reg)
	return reg
}

func (c *column) compareExchange(op *ir.Op, result func(string)) {
	size := op.Type.Size()
	fresh := c.scratch()
	c.into(op.Val2, fresh)
	c.into(op.Val, x86Accumulator)
	c.emit("lock cmpxchg%s %s,%s", suffix(op.Type), sized(fresh, size), c.memory(op))
	if op.Dst2 != ir.NoReg && c.regs[op.Dst2] != "" {
		c.emit("sete %s", sized(fresh, 1))
		c.emit("movzbq %s,%s", sized(fresh, 1), sized(c.regs[op.Dst2], 8))
	}
	result(x86Accumulator)
}
