package cli

import (
	"bytes"
	"strings"
	"testing"

	"fencepost/internal/testkit"
)

// Programs that start many threads in a loop, and one that calls through tables of functions, are answered without
// any option.
func TestAnswersWithoutOptions(t *testing.T) {
	for _, c := range []struct {
		define string
		path   []string
	}{
		{"-DN=12", []string{"scaling", "readers.c"}},
		{"-DN=13", []string{"scaling", "indexer.c"}},
		{"-DN=9", []string{"scaling", "casrot.c"}},
		{"-DN=2", []string{"real", "min", "vtable_blowup.c"}},
	} {
		name := testkit.Shared(t, append([]string{"bench"}, c.path...)...)
		var out, errs bytes.Buffer
		code := Run([]string{"check", c.define, name, "--timeout", "0", "--workers", "1"}, strings.NewReader(""), &out, &errs)
		if code != exitHolds || !strings.Contains(out.String(), "all executions") {
			t.Errorf("%s: exit code %d\n%s%s", name, code, &out, &errs)
		}
	}
}
