package search

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// interrupted runs a search that is interrupted, stored and loaded again at random moments. It returns the result and
// how often the search was stored.
func interrupted(t *testing.T, p Problem, rng *rand.Rand) (*Result, int) {
	t.Helper()
	var mu sync.Mutex // workers ask at the same time
	p.Memory = func() int64 {
		mu.Lock()
		defer mu.Unlock()
		if rng.IntN(6) == 0 {
			return 1
		}
		return 0
	}
	for s, n := New(p), 0; ; n++ {
		res := s.Run(context.Background())
		if res.Stop != OutOfMemory {
			return res, n
		}
		if rng.IntN(3) == 0 { // it goes on in the same process
			continue
		}
		var stored bytes.Buffer
		if err := s.Save(&stored); err != nil {
			t.Fatal(err)
		}
		p.Workers = 1 + rng.IntN(4)
		s = New(p)
		if err := s.Load(bufio.NewReader(&stored)); err != nil {
			t.Fatal(err)
		}
	}
}

func shown(res *Result) string {
	text := fmt.Sprintf("%v: %d states, %d transitions, depth %d", res.Stop, res.States, res.Transitions, res.Depth)
	for _, f := range res.Findings {
		path := res.Path(f)
		text += fmt.Sprintf("; %s at %x, depth %d, path of %d", f.Key, f.bytes, f.Depth, len(path))
	}
	return text
}

// TestStored: a search that is interrupted, stored and loaded has the counts and findings of one that is not.
func TestStored(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	stored := 0
	for seed := range uint64(300) {
		n := 10 + rng.IntN(3000)
		g, _ := random(seed, n)
		if seed%2 == 0 {
			g.report = func(v uint64) string {
				if v%97 == 5 {
					return fmt.Sprint("key", v%3)
				}
				return ""
			}
		}
		p := g.problem(1 + rng.IntN(3))
		p.All = seed%4 == 0
		want := shown(Run(context.Background(), p))
		res, times := interrupted(t, p, rng)
		if got := shown(res); got != want {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, got, want)
		}
		stored += times
	}
	if stored < 300 {
		t.Errorf("only %d interruptions", stored)
	}
}

// TestStoredDamage: truncated searches are refused, and changed bytes never make Load panic. That changed counts are
// noticed is the task of a checksum around all of it.
func TestStoredDamage(t *testing.T) {
	g, _ := random(1, 300)
	p := g.problem(1)
	calls := 0
	p.Memory = func() int64 { calls++; return int64(calls / 20) } // interrupts the first level but some
	s := New(p)
	if res := s.Run(context.Background()); res.Stop != OutOfMemory {
		t.Fatal(res.Stop)
	}
	var stored bytes.Buffer
	if err := s.Save(&stored); err != nil {
		t.Fatal(err)
	}
	data := stored.Bytes()
	for n := range data {
		if err := New(p).Load(bufio.NewReader(bytes.NewReader(data[:n]))); !errors.Is(err, ErrStored) {
			t.Fatalf("truncated at %d of %d: %v", n, len(data), err)
		}
		for _, x := range []byte{1, 0x80, 0xff} {
			changed := bytes.Clone(data)
			changed[n] ^= x
			if err := New(p).Load(bufio.NewReader(bytes.NewReader(changed))); err != nil && !errors.Is(err, ErrStored) {
				t.Fatalf("changed at %d: %v", n, err)
			}
		}
	}
	p.Sleeps = 32
	if err := New(p).Load(bufio.NewReader(bytes.NewReader(data))); !errors.Is(err, ErrStored) {
		t.Errorf("another problem: %v", err)
	}
}

// TestStoredFailure: a search that failed is not stored.
func TestStoredFailure(t *testing.T) {
	g := counter()
	g.fail = func(v uint64) error {
		if v == 7 {
			return errors.New("seven")
		}
		return nil
	}
	s := New(g.problem(1))
	if res := s.Run(context.Background()); res.Stop != Failed {
		t.Fatal(res.Stop)
	}
	if err := s.Save(new(bytes.Buffer)); err == nil || err.Error() != "seven" {
		t.Errorf("got %v", err)
	}
}

// TestStoredInterner: strings keep their numbers.
func TestStoredInterner(t *testing.T) {
	var used atomic.Int64
	in := NewInterner(&used)
	ids := map[string]uint32{}
	for i := range 5000 {
		text := fmt.Sprint(i % 3000)
		ids[text] = in.ID([]byte(text))
	}
	var stored bytes.Buffer
	if err := in.Save(&stored); err != nil {
		t.Fatal(err)
	}
	data := bytes.Clone(stored.Bytes())
	again := NewInterner(new(atomic.Int64))
	if err := again.Load(bufio.NewReader(&stored)); err != nil {
		t.Fatal(err)
	}
	for text, id := range ids {
		if got := again.ID([]byte(text)); got != id {
			t.Fatalf("%q has the number %d, had %d", text, got, id)
		}
	}
	for n := 0; n < len(data); n += 13 {
		if err := NewInterner(&used).Load(bufio.NewReader(bytes.NewReader(data[:n]))); !errors.Is(err, ErrStored) {
			t.Fatalf("truncated at %d: %v", n, err)
		}
	}
}
