package text

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"fencepost/internal/render/rows"
	"fencepost/verdict"
)

// Result prints the answer to one question.
func Result(w io.Writer, r *verdict.Result, opt Options) {
	p := &printer{w: w, opt: opt}
	r = rows.ForPeople(r)
	_, robust := robustWords[r.Question]
	switch {
	case r.Repair != nil:
		p.fences(r)
		return
	case robust:
		p.robust(r)
		return
	}
	if r.Proof != nil {
		p.proof(r)
		return
	}
	p.headline(r)
	p.compiled(r)
	for _, warning := range r.Warnings {
		p.message("warning", warning.Code, warning.Pos, warning.Message)
	}
	p.relies(r)
	p.linearizability(r)
	if r.Witness != nil {
		p.picture(&verdict.Execution{Reason: r.Reason, Verdict: r.Verdict, Witness: r.Witness, Cause: r.Cause}, r.Model)
	}
	for i, v := range r.Others {
		p.line("")
		p.line("%s", p.opt.paint(bold, fmt.Sprintf("Violation %d: %s", i+2, placed(v.Reason, v.Pos))))
		if v.Like > 0 {
			p.line("It has the same cause as violation %d.", v.Like)
		} else if v.Witness != nil {
			p.picture(&verdict.Execution{Reason: v.Reason, Verdict: verdict.Unsafe, Witness: v.Witness, Cause: v.Cause}, r.Model)
		}
	}
	p.reached(r.Coverage.Unsupported)
	if len(r.FinalStates) > 0 {
		p.line("")
		p.line("%s:", FinalsHead(r))
		for _, s := range r.FinalStates {
			p.line("  %s", oneLine(s))
		}
	}
	p.leftOut(r)
	if r.Witness != nil || r.Coverage.Unsupported.Shown() || len(r.Others) > 0 || len(r.FinalStates) > 0 {
		p.line("")
	}
	p.again(r)
	if text := agreed(r); text != "" {
		p.line("%s", text)
	}
	p.line("%s", p.opt.paint(dim, statsLine(r)))
}

// reached prints the execution that reaches a construct that is not supported, if there is one.
func (p *printer) reached(u *verdict.Unsupported) {
	if !u.Shown() {
		return
	}
	p.line("")
	if len(u.Witness.Steps) > 1 {
		p.line("An execution that gets there:")
	}
	p.execution(p.viewOf(&verdict.Execution{Verdict: verdict.Unknown, Witness: u.Witness}, ""))
	p.line("")
	p.line("%s", AfterUnsupported)
}

// FinalsHead is the head of the list of final states; it says if there may be more.
func FinalsHead(r *verdict.Result) string {
	head := counted(int64(len(r.FinalStates)), "final state", "final states")
	if r.Verdict == verdict.Unknown || !r.Coverage.Complete() {
		head += " found; there may be others, since not all executions were searched"
	}
	return head
}

// leftOut says what final states do not show.
func (p *printer) leftOut(r *verdict.Result) {
	if len(r.LeftOut) > 0 {
		p.line("Final states leave out: %s.", oneLine(strings.Join(r.LeftOut, "; ")))
	}
}

// relies says what a safe needs.
func (p *printer) relies(r *verdict.Result) {
	for i, x := range r.Relies {
		if i == 0 {
			p.line("It relies on:")
		}
		kind := x.Kind
		if kind == "atomic" {
			kind = "atomic operation"
		}
		p.line("  the %s at %s; without it: %s", kind, oneLine(x.Pos.String()), oneLine(x.Without))
	}
}

// headline is the verdict in one line: what, under which model, how far it reaches.
func (p *printer) headline(r *verdict.Result) {
	word, color := verdictWord(r.Verdict)
	if r.Verdict == verdict.Safe && r.Question == verdict.FinalStateList {
		word = "explored" // nothing was asked that could fail
	}
	head := fmt.Sprintf("%s: %s", ProgramName(r), p.opt.paint(color, word+" under "+strings.ToUpper(r.Model)))
	switch r.Verdict {
	case verdict.Safe, verdict.NotObserved:
		p.line("%s%s%s", head, coverage(r.Coverage), work(r))
		p.checked(r)
	case verdict.Unsafe, verdict.Observed:
		head += instance(r)
		if what := placed(r.Reason, r.Pos); what != "" {
			head += ": " + what
		}
		p.line("%s", head)
	default:
		p.unknown(head, r)
	}
}

// checked says what an answer is about.
func (p *printer) checked(r *verdict.Result) {
	if c := r.Coverage.Checked; c != nil {
		p.line("  %s", CheckedText(r.Question, c))
	}
	p.certified(r)
}

