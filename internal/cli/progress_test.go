package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"fencepost"
	"fencepost/verdict"
)

func TestProgressLine(t *testing.T) {
	f := &fake{answer: results(verdict.Safe)}
	f.tty = map[io.Writer]int{&f.stderr: 100}
	f.during = func(_ context.Context, opt fencepost.CheckOptions) {
		for _, ms := range []int64{500, 2000, 2050, 3000} {
			opt.Progress(fencepost.Progress{Model: "tso", States: 1000 * ms, Waiting: 7, Depth: 12, Elapsed: time.Duration(ms) * time.Millisecond})
		}
	}
	f.run("", "check", program(t))
	want := clearLine + "2s of 1m0s [..........]  TSO: 2,000,000 states, 1,000,000/s, 7 waiting, depth 12" +
		clearLine + "3s of 1m0s [..........]  TSO: 3,000,000 states, 1,000,000/s, 7 waiting, depth 12" + clearLine
	if got := f.stderr.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestProgressOfSeveralEngines: every search has its part of the line.
func TestProgressOfSeveralEngines(t *testing.T) {
	p := &progress{limit: 20 * time.Second}
	p.states = fencepost.Progress{Model: "tso", States: 1000, Waiting: 2, Depth: 3, Elapsed: time.Second}
	p.runs = fencepost.Progress{Model: "sc", Executions: 500, Low: 600, High: 700, Elapsed: time.Second}
	want := "10s of 20s [#####.....]  TSO: 1,000 states, 1,000/s, 2 waiting, depth 3 | SC: 500 executions, about 600 to 700 in all"
	if got := p.line(10 * time.Second); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (&progress{}).line(3 * time.Second); got != "3s  working" {
		t.Errorf("%q without a report and a limit", got)
	}
}

func TestProgressFitsTheTerminal(t *testing.T) {
	var out bytes.Buffer
	p := &progress{w: &out, width: 20}
	p.update(fencepost.Progress{Model: "tso", States: 1, Elapsed: time.Hour})
	if got := len(strings.TrimPrefix(out.String(), clearLine)); got != 19 {
		t.Errorf("line of %d characters: %q", got, out.String())
	}
	p.finish()
	before := out.Len()
	p.update(fencepost.Progress{Model: "tso", States: 1, Elapsed: 2 * time.Hour})
	p.interrupted()
	if out.Len() != before {
		t.Errorf("written after the end: %q", out.String())
	}
}

func TestNoProgressWithoutTerminal(t *testing.T) {
	f := &fake{answer: results(verdict.Safe)}
	f.run("", "check", program(t))
	if f.opt.Progress != nil || f.stderr.Len() > 0 {
		t.Errorf("progress without a terminal: %q", f.stderr.String())
	}
}

func interrupt(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Error(err)
		return
	}
	if err := self.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
}

func TestInterruptCancelsTheCheck(t *testing.T) {
	f := &fake{answer: results(verdict.Unknown)}
	f.tty = map[io.Writer]int{&f.stderr: 100}
	f.during = func(ctx context.Context, _ fencepost.CheckOptions) {
		interrupt(t)
		<-ctx.Done()
	}
	if code := f.run("", "check", program(t)); code != exitUnknown || !strings.Contains(f.stdout.String(), "unknown under TSO") {
		t.Errorf("exit code %d: %s", code, f.stdout.String())
	}
}

func TestInterruptBeforeAnAnswer(t *testing.T) {
	f := &fake{err: context.Canceled}
	f.during = func(ctx context.Context, _ fencepost.CheckOptions) {
		interrupt(t)
		<-ctx.Done()
	}
	if code := f.run("", "check", program(t), "--json"); code != exitUnknown || !strings.Contains(f.stderr.String(), "interrupted") ||
		!strings.Contains(f.stdout.String(), `"results": []`) {
		t.Errorf("exit code %d: %s %s", code, f.stdout.String(), f.stderr.String())
	}
}
