package text

import (
	"fmt"
	"path"
	"strings"

	"fencepost/verdict"
)

// fences prints a repair: what is wrong, the fences, why each is needed, the patch.
func (p *printer) fences(r *verdict.Result) {
	p.fencesHeadline(r)
	for _, warning := range r.Warnings {
		p.message("warning", warning.Code, warning.Pos, warning.Message)
	}
	p.repaired(r)
	rep := r.Repair
	bad := rep.Hopeless
	if bad == nil {
		bad = rep.Before
	}
	if bad != nil {
		p.badExecution(r, bad)
	}
	p.reached(r.Coverage.Unsupported)
	if len(r.Fences) > 0 {
		p.fenceList(r)
	}
	if len(rep.Orders) > 0 {
		p.orderTable(r)
	}
	if len(rep.Elsewhere) > 0 {
		p.elsewhere(r)
	}
	for i, set := range rep.Optimal {
		if len(rep.Optimal) == 1 {
			p.line("")
			p.line("There is no other set of this cost%s.", weakest(r))
			break
		}
		if i == 0 {
			p.line("")
			more := ""
			if rep.More {
				more = ", and there are more"
			}
			p.line("%s of this cost%s%s:", counted(int64(len(rep.Optimal)), "set", "sets"), weakest(r), more)
		}
		p.line("  %s", SetText(set))
	}
	if rep.Removal {
		p.redundant(r)
	}
	for i := range rep.Patches {
		p.line("")
		p.diff(rep.Patches[i].Diff)
	}
	p.line("")
	p.line("%s", p.opt.paint(dim, statsLine(r)))
}

// weakest says which of the sets of lowest cost are listed: where there are weaker fences than full ones, those with the
// fewest full fences.
func weakest(r *verdict.Result) string {
	if r.Model == "pso" {
		return " with as few full fences"
	}
	return ""
}

func (p *printer) fencesHeadline(r *verdict.Result) {
	rep := r.Repair
	model := strings.ReplaceAll(strings.ToUpper(r.Model), ",", " and ")
	goal, is := "makes it robust against "+model, "robust against "+model
	if rep.For != "robustness" {
		goal, is = "makes it safe under "+model, "safe under "+model
	}
	if rep.For == "linearizability" {
		goal, is = "makes it linearizable under "+model, "linearizable under "+model
	}
	if isAboutOrders(r) && r.Verdict == verdict.Safe {
		p.line("%s: %s%s", ProgramName(r), p.opt.paint(green, ordersWord(r)), coverage(r.Coverage))
		if c := r.Coverage.Checked; c != nil {
			p.line("  %s", p.opt.paint(dim, CheckedText(r.Question, c)))
		}
		p.certified(r)
		return
	}
	if isAboutOrders(r) && r.Verdict == verdict.Unsafe {
		p.line("%s: %s: %s", ProgramName(r), p.opt.paint(red, "no memory orders and fences "+strings.Replace(goal, "makes", "make", 1)), oneLine(r.Reason))
		return
	}
	many := strings.Replace(goal, "makes", "make", 1)
	head := ProgramName(r) + ": "
	switch r.Verdict {
	case verdict.Safe:
		word := is + ", no fence needed"
		switch n := len(r.Fences); {
		case rep.Removal && len(rep.Redundant) > 0:
			word = fmt.Sprintf("%s can be removed, and it stays %s", counted(int64(len(rep.Redundant)), "fence", "fences"), is)
		case rep.Removal && rep.Present == 0:
			word = is + ", and it has no fence"
		case rep.Removal:
			word = is + "; every fence is needed"
		case n == 1:
			word = "1 fence " + goal
		case n > 1:
			word = fmt.Sprintf("%d fences %s", n, many)
		}
		p.line("%s%s%s", head, p.opt.paint(green, word), coverage(r.Coverage))
		p.certified(r)
	case verdict.Unsafe:
		word := "no set of fences " + goal
		if rep.Removal {
			word = "not " + is + " as it is"
		}
		p.line("%s%s: %s", head, p.opt.paint(red, word), oneLine(r.Reason))
	default:
		if len(rep.Elsewhere) > 0 {
			p.line("%s%s: %s", head, p.opt.paint(yellow, "no set of fences at sites whose text may be changed "+goal), oneLine(r.Reason))
			return
		}
		word := "unknown which fences " + many
		if isAboutOrders(r) {
			word = "unknown which memory orders " + many
		}
		if n := int64(len(r.Fences)); r.BoundedOnly && n == 1 {
			word = "unknown whether 1 fence " + goal
		} else if r.BoundedOnly && n > 1 {
			word = fmt.Sprintf("unknown whether %d fences %s", n, many)
		} else if r.BoundedOnly {
			word = "unknown whether it is " + is
		} else if rep.Removal && rep.Present > 0 {
			word = is + ", and perhaps some fences are not needed"
		}
		p.unknown(head+p.opt.paint(yellow, word), r)
		if rep.Bound > 0 && !r.BoundedOnly {
			p.line("  every sufficient set costs at least %d", rep.Bound)
		}
	}
}

