package certificate

import (
	"bytes"
	"context"
	"encoding/binary"
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
func WriteStates(w io.Writer, c *Statement, keys []string, body []byte) error {
	c.Size = len(keys)
	return writeStates(w, c, keys, body)
}

// ForgeRanks returns a certificate about endless executions: all states, with numbers that are right where there can be any, and
// elsewhere by chance, with chance also changed.
func ForgeRanks(t *testing.T, p *ir.Program, props *property.Set, model replay.Model, rng *rand.Rand) []byte {
	x, err := replay.NewStepper(p, props, model)
	if err != nil {
		t.Fatal(err)
	}
	x.Apart()
	local := !isWeak(props) && rng.IntN(2) == 0
	c := &closure{x: x, localRunner: newLocalRunner(x, p, props, !local), covered: Covered{Cut: map[ir.EdgeID]bool{}}}
	r := &ranker{x: x, c: c, props: props, local: local, number: map[string]int{}}
	c.around = func(s replay.State, next []replay.Move) error { return r.note(s, next, 0) }
	var reach func(string) error
	c.reach = func(s replay.State) error { return reach(x.Encode(s)) }
	keys, err := search(context.Background(), c.begin, func(key string) error {
		s, err := x.Decode(key)
		if err == nil {
			err = c.expand(s)
		}
		return err
	}, &reach, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	r.link()
	change := func(numbers []int, most int, all bool) {
		for n := range numbers {
			if most > 0 && (numbers[n] == 0 && all || rng.IntN(20) == 0) {
				numbers[n] = 1 + rng.IntN(most)
			}
		}
	}
	var body []byte
	if isWeak(props) {
		for v := range 2 {
			levels, of, _ := r.levels(v)
			for range rng.IntN(2) {
				levels = append(levels, replay.Condition{Thread: rng.IntN(len(p.Threads))})
			}
			change(of, len(levels), rng.IntN(4) > 0)
			body = r.appendNumbers(appendLevels(body, levels), keys, of)
		}
	} else {
		distances := r.distances()
		change(distances, len(keys), rng.IntN(4) > 0)
		body = r.distanceBody(keys, distances)
	}
	statement := Statement{Kind: KindRanks, Size: len(keys)}
	if err := statement.About(p, props, model); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := writeStates(&out, &statement, keys, body); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// StatesOf returns the states of a certificate.
func StatesOf(r *Reader) (keys []string, body []byte, err error) {
	set, err := readStates(r, r.Size)
	if err != nil {
		return nil, nil, err
	}
	if body, err = io.ReadAll(r.in); err != nil {
		return nil, nil, err
	}
	for g := range set.groups {
		set.group(g, func(key []byte) bool {
			keys = append(keys, string(key))
			return true
		})
	}
	return keys, body, nil
}

// AllClasses returns the executions of a program under c11 that end and that the axioms allow, whether there is a data
// race, and the size of the tree.
func AllClasses(p *ir.Program, props *property.Set, model replay.Model) (found map[string]int, dataRace bool, size int, err error) {
	found = map[string]int{}
	t := &tree{ctx: context.Background(), props: props, model: model, choose: func(_ *replay.Growing, threads []int, next []replay.Next) (int, error) {
		return cheapest(threads, next)
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
func ChangeClasses(t *testing.T, file []byte, rng *rand.Rand) (changed []byte) {
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
	defer func() { changed = rewrite(t, &r.Statement, chosen) }()
	k := rng.IntN(len(chosen))
	switch rng.IntN(3) {
	case 0:
		chosen[k] = byte(rng.IntN(4))
	case 1:
		chosen = slices.Delete(chosen, k, k+1)
	default:
		chosen = slices.Insert(chosen, k, byte(rng.IntN(3)))
	}
	return nil
}

// rewrite returns a certificate with any proof.
func rewrite(t *testing.T, c *Statement, body []byte) []byte {
	var out bytes.Buffer
	w, err := newWriter(&out, c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// ChangeClauses returns a certificate with a step changed, left out, repeated or put elsewhere, or with other marks.
func ChangeClauses(t *testing.T, file []byte, rng *rand.Rand) []byte {
	r, err := Open(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	marks, err := r.ReadByte()
	if err != nil {
		t.Fatal(err)
	}
	rounds, err := binary.ReadUvarint(r)
	if err != nil {
		t.Fatal(err)
	}
	type step struct {
		clause []int32
		hints  []int
	}
	var steps []step
	for range r.Size {
		clause, hints, err := readStep(r, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range hints {
			hints[i] = 1<<30 - h // distances
		}
		steps = append(steps, step{clause, hints})
	}
	c := r.Statement
	if k := rng.IntN(max(len(steps), 1)); len(steps) == 0 || rng.IntN(12) == 0 {
		marks ^= 1 << rng.IntN(2)
		rounds = uint64(rng.IntN(3))
	} else {
		s := &steps[k]
		switch what := rng.IntN(6); {
		case what == 0:
			steps = slices.Delete(steps, k, k+1)
		case what == 1:
			steps = slices.Insert(steps, k, *s)
		case what == 2 && len(s.clause) > 0:
			s.clause = slices.Delete(slices.Clone(s.clause), 0, 1)
		case what == 3 && len(s.clause) > 0:
			s.clause = slices.Clone(s.clause)
			s.clause[rng.IntN(len(s.clause))] *= -1
		case what == 4:
			s.hints[rng.IntN(len(s.hints))] += 1 + rng.IntN(4)
		default:
			s.hints = s.hints[:len(s.hints)-1]
		}
	}
	c.Size = len(steps)
	body := binary.AppendUvarint([]byte{marks}, rounds)
	for _, s := range steps {
		distances := make([]int, len(s.hints))
		for i, d := range s.hints {
			distances[i] = -d
		}
		body = appendStep(body, s.clause, distances, 0)
	}
	return rewrite(t, &c, body)
}

// About returns the certificate as one about something else.
func About(t *testing.T, file []byte, p *ir.Program, props *property.Set, model replay.Model) []byte {
	r, err := Open(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	body, err := io.ReadAll(r.in)
	if err != nil {
		t.Fatal(err)
	}
	c := r.Statement
	if err := c.About(p, props, model); err != nil {
		t.Fatal(err)
	}
	return rewrite(t, &c, body)
}

// EndsOfClasses returns the texts of the final states that the tree of a program has, the checks that fail in it, how
// often each class is met, and the size of the tree.
func EndsOfClasses(p *ir.Program, props *property.Set, model replay.Model) (finals map[string]bool, checks map[replay.Violation]bool, classes map[string]int, size int, err error) {
	finals, checks, classes = map[string]bool{}, map[replay.Violation]bool{}, map[string]int{}
	t := &tree{ctx: context.Background(), props: props, model: model, nodes: 800, choose: func(_ *replay.Growing, threads []int, next []replay.Next) (int, error) {
		return cheapest(threads, next)
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
