package replay

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Replay of witnesses. The label of each step selects a transition. The rest of the step
// must agree with what the transition computes. The last state must show the target.

// Target says what a witness must show. The zero value is unset.
type Target uint8

// The targets.
const (
	_              Target = iota
	TargetCheck           // the last step is the failure of a check
	TargetGoal            // the last state belongs to a goal
	TargetFinal           // the last state is final and decides the final condition
	TargetDeadlock        // the last state is a deadlock
	// The steps are an execution after which no store waits in a buffer.
	TargetExecution
	// The steps are an execution after which no store in a buffer can reach memory: there is none, its
	// block is gone, or another thread is inside an atomic section.
	TargetQuiet
	// The steps are a prefix of an execution; stores may wait in buffers.
	TargetPrefix
	TargetState // the last state is final, and its text is Final
	// The last steps, as many as the witness says, repeat for ever.
	TargetEndless
	// Under C11: the two steps of DataRace race.
	TargetDataRace
	// Under C11: SC has no execution with the reads of the graph, and the last writes that it names.
	TargetNotSC
)

func (t Target) String() string {
	switch t {
	case TargetCheck:
		return "failed check"
	case TargetGoal:
		return "goal"
	case TargetFinal:
		return "final condition"
	case TargetDeadlock:
		return "deadlock"
	case TargetExecution:
		return "execution"
	case TargetQuiet:
		return "execution after which no store can reach memory"
	case TargetPrefix:
		return "beginning of an execution"
	case TargetState:
		return "final state"
	case TargetEndless:
		return "execution that never ends"
	case TargetDataRace:
		return "data race"
	case TargetNotSC:
		return "graph that SC does not have"
	default:
		panic(fmt.Sprintf("BUG: unknown target %d", t))
	}
}

// Expect describes what a witness must show.
type Expect struct {
	Target   Target
	Class    ir.CheckClass // TargetCheck
	Edge     ir.EdgeID     // TargetCheck: NoEdge if the check fails when a buffer entry reaches memory
	Goal     int           // TargetGoal: index into the goals
	Final    string        // TargetState: the text of the final state
	DataRace [2]int        // TargetDataRace: the steps
}

// Replay returns nil if w is an execution of the flat program p under the model and
// shows what want describes. Otherwise the error names the first step that is wrong.
func Replay(p *ir.Program, props *property.Set, model Model, w *verdict.Witness, want Expect) error {
	if model == C11 {
		return replayGraph(p, props, w, want)
	}
	m, err := newMachine(p, model)
	if err != nil {
		return err
	}
	s := initial(p)
	var fail *transition
	var round []*state // the states from which steps repeat
	if w.Repeats < 0 || w.Repeats > len(w.Steps) {
		return fmt.Errorf("end: %d steps repeat, the witness has %d", w.Repeats, len(w.Steps))
	}
	repeats := w.Steps[len(w.Steps)-w.Repeats:]
	for i := range w.Steps {
		if i >= len(w.Steps)-len(repeats) {
			round = append(round, s)
		}
		if fail != nil {
			return fmt.Errorf("%s: the program is over: a check failed in the step before", m.name(i, &w.Steps[i]))
		}
		tr, err := m.replayStep(s, i, &w.Steps[i])
		if err != nil {
			return err
		}
		if tr.fail != nil {
			fail = tr
		} else {
			s = tr.next
		}
	}
	if fail != nil && want.Target != TargetCheck {
		return fmt.Errorf("end: expected %s, computed a failed check: %s", want.Target, fail.fail.class)
	}
	if want.Target == TargetEndless {
		return m.endless(append(round, s), repeats)
	}
	return m.conclude(s, props, fail, want, len(w.Steps))
}

// replayStep returns the transition of step i of a witness, which must be enabled in s.
func (m *machine) replayStep(s *state, i int, st *verdict.Step) (*transition, error) {
	if s.over {
		return nil, fmt.Errorf("%s: the program is over: it has executed exit", m.name(i, st))
	}
	if st.Thread < 0 || st.Thread >= len(s.threads) {
		return nil, fmt.Errorf("%s: expected a thread below %d", m.name(i, st), len(s.threads))
	}
	m.chosen = &st.Choice
	next, err := m.successorsOf(s, st.Thread, i)
	m.chosen = nil
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.name(i, st), err)
	}
	want := label{thread: st.Thread, kind: st.Kind, edge: ir.EdgeID(st.Edge), choice: st.Choice, of: st.Of}
	for k := range next {
		if next[k].label == want {
			if err := compare(st, &next[k].record); err != nil {
				return nil, fmt.Errorf("%s: %w", m.name(i, st), err)
			}
			return &next[k], nil
		}
	}
	return nil, fmt.Errorf("%s: not enabled; enabled for this thread: %s", m.name(i, st), listLabels(next))
}

