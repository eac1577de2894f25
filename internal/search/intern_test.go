package search

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// TestInterner quick-checks against a map, with several goroutines.
func TestInterner(t *testing.T) {
	var used atomic.Int64
	in := NewInterner(&used)
	var mu sync.Mutex
	twin := map[string]uint32{}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(uint64(g), 1))
			for range 20000 {
				s := fmt.Sprintf("%0*d", r.IntN(40), r.IntN(5000))
				id := in.ID([]byte(s))
				if got := string(in.Bytes(id)); got != s {
					t.Errorf("%q comes back as %q", s, got)
					return
				}
				mu.Lock()
				if old, ok := twin[s]; ok && old != id {
					t.Errorf("%q has the numbers %d and %d", s, old, id)
				}
				twin[s] = id
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	seen := map[uint32]string{}
	for s, id := range twin {
		if old, ok := seen[id]; ok {
			t.Fatalf("%q and %q have the number %d", s, old, id)
		}
		seen[id] = s
	}
	if used.Load() == 0 {
		t.Error("no memory counted")
	}
}
