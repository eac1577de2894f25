package smt

import "fmt"

// Sort is the sort of a term. The zero value is no sort.
type Sort struct {
	kind    sortKind
	bits    int   // of bit-vectors
	indices *Sort // of arrays
	values  *Sort // of arrays
}

type sortKind uint8

const (
	_ sortKind = iota
	boolSort
	intSort
	realSort
	vectorSort
	arraySort
)

// The sorts without parameters.
var (
	Bool    = Sort{kind: boolSort}
	Integer = Sort{kind: intSort}
	Real    = Sort{kind: realSort}
)

// Vector returns the sort of bit-vectors.
func Vector(bits int) Sort { return Sort{kind: vectorSort, bits: bits} }

// Array returns the sort of arrays.
func Array(indices, values Sort) Sort {
	return Sort{kind: arraySort, indices: &indices, values: &values}
}

// String returns the sort as SMT-LIB has it.
func (s Sort) String() string {
	switch s.kind {
	case boolSort:
		return "Bool"
	case intSort:
		return "Int"
	case realSort:
		return "Real"
	case vectorSort:
		return fmt.Sprintf("(_ BitVec %d)", s.bits)
	case arraySort:
		return fmt.Sprintf("(Array %s %s)", s.indices, s.values)
	default:
		panic(fmt.Sprintf("BUG: unknown sort %d", s.kind))
	}
}

// equal reports whether two sorts are the same.
func (s Sort) equal(t Sort) bool {
	if s.kind != t.kind || s.bits != t.bits {
		return false
	}
	return s.kind != arraySort || s.indices.equal(*t.indices) && s.values.equal(*t.values)
}

// Bits returns the length of bit-vectors; 0 for other sorts.
func (s Sort) Bits() int { return s.bits }