// compare returns an error if a step of a witness differs from the computed record.
func compare(st *verdict.Step, r *record) error {
	// Steps of these kinds need not record anything. What they record must be right.
	sparse := false
	switch st.Kind {
	case verdict.StepExec, verdict.StepFence, verdict.StepWake, verdict.StepFail:
		sparse = true
	}
	fields := []struct {
		name           string
		recorded, want any
		unset          bool
	}{
		{"address", st.Addr, r.addr, st.Addr == 0},
		{"size", st.Size, r.size, st.Size == 0},
		{"value", st.Value, r.value, st.Value == 0},
		{"written", st.Written, r.written, st.Written == 0},
		{"wrote", st.Wrote, r.wrote, !st.Wrote},
		{"buffered", st.Buffered, r.buffered, !st.Buffered},
		{"free", st.Free, r.free, !st.Free},
	}
	for k, from := range r.from {
		if st.ReadsFrom(k) != from {
			return fmt.Errorf("from: byte %d: expected %d, computed %d", k, st.ReadsFrom(k), from)
		}
	}
	if len(r.from) == 0 && (st.From != 0 || len(st.FromBytes) > 0) {
		return fmt.Errorf("from: the step takes nothing from a buffer")
	}
	if len(st.Accesses) > 0 && !slices.Equal(st.Accesses, r.accesses) {
		return fmt.Errorf("accesses: expected %v, computed %v", st.Accesses, r.accesses)
	}
	if len(st.Wakes) > 0 && !slices.Equal(st.Wakes, r.wakes) {
		return fmt.Errorf("wakes: expected %v, computed %v", st.Wakes, r.wakes)
	}
	for _, f := range fields {
		if f.recorded != f.want && !(sparse && f.unset) {
			return fmt.Errorf("%s: expected %v, computed %v", f.name, f.recorded, f.want)
		}
	}
	return nil
}

// conclude returns an error if the last state, or the failed last step, does not show
// what want describes.
func (m *machine) conclude(s *state, props *property.Set, fail *transition, want Expect, now int) error {
	switch want.Target {
	case TargetCheck:
		switch {
		case fail == nil:
			return fmt.Errorf("end: expected a failed check (%s), computed none", want.Class)
		case fail.fail.class != want.Class:
			return fmt.Errorf("end: expected a failed check of class %s, computed %s", want.Class, fail.fail.class)
		case fail.edge != want.Edge:
			return fmt.Errorf("end: expected a failed check at edge %d, computed edge %d", want.Edge, fail.edge)
		}
	case TargetGoal:
		if want.Goal < 0 || want.Goal >= len(props.Goals) {
			return fmt.Errorf("end: expected goal %d, there are %d goals", want.Goal, len(props.Goals))
		}
		if !s.reaches(&props.Goals[want.Goal]) {
			return fmt.Errorf("end: expected goal %d, computed a state outside it", want.Goal)
		}
	case TargetFinal:
		switch {
		case props.Final == nil:
			return fmt.Errorf("end: expected a final condition, the program has none")
		case !m.final(s):
			return fmt.Errorf("end: expected a final state, computed one in which threads run or stores wait")
		case !s.decides(props.Final):
			return fmt.Errorf("end: expected a state that decides %s, computed one that does not", props.Final.Quantifier)
		}
	case TargetDeadlock:
		next, err := m.successors(s, now)
		if err != nil {
			return fmt.Errorf("end: %w", err)
		}
		if !m.deadlocked(s, next) {
			return fmt.Errorf("end: expected a deadlock, computed a state that is none; enabled: %s", listLabels(next))
		}
	case TargetExecution:
		if !s.allEmpty() {
			return fmt.Errorf("end: expected empty store buffers, computed a store that waits")
		}
	case TargetQuiet:
		next, err := m.successors(s, now)
		if err != nil {
			return fmt.Errorf("end: %w", err)
		}
		for i := range next {
			if next[i].kind == verdict.StepFlush && next[i].fail == nil {
				return fmt.Errorf("end: expected stores that cannot reach memory, computed one that can")
			}
		}
	case TargetPrefix:
	case TargetState:
		if !m.final(s) {
			return fmt.Errorf("end: expected a final state, computed one in which threads run or stores wait")
		}
		if got := m.observe(s, props); got != want.Final {
			return fmt.Errorf("end: expected the final state %q, computed %q", want.Final, got)
		}
	default:
		return fmt.Errorf("end: it is not set what the witness must show")
	}
	return nil
}

// name returns the name of a step in error messages.
func (m *machine) name(i int, st *verdict.Step) string {
	who := fmt.Sprintf("thread %d", st.Thread)
	if st.Thread >= 0 && st.Thread < len(m.p.Threads) {
		who = "thread " + m.p.Threads[st.Thread].Name
	}
	return fmt.Sprintf("step %d (%s, %s)", i, who, label{kind: st.Kind, edge: ir.EdgeID(st.Edge), choice: st.Choice, of: st.Of})
}

func (l label) String() string {
	text := l.kind.String()
	if l.edge != ir.NoEdge {
		text += fmt.Sprintf(" at edge %d", l.edge)
	}
	if l.choice != 0 {
		text += fmt.Sprintf(" choosing %d", l.choice)
	}
	if l.of != -1 {
		text += fmt.Sprintf(" of step %d", l.of)
	}
	return text
}

func listLabels(next []transition) string {
	if len(next) == 0 {
		return "nothing"
	}
	var parts []string
	for _, tr := range next {
		parts = append(parts, tr.label.String())
	}
	return strings.Join(parts, "; ")
}
