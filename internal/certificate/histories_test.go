package certificate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fencepost/internal/certificate"
)

// orders returns all orders of some calls.
func orders(calls int) []certificate.Order {
	found := []certificate.Order{0}
	for i := 0; i < len(found); i++ {
		for a := range calls {
			for b := range calls {
				if a == b || found[i].Has(b, a) {
					continue
				}
				if next := found[i].With(a, b); !slices.Contains(found, next) {
					found = append(found, next)
				}
			}
		}
	}
	return found
}

// TestHistories compares the search for histories without explanation with the definition: all orders of three calls, and
// random sets of results with each of them. Where an order is left out, nothing wrong is accepted.
func TestHistories(t *testing.T) {
	all := orders(3)
	if len(all) != 19 {
		t.Fatalf("%d orders of three calls", len(all))
	}
	rights, wrongs, less := 0, 0, 0
	for s := range uint64(100 * *programs) {
		rng := rand.New(rand.NewPCG(*seed+s, 56))
		h, right := randomHistories(rng, all)
		err := h.Check()
		if right != (err == nil) {
			t.Fatalf("seed %d: a sequence for every history: %v, the checker: %v", s, right, err)
		}
		if right {
			rights++
		} else {
			wrongs++
		}
		delete(h.Can, all[rng.IntN(len(all))])
		if err := h.Check(); err == nil {
			less++
			if !right {
				t.Fatalf("seed %d: accepted without an order", s)
			}
		}
	}
	t.Logf("%d right, %d wrong, %d right without an order", rights, wrongs, less)
	if rights < *programs || wrongs < *programs {
		t.Error("the histories do not test both answers")
	}
}

// randomHistories returns what three calls can return with each order, and whether the definition finds an explanation of it all.
func randomHistories(rng *rand.Rand, all []certificate.Order) (*certificate.Histories, bool) {
	h := &certificate.Histories{Calls: 3, Can: map[certificate.Order][][]int64{}}
	if rng.IntN(2) == 0 {
		h.Threads = h.Threads.With(0, 1)
	}
	if rng.IntN(3) == 0 {
		h.Pending = 1 << 2
	}
	sequences := map[string][][]int{}
	results := [][]int64{{0}, {1}, {2}}
	for _, r := range results {
		for range rng.IntN(7) {
			sequence := rng.Perm(3)
			if h.Pending != 0 && rng.IntN(2) == 0 {
				sequence = slices.DeleteFunc(sequence, func(a int) bool { return a == 2 })
			}
			if before := slices.Index(sequence, 0); h.Threads != 0 && before > slices.Index(sequence, 1) {
				continue
			}
			sequences[fmt.Sprint(r)] = append(sequences[fmt.Sprint(r)], sequence)
		}
	}
	h.Sequences = func(r []int64) ([][]int, error) { return sequences[fmt.Sprint(r)], nil }
	// An execution has an order, and all results with it are possible with every part of that order.
	right := true
	for range 1 + rng.IntN(4) {
		r, o := results[rng.IntN(3)], all[rng.IntN(len(all))]
		if h.Threads&^o != 0 || h.Pending != 0 && (o.Has(2, 0) || o.Has(2, 1)) {
			continue
		}
		for _, part := range all {
			if part&^o == 0 && h.Threads&^part == 0 && !slices.ContainsFunc(h.Can[part], func(a []int64) bool { return a[0] == r[0] }) {
				h.Can[part] = append(h.Can[part], r)
			}
		}
		right = right && slices.ContainsFunc(sequences[fmt.Sprint(r)], func(sequence []int) bool { return agrees(sequence, o) })
	}
	for _, o := range all {
		if h.Threads&^o == 0 {
			h.Can[o] = append(h.Can[o], nil...)
		}
	}
	return h, right
}

// agrees reports whether a sequence has all pairs of an order in their order.
func agrees(sequence []int, o certificate.Order) bool {
	for a := range 3 {
		for b := range 3 {
			i, j := slices.Index(sequence, a), slices.Index(sequence, b)
			if o.Has(a, b) && i >= 0 && j >= 0 && i > j {
				return false
			}
		}
	}
	return true
}
