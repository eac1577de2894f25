package check

import (
	"testing"

	"fencepost/internal/budget"
)

// turnsOf lets attempts take turns until one has done as much work as it needs, and returns what all of them have done.
// left has, by attempt, what it says of the work that is left, given the work that it has done.
func turnsOf(shares []*turnShare, needs []int64, left []func(done int64) int64) (winner int, sum int64) {
	for {
		best := shares[0]
		winner = 0
		for i, h := range shares {
			if h.due() < best.due() {
				best, winner = h, i
			}
		}
		work := best.turn()
		if best.granted+work >= needs[winner] {
			for i, h := range shares {
				if i != winner {
					sum += h.granted
				}
			}
			return winner, sum + needs[winner]
		}
		estimate := int64(0)
		if left[winner] != nil {
			estimate = left[winner](best.granted + work)
		}
		best.took(work, estimate)
	}
}

// The work of all engines is a constant times that of the best one: by the weights, by what smc says of its work, and by
// the size of a formula.
func TestWorkOfAll(t *testing.T) {
	const never, need = 1 << 50, 3000 * budget.Millisecond
	engines := []string{"explicit", "smc", "robust", "bmc", "rf", "lazy", "dual"}
	for _, test := range []struct {
		name    string
		best    int
		formula float64
		left    func(done int64) int64 // of smc
		most    float64                // times the need
	}{
		{"weight one", 0, 5000, nil, 5.2},
		{"estimates are right", 1, 5000, func(done int64) int64 { return need - done }, 1.6},
		{"estimates double", 1, 5000, func(done int64) int64 { return done }, 3},
		{"estimates are far too small", 0, 5000, func(done int64) int64 { return done / 4 }, 8},
		{"formula as foreseen", 3, 4000, nil, 4.5},
		{"reads-from", 4, 5000, nil, 12},
	} {
		var shares []*turnShare
		needs, left := make([]int64, len(engines)), make([]func(int64) int64, len(engines))
		for i, name := range engines {
			h := shareOf(name)
			if name == "bmc" {
				h.foresees(test.formula)
			}
			shares, needs[i] = append(shares, &h), never
		}
		needs[test.best], left[1] = need, test.left
		winner, sum := turnsOf(shares, needs, left)
		ratio := float64(sum) / need
		t.Logf("%s: %.2f times the work of %s", test.name, ratio, engines[winner])
		if winner != test.best || ratio > test.most {
			t.Errorf("%s: %s answers, after %.2f times its work; want %s and at most %.1f", test.name, engines[winner], ratio, engines[test.best], test.most)
		}
	}
}
