package certificate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// Limits bound the search for a proof. Zero: no limit.
type Limits struct {
	Buffer int   // entries in the buffer of a thread
	Bytes  int64 // of states
}

// ErrTooLarge says that a proof exceeds the limits.
var ErrTooLarge = errors.New("the proof is too large")

// perState is the memory that a state takes beside its bytes while a proof is made.
const perState = 80

// maxWatched is how many states a proof about endless executions may have: it needs the whole graph.
const maxWatched = 50_000

// States searches all states of a program and writes them as a certificate. The error is a *Refuted if it finds a
// violation.
func States(ctx context.Context, w io.Writer, statement Statement, p *ir.Program, props *property.Set, model replay.Model, limits Limits) (covered *Covered, err error) {
	if err := supported(props, model); err != nil {
		return nil, err
	}
	x, err := replay.NewStepper(p, props, model)
	if err != nil {
		return nil, err
	}
	found, todo, bytes := map[string]bool{}, []string{}, int64(0)
	c := &closure{x: x, localRunner: newLocalRunner(x, p, props), bound: limits.Buffer, covered: Covered{Kind: KindStates, Cut: map[ir.EdgeID]bool{}}}
	c.reach = func(s replay.State) error {
		key := x.Encode(s)
		if found[key] {
			return nil
		}
		if bytes += int64(len(key)) + perState; limits.Bytes > 0 && bytes > limits.Bytes {
			return fmt.Errorf("%w: more than %d states", ErrTooLarge, len(found))
		}
		if x.WatchesLoops() && len(found) >= maxWatched {
			return fmt.Errorf("%w: whether loops end is certified for at most %d states", ErrTooLarge, maxWatched)
		}
		found[key] = true
		todo = append(todo, key)
		return nil
	}
	defer func() { err = c.outside(err) }()
	if err := c.begin(); err != nil {
		return nil, err
	}
	for len(todo) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		key := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		s, err := x.Decode(key)
		if err == nil {
			err = c.expand(s)
		}
		if err != nil {
			return nil, err
		}
	}
	covered, err = c.end()
	if err != nil {
		return nil, err
	}
	covered.Size = len(found)
	if err := statement.About(p, props, model); err != nil {
		return nil, err
	}
	statement.Kind, statement.Size, statement.Buffer = KindStates, len(found), limits.Buffer
	return covered, writeStates(w, &statement, slices.Sorted(maps.Keys(found)))
}

func writeStates(w io.Writer, statement *Statement, keys []string) error {
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
	return out.close()
}
