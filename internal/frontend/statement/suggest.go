package statement

import (
	"sort"

	"fencepost/internal/diag"
	"fencepost/internal/editdistance"
)

// Suggest adds a note naming the candidate nearest to a misspelt name.
func Suggest[T any](d *diag.Diagnostic, name string, candidates ...map[string]T) {
	const longest = 32
	if len(name) > longest {
		return
	}
	best, bestCost := "", 1+len(name)/3
	for _, m := range candidates {
		var near []string
		for c := range m {
			if len(c) <= longest && abs(len(c)-len(name)) < bestCost {
				near = append(near, c)
			}
		}
		sort.Strings(near)
		for _, c := range near {
			if cost := editdistance.Between(name, c); cost < bestCost {
				best, bestCost = c, cost
			}
		}
	}
	if best != "" {
		d.Note("did you mean '%s'?", best)
	}
}

func abs(n int) int { return max(n, -n) }
