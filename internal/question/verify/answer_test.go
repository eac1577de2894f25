package verify

import (
	"testing"
)

// TestComparedExactly: numbers of 64 bits that floating point does not tell apart are different.
func TestComparedExactly(t *testing.T) {
	type count struct{ N int64 }
	if err := compared(count{1<<62 - 1}, count{1 << 62}); err == nil {
		t.Error("2^62 - 1 and 2^62 are taken for equal")
	}
	if err := compared(count{1<<62 - 1}, count{1<<62 - 1}); err != nil {
		t.Error(err)
	}
}
