package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"fencepost/internal/render/text"
	"fencepost/query"
	"fencepost/verdict"
)

func TestProgressLine(t *testing.T) {
	f := &fake{answer: results(verdict.Safe)}
	f.tty = map[io.Writer]int{&f.stderr: 100}
	f.during = func(_ context.Context, opt query.CheckOptions) {
		for _, ms := range []int64{500, 2000, 2050, 3000} {
			opt.Progress(query.Progress{Model: "tso", States: 1000 * ms, Waiting: 7, Depth: 12, Elapsed: time.Duration(ms) * time.Millisecond})
		}
	}
	f.run("", "check", program(t))
	want := clearLine + "TSO: 2s of 1m0s [..........]\n    2,000,000 states, 1,000,000/s, 7 waiting, depth 12" +
		clearLine + "\x1b[1A\x1b[K" + "TSO: 3s of 1m0s [..........]\n    3,000,000 states, 1,000,000/s, 7 waiting, depth 12" + clearLine + "\x1b[1A\x1b[K"
	if got := f.stderr.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestProgressOfSeveralEngines: every engine has its line, with a bar where the total is estimated. The next model
// begins anew.
func TestProgressOfSeveralEngines(t *testing.T) {
	p := &progress{limit: 20 * time.Second}
	p.ended = true // nothing is drawn
	for _, now := range []query.Progress{
		{Model: "sc", Under: "sc", Engine: "explicit", States: 1},
		{Model: "tso", Under: "tso", Engine: "robust"},
		{Model: "tso", Under: "tso", Engine: "bmc"},
		{Model: "tso", Under: "tso", Engine: "explicit", States: 1000, Waiting: 2, Depth: 3, Elapsed: time.Second},
		{Model: "tso", Under: "tso", Engine: "robust", Ended: true},
		{Model: "tso", Under: "sc", Engine: "smc", Executions: 500, Low: 600, High: 1000, Elapsed: time.Second},
		{Model: "tso", Under: "tso", Engine: "rf", Executions: 70, Low: 70, High: 70, Elapsed: time.Second},
		{Model: "tso", Under: "tso", Engine: "rf", Ended: true},
	} {
		p.update(now)
	}
	want := `TSO: 10s of 20s [#####.....]
  robust        done
  bmc           working
  explicit      1,000 states, 1,000/s, 2 waiting, depth 3
  smc under SC  500 executions, 500/s, about 600 to 1,000 in all [#####.....]
  rf            done, 70 executions, 70/s`
	if got := strings.Join(p.text(10*time.Second), "\n"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := (&progress{}).text(3 * time.Second); len(got) != 1 || got[0] != "3s  working" {
		t.Errorf("%q without a report and a limit", got)
	}
}

func TestProgressFitsTheTerminal(t *testing.T) {
	var out bytes.Buffer
	p := &progress{block: block{w: &out, width: 20}}
	p.update(query.Progress{Model: "tso", States: 1, Elapsed: time.Hour})
	for line := range strings.SplitSeq(strings.TrimPrefix(out.String(), clearLine), "\n") {
		if len(line) > 19 {
			t.Errorf("line of %d characters: %q", len(line), line)
		}
	}
	p.finish()
	before := out.Len()
	p.update(query.Progress{Model: "tso", States: 1, Elapsed: 2 * time.Hour})
	p.interrupted()
	if out.Len() != before {
		t.Errorf("written after the end: %q", out.String())
	}
}

// TestTestsLine: how many of many programs are done, with a bar and the limit of each.
func TestTestsLine(t *testing.T) {
	l := &testsLine{what: "programs", limit: time.Minute}
	if got := l.text(2 * time.Second); got != "2s  working, limit 1m0s each" {
		t.Errorf("%q before the first one is done", got)
	}
	l.done, l.total = 21, 84
	if got, want := l.text(5*time.Second), "21 of 84 programs [##........] 5s, about 15s left, limit 1m0s each"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAnswerAboveProgress: what is printed while progress is shown begins on a line of its own, whole lines at a
// time, and nothing of it is lost.
func TestAnswerAboveProgress(t *testing.T) {
	var out bytes.Buffer
	a := &app{}
	above := &aboveProgress{a: a, w: &out}
	above.Write([]byte("first\nsec"))
	a.shown = &block{w: &out, width: 80}
	a.shown.draw(2*time.Second, []string{"working", "still"})
	above.Write([]byte("ond"))
	above.Write([]byte(" line\nlast"))
	a.shown.draw(3*time.Second, []string{"working"})
	a.shown.finish()
	if err := above.close(); err != nil {
		t.Fatal(err)
	}
	up := clearLine + "\x1b[1A\x1b[K"
	want := "first\nsec" + clearLine + "working\nstill" + up + "ond line\n" + clearLine + "working" + clearLine + "last"
	if got := out.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSayAboveProgress: what is said before a search stays above the lines of progress.
func TestSayAboveProgress(t *testing.T) {
	f := &fake{}
	a := &app{stderr: &f.stderr}
	a.say([]string{"one"})
	a.shown = &block{w: &f.stderr, width: 80}
	a.shown.draw(2*time.Second, []string{"working", "still"})
	a.say([]string{"two", "three\x1b"})
	a.shown.draw(3*time.Second, []string{"working"})
	want := "one\n" + clearLine + "working\nstill" + clearLine + "\x1b[1A\x1b[K" + "two\n" + text.Printable("three\x1b") + "\n" + clearLine + "working"
	if got := f.stderr.String(); got != want {
		t.Errorf("%q, want %q", got, want)
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
	f.during = func(ctx context.Context, _ query.CheckOptions) {
		interrupt(t)
		<-ctx.Done()
	}
	if code := f.run("", "check", program(t)); code != exitUnknown || !strings.Contains(f.stdout.String(), "unknown under TSO") {
		t.Errorf("exit code %d: %s", code, f.stdout.String())
	}
}

func TestInterruptBeforeAnAnswer(t *testing.T) {
	f := &fake{err: context.Canceled}
	f.during = func(ctx context.Context, _ query.CheckOptions) {
		interrupt(t)
		<-ctx.Done()
	}
	if code := f.run("", "check", program(t), "--json"); code != exitUnknown || !strings.Contains(f.stderr.String(), "interrupted") ||
		!strings.Contains(f.stdout.String(), `"results": []`) {
		t.Errorf("exit code %d: %s %s", code, f.stdout.String(), f.stderr.String())
	}
}
