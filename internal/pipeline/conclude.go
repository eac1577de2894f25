package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Results. This file is the only one that assembles a result and the only one that says Safe: a test
// in the root package holds all others to that.
//
// A search that found nothing and left out no execution is Safe. A search that met bounds is Safe
// within them if the user set all of them: then the user knows what the answer covers. A search that
// met a default has not answered the question. It is Unknown, with the bounds in its reason.

// Given says which bounds the user set.
type Given struct {
	Buffer, Unroll              int
	Rounds, Clock, Queue, Width int  // of bounded model checking, where the engine did not raise them itself
	Domain                      bool // of the values of memory
}

// GivenBy says which of the bounds in the options the user set.
func GivenBy(o *query.Options) Given { return Given{Buffer: o.Buffer, Unroll: o.Unroll} }

// sets reports whether the user set a bound to the value it has.
func (g *Given) sets(b *verdict.Bound) bool {
	switch b.Name {
	case "buffer":
		return g.Buffer > 0
	case "unroll":
		return g.Unroll > 0 && b.Value == g.Unroll
	case "recursion", "threads": // of a statement that starts threads in a loop
		return g.Unroll > 0
	case "rounds":
		return g.Rounds > 0
	case "clock":
		return g.Clock > 0
	case "queue":
		return g.Queue > 0
	case "width":
		return g.Width > 0
	case "domain":
		return g.Domain
	default:
		return false
	}
}

// Mark notes at every bound whether the user set it.
func Mark(c *verdict.Coverage, given Given) {
	for i := range c.Bounds {
		b := &c.Bounds[i]
		b.Given = b.Given || given.sets(b)
	}
}

// Result assembles a result without a verdict.
func (p *Program) Result(question verdict.Question, model memory.Model, by string) *verdict.Result {
	return &verdict.Result{
		Program: p.Input.Name, Question: question, Model: model.String(), Engine: by, Origin: verdict.Origin{Sources: p.Sources()},
	}
}

// Undecided returns the result under a model where a limit of time or memory ended a stage that has no
// answer of its own: unknown. It returns nil for other errors.
func (r *Run) Undecided(model query.Model, err error) *verdict.Result {
	over, late := (*OverLimit)(nil), (*supervise.NotStopped)(nil)
	if !errors.As(err, &over) && !errors.As(err, &late) {
		return nil
	}
	res := &verdict.Result{Program: r.Input.Name, Question: r.question, Model: string(model), Verdict: verdict.Unknown, Origin: verdict.Origin{Sources: r.Sources()}}
	res.Stats.Seconds = time.Since(r.begun).Seconds() // the stages before a search took all of it
	if late != nil {
		res.Reason = late.Error()
	} else {
		res.Reason, res.Warnings = over.Error(), []verdict.Warning{{Code: OverLimitCode, Message: over.advice}}
	}
	return res
}

// noOrders says why a program has no answer under c11.
const noOrders = "this model is not possible here: it is about the memory orders of C11, which this language does not have"

// WithoutOrders returns the result under c11 of a language without memory orders: unknown. The answers under other models
// stay.
func (r *Run) WithoutOrders() *verdict.Result {
	return &verdict.Result{Program: r.Input.Name, Question: r.question, Model: string(query.C11), Verdict: verdict.Unknown, Reason: noOrders, Origin: verdict.Origin{Sources: r.Sources()}}
}

// undecided does so for all models that are asked about.
func (r *Run) undecided(err error) (out []verdict.Result) {
	for _, model := range r.models {
		if res := r.Undecided(model, err); res != nil {
			out = append(out, *res)
		}
	}
	return out
}

// Conclusion has the findings of the search for an answer.
type Conclusion struct {
	Question verdict.Question
	Model    memory.Model
	Engine   string
	Outcome  *engine.Outcome
	Given    Given
	// Violation is the violation that the result is about, nil if there is none.
	Violation *verdict.Violation
	// Open is why the answer is unknown although the search came to its end, "" if it is not.
	Open string
}

