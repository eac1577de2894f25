package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost/internal/engine/robust"
	"fencepost/query"
	"fencepost/verdict"
)

// What to do after an unknown. The reason of a result says which engine got how far and what stopped
// it; Next says what to try: an option with a value, where one would help. One or two lines suffice.

// inputs are the functions of C that read input.
var inputs = []string{"scanf", "fscanf", "sscanf", "fgets", "gets", "getchar", "fgetc", "getc", "getline", "read", "fread"}

// Next returns what to try after an unknown, at least one line. It returns nil for other verdicts.
func Next(r *verdict.Result) []string {
	if r.Verdict != verdict.Unknown {
		return nil
	}
	if r.Reason == noOrders {
		return nil
	}
	if u := r.Coverage.Unsupported; u != nil {
		if name, ok := strings.CutSuffix(u.Message, " has no body, and what it does is not known"); ok {
			first := fmt.Sprintf("give the file that defines %s, too: `fencepost check FILE.c OTHER.c`", name)
			if slices.Contains(inputs, name) {
				first = fmt.Sprintf("for a number that can be any, write `__VERIFIER_nondet_int()` instead of a call of %s", name)
			}
			return []string{
				first,
				fmt.Sprintf("or say what it does, see `fencepost explain %s`", u.Code),
			}
		}
		if strings.HasPrefix(u.Code, "X") { // machine code: its compiler defines no macro
			if name, ok := strings.CutSuffix(u.Message, " is not defined in the given files, and what it does is not known"); ok {
				return []string{
					fmt.Sprintf("give the file that defines %s, too: `fencepost check FILE.o OTHER.o`", name),
					fmt.Sprintf("or say what it does, with --extern-pure or --extern-fence: see `fencepost explain %s`", u.Code),
				}
			}
			return []string{fmt.Sprintf("to get past it, see `fencepost explain %s`", u.Code)}
		}
		return []string{fmt.Sprintf("to get past it, see `fencepost explain %s`; code that does not matter can stand between #ifndef __FENCEPOST__ and #endif", u.Code)}
	}
	if f := r.Stats.Fuzz; f != nil {
		return []string{fmt.Sprintf("`--seed %d` goes on with other schedules; `fencepost check` decides programs that are small enough", int64(f.Seed)+r.Stats.Executions)}
	}
	var lines []string
	add := func(line string) {
		if line != "" && len(lines) < 2 {
			lines = append(lines, line)
		}
	}
	if r.BoundedOnly {
		add(acceptBounds(r))
	}
	add(raiseBounds(r))
	add(raiseLimit(r))
	add(askTraces(r))
	add(askLoops(r))
	add(askMore(r))
	if r.Proof != nil && r.Proof.Open() > 0 {
		add("to close open checks, state what always holds as an invariant; `fencepost check` decides a fixed number of threads")
	}
	add(provePSO(r))
	add(proveStores(r))
	switch {
	case len(lines) > 0:
	case r.Asked.Command == "check":
		add("to see how far each engine comes, ask with -v; a smaller program (fewer threads, fewer rounds) may be decided")
	default: // only check has -v
		add("a smaller program (fewer threads, fewer rounds) may be decided")
	}
	return lines
}

// proveStores says what to do about stores that are not shown to be atomic.
func proveStores(r *verdict.Result) string {
	if r.Proof == nil {
		return ""
	}
	for i := range r.Proof.Stores {
		if s := &r.Proof.Stores[i]; s.By == "" && len(s.Repairs) > 0 {
			return s.Repairs[0] + " would help, or an invariant that excludes the states that are shown"
		}
	}
	return ""
}

// provePSO says what to do about stores that younger ones can overtake.
func provePSO(r *verdict.Result) string {
	if r.Proof == nil || r.Model != "pso" {
		return ""
	}
	for i := range r.Proof.Stores {
		s := &r.Proof.Stores[i]
		if len(s.Overtakers) == 0 || s.Pos == nil || s.Overtakers[0].Pos == nil {
			continue
		}
		from, to := s.Pos, s.Overtakers[0].Pos
		return fmt.Sprintf("a store-store fence (sfence, a release store) between %s:%d and %s:%d keeps these stores in order; "+
			"`fencepost check --model pso` decides a fixed number of threads without it", from.File, from.Line, to.File, to.Line)
	}
	return ""
}

// acceptBounds says how the bounds that were met become part of the question.
func acceptBounds(r *verdict.Result) string {
	options := boundOptions(r, 1)
	if len(options) == 0 {
		return ""
	}
	return "to get an answer up to these bounds, set them: " + strings.Join(options, " ")
}

