package verdict

import "fmt"

// Execution is one witness of a result, with what it shows. Renderings and checkers of
// results iterate over executions.
type Execution struct {
	Name     string   // such as "violation", "attack 2", "outcome 1"; unique within a result
	Question Question // as Result.Question
	Reason   string
	Pos      *Pos
	Verdict  Verdict // Unsafe, Observed where it is no failure, or Unknown at an unsupported construct
	Witness  *Witness
	Attack   *Attack   // for robustness
	Triangle *Triangle // for triangular races
	Cause    *Cause    // for the program's own questions, where there is one
	Like     int       // as Violation.Like
	Model    string    // if it is not Result.Model
}

// Executions returns every witness of a result, the most important one first. It includes
// witnesses without steps or threads.
func (r *Result) Executions() []Execution {
	var all []Execution
	if r.Witness != nil {
		v := Unsafe
		if r.Verdict != Unsafe { // observed, or that and something else unknown
			v = Observed
		}
		all = append(all, Execution{Question: r.Question, Reason: r.Reason, Pos: r.Pos, Verdict: v, Witness: r.Witness, Cause: r.Cause})
	}
	for i := range r.Others {
		o := &r.Others[i]
		if o.Witness != nil {
			all = append(all, Execution{Question: o.Question, Reason: o.Reason, Pos: o.Pos, Verdict: Unsafe, Witness: o.Witness, Cause: o.Cause, Like: o.Like})
		}
	}
	number(all, "violation")
	if u := r.Coverage.Unsupported; u != nil && u.Witness != nil {
		all = append(all, Execution{Name: "unsupported construct", Question: UnsupportedConstruct, Reason: u.Message, Pos: u.Pos, Verdict: Unknown, Witness: u.Witness, Model: u.Model})
	}
	var attacks []Execution
	for i := range r.Attacks {
		a := &r.Attacks[i]
		if a.Witness != nil {
			attacks = append(attacks, Execution{Question: r.Question, Reason: a.String(), Pos: a.Store, Verdict: Unsafe, Witness: a.Witness, Attack: a})
		}
	}
	number(attacks, "attack")
	attacks = append(attacks, r.triangleExecutions()...)
	if r.Repair != nil && r.Repair.Before != nil {
		attacks = append(attacks, r.Repair.Before.Execution("before the repair"))
	}
	var outcomes []Execution
	if r.Litmus != nil {
		for i := range r.Litmus.Outcomes {
			o := &r.Litmus.Outcomes[i]
			if o.Witness != nil {
				outcomes = append(outcomes, Execution{Question: r.Question, Reason: EndsIn + o.State, Verdict: Observed, Witness: o.Witness})
			}
		}
	}
	number(outcomes, "outcome")
	return append(append(append(all, attacks...), outcomes...), r.endingExecutions()...)
}

// EndsIn begins the reason of an execution that shows a final state.
const EndsIn = "the program ends in "

// endingExecutions returns the executions to final states.
func (r *Result) endingExecutions() []Execution {
	var endings []Execution
	for i := range r.Endings {
		if e := &r.Endings[i]; e.Witness != nil {
			endings = append(endings, Execution{Question: r.Question, Reason: EndsIn + e.State, Verdict: Observed, Witness: e.Witness})
		}
	}
	number(endings, "ending")
	return endings
}

// triangleExecutions returns the witnesses of triangular races, which are SC executions.
func (r *Result) triangleExecutions() []Execution {
	var races []Execution
	for i := range r.Triangles {
		if c := &r.Triangles[i]; c.Witness != nil {
			races = append(races, Execution{Question: r.Question, Reason: c.String(), Pos: c.Store, Verdict: Unsafe, Witness: c.Witness, Triangle: c, Model: "sc"})
		}
	}
	number(races, "race")
	return races
}

// Breaks returns the bad executions of an answer about fences, each with its fences.
func (r *Result) Breaks() []*Break {
	var out []*Break
	add := func(b *Break) {
		if b != nil && (b.Attack != nil || b.Violation != nil) && b.Witness() != nil {
			out = append(out, b)
		}
	}
	for i := range r.Fences {
		add(r.Fences[i].Without)
	}
	if r.Repair == nil {
		return out
	}
	add(r.Repair.Before)
	add(r.Repair.Hopeless)
	for i := range r.Repair.Needs {
		add(&r.Repair.Needs[i].Break)
	}
	for i := range r.Repair.Elsewhere {
		add(r.Repair.Elsewhere[i].Without)
	}
	for i := range r.Repair.Orders {
		add(r.Repair.Orders[i].Without)
	}
	return out
}

// Execution returns the bad execution under a name.
func (b *Break) Execution(name string) Execution {
	e := b.execution()
	e.Name, e.Model = name, b.Model
	return e
}

// execution returns the bad execution under the name "before the repair".
func (b *Break) execution() Execution {
	if b.Attack != nil {
		a := b.Attack
		return Execution{Name: "before the repair", Question: Robustness, Reason: a.String(), Pos: a.Store, Verdict: Unsafe, Witness: a.Witness, Attack: a}
	}
	v := b.Violation
	return Execution{Name: "before the repair", Question: v.Question, Reason: v.Reason, Pos: v.Pos, Verdict: Unsafe, Witness: v.Witness, Cause: v.Cause}
}

func number(list []Execution, word string) {
	for i := range list {
		list[i].Name = word
		if list[i].Verdict == Observed && word == "violation" {
			list[i].Name = "observation"
		}
		if len(list) > 1 {
			list[i].Name = fmt.Sprintf("%s %d", list[i].Name, i+1)
		}
	}
}