// Conclude states the verdict of a search: Unsafe with a violation, Unknown if the search did not
// finish or met a bound that the user did not set, else Safe.
func (p *Program) Conclude(c *Conclusion) *verdict.Result {
	res := p.Result(c.Question, c.Model, c.Engine)
	res.Coverage, res.Stats, res.Warnings = c.Outcome.Coverage, c.Outcome.Stats, c.Outcome.Warnings
	switch v := c.Violation; {
	case v != nil:
		res.Verdict, res.Reason, res.Pos, res.Witness, res.Cause = verdict.Unsafe, v.Reason, v.Pos, v.Witness, v.Cause
	case leadsBeyond(res):
	case c.Outcome.Unknown != "":
		res.Verdict, res.Reason = verdict.Unknown, c.Outcome.Unknown
	case c.Open != "":
		res.Verdict, res.Reason = verdict.Unknown, c.Open
	default:
		Hold(res, c.Given)
	}
	p.CarrySources(res)
	return res
}

// Hold states the verdict of a search that came to its end and found nothing: Safe, or Unknown if the
// search met a bound that the user did not set.
func Hold(res *verdict.Result, given Given) { holds(res, verdict.Safe, given) }

// Certified restricts an answer to what a proof of it covers.
func Certified(res *verdict.Result, proof verdict.Coverage, given Given) {
	Join(res, &verdict.Result{Coverage: proof}, given)
}

// Uncertified takes back a verdict that the checker of certificates does not confirm.
func Uncertified(res *verdict.Result, why string) {
	res.Verdict, res.Reason, res.BoundedOnly = verdict.Unknown, "not certified: "+why, false
}

// holds states the verdict of such a search: wanted, which is Safe or NotObserved, or Unknown.
func holds(res *verdict.Result, wanted verdict.Verdict, given Given) {
	Mark(&res.Coverage, given)
	if leadsBeyond(res) {
		return
	}
	if res.Coverage.Complete() {
		res.Verdict = wanted
		return
	}
	res.Verdict, res.BoundedOnly = verdict.Unknown, true
	res.Reason = boundedWords(res, wanted) + ": " + res.Coverage.BoundText()
}

// leadsBeyond states the verdict where an execution reaches a construct that is not supported and
// nothing is violated: Unknown. It reports whether there is such an execution.
func leadsBeyond(res *verdict.Result) bool {
	c := &res.Coverage
	met := c.Beyond()
	if met == nil {
		return false
	}
	if c.Unsupported == nil {
		c.Unsupported = &verdict.Unsupported{Code: met.Code, Message: met.What, Pos: met.Pos}
	}
	res.Verdict, res.BoundedOnly, res.Reason = verdict.Unknown, false, ReachedReason(c.Unsupported)
	return true
}

// boundedWords begin the reason of an answer that holds within bounds only.
func boundedWords(res *verdict.Result, wanted verdict.Verdict) string {
	switch {
	case len(res.Fences) > 0:
		return "enough within"
	case wanted == verdict.NotObserved:
		return "not observed within"
	case res.Question == finalStates:
		return "explored only within"
	default:
		return "no violation within"
	}
}

// Join adds to an answer what another one covers, which found nothing either: the whole holds only
// where both do.
func Join(res, other *verdict.Result, given Given) {
	res.Warnings = append(res.Warnings, other.Warnings...)
	res.Coverage.Exhaustive = res.Coverage.Exhaustive && other.Coverage.Exhaustive
	for _, b := range other.Coverage.Bounds {
		if !slices.ContainsFunc(res.Coverage.Bounds, func(o verdict.Bound) bool { return o.Hit == b.Hit && o.String() == b.String() }) {
			res.Coverage.Bounds = append(res.Coverage.Bounds, b)
		}
	}
	if res.Coverage.Unsupported == nil {
		res.Coverage.Unsupported = other.Coverage.Unsupported
	}
	if res.Verdict == verdict.Safe || res.Verdict == verdict.NotObserved {
		holds(res, res.Verdict, given)
	}
}

// Restrict adds the bounds that lie in how the program was read: the number of threads of a template,
// and the values of inputs. The user set both.
func (p *Program) Restrict(res *verdict.Result, opt *query.Options) {
	if res.Verdict == verdict.Unsafe {
		return
	}
	c := &res.Coverage
	add := func(b verdict.Bound) {
		b.Hit, b.Given, c.Exhaustive = true, true, false
		if !slices.ContainsFunc(c.Bounds, func(o verdict.Bound) bool { return o.Name == b.Name && (o.Pos == nil) == (b.Pos == nil) }) {
			c.Bounds = append(c.Bounds, b)
		}
	}
	if n := p.Props.Instances; n > 0 {
		add(verdict.Bound{Name: "threads", Value: n})
	}
	if r := opt.C.NondetRange; len(r) == 2 && p.limited != nil {
		add(verdict.Bound{Name: "nondet-range", Low: int(r[0]), Value: int(r[1]), Pos: p.limited})
	}
}

