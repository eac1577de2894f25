package ir

// Env gives the values that an expression refers to.
type Env struct {
	Regs []int64
	Seen int64
	Prog *Program // for addresses
}

// Eval evaluates an expression. It defines the meaning of expressions: package replay uses it
// directly; package memory compiles expressions to a faster form, and the tests compare the two.
func (e *Expr) Eval(env Env) int64 {
	switch e.Op {
	case Const:
		return e.Value
	case RegRef:
		return env.Regs[e.Reg]
	case Seen:
		return env.Seen
	case AddrOf:
		return int64(env.Prog.Objects[e.Obj].Addr) + e.Value
	case FuncAddr:
		return FuncAddress(e.Func)
	case Self:
		panic("BUG: self outside the structured form")
	case LAnd:
		return truth(e.X.Eval(env) != 0 && e.Y.Eval(env) != 0)
	case LOr:
		return truth(e.X.Eval(env) != 0 || e.Y.Eval(env) != 0)
	case Ite:
		if e.X.Eval(env) != 0 {
			return e.Y.Eval(env)
		}
		return e.Z.Eval(env)
	}
	if e.Op.IsUnary() {
		return EvalUnary(e.Op, e.Type, e.X.Eval(env))
	}
	return EvalBinary(e.Op, e.Type, e.X.Eval(env), e.Y.Eval(env))
}

// EvalUnary applies a unary operator.
func EvalUnary(op ExprOp, t Type, x int64) int64 {
	switch op {
	case Neg:
		return t.Wrap(-x)
	case BitNot:
		return t.Wrap(^x)
	case Not:
		return truth(x == 0)
	case Cast:
		return t.Wrap(x)
	default:
		return evalFloatUnary(op, t, x)
	}
}

// EvalBinary applies a binary operator.
func EvalBinary(op ExprOp, t Type, x, y int64) int64 {
	switch op {
	case Add:
		return t.Wrap(x + y)
	case Sub:
		return t.Wrap(x - y)
	case Mul:
		return t.Wrap(x * y)
	case Div:
		switch {
		case y == 0:
			return 0
		case t.Signed:
			if y == -1 { // the smallest number over -1 overflows; it wraps here
				return t.Wrap(-x)
			}
			return t.Wrap(x / y)
		default:
			return t.Wrap(int64(uint64(x) / uint64(y)))
		}
	case Rem:
		switch {
		case y == 0 || t.Signed && y == -1:
			return 0
		case t.Signed:
			return t.Wrap(x % y)
		default:
			return t.Wrap(int64(uint64(x) % uint64(y)))
		}
	case And:
		return t.Wrap(x & y)
	case Or:
		return t.Wrap(x | y)
	case Xor:
		return t.Wrap(x ^ y)
	case Shl:
		return t.Wrap(x << (uint64(y) % uint64(t.Bits)))
	case Shr:
		n := uint64(y) % uint64(t.Bits)
		if t.Signed {
			return t.Wrap(t.Wrap(x) >> n)
		}
		return t.Wrap(int64(uint64(t.Wrap(x)) >> n))
	case Eq:
		return truth(x == y)
	case Ne:
		return truth(x != y)
	case Lt:
		return truth(less(t, x, y))
	case Le:
		return truth(!less(t, y, x))
	case Gt:
		return truth(less(t, y, x))
	case Ge:
		return truth(!less(t, x, y))
	case LAnd:
		return truth(x != 0 && y != 0)
	case LOr:
		return truth(x != 0 || y != 0)
	default:
		return evalFloat(op, t, x, y)
	}
}

func less(t Type, x, y int64) bool {
	if t.Signed {
		return x < y
	}
	return uint64(x) < uint64(y)
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
