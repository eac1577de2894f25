package translate_test

import (
	"os"
	"regexp"
	"testing"

	"fencepost/internal/testkit"
)

// TestRefusals: what is not supported is refused, on its line and with its code,
// and nothing else is.
func TestRefusals(t *testing.T) {
	testkit.CheckRefusals(t, "testdata/refusals.txtar")
}

// TestEveryCodeIsShown: each code of the translation has a program that gets it, here or
// beside the library.
func TestEveryCodeIsShown(t *testing.T) {
	codes := map[string]bool{
		"C0003": true, // needs two files: TestTwoDefinitions
		"C0806": true, // needs an option: testdata/scripts/c-nondet.txtar
		"C0803": true, // only executions reach it: c-clock in the corpus
		"C0120": true, // proofs only: TestInvariants in library
		"C0820": true, // proofs only: TestInvariants in library
	}
	for _, file := range []string{"testdata/refusals.txtar", "library/testdata/refusals.txtar"} {
		for code := range testkit.WantedCodes(t, file) {
			codes[code] = true
		}
	}
	declared := 0
	for _, file := range []string{"codes.go", "read/codes.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"(C\d{4})"`).FindAllStringSubmatch(string(text), -1) {
			declared++
			if !codes[m[1]] {
				t.Errorf("no program is refused with %s", m[1])
			}
		}
	}
	if declared == 0 {
		t.Error("no codes are declared")
	}
}
