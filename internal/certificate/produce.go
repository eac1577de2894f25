package certificate

import (
	"context"
	"errors"
	"io"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// Limits bound the search for a proof. Zero: no limit.
type Limits struct {
	Buffer int   // entries in the buffer of a thread
	Bytes  int64 // of states
}

// States searches all states of a program and writes them as a certificate. The error is a *Refuted if it finds a
// violation.
func States(ctx context.Context, w io.Writer, statement Statement, p *ir.Program, props *property.Set, model replay.Model, limits Limits) (*Covered, error) {
	covered, err := states(ctx, w, statement, p, props, model, limits, !isWeak(props))
	if errors.Is(err, errUnfit) {
		return states(ctx, w, statement, p, props, model, limits, false)
	}
	return covered, err
}

// errUnfit says that an answer about endless executions needs all states.
var errUnfit = errors.New("an execution may have no end, which is decided without local steps")

// states is States; local says whether local steps are taken at once.
func states(ctx context.Context, w io.Writer, statement Statement, p *ir.Program, props *property.Set, model replay.Model, limits Limits, local bool) (covered *Covered, err error) {
	if err := supported(props, model); err != nil {
		return nil, err
	}
	if props.DataRaces {
		return nil, errors.New("states say nothing about data races: ask for --races and the rest one after the other")
	}
	x, err := replay.NewStepper(p, props, model)
	if err != nil {
		return nil, err
	}
	c := &closure{x: x, localRunner: newLocalRunner(x, p, props, !local), bound: limits.Buffer, covered: Covered{Cut: map[ir.EdgeID]bool{}}}
	statement.Kind = KindStates
	defer func() { err = c.outside(err) }()
	var numbers *ranker
	most := 0
	if x.WatchesLoops() {
		x.Apart()
		numbers, most = &ranker{x: x, c: c, props: props, local: local, number: map[string]int{}}, maxRanked
		c.around = func(s replay.State, next []replay.Move) error { return numbers.note(s, next, limits.Buffer) }
		statement.Kind = KindRanks
	}
	var reach func(key string) error
	c.reach = func(s replay.State) error { return reach(x.Encode(s)) }
	keys, err := search(ctx, c.begin, func(key string) error {
		s, err := x.Decode(key)
		if err == nil {
			err = c.expand(s)
		}
		return err
	}, &reach, limits.Bytes, most)
	if err != nil {
		return nil, err
	}
	var body []byte
	if numbers != nil {
		if numbers.unfit() {
			return nil, errUnfit
		}
		if body, err = numbers.proof(keys); err != nil {
			return nil, err
		}
	}
	c.covered.Kind, c.covered.Size = statement.Kind, len(keys)
	if err := statement.About(p, props, model); err != nil {
		return nil, err
	}
	statement.Size, statement.Buffer = len(keys), limits.Buffer
	return &c.covered, writeStates(w, &statement, keys, body)
}

// writeStates writes a set of states, and what comes after it.
func writeStates(w io.Writer, statement *Statement, keys []string, body []byte) error {
	out, err := newWriter(w, statement)
	if err != nil {
		return err
	}
	last := ""
	var b []byte
	for _, key := range keys {
		b = appendState(b[:0], key, sharedLen(last, key))
		if _, err := out.Write(b); err != nil {
			return err
		}
		last = key
	}
	if _, err := out.Write(body); err != nil {
		return err
	}
	return out.close()
}
