package text

import (
	"fmt"
	"strings"

	"fencepost/verdict"
)

// The first lines of a proof: whether it is one, of what, for how many threads and for which data.

func (p *printer) proofHeadline(r *verdict.Result) {
	colour := green
	if !ProofComplete(r) {
		colour = yellow
	}
	word, what, _ := strings.Cut(ProofHeadline(r), ": ")
	head := fmt.Sprintf("%s: %s", ProgramName(r), p.opt.paint(colour, word))
	if r.Verdict == verdict.Unknown {
		p.unknown(head, r)
		return
	}
	p.line("%s: %s", head, what)
	for _, line := range ProofScope(r) {
		p.line("  %s", line)
	}
	if r.Proof.Open() > 0 && r.Proof.Instances == 0 {
		p.line("  `fencepost check` searches for an execution that violates them")
	}
}

// ProofComplete reports whether everything was proved that was asked.
func ProofComplete(r *verdict.Result) bool {
	return r.Verdict != verdict.Unknown && r.Proof.Open() == 0
}

// ProofHeadline says whether the program is proved, and what.
func ProofHeadline(r *verdict.Result) string {
	n, open := len(r.Proof.Checks), r.Proof.Open()
	model := strings.ToUpper(r.Model)
	hold := "the check holds under " + model
	switch {
	case n == 2:
		hold = "both checks hold under " + model
	case n > 2:
		hold = fmt.Sprintf("all %d checks hold under %s", n, model)
	}
	switch {
	case open > 0:
		return fmt.Sprintf("not proved: %d of %s open", open, counted(int64(n), "check", "checks"))
	case r.Verdict == verdict.Unknown:
		return "not proved"
	case r.Verdict == verdict.ValueRobust && n == 0:
		return "proved: " + sameStates(r)
	case r.Verdict == verdict.ValueRobust:
		return "proved: " + hold + ", and " + sameStates(r)
	case n == 0:
		return "proved of an abstraction: " + ofAbstraction(r)
	default:
		return "proved: " + hold
	}
}

func sameStates(r *verdict.Result) string {
	return strings.ToUpper(r.Model) + " and SC reach the same shared states"
}

func ofAbstraction(r *verdict.Result) string {
	return "what holds for the abstracted program under SC holds for this program under " + strings.ToUpper(r.Model)
}

// ProofScope says what more is known: about the states, for how many threads, for which data.
func ProofScope(r *verdict.Result) []string {
	var out []string
	open := r.Proof.Open()
	switch {
	case r.Verdict == verdict.ValueRobust && open > 0:
		// The reduction reorders steps of one execution, so an execution in which no check fails becomes one under SC in
		// which none fails. What a failed check would do to memory, such as an access outside of its array, it does not say.
		out = append(out, "proved: as long as no open check fails, "+sameStates(r))
	case r.Verdict == verdict.Abstracted:
		found := 0
		for _, a := range r.Proof.Abstractions {
			if a.Found || a.Cond != "" { // in .fp an abstraction is part of the program, and Cond is empty
				found++
			}
		}
		line := fmt.Sprintf("the proof abstracts %s: whether %s is not shown", counted(int64(found), "instruction", "instructions"), sameStates(r))
		if open > 0 {
			line = "proved: " + ofAbstraction(r) + "; " + line
		}
		out = append(out, line)
	}
	if open > 0 && r.Proof.Instances > 0 {
		out = append(out, SearchedInstances(r.Proof))
	}
	if line := provedThreads(r.Proof); line != "" {
		out = append(out, line)
	}
	if r.Proof.Arithmetic == verdict.ProofIntegers {
		out = append(out, "data: all integers; executions in which numbers wrap around are not covered")
	} else if r.Proof.Arithmetic != "" {
		out = append(out, "data: all values, exactly as in the program")
	}
	if text := uninitialisedText(r.Proof.Uninitialised); text != "" {
		out = append(out, text)
	}
	return out
}

// provedThreads says for how many threads a proof is.
func provedThreads(proof *verdict.Proof) string {
	if len(proof.Threads) == 0 {
		return ""
	}
	parts := make([]string, len(proof.Threads))
	for i, t := range proof.Threads {
		switch {
		case t.Any:
			parts[i] = "any number of " + oneLine(t.Name)
		case t.Loop:
			parts[i] = oneLine(t.Name) + " (as many as the loop starts)"
		case t.Number > 1:
			parts[i] = fmt.Sprintf("%d of %s", t.Number, oneLine(t.Name))
		default:
			parts[i] = oneLine(t.Name)
		}
	}
	line := "threads: " + strings.Join(parts, ", ")
	if proof.MaxThreads > 0 {
		line += "; " + CountedThreads(proof)
	}
	return line
}

// SearchedInstances says what the search of instances found about the open checks of a proof.
func SearchedInstances(proof *verdict.Proof) string {
	return fmt.Sprintf("no execution with up to %s per template violates a check: an invariant is missing, or it takes more threads",
		counted(int64(proof.Instances), "thread", "threads"))
}

// CountedThreads says for how many threads a proof is, if not for any number.
func CountedThreads(proof *verdict.Proof) string {
	return fmt.Sprintf("for up to %s: the proof counts threads in a variable that would wrap around with more",
		counted(proof.MaxThreads, "thread", "threads"))
}
