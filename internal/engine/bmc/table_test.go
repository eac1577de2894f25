package bmc

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTable: a table behaves like an array that is copied before each change.
func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 7, 8, 9, 64, 65, 300} {
		tables := []table[int]{newTable(n, func(i int) int { return i })}
		arrays := [][]int{slices.Collect(tables[0].elements(n))}
		for range 200 {
			if n == 0 {
				break
			}
			k, other := r.IntN(len(tables)), r.IntN(len(tables))
			if r.IntN(4) == 0 {
				tables = append(tables, mergeTables(tables[k], tables[other], func(_, a, b int) int { return max(a, b) }))
				array := slices.Clone(arrays[k])
				for i, v := range arrays[other] {
					array[i] = max(array[i], v)
				}
				arrays = append(arrays, array)
				continue
			}
			i, v := r.IntN(n), r.IntN(1000)
			tables = append(tables, tables[k].set(i, v))
			arrays = append(arrays, slices.Clone(arrays[k]))
			arrays[len(arrays)-1][i] = v
		}
		for k := range tables {
			if got := slices.Collect(tables[k].elements(n)); !slices.Equal(got, arrays[k]) {
				t.Fatalf("size %d, table %d: %v, want %v", n, k, got, arrays[k])
			}
		}
	}
}

// elements returns the first n elements.
func (t table[T]) elements(n int) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		for i := range n {
			if !yield(t.at(i)) {
				return
			}
		}
	}
}
