package engine

import (
	"fmt"
	"slices"
	"strconv"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// What engines that explore executions one by one find.

// Ends counts executions, or classes of them, by how they end.
type Ends struct {
	Complete int64 // all threads finished
	Blocked  int64 // a thread is at an assumption or a refused await
	Bounded  int64 // a bound was met
	Waits    int64 // a thread waits
	Failed   int64 // a check failed
	Exits    int64 // exit was called

	Returned int64 `json:",omitempty"` // of all these: the main thread has returned, which ends the program
}

// All returns how many executions have ended.
func (e *Ends) All() int64 {
	return e.Complete + e.Blocked + e.Bounded + e.Waits + e.Failed + e.Exits
}

// Add adds the counts of another worker.
func (e *Ends) Add(d *Ends) {
	e.Complete += d.Complete
	e.Blocked += d.Blocked
	e.Bounded += d.Bounded
	e.Waits += d.Waits
	e.Failed += d.Failed
	e.Exits += d.Exits
	e.Returned += d.Returned
}

// Findings has the violations and final states that a worker has found.
type Findings struct {
	Met     map[string]bool // keys of violations
	Finals  map[string]bool
	Result  *Outcome
	Stopped bool // the exploration is over before everything has been explored

	keepGoing bool     // after a violation
	keys      []string // of Result.Violations
}

// NewFindings returns findings without anything found. An exploration that keeps going does not stop at a
// violation.
func NewFindings(keepGoing bool) Findings {
	return Findings{keepGoing: keepGoing, Met: map[string]bool{}, Finals: map[string]bool{}, Result: &Outcome{}}
}

// Violated adds a violation.
func (f *Findings) Violated(key string, v Violation) {
	f.Met[key] = true
	f.keys = append(f.keys, key)
	f.Result.Violations = append(f.Result.Violations, v)
	f.Stopped = f.Stopped || !f.keepGoing
}

// Final looks at a final state: whether it decides the final condition, and which of the final states it is. report adds a
// violation with its witness.
func (f *Findings) Final(t *Task, j *Judge, show *Finals, s *memory.State, report func(key string, v Violation)) {
	if final := t.Props.Final; final != nil && j.Final(s, final) {
		report("final", Violation{Kind: FinalViolated})
	}
	if !t.Finals {
		return
	}
	text := show.Text(s)
	f.Finals[text] = true
	if t.WitnessFinal != nil && t.WitnessFinal(text) {
		report("state:"+text, Violation{Kind: FinalReached, Final: text})
	}
}

// Keys returns the keys of the violations of Result, in their order.
func (f *Findings) Keys() []string { return f.keys[:len(f.Result.Violations)] }

// Unknown stops the exploration without an answer.
func (f *Findings) Unknown(why string) {
	f.Stopped = true
	f.Result.Unknown = why
}

// Add adds what another worker found.
func (f *Findings) Add(other *Findings) {
	f.Stopped = f.Stopped || other.Stopped
	if f.Result.Unknown == "" {
		f.Result.Unknown = other.Result.Unknown
	}
	for i := range other.Result.Violations {
		if !f.Met[other.keys[i]] {
			f.Violated(other.keys[i], other.Result.Violations[i])
		}
	}
	if !f.keepGoing && len(f.Result.Violations) > 1 {
		f.Result.Violations = f.Result.Violations[:1]
	}
	for s := range other.Finals {
		f.Finals[s] = true
	}
}

// GoalKey returns the key of the violation that goal i is reached.
func GoalKey(i int) string { return "goal:" + strconv.Itoa(i) }

// FailedCheck returns the violation that a check fails, without a witness, and its key.
func FailedCheck(f memory.Fault) (string, Violation) {
	v := Violation{Kind: CheckFailed, Class: f.Class, Edge: ir.NoEdge}
	if f.Edge != nil {
		v.Edge = f.Edge.ID
	}
	return fmt.Sprintf("check:%d:%d", v.Class, v.Edge), v
}

// AddReached adds whether the state has reached a check, and the bounds that executions have met in it.
func (o *Outcome) AddReached(y *memory.System, s *memory.State) {
	bounded := map[string]bool{}
	for i, e := range y.Edges() {
		o.ChecksReached = o.ChecksReached || e.Op.Kind == ir.Assert && !e.Op.Report.Class.Beside() && s.Covered[i]
		if !s.Bounds[i] {
			continue
		}
		if b := BoundAt(e); !bounded[b.Name] {
			bounded[b.Name] = true
			o.Coverage.Bounds = append(o.Coverage.Bounds, b)
		}
	}
}

// AddEnds adds how executions ended, and the final states. All bounds that were met must have been added.
func (o *Outcome) AddEnds(ends *Ends, f *Findings) {
	o.Coverage.Exhaustive = !f.Stopped && len(o.Coverage.Bounds) == 0
	o.Exits, o.Failed, o.Returns = ends.Exits, ends.Failed, ends.Returned > 0
	o.Stats.FinalStates, o.Stats.Executions, o.Stats.Blocked = ends.Complete, ends.All(), ends.Blocked
	for s := range f.Finals {
		o.Finals = append(o.Finals, s)
	}
	slices.Sort(o.Finals)
	if !f.Stopped && len(o.Violations) == 0 && ends.Complete+ends.Exits+ends.Returned == 0 {
		o.Warnings = append(o.Warnings, verdict.Warning{
			Code: "FP0933", Message: fmt.Sprintf("all %d executions end at an assumption, an await, a wait or a bound", ends.All()),
		})
	}
}
