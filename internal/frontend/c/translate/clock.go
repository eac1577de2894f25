package translate

import (
	"math"

	"fencepost/internal/lang/c/parse"

	"fencepost/internal/ir"
)

// Clocks. A clock shows any time whenever it is read: nothing here takes time. Of all times two are
// tried, 0 and one so late that every limit has passed; what happens at other times is not known, so
// that there is a third way on, which is not supported. The pass clocks of transform finds clocks
// whose time makes no difference, and leaves them one time. If the user declares the values of
// inputs, clocks show these.

// late is the later of the two times.
const late = 1 << 40

// AnyTime is a time that a clock shows at n: a number from 0 to most.
func (f *Code) AnyTime(n parse.Node, most int64) *ir.Expr {
	op := ir.NewOp(ir.Havoc)
	op.Dst, op.Range, op.Timed = f.Fb.Reg("time", 0, f.Pos), ir.Range{Bounded: true, Hi: 2}, true
	if r := f.Opt.Inputs(); r != nil {
		op.Range.Lo, op.Range.Hi = max(0, r.Lo), min(most, r.Hi)
		if op.Range.Lo > op.Range.Hi {
			f.In.Reject(CodeNondet, n, "a clock shows no time from %d to %d", r.Lo, r.Hi)
		}
		if most == math.MaxInt64 { // not of a part of a second
			f.In.Diags.Warnf(RangeWarning, f.In.Span(n), "this clock shows only times from %d to %d", op.Range.Lo, op.Range.Hi)
		}
		f.Emit(op)
		return ir.R(op.Dst)
	}
	f.Emit(op)
	f.OnlyIf(ir.Binary(ir.Lt, ir.S64, ir.R(op.Dst), ir.Int(2)), n, CodeClock,
		"a clock may show any time here, of which only 0 and 2^40 are tried")
	return ir.Binary(ir.Mul, ir.S64, ir.R(op.Dst), ir.Int(late))
}