// concludeAsking states the verdict of an engine that was asked the program's own questions.
func (p *Program) concludeAsking(a *Asking, flat *ir.Program, out *engine.Outcome, how *Asked) *verdict.Result {
	res := p.ConcludeQuestions(a.Model, a.Engine.Name, out, how)
	if res.Witness != nil {
		res.Cause = p.Cause(flat, a.Model, res.Witness)
	}
	for i := range res.Others {
		res.Others[i].Cause = p.Cause(flat, a.Model, res.Others[i].Witness)
	}
	Group(flat, res)
	p.CarrySources(res)
	return res
}

// ConcludeQuestions states verdict, question and reason of the program's own questions.
func (p *Program) ConcludeQuestions(model memory.Model, by string, out *engine.Outcome, how *Asked) *verdict.Result {
	res := p.Result(p.Question(), model, by)
	res.Coverage, res.Stats, res.Warnings, res.FinalStates = out.Coverage, out.Stats, out.Warnings, out.Finals
	if how.Finals {
		res.LeftOut = p.NotShown()
	}
	Mark(&res.Coverage, how.Given)
	var observed *engine.Violation
	for i := range out.Violations {
		v := &out.Violations[i]
		if v.Kind == engine.FinalViolated && p.Observes() {
			observed = v
			continue
		}
		one := p.Describe(v)
		if res.Verdict == verdict.Unset {
			res.Verdict, res.Question, res.Reason, res.Pos, res.Witness = verdict.Unsafe, one.Question, one.Reason, one.Pos, one.Witness
		} else if how.KeepGoing {
			res.Others = append(res.Others, one)
		}
	}
	switch {
	case res.Verdict != verdict.Unset:
	case observed != nil:
		p.concludeObserved(res, observed, out)
	case leadsBeyond(res):
		if out.Unknown != "" {
			res.Reason += "; the search is not complete: " + out.Unknown
		}
	case out.Unknown != "":
		res.Verdict, res.Reason = verdict.Unknown, out.Unknown
	case p.untested(out) != "":
		res.Verdict, res.Reason = verdict.Unknown, p.untested(out)
	case p.Observes():
		holds(res, verdict.NotObserved, how.Given)
	default:
		holds(res, verdict.Safe, how.Given)
	}
	return res
}

// concludeObserved states the verdict where the final condition was observed: Observed, unless
// something else that was asked is open.
func (p *Program) concludeObserved(res *verdict.Result, observed *engine.Violation, out *engine.Outcome) {
	one := p.Describe(observed)
	res.Verdict, res.Reason, res.Pos, res.Witness = verdict.Observed, one.Reason, one.Pos, one.Witness
	switch {
	case !p.AsksMore():
	case out.Unknown != "":
		res.Verdict = verdict.Unknown
		res.Reason = fmt.Sprintf("%s, but the rest is not decided: %s", one.Reason, out.Unknown)
	case !res.Coverage.Complete():
		res.Verdict = verdict.Unknown
		res.Reason = fmt.Sprintf("%s, but the rest is not decided: no violation within: %s", one.Reason, res.Coverage.BoundText())
	case !out.Coverage.Exhaustive:
		res.Warnings = append(res.Warnings, verdict.Warning{
			Code: "FP0906", Message: "assertions, goals and deadlock were checked only within the bounds of the search",
		})
	}
}

// neverEnds is the reason where no execution ends, and nothing is reported. Where it is asked whether loops
// end, that is no answer.
const neverEnds = "no execution comes to its end"