// badExecution prints what is wrong without fences.
func (p *printer) badExecution(r *verdict.Result, b *verdict.Break) {
	p.line("")
	repaired := r.Verdict == verdict.Safe || len(r.Fences) > 0
	if repaired {
		without := "Without a fence: "
		if isAboutOrders(r) {
			without = "With weaker orders: "
		}
		p.line("%s", p.opt.paint(bold, without+oneLine(b.Reason())))
	}
	if b.Attack != nil {
		if repaired {
			p.line("")
		}
		p.attack(b.Attack)
		return
	}
	e := b.Execution("")
	p.picture(&e, r.Model)
}

// fenceList prints the positions of the fences and why each is needed.
func (p *printer) fenceList(r *verdict.Result) {
	p.line("")
	what := "No cheaper set suffices."
	if r.Repair.Costs == "uniform" {
		what = "This is minimal."
	}
	if !r.Coverage.Exhaustive {
		what = strings.TrimSuffix(what, ".") + ", within the bounds of the check."
	}
	p.line("%s", p.opt.paint(bold, fmt.Sprintf("%s (cost %d). %s", counted(int64(len(r.Fences)), "fence", "fences"), r.Cost, what)))
	for i := range r.Fences {
		f := &r.Fences[i]
		p.line("  %s  %s fence %s", p.opt.paint(green, fencePosition(f)), fenceWord(f), besideText(r, f))
		p.instructions(r, f)
		if f.Without != nil {
			p.line("    without it %s", oneLine(f.Without.Reason()))
		}
		if len(f.Instead) > 0 {
			p.line("    other sites: %s", insteadText(r, f))
		}
	}
}

// instructions says which instructions a fence is before: how many, or, where instructions are shown, each of them.
func (p *printer) instructions(r *verdict.Result, f *verdict.Fence) {
	if words := InstructionsText(f); words != "" {
		p.line("    %s", words)
	}
	if f.Pos == nil || f.Pos.Source == "" || !p.opt.Asm && !p.opt.Full {
		return
	}
	all := f.Instructions
	if len(all) == 0 {
		all = []verdict.Pos{*f.Pos}
	}
	lines := strings.Split(r.Sources[f.Pos.File], "\n")
	for _, at := range all {
		if at.Line >= 1 && at.Line <= len(lines) {
			p.line("      %s", oneLine(strings.TrimSpace(lines[at.Line-1])))
		}
	}
}

// InstructionsText says that a fence in the source is one before several instructions, "" for one before one.
func InstructionsText(f *verdict.Fence) string {
	if len(f.Instructions) < 2 {
		return ""
	}
	return fmt.Sprintf("%d instructions of the machine code, all that the compiler made of this position", len(f.Instructions))
}

// insteadText lists the fences that could replace another, with what they cost.
func insteadText(r *verdict.Result, f *verdict.Fence) string {
	parts := make([]string, len(f.Instead))
	for i := range f.Instead {
		o := &f.Instead[i]
		parts[i] = fmt.Sprintf("%s %s (cost %d)", fencePosition(o), besideText(r, o), o.Cost)
	}
	return strings.Join(parts, "; ")
}

