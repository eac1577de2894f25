package replay

import (
	"cmp"
	"maps"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Enumeration visits every reachable state once, depth first and without reductions.
// It is the oracle: tests compare the fast implementation with it on small programs.

// Limits bound an enumeration. Zero means no limit.
type Limits struct {
	States int // states visited
	Buffer int // entries in the buffer of a thread
}

// Violation is a check that fails in some execution.
type Violation struct {
	Class ir.CheckClass
	Edge  ir.EdgeID // NoEdge if the check fails when a buffer entry reaches memory
}

// Outcome has the results of all executions together.
type Outcome struct {
	Finals     []string    // texts of the final states, sorted
	Violations []Violation // sorted by edge, then class
	Goals      []bool      // per goal: whether some execution reaches it
	Final      bool        // some final state is an example (exists) or counterexample (never, forall)
	Deadlock   bool
	// NeverEnds says that there is a state with empty buffers from which no execution ends or stops; InVain, that some
	// thread waits in vain there, besides; Endless, that memory never changes from it on, besides. All only if the
	// properties ask for it.
	NeverEnds, InVain, Endless bool
	Fair                       bool // some endless execution is weakly fair; only if the properties ask for weak fairness
	States                     int
	Truncated                  bool // some states were not visited because of a limit
}

// Enumerate visits every reachable state of a flat program and returns what it found.
// It returns ErrUnbounded if a havoc has too many values to try.
func Enumerate(p *ir.Program, props *property.Set, model Model, limits Limits) (Outcome, error) {
	m, err := newMachine(p, model)
	if err != nil {
		return Outcome{}, err
	}
	v := &visit{
		m: m, props: props, limits: limits,
		seen: map[string]bool{}, finals: map[string]bool{}, violations: map[Violation]bool{},
		out: Outcome{Goals: make([]bool, len(props.Goals))},
	}
	if props.Endless {
		if v.loops, err = newLoops(m, props); err != nil {
			return Outcome{}, err
		}
	}
	v.reach(initial(p))
	for len(v.todo) > 0 {
		s := v.todo[len(v.todo)-1]
		v.todo = v.todo[:len(v.todo)-1]
		if err := v.expand(s); err != nil {
			return Outcome{}, err
		}
	}
	v.out.Finals = slices.Sorted(maps.Keys(v.finals))
	v.out.Violations = slices.SortedFunc(maps.Keys(v.violations), func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Edge, b.Edge), cmp.Compare(a.Class, b.Class))
	})
	if v.loops != nil && !v.out.Truncated {
		v.out.NeverEnds, v.out.InVain, v.out.Endless = v.loops.find()
		v.out.Fair = props.Fairness == property.Weak && v.loops.fair()
	}
	v.out.States = len(v.seen)
	return v.out, nil
}

// visit is an enumeration in progress.
type visit struct {
	m          *machine
	props      *property.Set
	limits     Limits
	seen       map[string]bool
	todo       []*state // visited, but not yet expanded
	finals     map[string]bool
	violations map[Violation]bool
	loops      *loops // nil: not asked about
	out        Outcome
}

// reach records a state, unless it is known already.
func (v *visit) reach(s *state) {
	k := s.key(v.props.Whole || v.props.Leaks)
	if v.seen[k] {
		return
	}
	if v.limits.States > 0 && len(v.seen) >= v.limits.States {
		v.out.Truncated = true
		return
	}
	v.seen[k] = true
	v.todo = append(v.todo, s)
	for i := range v.props.Goals {
		if s.reaches(&v.props.Goals[i]) {
			v.out.Goals[i] = true
		}
	}
	if v.m.final(s) {
		v.finals[v.m.observe(s, v.props)] = true
		if v.props.Final != nil && s.decides(v.props.Final) {
			v.out.Final = true
		}
	}
}

// expand records the successors of a state, its failing checks, and a deadlock.
func (v *visit) expand(s *state) error {
	next, err := v.m.successors(s, 0)
	if err != nil {
		return err
	}
	if v.m.deadlocked(s, next) {
		v.out.Deadlock = true
	}
	if v.loops != nil {
		v.loops.expand(s, next)
	}
	for _, tr := range next {
		switch {
		case tr.fail != nil:
			v.violations[Violation{tr.fail.class, tr.edge}] = true
		case v.tooLong(tr):
			v.out.Truncated = true
		default:
			v.reach(tr.next)
		}
	}
	return nil
}

// tooLong reports whether a transition makes a buffer longer than the limit.
func (v *visit) tooLong(tr transition) bool {
	if v.limits.Buffer == 0 || tr.kind != verdict.StepStore || !tr.buffered {
		return false
	}
	n := 0
	for _, e := range tr.next.threads[tr.thread].buf {
		if e.kind != marker {
			n++
		}
	}
	return n > v.limits.Buffer
}
