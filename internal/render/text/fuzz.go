//go:build !fencepost_small

package text

import (
	"fmt"

	"fencepost/verdict"
)

// The words of executions under random schedules.

// fuzzed says how much was tried, nil if schedules were not random.
func fuzzed(r *verdict.Result) []string {
	f := r.Stats.Fuzz
	if f == nil {
		return nil
	}
	out := []string{
		fmt.Sprintf("seeds from %d", f.Seed), counted(f.Steps, "step", "steps"),
	}
	if f.Points > 0 {
		out = append(out, fmt.Sprintf("preempted at %s of %s", Count(int64(f.Preempted)), counted(int64(f.Points), "point", "points")))
	}
	if f.Stores > 0 {
		out = append(out, fmt.Sprintf("%s of %s delayed", Count(int64(f.Delayed)), counted(int64(f.Stores), "store", "stores")))
	}
	if f.Cut > 0 {
		out = append(out, counted(f.Cut, "execution", "executions")+" cut off")
	}
	return out
}

// again prints how to run an execution again that was found.
func (p *printer) again(r *verdict.Result) {
	if f := r.Stats.Fuzz; f != nil && f.Found > 0 {
		p.line("Seed %d: fencepost fuzz --seed %d --runs 1 --depth %d --model %s runs this execution again.", f.Found, f.Found, f.Depth, oneLine(r.Model))
	}
}
