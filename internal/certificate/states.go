package certificate

import (
	"context"
	"errors"
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// The kind "states": the set has the first state; whatever can happen in one of its states leads to one of them, and
// nothing that can happen is a violation. Then no execution is, by induction over its steps.

// Covered says what a proof covers.
type Covered struct {
	Kind string
	Size int // states, nodes, or steps of a proof about clauses
	// Buffer is the bound of the buffers if some execution would exceed it, else 0.
	Buffer int
	// Unroll is how often loops are run if some execution may go round one more often, else 0.
	Unroll int
	// Cut are edges at which a bound of the program ends executions.
	Cut map[ir.EdgeID]bool
}

// Check reads a proof and returns what it covers. The error is a *Refuted if the proof leads to a violation, and
// otherwise says why the certificate is none.
func Check(ctx context.Context, r *Reader, p *ir.Program, props *property.Set, model replay.Model) (covered *Covered, err error) {
	defer func() {
		// A proof of a stranger may lead the rules where no program does.
		if broken := recover(); broken != nil {
			covered, err = nil, fmt.Errorf("the proof is outside of the rules: %v", broken)
		}
	}()
	if err := r.fits(p, props, model); err != nil {
		return nil, err
	}
	if err := supported(props, model); err != nil {
		return nil, err
	}
	switch {
	case r.Kind == KindRanks && model != replay.C11 && !props.DataRaces && ranked(props):
		return checkRanks(ctx, r, p, props, model)
	case r.Kind == KindStates && model != replay.C11 && !props.DataRaces && !ranked(props):
		return checkStates(ctx, r, p, props, model)
	case r.Kind == KindClasses:
		return checkClasses(ctx, r, p, props, model)
	case r.Kind == KindClauses:
		return checkClauses(ctx, r, p, props, model)
	default:
		return nil, fmt.Errorf("the kind of proof %q is unknown, or not for this question under %s", r.Kind, model)
	}
}

// supported returns an error for questions that no kind of proof is about.
func supported(props *property.Set, model replay.Model) error {
	if props.Empty() && !props.DataRaces && !props.Leaks && model != replay.C11 { // which always asks about data races
		return errors.New("nothing is asked about the program")
	}
	return nil
}

func checkStates(ctx context.Context, r *Reader, p *ir.Program, props *property.Set, model replay.Model) (*Covered, error) {
	set, err := readStates(r, r.Size)
	if err != nil {
		return nil, err
	}
	c, err := closedSet(r, set, p, props, model, true)
	if err != nil {
		return nil, err
	}
	return c.all(ctx, set, nil)
}

// closedSet returns what goes through a set of states that is to be closed; local says whether local steps are taken at
// once. The proof ends here.
func closedSet(r *Reader, set *stateSet, p *ir.Program, props *property.Set, model replay.Model, local bool) (*closure, error) {
	if err := r.end(); err != nil {
		return nil, err
	}
	x, err := replay.NewStepper(p, props, model)
	if err != nil {
		return nil, err
	}
	return &closure{
		x: x, localRunner: newLocalRunner(x, p, props, !local), bound: r.Buffer, covered: Covered{Kind: r.Kind, Size: set.n, Cut: map[ir.EdgeID]bool{}},
		reach: func(s replay.State) error {
			if !set.has(x.Encode(s)) {
				return errNotClosed
			}
			return nil
		},
	}, nil
}

var errNotClosed = errors.New("the set of states is not closed: a step leads out of it")

// closure goes through what can happen in states. The checker and the search that makes certificates share it; they
// differ in what reach does.
type closure struct {
	x *replay.Stepper
	*localRunner
	bound   int
	covered Covered
	reach   func(replay.State) error
	// around, if not nil, looks at a state and what comes next.
	around func(s replay.State, next []replay.Move) error
}

// outside notes in a refutation that the steps may have more than the model allows, if that is so.
func (c *closure) outside(err error) error {
	if refuted := (*Refuted)(nil); errors.As(err, &refuted) && c.x.Approximates() {
		refuted.Beyond = true
	}
	return err
}

// all goes through the first state and all states of a set, and returns what the set covers.
func (c *closure) all(ctx context.Context, set *stateSet, around func(i int, s replay.State, next []replay.Move) error) (covered *Covered, err error) {
	defer func() { err = c.outside(err) }()
	i := 0
	if around != nil {
		c.around = func(s replay.State, next []replay.Move) error { return around(i, s, next) }
	}
	if err := c.begin(); err != nil {
		return nil, err
	}
	if err := set.each(ctx, func(key string) error {
		s, err := c.x.Decode(key)
		if err == nil {
			err = c.expand(s)
		}
		i++
		return err
	}); err != nil {
		return nil, err
	}
	return &c.covered, nil
}

// begin reaches the first state.
func (c *closure) begin() error { return c.arrive(c.x.Initial()) }

func (c *closure) arrive(s replay.State) error {
	s, err := c.runLocal(s)
	if err != nil {
		return err
	}
	return c.reach(s)
}

// expand looks at a state, and reaches all that can come next.
func (c *closure) expand(s replay.State) error {
	next, err := c.x.Next(s)
	if err != nil {
		return err
	}
	if bad := c.x.Bad(s, next); bad != "" {
		return &Refuted{What: bad, Edge: ir.NoEdge}
	}
	if e := c.x.CutOff(s); e != nil {
		c.covered.Cut[e.ID] = true
	}
	if c.around != nil {
		if err := c.around(s, next); err != nil {
			return err
		}
	}
	for i := range next {
		switch m := &next[i]; {
		case m.Failed != nil:
			return refute(m.Failed)
		case c.bound > 0 && m.Waiting > c.bound:
			c.covered.Buffer = c.bound
		default:
			if err := c.arrive(m.To); err != nil {
				return err
			}
		}
	}
	return nil
}

// ErrTooLarge says that a proof exceeds the limits.
var ErrTooLarge = errors.New("the proof is too large")
