package family

import (
	"strings"
	"testing"
)

// Members grow linearly and differ in size only.
func TestFamilies(t *testing.T) {
	for _, f := range All {
		if got, ok := Find(f.Name); !ok || got.Name != f.Name {
			t.Errorf("%s is not found", f.Name)
		}
		lines := func(n int) int { return strings.Count(f.Text(n), "\n") }
		one, two, four := lines(f.Min+10), lines(f.Min+20), lines(f.Min+40)
		if four-two != 2*(two-one) {
			t.Errorf("%s: %d, %d, %d lines", f.Name, one, two, four)
		}
	}
	if _, ok := Find("none"); ok {
		t.Error("found a family that does not exist")
	}
}
