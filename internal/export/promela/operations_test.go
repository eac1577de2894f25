package promela_test

import (
	"slices"
	"testing"

	"fencepost/internal/testkit"
)

// operationCase is a program for SPIN and the enumerator: functions and threads over the
// objects of operationObjects.
type operationCase struct{ name, text string }

const operationObjects = "program p flat\nobject m size 8\nobject x size 8\nobject b size 1 unit 1 type u8\nobject w size 8\nobject z size 8\n"

// TestSpinAgreesOnOperations: SPIN and the enumerator agree on operations that the corpus
// does not have.
func TestSpinAgreesOnOperations(t *testing.T) {
	testkit.NeedSpin(t)
	for _, c := range slices.Concat(mutexCases, sectionCases, byteCases) {
		if !testkit.InPart(t, c.name, 4) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			spinAgrees(t, parse(t, operationObjects+c.text))
		})
	}
}

// mutexCases has the kinds of mutex.
var mutexCases = []operationCase{
	{"mutex that checks", `
func f() {
  reg r
  loc A
  loc B
  loc C
  loc D
  loc E
  loc F
  A -> B: r = unlock.errorcheck [&m]
  B -> C: assert (r == 1)
  C -> D: r = lock.errorcheck [&m]
  D -> E: r = lock.errorcheck [&m]
  E -> F: assert (r == 35)
}
thread f = f()
thread g = f()
`},
	{"mutex locked again", `
func f() {
  reg r
  loc A
  loc B
  loc C
  loc D
  loc E
  loc F
  loc G
  A -> B: lock.recursive [&m]
  B -> C: r = trylock.recursive [&m]
  C -> D: assert (r == 0)
  D -> E: unlock.recursive [&m]
  E -> F: store [&x] = 1 in x
  F -> G: unlock.recursive [&m]
}
func g() {
  reg r
  loc A
  loc B
  loc C
  A -> B: r = trylock.recursive [&m]
  B -> C: assert ((r == 0) || (r == 16))
}
thread f = f()
thread g = g()
`},
	{"unlock by a thread that does not hold the mutex", `
func f() {
  loc A
  loc B
  A -> B: unlock.normal [&m]
}
thread f = f()
`},
}

// sectionCases has atomic sections and the end of the program.
var sectionCases = []operationCase{
	{"nothing reaches memory during another's section", `
func f() {
  loc A
  loc B
  A -> B: store [&x] = 1 in x
}
func g() {
  reg r
  reg s
  loc A
  loc B
  loc C
  loc D
  loc E
  loc F
  A -> B: atomicbegin
  B -> C: r = load [&x] in x
  C -> D: s = load [&x] in x
  D -> E: atomicend
  E -> F: assert (r == s)
}
thread f = f()
thread g = g()
`},
	{"forwarding during a section that never ends", `
func f() {
  reg r
  loc A
  loc B
  loc C
  loc D
  A -> B: store [&x] = 1 in x
  B -> C: r = load [&x] in x
  C -> D: assert (r == 1)
}
func g() {
  loc A
  loc B
  A -> B: atomicbegin
  B -> B: await [&x] in x when (seen == 1)
}
thread f = f()
thread g = g()
`},
	{"exit ends the program", `
func f() {
  loc A
  loc B
  A -> B: exit
}
func g() {
  loc A
  loc B
  A -> B: await [&x] in x when (seen == 1)
}
thread f = f()
thread g = g()
`},
	{"no byte of memory during a section that never ends", `
func f() {
  reg r
  loc A
  loc B
  loc C
  loc D
  A -> B: store.u16 [&w] = 257 in w
  B -> C: r = load.u8 [&w+1] in w
  C -> D: assert (r == 1)
  D -> E: r = load.u32 [&w] in w
  E -> F: await [&z] in z when (seen == 1)
}
func g() {
  reg r
  loc A
  loc B
  A -> B: atomicbegin
  B -> C: r = load.u32 [&w] in w
  C -> D: assume (r == 0)
  D -> D: await.u8 [&w] in w when (seen == 1)
}
thread f = f()
thread g = g()
`},
}

// byteCases has accesses to single bytes, and accesses that overlap in part.
var byteCases = []operationCase{
	{"values of one byte", `
func f() {
  reg r
  loc A
  loc B
  loc C
  loc D
  loc E
  A -> B: store.u8 [&b] = 300 in b
  B -> C: r = load.s8 [&b] in b
  C -> D: r = rmw.add.u8 [&b], 250 seq_cst in b
  D -> E: assert (r == 44)
}
thread f = f()
`},
	{"a load that is forwarded in part", `
func f() {
  reg q
  reg r
  loc A
  loc B
  loc C
  loc D
  A -> B: store.u8 [&w+1] = 1 in w
  B -> C: q = load.u32 [&w] in w
  C -> D: r = load [&x] in x
  D -> E: assume ((q == 256) && (r == 0))
  E -> F: store [&z] = 1 in z
}
func g() {
  reg s
  loc A
  loc B
  loc C
  loc D
  A -> B: store [&x] = 1 in x
  B -> C: fence.full
  C -> D: s = load.u32 [&w] in w
  D -> E: assume (s == 0)
  E -> F: await [&z] in z when (seen == 1)
  F -> G: assert 0
}
thread f = f()
thread g = g()
`},
	{"bytes of a negative number", `
func f() {
  reg r
  loc A
  loc B
  loc C
  loc D
  A -> B: store [&w] = -2 in w
  B -> C: r = load.u8 [&w+6] in w
  C -> D: assert (r == 255)
  D -> E: r = load.s16 [&w] in w
  E -> F: assert (r == -2)
  F -> G: r = load [&w] in w
  G -> H: assert (r == -2)
  H -> I: fence.full
  I -> J: r = load [&w] in w
  J -> K: assert (r == -2)
  K -> L: store.u8 [&w+1] = 0 in w
  L -> M: r = load.s32 [&w] in w
  M -> N: assert (r == -65282)
  N -> O: r = rmw.cas.u16 [&w+1], 65280, 1 seq_cst in w
  O -> P: assert (r == 65280)
  P -> Q: r = load.u8 [&w+2] in w
  Q -> R: assert (r == 0)
}
thread f = f()
`},
	{"an index of bytes", `
func f() {
  reg i
  reg r
  loc A
  loc B
  loc C
  A -> B: i = havoc range 0..5
  B -> C: store.u8 [(&w +u64 i)] = 3 in w
  C -> D: r = load.u32 [(&w +u64 i)] in w
  D -> E: assert (r == 3)
}
thread f = f()
`},
	{"an index of bytes inside", `
func f() {
  reg i
  reg r
  loc A
  loc B
  loc C
  A -> B: i = havoc range 0..4
  B -> C: store.u8 [(&w +u64 i)] = 3 in w
  C -> D: r = load.u32 [(&w +u64 i)] in w
  D -> E: assert (r == 3)
}
thread f = f()
`},
}
