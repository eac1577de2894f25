package cli

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"fencepost/verdict"
)

// FuzzBaseline: any file is taken for a baseline or refused as the user's mistake.
func FuzzBaseline(f *testing.F) {
	for _, name := range []string{"../render/html/testdata/dekker.json", "../render/html/testdata/dekker-robust.json"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"version":"2.1.0","runs":[{"results":[{"fingerprints":{"fencepost/1":"a"},"partialFingerprints":{"x":"y"}}]}]}`))
	f.Add([]byte(`{"$schema":"sarif","runs":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		k, err := readBaseline(&app{stdin: bytes.NewReader(text)}, "-")
		if usage := (*usageError)(nil); err != nil && !errors.As(err, &usage) {
			t.Fatal(err)
		}
		if err == nil {
			k.mark(&verdict.ProgramTest{Outcomes: []verdict.TestOutcome{{Status: verdict.TestFailed, Result: &verdict.Result{}}}})
		}
	})
}
