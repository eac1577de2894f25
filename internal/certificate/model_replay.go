package certificate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"fencepost/internal/certificate/clauses"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// A model of the clauses need not be an execution, so it refutes nothing. The rules of replay are walked along it: where
// they lead to a violation, that one is real, whatever the model says.

// walker is an execution along a model.
type walker struct {
	x    *replay.Stepper
	s    replay.State
	all  [][]clauses.Step // by thread
	at   []int            // by thread: how many of its steps were looked at
	now  int              // number of the next step
	of   map[[2]int]int   // by thread and index of its step: the number of the store that waits in the buffer
	held bool             // the rules may have more executions than the model
}

// errElsewhere says that the rules do not allow what a model says.
var errElsewhere = errors.New("the rules do not allow it")

// replayModel returns the violation to which the rules lead along a model, as a *Refuted, or errElsewhere.
func replayModel(p *ir.Program, props *property.Set, model replay.Model, steps []clauses.Step) error {
	x, err := replay.NewStepper(p, props, model)
	if err != nil {
		return err
	}
	f := &walker{x: x, s: x.Initial(), all: make([][]clauses.Step, len(p.Threads)), at: make([]int, len(p.Threads)), now: 1, of: map[[2]int]int{}, held: x.Approximates()}
	type position struct{ thread, index int }
	var order []position
	for _, s := range steps {
		if s.Point > 0 {
			order = append(order, position{int(s.Thread), len(f.all[s.Thread])})
		}
		f.all[s.Thread] = append(f.all[s.Thread], s)
	}
	slices.SortFunc(order, func(a, b position) int {
		return cmp.Compare(f.all[a.thread][a.index].Point, f.all[b.thread][b.index].Point)
	})
	for _, o := range order {
		if err := f.unnoticed(); err != nil {
			return err
		}
		if err := f.run(o.thread, o.index); err != nil {
			return err
		}
		if f.all[o.thread][o.index].Waits {
			if err := f.flush(o.thread, o.index); err != nil {
				return err
			}
		}
	}
	for t := range f.all {
		if err := f.run(t, len(f.all[t])-1); err != nil {
			return err
		}
	}
	return f.end()
}

// unnoticed lets all threads take the steps that no other thread notices: a join waits for them.
func (f *walker) unnoticed() error {
	for t, all := range f.all {
		for {
			if _, runs := f.x.At(f.s, t); !runs || f.at[t] >= len(all) || all[f.at[t]].Point > 0 && !all[f.at[t]].Waits {
				break
			}
			if err := f.run(t, f.at[t]); err != nil {
				return err
			}
		}
	}
	return nil
}

// run lets a thread take its steps up to one of them.
func (f *walker) run(t, last int) error {
	for ; f.at[t] <= last; f.at[t]++ {
		step := f.all[t][f.at[t]]
		all, err := f.x.Choosing(f.s, t, step.Choice, f.now)
		if err != nil {
			return err
		}
		k := slices.IndexFunc(all, func(m replay.Move) bool { return m.Edge == step.Edge && (m.Choice == step.Choice || m.Failed != nil) })
		switch {
		case k >= 0 && all[k].Failed != nil:
			return f.refuted(refute(all[k].Failed))
		case !step.Done:
			continue
		case k < 0:
			return errElsewhere
		}
		f.s = all[k].To
		if all[k].Waiting > 0 {
			f.of[[2]int{t, f.at[t]}] = f.now
		}
		f.now++
		if err := f.flushFree(t); err != nil {
			return err
		}
	}
	return nil
}

// flushFree lets entries of a buffer reach memory about which the model says nothing.
func (f *walker) flushFree(t int) error {
	for {
		all, err := f.x.Choosing(f.s, t, 0, f.now)
		if err != nil {
			return err
		}
		k := slices.IndexFunc(all, func(m replay.Move) bool { return m.Edge == ir.NoEdge && m.Of > 0 && !f.later(t, m.Of) })
		if k < 0 {
			return nil
		}
		if all[k].Failed != nil {
			return f.refuted(refute(all[k].Failed))
		}
		f.s = all[k].To
	}
}

// later reports whether the model says when an entry reaches memory.
func (f *walker) later(t, of int) bool {
	for at, number := range f.of {
		if number == of && at[0] == t {
			return f.all[t][at[1]].Point > 0 && f.all[t][at[1]].Waits
		}
	}
	return false
}

// flush lets the store of a step reach memory, unless it is there.
func (f *walker) flush(t, index int) error {
	of := f.of[[2]int{t, index}]
	if of == 0 {
		return nil
	}
	delete(f.of, [2]int{t, index})
	return f.flushFree(t)
}

// end looks at the state to which the model leads.
func (f *walker) end() error {
	next, err := f.x.Next(f.s)
	if err != nil {
		return fmt.Errorf("%w: %w", errElsewhere, err)
	}
	for i := range next {
		if next[i].Failed != nil {
			return f.refuted(refute(next[i].Failed))
		}
	}
	if bad := f.x.Bad(f.s, next); bad != "" {
		return f.refuted(&Refuted{What: bad, Edge: ir.NoEdge})
	}
	return errElsewhere
}

// refuted notes what may be no execution of the model.
func (f *walker) refuted(err error) error {
	if refuted := (*Refuted)(nil); errors.As(err, &refuted) && f.held {
		refuted.Beyond = true
	}
	return err
}