// certified describes the proof of an answer, if there is one.
func (p *printer) certified(r *verdict.Result) {
	if c := r.Coverage.Certificate; c != nil {
		p.line("  certified: the checker accepted a proof of %s (%s)", map[string]string{
			"states": counted(int64(c.Size), "state", "states"), "classes": counted(int64(c.Size), "node", "nodes"),
			"attacks": counted(int64(c.Size), "state", "states"), "clauses": counted(int64(c.Size), "step about clauses", "steps about clauses"),
			"ranks": counted(int64(c.Size), "state with a number", "states with numbers"), "histories": counted(int64(c.Size), "program", "programs"),
		}[c.Kind], counted(c.Bytes, "byte", "bytes"))
	}
}

// unknown ends a headline with the reason, and says how far the search went.
func (p *printer) unknown(head string, r *verdict.Result) {
	reason := Reason(r.Reason)
	if reason == "" {
		reason = "no reason given"
	}
	p.line("%s: %s", head, reason)
	if !r.BoundedOnly {
		for _, b := range r.Coverage.Bounds {
			if b.Name != verdict.BoundUnsupported { // the reason
				p.line("  searched with %s", boundText(b))
			}
		}
	}
	p.next(r)
}

// next says what to try after an unknown.
func (p *printer) next(r *verdict.Result) {
	for _, line := range r.Next {
		p.line("  %s", oneLine(line))
	}
}

func verdictWord(v verdict.Verdict) (word, color string) {
	switch v {
	case verdict.Safe:
		return "safe", green
	case verdict.Unsafe:
		return "unsafe", red
	case verdict.Observed:
		return "observed", bold
	case verdict.NotObserved:
		return "not observed", bold
	case verdict.Unknown:
		return "unknown", yellow
	default:
		return v.String(), yellow
	}
}

// placed puts a position into a reason: `assertion failed: x == 1` becomes
// `assertion failed at f.fp:3:5: x == 1`.
func placed(reason string, pos *verdict.Pos) string {
	reason = Reason(reason)
	if pos == nil {
		return reason
	}
	at := oneLine(pos.String())
	if strings.Contains(reason, at) {
		return reason
	}
	if reason == "" {
		return "at " + at
	}
	if head, rest, ok := strings.Cut(reason, ": "); ok {
		return head + " at " + at + ": " + rest
	}
	return reason + " at " + at
}

// coverage says how far a safe or not observed reaches. Bounds that were not hit
// cut nothing off and are not worth words where the search was exhaustive.
func coverage(c verdict.Coverage) string {
	var limits []string
	for _, b := range c.Bounds {
		if b.Hit || !c.Exhaustive {
			limits = append(limits, boundText(b))
		}
	}
	if c.Threads == verdict.AnyThreads {
		limits = append([]string{"any number of threads"}, limits...)
		if len(limits) == 1 {
			return ": all executions, for any number of threads"
		}
	}
	switch {
	case len(limits) > 0:
		return " with " + strings.Join(limits, " and ")
	case c.Exhaustive:
		return ": all executions"
	default:
		return ", though not all executions were covered"
	}
}

// Covered returns the first line of an answer and, if it found no violation, what was checked and what was not asked.
func Covered(r *verdict.Result) []string {
	out := []string{Headline(r)}
	if c := r.Coverage.Checked; c != nil && (r.Verdict == verdict.Safe || r.Verdict == verdict.NotObserved) {
		out = append(out, CheckedText(r.Question, c))
	}
	return out
}

// CheckedText says what the answer to a question is about.
func CheckedText(question verdict.Question, c *verdict.Checked) string {
	if question == verdict.FinalStateList { // nothing was asked that could fail
		return "explored: " + counted(int64(c.Threads), "thread", "threads")
	}
	var parts []string
	if c.Assertions > 0 || c.Errors {
		parts = append(parts, counted(int64(c.Assertions), "assertion", "assertions"))
	}
	if c.Goals > 0 {
		parts = append(parts, counted(int64(c.Goals), "goal", "goals"))
	}
	if c.Final {
		parts = append(parts, "the final condition")
	}
	if c.Errors {
		parts = append(parts, "program errors")
	}
	if c.Deadlock {
		parts = append(parts, "deadlock")
	}
	switch c.Liveness {
	case "spin":
		parts = append(parts, "endless waiting in loops")
	case "fair":
		parts = append(parts, "endless executions")
	}
	if c.Races {
		parts = append(parts, "data races")
	}
	if c.Leaks {
		parts = append(parts, "memory leaks")
	}
	text := strings.Join(parts, ", ") + "; " + counted(int64(c.Threads), "thread", "threads")
	if u := uninitialisedText(c.Uninitialised); u != "" {
		text += "; " + u
	}
	if not := notChecked(c); len(not) > 0 {
		text += "; not checked: " + strings.Join(not, ", ")
	}
	return "checked: " + strings.TrimPrefix(text, "; ")
}

