package irtext

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost/internal/ir"
)

// Operations and expressions in the text form.

func (pr *printer) op(op *ir.Op) {
	switch {
	case op.Dst2 != ir.NoReg && op.Dst == ir.NoReg:
		pr.printf("%s, %s = ", noDst, pr.regName(op.Dst2))
	case op.Dst2 != ir.NoReg:
		pr.printf("%s, %s = ", pr.regName(op.Dst), pr.regName(op.Dst2))
	case op.Dst != ir.NoReg:
		pr.printf("%s = ", pr.regName(op.Dst))
	}
	if op.Kind == ir.Assign {
		pr.expr(op.Val)
		if op.Block.Undef {
			pr.printf(" undefined in %s", pr.objectName(op.Obj))
		}
		pr.marks(op)
		return
	}
	pr.printf("%s", op.Kind)
	pr.suffixes(op)
	pr.operands(op)
	pr.clauses(op)
}

// suffixes prints the suffixes of the operation's name, each after a dot.
func (pr *printer) suffixes(op *ir.Op) {
	if op.RMW != ir.RMWUnset {
		pr.printf(".%s", op.RMW)
	}
	if op.Fence != ir.FenceUnset {
		pr.printf(".%s", op.Fence)
	}
	if op.Mutex.Kind != ir.MutexUnset && (op.Mutex.Kind != ir.NormalMutex || op.Kind == ir.CondWait) {
		pr.printf(".%s", op.Mutex.Kind)
	}
	if op.Mutex.Test != ir.MutexUntested {
		pr.printf(".%s", op.Mutex.Test)
	}
	if op.Loads {
		pr.printf(".loads")
	}
	if op.Block.Stack {
		pr.printf(".stack")
	}
	if op.Block.Undef {
		pr.printf(".%s", undefWord)
	}
	if op.Timed {
		pr.printf(".timed")
	}
	if op.Sync.Kind != ir.SyncUnset {
		pr.printf(".%s", op.Sync.Kind)
	}
	if op.Accesses() && op.Type != ir.S64 {
		pr.printf(".%s", op.Type)
	}
}

func (pr *printer) operands(op *ir.Op) {
	if op.Addr != nil {
		pr.printf(" [")
		pr.expr(op.Addr)
		pr.printf("]")
	}
	switch op.Kind {
	case ir.Store:
		pr.printf(" = ")
		pr.expr(op.Val)
	case ir.RMW:
		pr.printf(", ")
		pr.expr(op.Val)
		if op.Val2 != nil {
			pr.printf(", ")
			pr.expr(op.Val2)
		}
	case ir.CondWait:
		pr.printf(" mutex [")
		pr.expr(op.Val2)
		pr.printf("]")
	case ir.Call:
		if op.Call.Func != ir.NoFunc {
			pr.printf(" %s", pr.funcName(op.Call.Func))
		} else {
			pr.printf(" [")
			pr.expr(op.Val)
			pr.printf("]")
		}
		pr.args(op.Call.Args)
		if op.Call.Type != "" {
			pr.printf(", %q", op.Call.Type)
		}
	case ir.Spawn:
		pr.spawn(op)
	case ir.Assert:
		pr.printf(" ")
		pr.expr(op.Val)
		if op.Report.Msg != "" {
			pr.printf(", %q", op.Report.Msg)
		}
	case ir.Unsupported:
		pr.printf(" %q, %q", op.Report.Code, op.Report.Msg)
	case ir.Bound:
		pr.printf(" %q", op.Report.Msg)
		if op.Val != nil {
			pr.printf(", ")
			pr.expr(op.Val)
		}
	default:
		if op.Val != nil {
			pr.printf(" ")
			pr.expr(op.Val)
		}
	}
}

func (pr *printer) spawn(op *ir.Op) {
	pr.printf(" ")
	if op.Call.Func != ir.NoFunc {
		pr.printf("%s", pr.funcName(op.Call.Func))
	}
	if op.Val != nil {
		pr.printf("[")
		pr.expr(op.Val)
		pr.printf("]")
	}
	if len(op.Call.Threads) > 0 {
		pr.printf("{")
		for i, t := range op.Call.Threads {
			if i > 0 {
				pr.printf(", ")
			}
			pr.printf("%s", pr.threadName(t))
		}
		pr.printf("}")
	}
	pr.args(op.Call.Args)
}

func (pr *printer) args(args []*ir.Expr) {
	pr.printf("(")
	for i, a := range args {
		if i > 0 {
			pr.printf(", ")
		}
		pr.expr(a)
	}
	pr.printf(")")
}

// marks prints the marks.
func (pr *printer) marks(op *ir.Op) {
	for _, name := range op.Sync.Marks.Names() {
		pr.printf(" %s", name)
	}
}

