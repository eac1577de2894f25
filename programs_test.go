package fencepost_test

import (
	"context"
	"os"
	"testing"

	"fencepost"
	"fencepost/query"
	"fencepost/verdict"
)

// TestExamples: every example meets its expectations.
func TestExamples(t *testing.T) {
	opt := query.TestOptions{Options: query.Defaults(), Paths: []string{"examples"}}
	opt.Timeout = 0
	opt.C.Include = func(name string) ([]byte, bool) {
		text, err := os.ReadFile(name)
		return text, err == nil
	}
	opt.Done = func(p *verdict.ProgramTest) {
		if p.Problem != "" {
			t.Errorf("%s: %s", p.File, p.Problem)
		}
		for _, o := range p.Outcomes {
			if o.Status != verdict.TestPassed && o.Status != verdict.TestNotChecked {
				t.Errorf("%s:%d: %s: %s, got %q: %s", p.File, o.Line, o.Key, o.Status, o.Got, o.Detail)
			}
		}
	}
	sum, err := fencepost.TestPrograms(context.Background(), opt)
	if err != nil || sum.Passed < 21 {
		t.Errorf("%+v, %v", sum, err)
	}
}