// raiseBounds says how to search further than the bounds that were met.
func raiseBounds(r *verdict.Result) string {
	options := boundOptions(r, 2)
	if len(options) == 0 {
		return ""
	}
	at := ""
	if !r.BoundedOnly {
		for _, b := range r.Coverage.Met() {
			if b.Pos != nil && b.Pos.Line > 0 {
				file, line := b.Pos.SourceLine()
				at = fmt.Sprintf(" than the bound that was met at %s:%d", file, line)
				break
			}
		}
	}
	return fmt.Sprintf("to search further%s: %s", at, strings.Join(options, " "))
}

// boundOptions returns the options for the bounds that were met, with their values times a factor.
// There are none if one of the bounds has no option.
func boundOptions(r *verdict.Result, factor int) []string {
	var options []string
	for _, b := range r.Coverage.Met() {
		if b.Given && factor == 1 || b.Name == "nondet-range" {
			continue
		}
		b.Value *= factor
		option := b.Option()
		if option == "" {
			return nil
		}
		if !slices.Contains(options, option) {
			options = append(options, option)
		}
	}
	return options
}

// Limit names the cause that ended a search early.
type Limit int

// The limits.
const (
	NoLimit Limit = iota
	TimeLimit
	MemoryLimit
	Interrupt
)

// LimitOf returns the limit that a reason is about.
func LimitOf(reason string) Limit {
	switch {
	case strings.Contains(reason, "time limit"), strings.Contains(reason, "the time is over"):
		return TimeLimit
	case strings.Contains(reason, "memory limit"), strings.Contains(reason, "limit of"):
		return MemoryLimit
	case strings.Contains(reason, "interrupted"):
		return Interrupt
	default:
		return NoLimit
	}
}

// raiseLimit says how to get past the limit that was reached.
func raiseLimit(r *verdict.Result) string {
	smaller := ", or ask about less: fewer threads, fewer rounds of loops"
	if r.Proof != nil {
		smaller = ""
	}
	switch LimitOf(r.Reason) {
	case TimeLimit:
		return fmt.Sprintf("give more time, --timeout %s%s", longer(r.Asked.Options["timeout"]), smaller)
	case MemoryLimit:
		more := "give more memory with --memory"
		if r.Asked.Command == "check" && !strings.Contains(asText(r.Asked.Options["engine"]), "smc") {
			more += ", or ask --engine smc, which stores no states"
		}
		return more + smaller
	case Interrupt:
		return "the search was interrupted; --timeout ends it after a given time"
	default:
		return ""
	}
}

// longer returns ten times a time limit as an option has it. A stored result has nanoseconds.
func longer(limit any) string {
	switch t := limit.(type) {
	case time.Duration:
		return short(10 * t)
	case float64:
		return short(10 * time.Duration(t))
	default:
		return "10m"
	}
}

// short writes a duration without trailing zero units: 10m, not 10m0s.
func short(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"0s", "0m"} {
		if rest, ok := strings.CutSuffix(text, zero); ok && len(rest) > 0 && (rest[len(rest)-1] == 'm' || rest[len(rest)-1] == 'h') {
			text = rest
		}
	}
	return text
}

// askTraces says how to explore more traces where one delaying thread may not be enough to show that a program is not
// robust.
func askTraces(r *verdict.Result) string {
	if !strings.Contains(r.Reason, robust.OneDelay) {
		return ""
	}
	return fmt.Sprintf("to explore the traces up to more rounds of loops: `fencepost check --robustness --model %s --engine smc --unroll 16`", r.Model)
}

// askLoops says how to find out why no execution ends.
func askLoops(r *verdict.Result) string {
	asked, _ := r.Asked.Options["endless"].(map[string]any)
	if !strings.Contains(r.Reason, neverEnds) || asText(asked["liveness"]) == string(query.LivenessFair) {
		return ""
	}
	switch c := r.Coverage.Checked; {
	case strings.Contains(string(r.Question), string(verdict.NonTermination)):
		return "to see which loops go on for ever, ask with --liveness fair; with --liveness off, only the rest is asked"
	case c != nil && c.Loops:
		return "to see which loops go on for ever, ask with --liveness fair"
	default:
		return ""
	}
}

// askMore says which other question or engine may help.
func askMore(r *verdict.Result) string {
	bmc, _ := r.Asked.Options["bmc"].(map[string]any)
	switch {
	case asText(r.Asked.Options["engine"]) != "" && !r.EngineFixed && bmc["answer"] == nil:
		return "without --engine, all engines are asked"
	case strings.Contains(r.Reason, "no execution") && r.Asked.Options["deadlock"] == nil && r.Asked.Command == "check":
		return "to see whether threads wait for each other, ask with --deadlock; check that assumptions and inputs can hold"
	default:
		return ""
	}
}

func asText(v any) string {
	text, _ := v.(string)
	return text
}
