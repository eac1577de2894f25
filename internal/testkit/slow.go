package testkit

import (
	"flag"
	"hash/fnv"
	"testing"
)

var slow = flag.Bool("fp.slow", false, "run long tests on all their programs, as make fuzz does")

// Slow reports whether long tests run on all their programs. Without -fp.slow they run on some.
func Slow() bool { return *slow }

// InPart reports whether a test runs on the program of this name: on about one program in n, and
// on all of them with -fp.slow. The answer depends on the two names alone; different tests choose
// different programs.
func InPart(t testing.TB, name string, n int) bool {
	if *slow || n <= 1 {
		return true
	}
	h := fnv.New32a()
	h.Write([]byte(t.Name() + " " + name))
	return h.Sum32()>>8%uint32(n) == 0
}

// PartOf returns the cases that a test runs on: about one in n, and all with -fp.slow.
func PartOf(t testing.TB, cases []*Case, n int) []*Case {
	var out []*Case
	for _, c := range cases {
		if InPart(t, c.Name(), n) {
			out = append(out, c)
		}
	}
	return out
}
