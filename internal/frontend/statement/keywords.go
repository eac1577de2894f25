package statement

import (
	"maps"
	"slices"
)

// Keywords returns the reserved words of .fp, in alphabetical order.
func Keywords() []string {
	all := maps.Clone(ItemWords)
	maps.Copy(all, stmtWords)
	maps.Copy(all, otherWords)
	return slices.Sorted(maps.Keys(all))
}
