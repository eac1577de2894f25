package memory

import "fencepost/internal/ir"

// Expressions are compiled to a form that is quick to evaluate: the common small shapes
// directly, all others as a tree in one slice. ir.Expr.Eval is the definition; the tests compare
// the two.

type codeKind uint8

const (
	codeNone   codeKind = iota
	codeConst           // k
	codeReg             // reg
	codeRegOpK          // reg op k
	codeTree
)

// code is a compiled expression.
type code struct {
	kind codeKind
	op   ir.ExprOp
	typ  ir.Type
	reg  int32
	k    int64
	tree []node
}

// node is an operator; x, y and z index the same slice and come before it.
type node struct {
	op      ir.ExprOp
	typ     ir.Type
	x, y, z int32
	k       int64
}

// compile translates e; nil gives codeNone.
func compile(p *ir.Program, e *ir.Expr) code {
	if e == nil {
		return code{}
	}
	if k, ok := constant(p, e); ok {
		return code{kind: codeConst, k: k}
	}
	if e.Op == ir.RegRef {
		return code{kind: codeReg, reg: int32(e.Reg)}
	}
	if e.Op.IsBinary() && e.X.Op == ir.RegRef {
		if k, ok := constant(p, e.Y); ok {
			return code{kind: codeRegOpK, op: e.Op, typ: e.Type, reg: int32(e.X.Reg), k: k}
		}
	}
	c := code{kind: codeTree}
	c.add(p, e)
	return c
}

// constant returns the value of an expression that reads no register.
func constant(p *ir.Program, e *ir.Expr) (int64, bool) {
	isConst := true
	e.Walk(func(e *ir.Expr) {
		if e.Op == ir.RegRef || e.Op == ir.Seen {
			isConst = false
		}
	})
	if !isConst {
		return 0, false
	}
	return e.Eval(ir.Env{Prog: p}), true
}

func (c *code) add(p *ir.Program, e *ir.Expr) int32 {
	n := node{op: e.Op, typ: e.Type}
	if k, ok := constant(p, e); ok {
		n.op, n.k = ir.Const, k
	} else if e.Op == ir.RegRef {
		n.k = int64(e.Reg)
	} else if e.X != nil {
		n.x = c.add(p, e.X)
		if e.Y != nil {
			n.y = c.add(p, e.Y)
		}
		if e.Z != nil {
			n.z = c.add(p, e.Z)
		}
	}
	c.tree = append(c.tree, n)
	return int32(len(c.tree) - 1)
}

// eval evaluates an expression with the registers of one thread.
func (c *code) eval(regs []int64, seen int64) int64 {
	switch c.kind {
	case codeConst:
		return c.k
	case codeReg:
		return regs[c.reg]
	case codeRegOpK:
		return binary(c.op, c.typ, regs[c.reg], c.k)
	case codeTree:
		return c.node(int32(len(c.tree)-1), regs, seen)
	default:
		panic("BUG: evaluation of an absent expression")
	}
}

func (c *code) node(i int32, regs []int64, seen int64) int64 {
	n := &c.tree[i]
	switch n.op {
	case ir.Const:
		return n.k
	case ir.RegRef:
		return regs[n.k]
	case ir.Seen:
		return seen
	case ir.LAnd:
		if c.node(n.x, regs, seen) == 0 {
			return 0
		}
		return bit(c.node(n.y, regs, seen) != 0)
	case ir.LOr:
		if c.node(n.x, regs, seen) != 0 {
			return 1
		}
		return bit(c.node(n.y, regs, seen) != 0)
	case ir.Ite:
		if c.node(n.x, regs, seen) != 0 {
			return c.node(n.y, regs, seen)
		}
		return c.node(n.z, regs, seen)
	}
	if n.op.IsUnary() {
		return ir.EvalUnary(n.op, n.typ, c.node(n.x, regs, seen))
	}
	return binary(n.op, n.typ, c.node(n.x, regs, seen), c.node(n.y, regs, seen))
}

// binary is ir.EvalBinary with the commonest cases first.
func binary(op ir.ExprOp, t ir.Type, x, y int64) int64 {
	switch op {
	case ir.Eq:
		return bit(x == y)
	case ir.Ne:
		return bit(x != y)
	case ir.Add:
		if t.Bits == 64 {
			return x + y
		}
	}
	return ir.EvalBinary(op, t, x, y)
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