// untested says why a search that found nothing has tested nothing, "" if it has.
func (p *Program) untested(out *engine.Outcome) string {
	// What was cut off at a bound did not come to the loops that are meant to go on for ever.
	ended := out.Ended() || out.Rests && !cutOff(out)
	switch {
	case out.Stats.Executions > 0 && !ended:
		return neverEnds
	case (p.Props.Endless || p.Props.SomeEnd) && p.Props.Starving == "" && !ended && !beyondReach(out):
		if cutOff(out) {
			return neverEnds + " within the bounds"
		}
		return neverEnds
	case p.Props.Final != nil && out.Stats.FinalStates == 0 && !out.Ends:
		return "no execution comes to an end, so the final condition was never tested"
	case p.Props.Checks && !out.ChecksReached && !ended && len(p.Props.Goals) == 0 && !p.Props.Deadlock:
		return "no execution reaches an assertion or its end: nothing was checked"
	case cutOff(out) && !out.ChecksReached && !ended:
		return "no execution comes to an assertion or its end within the bounds"
	default:
		return ""
	}
}

// finalStates is the question if there is none but to list the final states.
const finalStates = verdict.FinalStateList

// cutOff reports whether executions were cut off. A store that finds its buffer full waits, and its
// execution goes on.
func cutOff(out *engine.Outcome) bool {
	return slices.ContainsFunc(out.Coverage.Bounds, func(b verdict.Bound) bool { return b.Hit && b.Name != "buffer" })
}

// beyondReach reports whether executions were cut off at something that no option lets the engine pass.
func beyondReach(out *engine.Outcome) bool {
	return slices.ContainsFunc(out.Coverage.Met(), func(b verdict.Bound) bool { return b.Option() == "" })
}

// Question names the program's own questions.
func (p *Program) Question() verdict.Question {
	var parts []string
	if p.Props.Checks {
		parts = append(parts, "assertions")
	}
	if len(p.Props.Goals) > 0 {
		parts = append(parts, "goals")
	}
	if p.Props.Final != nil {
		parts = append(parts, p.Props.Final.Quantifier.String())
	}
	if p.Props.Deadlock {
		parts = append(parts, "deadlock")
	}
	if p.Props.Endless {
		parts = append(parts, string(verdict.NonTermination))
	}
	if len(parts) == 0 {
		return finalStates
	}
	return verdict.Question(strings.Join(parts, ", "))
}

// NotShown lists what final states do not show of the program's memory.
func (p *Program) NotShown() []string {
	if !p.Props.Whole {
		return nil
	}
	return p.LeftOut
}

// Describe says in words what a violation is.
func (p *Program) Describe(v *engine.Violation) verdict.Violation {
	one := verdict.Violation{Witness: v.Witness}
	switch v.Kind {
	case engine.CheckFailed:
		last := &v.Witness.Steps[len(v.Witness.Steps)-1]
		one.Question, one.Reason, one.Pos = verdict.Question(v.Class.String()), last.Note, last.Pos
	case engine.GoalReached:
		g := &p.Props.Goals[v.Goal]
		pos := Position(g.Pos)
		one.Question, one.Reason, one.Pos = "goal", "goal state reached", &pos
		if g.Name != "" {
			one.Reason += ": " + g.Name
		}
	case engine.FinalViolated:
		f := p.Props.Final
		pos := Position(f.Pos)
		one.Question, one.Pos = verdict.Question(f.Quantifier.String()), &pos
		switch f.Quantifier {
		case property.Exists:
			one.Reason = "a final state satisfies " + f.Cond.Text
		case property.Never:
			one.Reason = fmt.Sprintf("a final state violates \"never %s\"", f.Cond.Text)
		case property.Forall:
			one.Reason = "a final state does not satisfy " + f.Cond.Text
		}
	case engine.Deadlock:
		one.Question, one.Reason = "deadlock", "deadlock: no thread can go on, and one waits"
		if v.Waits != "" {
			one.Reason = "deadlock: " + v.Waits
		}
	case engine.NonTermination:
		one.Question, one.Reason = verdict.NonTermination, "non-termination: "+v.Waits
		one.Pos = v.Witness.Steps[len(v.Witness.Steps)-v.Witness.Repeats].Pos
	case engine.DataRace:
		if memory.HasC11 {
			one.Reason = dataRaceWords(v)
		}
		one.Question = verdict.DataRaces
		one.Pos = v.Witness.Steps[v.LoadStep].Pos
	case engine.NotSC:
		one.Question = verdict.Robustness
		if memory.HasC11 {
			one.Reason, one.Pos = notSCWords(v)
		}
	default:
		panic("BUG: unknown violation")
	}
	return one
}
