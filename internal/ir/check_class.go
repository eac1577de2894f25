package ir

import "fmt"

// CheckClass is the kind of property that a check belongs to.
type CheckClass uint8

// The classes of checks. Front ends emit some as Assert edges; the memory
// models find the others.
const (
	CheckUnset CheckClass = iota
	Assertion
	ReachError
	NullDeref
	OutOfBounds
	UseAfterFree
	DoubleFree
	InvalidFree
	BadUnlock
	BadWait
	BadJoin
	BadAddress
	DivByZero
	Overflow
	Destroyed
	BadDestroy
	ReadOnly
	Uninitialised // a value that was never written decides something
	// NotSupported is no error of the program: the execution has come to an Unsupported operation.
	NotSupported
)

var checkNames = [...]string{
	"", "assertion", "reach-error", "null-dereference", "out-of-bounds", "use-after-free", "double-free",
	"invalid-free", "bad-unlock", "bad-wait", "bad-join", "bad-address", "division-by-zero", "overflow",
	"use-after-destroy", "bad-destroy", "read-only", "uninitialised-value", "unsupported",
}

func (c CheckClass) String() string {
	if int(c) >= len(checkNames) {
		panic(fmt.Sprintf("BUG: unknown check class %d", c))
	}
	return checkNames[c]
}

// ParseCheckClass returns the class with a name.
func ParseCheckClass(name string) (CheckClass, bool) {
	for c, n := range checkNames {
		if n == name && c != int(CheckUnset) {
			return CheckClass(c), true
		}
	}
	return CheckUnset, false
}

// Beside reports whether checks of the class accompany accesses and are not written in the
// program: reaching one says nothing about the program's assertions.
func (c CheckClass) Beside() bool { return c == OutOfBounds || c == Destroyed || c == BadDestroy }
