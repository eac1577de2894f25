package certificate

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// WriteStates writes a certificate with any states, in their order.
func WriteStates(w io.Writer, c *Statement, keys []string) error {
	c.Size = len(keys)
	return writeStates(w, c, keys)
}

// StatesOf returns the states of a certificate.
func StatesOf(r *Reader) ([]string, error) {
	set, err := readStates(r, r.Size)
	if err != nil {
		return nil, err
	}
	var keys []string
	for g := range set.groups {
		set.group(g, func(key []byte) bool {
			keys = append(keys, string(key))
			return true
		})
	}
	return keys, nil
}

// AllClasses returns the executions of a program under c11 that end and that the axioms allow, whether there is a data
// race, and the size of the tree.
func AllClasses(p *ir.Program, props *property.Set, model replay.Model) (found map[string]int, dataRace bool, size int, err error) {
	found = map[string]int{}
	t := &tree{ctx: context.Background(), props: props, model: model, choose: func(_ *replay.Growing, threads []int, next []replay.Next) (int, error) {
		return cheapest(threads, next), nil
	}}
	t.leaf = func(x *replay.Growing, ended bool) {
		if e := x.SameOrder(); e != nil && model == replay.C11 {
			err = e
		}
		if allowed, e := x.Allowed(); e != nil {
			err = e
		} else if allowed && ended && x.Ended() {
			found[x.Class()]++
		}
	}
	failed := t.begin(p)
	refuted := (*Refuted)(nil)
	if errors.As(failed, &refuted) {
		return found, true, t.covered.Size, err
	}
	return found, false, t.covered.Size, errors.Join(err, failed)
}

// ChangeClasses returns a certificate with another thread at one node, one node less or one more.
func ChangeClasses(t *testing.T, file []byte, rng *rand.Rand) []byte {
	r, err := Open(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	chosen, err := io.ReadAll(r.in)
	if err != nil {
		t.Fatal(err)
	}
	if len(chosen) == 0 {
		return nil
	}
	k := rng.IntN(len(chosen))
	switch rng.IntN(3) {
	case 0:
		chosen[k] = byte(rng.IntN(4))
	case 1:
		chosen = slices.Delete(chosen, k, k+1)
	default:
		chosen = slices.Insert(chosen, k, byte(rng.IntN(3)))
	}
	var out bytes.Buffer
	w, err := newWriter(&out, &r.Statement)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(chosen); err != nil {
		t.Fatal(err)
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// EndsOfClasses returns the texts of the final states that the tree of a program has, the checks that fail in it, how
// often each class is met, and the size of the tree.
func EndsOfClasses(p *ir.Program, props *property.Set, model replay.Model) (finals map[string]bool, checks map[replay.Violation]bool, classes map[string]int, size int, err error) {
	finals, checks, classes = map[string]bool{}, map[replay.Violation]bool{}, map[string]int{}
	t := &tree{ctx: context.Background(), props: props, model: model, nodes: 800, choose: func(_ *replay.Growing, threads []int, next []replay.Next) (int, error) {
		return cheapest(threads, next), nil
	}}
	var wrong error
	t.leaf = func(x *replay.Growing, ended bool) {
		if ended && x.Ended() {
			classes[x.Class()]++
		}
		wrong = errors.Join(wrong, x.Finals(func(text string) { finals[text] = true }))
	}
	t.fails = func(v *replay.Violation) { checks[*v] = true }
	err = t.begin(p)
	return finals, checks, classes, t.covered.Size, errors.Join(err, wrong)
}

// StatesOfAttacks returns the states of the executions with one thread that delays its stores, up to those in which
// happens-before has a cycle, and the statement that the program is robust.
func StatesOfAttacks(p *ir.Program, model replay.Model) (Statement, []string, error) {
	c, err := newAttacks(p, model)
	if err != nil {
		return Statement{}, nil, err
	}
	ignored := func(err error) error {
		if refuted := (*Refuted)(nil); errors.As(err, &refuted) {
			return nil
		}
		return err
	}
	keys, err := search(context.Background(), func() error { return ignored(c.begin()) }, func(key string) error {
		a, err := c.decode(key)
		if err == nil {
			err = ignored(c.expand(a))
		}
		return err
	}, &c.reach, 0, 4000)
	if errors.Is(err, ErrTooLarge) {
		err = nil
	}
	out := Statement{Kind: KindAttacks}
	out.aboutRobustness(p, model)
	return out, keys, err
}