// notChecked names what could matter and was not checked.
func notChecked(c *verdict.Checked) []string {
	var out []string
	switch {
	case c.Loops && c.Liveness != "":
		out = append(out, "whether other loops end")
	case c.Loops:
		out = append(out, "whether loops end")
	}
	for _, n := range c.NotAsked {
		switch n {
		case verdict.NotAskedRaces:
			out = append(out, "data races (--races)")
		case verdict.NotAskedC11:
			out = append(out, "what C11 allows beyond the model")
		case verdict.NotAskedKernel:
			out = append(out, "what the Linux kernel's model (LKMM) allows beyond the model")
		case verdict.NotAskedLeaks:
			out = append(out, "memory leaks (--leaks)")
		default:
			out = append(out, oneLine(string(n)))
		}
	}
	return out
}

// uninitialisedText says what memory was taken to hold that was never written, "" if that was checked.
func uninitialisedText(mode string) string {
	switch mode {
	case "zero":
		return "memory that was never written reads as 0"
	case "any":
		return "memory that was never written may hold any value"
	}
	return ""
}

func boundText(b verdict.Bound) string { return oneLine(b.String()) }

// work is the size of the search in parentheses.
func work(r *verdict.Result) string {
	switch {
	case r.By != "" && r.Stats.States == 0 && r.Stats.Executions > 0:
		return fmt.Sprintf(", by %s of %s", oneLine(r.By), counted(r.Stats.Executions, "execution", "executions"))
	case r.By != "":
		return fmt.Sprintf(", by %s of %s", oneLine(r.By), counted(r.Stats.States, "state", "states"))
	case r.Engine == "":
		return ""
	case r.Stats.Executions > 0:
		return fmt.Sprintf(" (%s: %s)", r.Engine, counted(r.Stats.Executions, "execution", "executions"))
	case r.Stats.States > 0:
		return fmt.Sprintf(" (%s: %s)", r.Engine, counted(r.Stats.States, "state", "states"))
	default:
		return fmt.Sprintf(" (%s)", r.Engine)
	}
}

// instance says which instance of a template a violation is in.
func instance(r *verdict.Result) string {
	if r.Instance == 0 {
		return ""
	}
	return " with " + counted(int64(r.Instance), "thread", "threads") + " per template"
}

// agreed names the engines that came to the same answer about the program under the model, "" if it was one alone.
func agreed(r *verdict.Result) string {
	var names []string
	for _, e := range r.Engines {
		if e.Model == r.Model && e.Verdict == r.Verdict && !e.Abandoned && e.Question != verdict.Robustness && !slices.Contains(names, e.Engine) {
			names = append(names, e.Engine)
		}
	}
	if len(names) < 2 {
		return ""
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " agree"
}

func statsLine(r *verdict.Result) string {
	var parts []string
	if n := r.Stats.Net; n != nil {
		parts = append(parts, fmt.Sprintf("a net of %s and %s", counted(int64(n.PetriPlaces), "place", "places"), counted(int64(n.Transitions), "transition", "transitions")),
			fmt.Sprintf("%s of %s predecessors left out", Count(int64(n.Pruned)), Count(int64(n.Tried))))
		return r.Engine + ": " + strings.Join(append(parts, duration(r.Stats.Seconds)), ", ")
	}
	if r.Stats.States > 0 {
		parts = append(parts, counted(r.Stats.States, "state", "states"))
	}
	if r.Stats.Transitions > 0 {
		parts = append(parts, counted(r.Stats.Transitions, "transition", "transitions"))
	}
	if r.Stats.Executions > 0 {
		text := counted(r.Stats.Executions, "execution", "executions")
		if r.Stats.Blocked > 0 {
			text += fmt.Sprintf(" (%s of them blocked)", Count(r.Stats.Blocked))
		}
		parts = append(parts, text)
	}
	parts = append(parts, fuzzed(r)...)
	if r.Stats.FinalStates > 0 && r.Stats.Executions == 0 {
		parts = append(parts, counted(r.Stats.FinalStates, "final state", "final states"))
	}
	if r.Stats.Clauses > 0 {
		parts = append(parts, counted(r.Stats.Gates, "gate", "gates"), counted(r.Stats.Variables, "variable", "variables"),
			counted(r.Stats.Clauses, "clause", "clauses"), "solver "+duration(r.Stats.SolverSeconds))
	}
	parts = append(parts, duration(r.Stats.Seconds))
	engine := r.Engine
	if engine == "" {
		engine = "time"
	}
	return engine + ": " + strings.Join(parts, ", ")
}
