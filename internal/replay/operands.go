package replay

import "fencepost/internal/ir"

// operands evaluates the expressions of an operation in a thread.
type operands struct {
	p    *ir.Program
	op   *ir.Op
	regs []int64 // the thread's registers before the step; never changed
}

func (o *operands) env() ir.Env { return ir.Env{Regs: o.regs, Prog: o.p} }

func (o *operands) eval(e *ir.Expr) int64 { return e.Eval(o.env()) }

// evalSeen evaluates e, which may refer to the value that the operation read.
func (o *operands) evalSeen(e *ir.Expr, seen int64) int64 {
	env := o.env()
	env.Seen = seen
	return e.Eval(env)
}
