package smc

import (
	"math/rand/v2"
	"testing"
)

// TestClocks: a sum of clocks equals the sum of arrays with an entry per process.
func TestClocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		const processes = 24
		var s clockSum
		var want [processes]int32
		for range 1 + r.IntN(6) {
			var c clock
			for p := range int32(processes) {
				if r.IntN(1+r.IntN(6)) == 0 {
					c = append(c, tick{p, 1 + r.Int32N(9)})
					want[p] = max(want[p], c[len(c)-1].idx)
				}
			}
			s.join(c)
		}
		for p := range int32(processes) {
			if got := s.sum.at(p); got != want[p] {
				t.Fatalf("process %d: %d, want %d, in %v", p, got, want[p], s.sum)
			}
		}
		s.reset()
	}
}