// clauses prints the clauses after the operands.
func (pr *printer) clauses(op *ir.Op) {
	switch {
	case op.Accesses() && op.Sync.Order == ir.OrderUnset:
		pr.printf(" unset")
	case op.Sync.Order != ir.OrderUnset && !(op.Accesses() && op.Sync.Order == ir.Plain):
		pr.printf(" %s", op.Sync.Order)
	}
	if op.Sync.Fail != ir.OrderUnset {
		pr.printf(" fail %s", op.Sync.Fail)
	}
	pr.marks(op)
	if op.Obj != ir.NoObject {
		pr.printf(" in %s", pr.objectName(op.Obj))
	}
	if op.Undef.Dst != ir.NoReg {
		pr.printf(" undefined to %s", pr.regName(op.Undef.Dst))
	}
	if op.Undef.Val != nil {
		pr.printf(" undefined ")
		pr.expr(op.Undef.Val)
	}
	if op.Kind == ir.Assert && len(op.Call.Args) > 0 {
		pr.printf(" of ")
		pr.args(op.Call.Args)
	}
	if op.Cond != nil {
		pr.printf(" when ")
		pr.expr(op.Cond)
	}
	if op.Block.Align != 0 {
		pr.printf(" align %d", op.Block.Align)
	}
	if op.Block.Lead != 0 {
		pr.printf(" lead %d", op.Block.Lead)
	}
	if op.Block.Name != "" {
		pr.printf(" named %s", quoteName(op.Block.Name))
	}
	if op.Block.Layout != nil {
		pr.printf(" %s %s", layoutWord, formatLayout(op.Block.Layout))
	}
	if op.Range.Bounded {
		pr.printf(" range %d..%d", op.Range.Lo, op.Range.Hi)
	}
	if op.Report.Class != ir.CheckUnset && op.Report.Class != ir.Assertion {
		pr.printf(" class %s", op.Report.Class)
	}
}

// leafType returns the default type of a leaf.
func leafType(op ir.ExprOp) ir.Type {
	if op == ir.AddrOf || op == ir.FuncAddr {
		return ir.U64
	}
	return ir.S64
}

// expr prints an expression so that it parses to an equal one: every binary
// operator in parentheses, types where they are not s64.
func (pr *printer) expr(e *ir.Expr) {
	switch {
	case e == nil:
		pr.printf("nil")
	case e.Op.IsBinary():
		pr.printf("(")
		pr.operand(e.X)
		pr.printf(" %s%s ", e.Op, typeSuffix(e.Type))
		pr.operand(e.Y)
		pr.printf(")")
	case e.Op == ir.Ite:
		pr.printf("(")
		pr.operand(e.X)
		pr.printf(" ?%s ", typeSuffix(e.Type))
		pr.operand(e.Y)
		pr.printf(" : ")
		pr.operand(e.Z)
		pr.printf(")")
	case e.Op.IsUnary():
		pr.unary(e)
	default:
		pr.leaf(e)
	}
}

// operand prints part of an expression. An address with an offset gets parentheses, so that the
// offset is not read as an operand.
func (pr *printer) operand(e *ir.Expr) {
	if e != nil && e.Op == ir.AddrOf && e.Value != 0 {
		pr.printf("(")
		pr.expr(e)
		pr.printf(")")
		return
	}
	pr.expr(e)
}

func (pr *printer) unary(e *ir.Expr) {
	if text, ok := prefix(e); ok {
		pr.printf("(%s)", text)
		pr.operand(e.X)
		return
	}
	suffix := typeSuffix(e.Type)
	pr.printf("%s%s", e.Op, suffix)
	if suffix != "" {
		pr.printf(" ")
	}
	if e.X != nil && e.X.Op == ir.Const && suffix == "" { // -(1) is an operator, -1 a number
		pr.printf("(")
		pr.expr(e.X)
		pr.printf(")")
		return
	}
	pr.operand(e.X)
}

// prefix returns the text before the operand of a conversion or of a square root.
func prefix(e *ir.Expr) (string, bool) {
	from := ""
	switch e.Op {
	case ir.Cast:
		return e.Type.String(), true
	case ir.FSqrt:
		return e.Op.String() + " " + e.Type.String(), true
	case ir.IntToFloat:
		from = ir.S64.String()
	case ir.UintToFloat:
		from = ir.U64.String()
	case ir.FloatToInt:
		from = ir.F64.String()
	case ir.FloatToFloat:
		from = ir.Type{Bits: 96 - e.Type.Bits, Float: true}.String()
	default:
		return "", false
	}
	return fmt.Sprintf("%s %s %s", e.Type, ofWord, from), true
}

// constantText returns the text of a constant. Infinities and NaNs are written as their bits.
func constantText(e *ir.Expr) string {
	if e.Type.Float && e.Type.Valid() && e.Type.Wrap(e.Value) == e.Value {
		text := ir.FloatText(e.Type, e.Value)
		if !strings.Contains(text, ".") { // 1e-07
			text = strings.Replace(text, "e", ".0e", 1)
		}
		if strings.Contains(text, ".") {
			return text
		}
	}
	return strconv.FormatInt(e.Value, 10)
}

func (pr *printer) leaf(e *ir.Expr) {
	switch e.Op {
	case ir.Const:
		if e.Undef {
			pr.printf("%s", undefWord)
		} else {
			pr.printf("%s", constantText(e))
		}
	case ir.RegRef:
		pr.printf("%s", pr.regName(e.Reg))
	case ir.Seen:
		pr.printf("%s", seenWord)
	case ir.AddrOf:
		pr.printf("&%s", pr.objectName(e.Obj))
		if e.Value != 0 {
			pr.printf("%+d", e.Value)
		}
	case ir.FuncAddr:
		pr.printf("&&%s", pr.funcName(e.Func))
	default:
		pr.printf("%s", e.Op)
	}
	if e.Type != leafType(e.Op) {
		pr.printf(":%s", e.Type)
	}
}

// typeSuffix prints the type after an operator.
func typeSuffix(t ir.Type) string {
	if t == ir.S64 {
		return ""
	}
	return t.String()
}
