package fencepost

import (
	"fmt"

	"fencepost/internal/family"
)

// Family is a family of programs, one for each number.
type Family struct{ Name, Doc string }

// Families returns the families that Generate knows.
func Families() []Family {
	var out []Family
	for _, f := range family.All {
		out = append(out, Family{f.Name, f.Doc})
	}
	return out
}

// Generate writes the member of a family with a number, as .fp text.
func Generate(name string, n int) (string, error) {
	f, ok := family.Find(name)
	if !ok {
		return "", fmt.Errorf("there is no family %q", name)
	}
	if n < f.Min {
		return "", fmt.Errorf("%s begins at %d", name, f.Min)
	}
	return f.Text(n), nil
}
