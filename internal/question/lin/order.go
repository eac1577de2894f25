package lin

import "math/bits"

// maxCalls is how many concurrent calls a client can have: an order of them is a number of 64 bits.
const maxCalls = 8

// order is a relation on the concurrent calls of a client: bit a*maxCalls+b says that call a returns before call b
// begins. It is transitive.
type order uint64

func bit(a, b int) order { return 1 << (a*maxCalls + b) }

// has reports whether call a comes before call b.
func (o order) has(a, b int) bool { return o&bit(a, b) != 0 }

// with returns the least transitive relation with one more pair.
func (o order) with(a, b int) order {
	for x := range maxCalls {
		if x != a && !o.has(x, a) {
			continue
		}
		for y := range maxCalls {
			if y == b || o.has(b, y) {
				o |= bit(x, y)
			}
		}
	}
	return o
}

// before returns the calls that come before call b, as a set.
func (o order) before(b int) uint64 {
	var out uint64
	for a := range maxCalls {
		if o.has(a, b) {
			out |= 1 << a
		}
	}
	return out
}

// interval reports whether the relation is an interval order: what comes before one call is part of what comes before
// the other, for any two calls. Then a thread that starts and joins others can impose it.
func (o order) interval(calls int) bool {
	for a := range calls {
		for b := range a {
			x, y := o.before(a), o.before(b)
			if x&y != x && x&y != y {
				return false
			}
		}
	}
	return true
}

// total reports whether any two calls are ordered.
func (o order) total(calls int) bool { return bits.OnesCount64(uint64(o)) == calls*(calls-1)/2 }

// pairs returns the pairs that no others imply, without those of a smaller relation.
func (o order) pairs(without order) [][2]int {
	var out [][2]int
	for a := range maxCalls {
		for b := range maxCalls {
			if !o.has(a, b) || without.has(a, b) {
				continue
			}
			direct := true
			for c := range maxCalls {
				direct = direct && !(o.has(a, c) && o.has(c, b))
			}
			if direct {
				out = append(out, [2]int{a, b})
			}
		}
	}
	return out
}

// contradicts reports whether the relation has a pair that a sequence of calls has the other way round.
func (o order) contradicts(sequence []int) bool {
	for i, a := range sequence {
		for _, b := range sequence[:i] {
			if o.has(a, b) {
				return true
			}
		}
	}
	return false
}
