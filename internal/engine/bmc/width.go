package bmc

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Widths. Without a bound, values are as wide as the value flow requires, and no execution is
// excluded. With a bound, an execution is cut off where arithmetic makes a number that needs more
// bits than the bound and more than its operands. So counters and sums stay narrow, and addresses,
// which are wide already, are not affected. Numbers are never wrong: some executions are excluded,
// and none are added. Whether any is excluded is asked as for other bounds.

// limit returns the range that the results of arithmetic on these operands may have.
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

// operands returns the ranges of the operands of an expression.
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

// limitWidth cuts the thread off where a result does not fit.
func (x *encoder) limitWidth(st *step, w word, made ...analysis.Interval) word {
	r := limit(x.opt.Width, made...)
	if w.SubsetOf(r) {
		return w
	}
	n := rangeWidth(r)
	fits := high
	for i := n; i < len(w.bits); i++ {
		fits = x.c.and(fits, x.c.same(w.bits[i], w.bits[n-1]))
	}
	x.cuts = append(x.cuts, &cut{x.c.and(st.tries, fits.not()), "width", x.opt.Width, st.e})
	st.runs = x.c.and(st.runs, fits)
	return fit(w.bits[:n], analysis.Between(max(w.Lo, r.Lo), min(w.Hi, r.Hi)))
}