// elsewhere prints the set that would do if all of the text could be changed.
func (p *printer) elsewhere(r *verdict.Result) {
	set := r.Repair.Elsewhere
	p.line("")
	p.line("%s", p.opt.paint(bold, fmt.Sprintf("%s would be enough, cost %d:", counted(int64(len(set)), "fence", "fences"), r.Cost)))
	for i := range set {
		f := &set[i]
		where := ""
		if f.ReadOnly {
			where = " (in a macro or a file that may not be changed)"
		}
		p.line("  %s  %s fence %s%s", fencePosition(f), fenceWord(f), besideText(r, f), where)
	}
}

func (p *printer) redundant(r *verdict.Result) {
	if len(r.Repair.Redundant) == 0 {
		return
	}
	p.line("")
	for i := range r.Repair.Redundant {
		f := &r.Repair.Redundant[i]
		_, statement := FenceBeside(r, f)
		p.line("  %s  %s fence: %s", fencePosition(f), fenceWord(f), statement)
		p.instructions(r, f)
	}
}

func besideText(r *verdict.Result, f *verdict.Fence) string {
	word, statement := FenceBeside(r, f)
	return word + ": " + statement
}

// FenceBeside says what a fence stands beside: "before" and the statement after it, or at the end of a block "after"
// and the statement before it.
func FenceBeside(r *verdict.Result, f *verdict.Fence) (word, statement string) {
	label := oneLine(f.Label)
	if f.Pos != nil && f.Pos.Source != "" { // machine code
		file, n := f.Pos.SourceLine()
		if lines := strings.Split(r.Sources[file], "\n"); n >= 1 && n <= len(lines) && strings.TrimSpace(lines[n-1]) != "" {
			return "before", oneLine(strings.TrimSpace(lines[n-1]))
		}
	}
	if !strings.HasPrefix(label, "the end of the ") || f.Pos == nil {
		return "before", label
	}
	lines := strings.Split(r.Sources[f.Pos.File], "\n")
	if f.Pos.Line < 1 || f.Pos.Line > len(lines) {
		return "before", label
	}
	here := lines[f.Pos.Line-1]
	lines[f.Pos.Line-1] = here[:max(0, min(f.Pos.Col-1, len(here)))]
	for n := f.Pos.Line; n > 0; n-- {
		line := strings.TrimSpace(lines[n-1])
		if strings.HasSuffix(line, ";") && !strings.HasPrefix(line, "//") {
			return "after", fmt.Sprintf("%s (%s:%d)", oneLine(strings.TrimSuffix(line, ";")), oneLine(path.Base(f.Pos.File)), n)
		}
		if line != "" { // a brace, a comment, a macro
			break
		}
	}
	return "before", label
}

func fencePosition(f *verdict.Fence) string {
	if f.Pos.Source != "" { // with the column: a fence may be between two accesses of a line
		return oneLine(path.Base(f.Pos.Source))
	}
	return oneLine(f.Pos.Brief())
}

func fenceWord(f *verdict.Fence) string {
	switch {
	case f.Order != "":
		return f.Order
	case f.Kind == "ss":
		return "store-store"
	}
	return f.Kind
}

// SetText names the fences of a set, and the accesses with their orders.
func SetText(set []verdict.Fence) string {
	parts := make([]string, len(set))
	for i := range set {
		f := &set[i]
		parts[i] = fencePosition(f)
		if f.Pos.Source == "" {
			parts[i] += fmt.Sprintf(":%d", f.Pos.Col)
		}
		if f.Kind != "full" || f.Order != "" {
			parts[i] += " " + fenceWord(f)
		}
		if f.Order != "" && f.Kind != "order" {
			parts[i] += " fence"
		}
	}
	return strings.Join(parts, ", ")
}

// diff prints a patch as it is, so that it can be cut out and applied.
func (p *printer) diff(text string) {
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		color := ""
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
			color = bold
		case strings.HasPrefix(line, "+"):
			color = green
		case strings.HasPrefix(line, "-"):
			color = red
		case strings.HasPrefix(line, "@@"):
			color = dim
		}
		p.line("%s", p.opt.paint(color, strings.Map(printableOrTab, line)))
	}
}

func printableOrTab(r rune) rune {
	if r == '\t' {
		return r
	}
	return printable(r)
}
