package testkit

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Programs with equal threads, and the orbits of their executions: all executions that the exchange of such threads makes
// of one.

// EqualThreads returns a random program with two or three copies of a thread, and its profile.
func EqualThreads(seed uint64) (*Program, Profile) {
	profiles := []Profile{{Name: "core"}, {Name: "plain", Plain: true}, {Name: "mixed", Mixed: true}, {Name: "spawn", Spawn: true}, {Name: "sync", Sync: true},
		{Name: "waits", Sync: true, Waits: true}, {Name: "overlap", Overlap: true}, {Name: "choices", Choices: true}, {Name: "spawn-sync", Spawn: true, Sync: true}}
	pr := profiles[seed%uint64(len(profiles))]
	p := Generate(seed, pr)
	equal := p.Threads[len(p.Threads)-1]
	equal = equal[:min(len(equal), 4)]
	p.Threads = p.Threads[:min(2, len(p.Threads))]
	p.Threads[len(p.Threads)-1] = equal
	for range 1 + seed/9%2 {
		p.Threads = append(p.Threads, equal)
	}
	if len(p.Threads) > 3 { // else there are too many traces
		p.Threads[0] = p.Threads[0][:min(len(p.Threads[0]), 2)]
	}
	return p, pr
}

// Orbits collects the orbits of complete executions.
type Orbits struct {
	y        *memory.System
	groups   [][]ir.ThreadID
	name     func(*Tracker) string
	all      map[string]bool // the names of all complete executions of the program
	seen     map[string]bool // names of executions that were added
	known    map[string]bool // names of executions in their orbits
	Explored int             // executions that were added
	Number   int             // orbits
	Sum      int             // of their sizes
}

// NewOrbits returns no orbits of the executions of a program with groups of equal threads. name names an execution, and all
// has the names of all complete executions.
func NewOrbits(y *memory.System, groups [][]ir.ThreadID, name func(*Tracker) string, all map[string]bool) *Orbits {
	return &Orbits{y: y, groups: groups, name: name, all: all, seen: map[string]bool{}, known: map[string]bool{}}
}

// Add adds the orbit of an execution if it is complete. Two executions with the same name are an error, and so is an
// exchange of threads that makes no execution of the program.
func (o *Orbits) Add(steps []memory.Step) error {
	r := NewTracker(o.y)
	r.Run(steps)
	if !r.Final() {
		return nil
	}
	key := o.name(r)
	if o.seen[key] {
		return fmt.Errorf("explored twice:\n%s", key)
	}
	o.seen[key] = true
	o.Explored++
	if !o.known[key] {
		o.Number++
	}
	var err error
	permutations(o.y.Threads(), o.groups, func(as []int32) {
		r := NewTracker(o.y)
		r.Run(exchange(o.y, steps, as))
		key := o.name(r)
		if !o.all[key] {
			err = fmt.Errorf("exchanging threads by %v makes no execution of the program:\n%s", as, key)
		}
		if !o.known[key] {
			o.known[key] = true
			o.Sum++
		}
	})
	return err
}

// exchange returns the steps of an execution with its threads exchanged. What main does before its last spawn comes
// first, and what it does from its first join on last.
func exchange(y *memory.System, steps []memory.Step, as []int32) []memory.Step {
	var early, middle, late []memory.Step
	spawns := 0
	for _, f := range y.Prog.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.Spawn {
				spawns++
			}
		}
	}
	s := y.NewState()
	for _, st := range steps {
		op := ir.Nop
		if st.Kind != memory.Flush {
			op = y.EdgeOf(s, st).Op.Kind
		}
		y.Apply(s, st)
		if op == ir.Signal && st.Choice >= 0 {
			st.Choice = int64(as[st.Choice])
		}
		main := y.Prog.Main != ir.NoThread && st.Thread == int32(y.Prog.Main)
		st.Thread = as[st.Thread]
		switch {
		case main && (op == ir.Join || len(late) > 0):
			late = append(late, st)
		case main && spawns > 0:
			if op == ir.Spawn {
				spawns--
			}
			early = append(early, st)
		default:
			middle = append(middle, st)
		}
	}
	return slices.Concat(early, middle, late)
}

// permutations calls f with every exchange of the threads of groups.
func permutations(threads int, groups [][]ir.ThreadID, f func(as []int32)) {
	as := make([]int32, threads)
	for t := range as {
		as[t] = int32(t)
	}
	var exchangeFrom func(g, i int)
	exchangeFrom = func(g, i int) {
		switch {
		case g == len(groups):
			f(as)
		case i == len(groups[g]):
			exchangeFrom(g+1, 0)
		default:
			for k := i; k < len(groups[g]); k++ {
				a, b := groups[g][i], groups[g][k]
				as[a], as[b] = as[b], as[a]
				exchangeFrom(g, i+1)
				as[a], as[b] = as[b], as[a]
			}
		}
	}
	exchangeFrom(0, 0)
}
