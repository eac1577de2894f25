package statement

import (
	"sort"

	"fencepost/internal/diag"
)

// suggest adds a note naming the candidate nearest to a misspelt name.
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
			if cost := distance(name, c); cost < bestCost {
				best, bestCost = c, cost
			}
		}
	}
	if best != "" {
		d.Note("did you mean '%s'?", best)
	}
}

func abs(n int) int { return max(n, -n) }

// distance is the number of letters to insert, delete, replace or swap with
// their neighbour.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
