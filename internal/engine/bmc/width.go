package bmc

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Widths. Without a bound, values are as wide as the analysis says they can get, and
// nothing is lost. With one, an execution is cut off where arithmetic makes a number
// that needs more bits than that and more than the numbers it is made of: so
// counters and sums stay narrow, and addresses, which are wide from the start, stay
// what they are. No number is ever wrong: executions get lost, none are made up, and
// whether any did get lost is asked like for any other bound.

// limit is what results of arithmetic on these operands may be.
func limit(width int, operands ...analysis.Interval) analysis.Interval {
	if width <= 0 {
		return analysis.AllNumbers
	}
	for _, x := range operands {
		width = max(width, rangeWidth(x))
	}
	if width >= 64 {
		return analysis.AllNumbers
	}
	return analysis.Between(-1<<(width-1), 1<<(width-1)-1)
}

// operands are the ranges of what an expression is made of.
func operands(e *ir.Expr, reg func(ir.Reg) analysis.Interval) []analysis.Interval {
	var out []analysis.Interval
	e.Walk(func(e *ir.Expr) {
		switch e.Op {
		case ir.RegRef:
			out = append(out, reg(e.Reg))
		case ir.Const:
			out = append(out, analysis.Single(e.Value))
		case ir.AddrOf, ir.FuncAddr:
			out = append(out, analysis.AllNumbers)
		}
	})
	return out
}

// narrow cuts the thread off where a result does not fit.
func (x *encoder) narrow(st *step, w word, made ...analysis.Interval) word {
	r := limit(x.opt.Width, made...)
	if w.SubsetOf(r) {
		return w
	}
	n := rangeWidth(r)
	fits := high
	for i := n; i < len(w.bits); i++ {
		fits = x.and(fits, x.same(w.bits[i], w.bits[n-1]))
	}
	x.cuts = append(x.cuts, &cut{x.and(st.tries, fits.not()), "width", x.opt.Width, st.e})
	st.runs = x.and(st.runs, fits)
	return fit(w.bits[:n], analysis.Between(max(w.Lo, r.Lo), min(w.Hi, r.Hi)))
}
