package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"fencepost/internal/supervise"
	"fencepost/query"
)

// What was abandoned is unknown, and said so.
func TestInterruptedAndNotStopped(t *testing.T) {
	s := realServices()
	s.check = func(context.Context, query.Input, query.CheckOptions) (query.Answer, error) {
		return query.Answer{}, &supervise.NotStopped{}
	}
	var out, errs bytes.Buffer
	code := run(s, []string{"check", "-", "--lang", "fp"}, strings.NewReader(""), &out, &errs)
	if code != exitUnknown || out.Len() > 0 || !strings.Contains(errs.String(), "interrupted before there was an answer") {
		t.Errorf("exit code %d, %q, %q", code, &out, &errs)
	}
}
