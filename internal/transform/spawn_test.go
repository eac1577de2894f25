package transform_test

import (
	"testing"

	"fencepost/internal/memory"
)

// TestSpawnThroughPointer: a spawn can take the function of a thread from a register, and
// a thread knows its handle, also inside a call.
func TestSpawnThroughPointer(t *testing.T) {
	const text = `
program pointers structured
func me() {
  l0 -> l1: return self
}
func one(v) pointer {
  reg h
  l0 -> l1: h = call me()
  l1 -> l2: return (10 * h) + v
}
func two(v) pointer {
  l0 -> l1: return (100 * self) + v
}
func main() {
  reg f, g, h, r, s, own
  l0 -> l1: f = &&one
  l1 -> l2: g = &&two
  l2 -> l3: h = spawn [f](7)
  l3 -> l4: r = join h
  l4 -> l5: h = spawn [g](8)
  l5 -> l6: s = join h
  l6 -> l7: f = 0
  l7 -> l8: g = s - (100 * h)
  l8 -> l9: own = self
  l9 -> l10: h = 0
  l10 -> l11: s = 0
}
thread main = main()
main main
`
	got := finals(t, flatten(t, text, 2), memory.TSO)
	if len(got.Checks) != 0 || len(got.Finals) != 1 {
		t.Fatalf("%+v", got)
	}
	wantFinals(t, got, "f=0 g=8 h=0 r=17 s=0 own=0")
}

// TestSpawnThroughNothing: a spawn through a pointer that names no function with as many
// parameters is an error.
func TestSpawnThroughNothing(t *testing.T) {
	const text = `
program nothing structured
func none() pointer {
  l0 -> l1: return 0
}
func main() {
  reg f, h
  l0 -> l1: f = &&none
  l1 -> l2: h = spawn [f](7)
}
thread main = main()
main main
`
	if got := finals(t, flatten(t, text, 2), memory.SC); len(got.Checks) != 1 {
		t.Errorf("%+v", got)
	}
}
