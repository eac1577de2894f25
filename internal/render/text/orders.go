package text

import (
	"fmt"
	"path"
	"strings"

	"fencepost/verdict"
)

// Memory orders: the headline, and the table of accesses.

// isAboutOrders reports whether a result is about memory orders, and not only about fences.
func isAboutOrders(r *verdict.Result) bool {
	return strings.HasPrefix(string(r.Question), "orders for ")
}

// ordersWord says what becomes of the accesses.
func ordersWord(r *verdict.Result) string {
	raised, lowered := 0, 0
	for i := range r.Repair.Orders {
		o := &r.Repair.Orders[i]
		switch {
		case o.Written == o.Order:
		case o.Order == "relaxed" || o.Written == "seq_cst" || o.Written == "acq_rel" && o.Order != "seq_cst":
			lowered++
		default:
			raised++
		}
	}
	var parts []string
	if raised > 0 {
		parts = append(parts, fmt.Sprintf("%s to be stronger", counted(int64(raised), "order has", "orders have")))
	}
	if lowered > 0 {
		parts = append(parts, fmt.Sprintf("%s weaker", counted(int64(lowered), "order can be", "orders can be")))
	}
	if n := len(r.Fences); n > 0 {
		parts = append(parts, fmt.Sprintf("%s needed", counted(int64(n), "fence is", "fences are")))
	}
	under := strings.ReplaceAll(strings.ToUpper(r.Model), ",", " and ")
	switch {
	case len(parts) > 0:
	case r.Repair.Clauses > 0:
		return "no order can be weaker under " + under + ", nothing to change"
	case r.Repair.For == "robustness":
		return "robust against " + under + ", nothing to change"
	default:
		return "safe under " + under + ", nothing to change"
	}
	return strings.Join(parts, ", ")
}

// orderTable prints the accesses with their orders.
func (p *printer) orderTable(r *verdict.Result) {
	rep := r.Repair
	p.line("")
	cost := fmt.Sprintf("cost %d", rep.CostAfter)
	if rep.CostBefore != rep.CostAfter {
		cost = fmt.Sprintf("cost %d before, %d after", rep.CostBefore, rep.CostAfter)
	}
	proved := "No cheaper ones suffice."
	if r.Verdict == verdict.Unknown {
		proved = "No cheaper ones suffice; whether these do is not known."
	}
	p.line("%s", p.opt.paint(bold, fmt.Sprintf("Memory orders (%s, on %s). %s", cost, rep.Costs, proved)))
	where, access, written, needed := len("where"), len("access"), len("written"), len("needed")
	position := func(o *verdict.OrderChoice) string {
		return fmt.Sprintf("%s:%d", oneLine(path.Base(o.Pos.File)), o.Pos.Line)
	}
	for i := range rep.Orders {
		o := &rep.Orders[i]
		where, access = max(where, len(position(o))), max(access, len(o.Access))
		written, needed = max(written, len(o.Written)), max(needed, len(o.Order))
	}
	row := func(a, b, c, d, e, f string) {
		p.line("%s", strings.TrimRight(fmt.Sprintf("  %-*s  %-*s  %-*s  %-*s  %6s  %s", where, a, access, b, written, c, needed, d, e, f), " "))
	}
	row("where", "access", "written", "needed", "cost", "")
	for i := range rep.Orders {
		o := &rep.Orders[i]
		cost := fmt.Sprint(o.Cost)
		if o.Cost != o.CostWritten {
			cost = fmt.Sprintf("%d>%d", o.CostWritten, o.Cost)
		}
		row(position(o), o.Access, o.Written, o.Order, cost, shortened(oneLine(o.Label)))
		if o.Without != nil {
			p.line("    without it %s", oneLine(o.Without.Reason()))
		}
	}
	var costs []string
	for _, c := range rep.Processors {
		costs = append(costs, fmt.Sprintf("%s %d>%d", c.Name, c.Before, c.After))
	}
	if len(costs) > 0 {
		p.line("  cost on each processor: %s", strings.Join(costs, ", "))
	}
}

// shortened is the beginning of a text.
func shortened(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}
