package litmus

import (
	"slices"
	"strconv"

	"fencepost/internal/frontend/litmus/dialect"
)

// Where locations lie. In herd an address is a symbol and differs from every number.
// Here it is a number, so the locations are put where the numbers of the test do not
// lead: far from each of them, and from the sum and the difference of any two. All
// addresses fit into 31 bits, so that instructions on 32 bits can hold them.

const (
	firstBase = 0x2f6b_3000
	baseStep  = 0x00d5_7000
	baseTries = 64
	// keepAway is how far a number has to be from all locations. Locations and what
	// is between them take much less than half of it.
	keepAway = 8 * maxMemory
	// maxPaired is how many numbers are also added to each other.
	maxPaired = 1000
)

// chooseBase returns the address of the first location of a test.
func chooseBase(text []byte) uint64 {
	reached := reachedNumbers(text)
	for i := range uint64(baseTries) {
		base := firstBase + i*baseStep
		// The first number that is not below the stretch that must be free.
		at, _ := slices.BinarySearch(reached, uint32(base-keepAway))
		if at == len(reached) || reached[at] > uint32(base+keepAway) {
			return base
		}
	}
	return firstBase
}

// reachedNumbers returns the numbers of the test, their sums and their differences,
// all cut to 32 bits and sorted.
func reachedNumbers(text []byte) []uint32 {
	numbers := []uint32{0}
	for i := 0; i < len(text); {
		word := literal(text[i:])
		i += max(len(word), 1)
		// A number too large for 64 bits is diagnosed elsewhere.
		if n, err := strconv.ParseUint(string(word), 0, 64); err == nil {
			numbers = append(numbers, uint32(n), -uint32(n))
		} else if n, err := strconv.ParseUint(string(word), 10, 64); err == nil {
			numbers = append(numbers, uint32(n), -uint32(n))
		}
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	all := slices.Clone(numbers)
	if len(numbers) <= maxPaired {
		for i, a := range numbers {
			for _, b := range numbers[i:] {
				all = append(all, a+b) // numbers has the negatives, too
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// literal returns the number, decimal or hexadecimal, with which a text begins, nil if it begins with none.
func literal(text []byte) []byte {
	n := 0
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && dialect.IsHexDigit(text[2]) {
		for n = 3; n < len(text) && dialect.IsHexDigit(text[n]); n++ {
		}
		return text[:n]
	}
	for n < len(text) && dialect.IsDigit(text[n]) {
		n++
	}
	return text[:n]
}
