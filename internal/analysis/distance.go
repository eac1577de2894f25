package analysis

import "fencepost/internal/ir"

// Far is the distance of a location from which no way leads to another. Sums of a few of these fit
// an int32.
const Far = 1 << 20

// Distances returns, by location, the fewest edges that lead from it to one of some locations. Local
// operations do not count. Without a way the distance is Far.
func Distances(f *ir.Func, to []ir.Loc) []int32 {
	out := make([]int32, len(f.Locs))
	for l := range out {
		out[l] = Far
	}
	before := make([][]*ir.Edge, len(f.Locs))
	for i := range f.Edges {
		before[f.Edges[i].To] = append(before[f.Edges[i].To], &f.Edges[i])
	}
	for _, l := range to {
		out[l] = 0
	}
	for now, next := append([]ir.Loc(nil), to...), []ir.Loc(nil); len(now) > 0; now, next = next, nil {
		for i := 0; i < len(now); i++ {
			for _, e := range before[now[i]] {
				d := out[now[i]]
				if !e.Op.Local() {
					d++
				}
				switch {
				case d >= out[e.From]:
				case d == out[now[i]]:
					now = append(now, e.From)
					out[e.From] = d
				default:
					next = append(next, e.From)
					out[e.From] = d
				}
			}
		}
	}
	return out
}
