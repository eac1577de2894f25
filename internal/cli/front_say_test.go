package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"fencepost/query"

	"github.com/spf13/cobra"
)

// TestFrontSay: a program with the command check can print lines while it works. They go to standard error, and cannot
// steer the terminal.
func TestFrontSay(t *testing.T) {
	f := &Front{Name: "other", Extend: func(_, _ *cobra.Command, _ Printer) {}}
	f.Check = func(context.Context, query.Input, query.CheckOptions) (query.Answer, error) {
		f.Say("waiting\x1b[2J for the server")
		return query.Answer{}, UsageError("no server", "start one")
	}
	var out, errs bytes.Buffer
	code := f.Run([]string{"check", "-", "--lang", "fp"}, strings.NewReader("var x;\nthread t { x = 1; }\n"), &out, &errs)
	if code != exitUsage || out.Len() > 0 || !strings.HasPrefix(errs.String(), "waiting.[2J for the server\n") {
		t.Errorf("exit %d\n%s%s", code, &out, &errs)
	}
}
