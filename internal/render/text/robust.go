package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"fencepost/verdict"
)

// robustness is the question whose answers are printed here.
const robustness = "robustness"

// Headline is the answer to a question in one plain line.
func Headline(r *verdict.Result) string {
	var b strings.Builder
	p := &printer{w: &b}
	if r.Question == robustness {
		p.robustHeadline(r)
	} else {
		p.headline(r)
	}
	line, _, _ := strings.Cut(b.String(), "\n")
	return line
}

// robust prints the answer to whether a program is robust.
func (p *printer) robust(r *verdict.Result) {
	p.robustHeadline(r)
	for _, warning := range r.Warnings {
		p.message("warning", warning.Code, warning.Pos, warning.Message)
	}
	for i := range r.Attacks {
		a := &r.Attacks[i]
		p.line("")
		if len(r.Attacks) > 1 {
			p.line("%s", p.opt.paint(bold, fmt.Sprintf("Attack %d of %d: %s", i+1, len(r.Attacks), oneLine(a.String()))))
			p.line("")
		}
		p.attack(a)
	}
	if t := r.Trace; t != nil {
		p.line("")
		p.table(t.Witness, rows(t.Witness, ""))
		p.line("")
		p.line("Happens-before has a cycle:")
		p.chain(t.Nodes, t.Cycle)
	}
	if len(r.Attacks) > 0 || r.Trace != nil {
		p.line("")
	}
	p.line("%s", p.opt.paint(dim, statsLine(r)))
}

func (p *printer) robustHeadline(r *verdict.Result) {
	word, color := "unknown whether robust", yellow
	switch r.Verdict {
	case verdict.Safe:
		word, color = "robust", green
	case verdict.Unsafe:
		word, color = "not robust", red
	}
	head := fmt.Sprintf("%s: %s", oneLine(r.Program), p.opt.paint(color, word+" against "+strings.ToUpper(r.Model)))
	switch r.Verdict {
	case verdict.Safe:
		p.line("%s%s%s", head, coverage(r.Coverage), work(r))
	case verdict.Unsafe:
		p.line("%s: %s", head, oneLine(r.Reason))
	default:
		p.unknown(head, r)
	}
}

// attack prints the execution with the delayed store marked, and the cycle.
func (p *printer) attack(a *verdict.Attack) {
	all := rows(a.Witness, "")
	for i := range all {
		if r := &all[i]; r.first <= a.StoreStep && a.StoreStep <= r.last {
			r.marked = true
			r.effect += ", delayed"
		}
	}
	p.table(a.Witness, all)
	p.line("")
	p.line("Happens-before has a cycle:")
	p.chain(a.Nodes, a.Cycle)
}

// chain prints the cycle: t1 st x -po-> t1 ld y -cf-> t1 st x.
func (p *printer) chain(nodes []verdict.TraceNode, cycle []verdict.TraceEdge) {
	const indent = "  "
	if len(cycle) == 0 {
		return
	}
	line := indent + oneLine(nodes[cycle[0].From].Text)
	for _, e := range cycle {
		link := fmt.Sprintf(" -%s-> %s", e.Kind, oneLine(nodes[e.To].Text))
		if utf8.RuneCountInString(line+link) > p.opt.width() {
			p.line("%s", line)
			line = indent + " "
		}
		line += link
	}
	p.line("%s", line)
}
