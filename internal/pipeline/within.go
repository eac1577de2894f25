package pipeline

import (
	"context"
	"fmt"
	"runtime/metrics"
	"time"

	"fencepost/verdict"
)

// Front ends read small files in no time, but a page of macros can stand for more
// text than there is memory, and the parser of C, which is not ours, cannot be
// stopped. So it runs beside us, and is left behind when it passes a limit.

// pause is how often the limits are looked at; patience is how long work that was
// interrupted may go on. Small programs are read by then, and what is interrupted is
// the engine, which says what it knows.
const (
	pause    = 100 * time.Millisecond
	patience = time.Second
)

// within runs work and says what ended it before its end, "" if nothing did. Work
// that was left behind may still write to what it knows.
func within(ctx context.Context, opt Options, work func()) (over string) {
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		work()
	}()
	interrupted := ctx.Done()
	var give <-chan time.Time
	look := time.NewTicker(pause)
	defer look.Stop()
	start, before := time.Now(), heapBytes()
	for {
		select {
		case broken := <-done:
			if broken != nil {
				panic(broken) // where it is expected
			}
			return ""
		case <-interrupted:
			interrupted, give = nil, time.After(patience)
		case <-give:
			return "before the interruption"
		case <-look.C:
		}
		now := heapBytes()
		before = min(before, now) // what was garbage at first is not ours
		switch {
		case opt.Timeout > 0 && time.Since(start) >= opt.Timeout:
			return fmt.Sprintf("within the time limit of %s", opt.Timeout)
		case opt.Memory > 0 && now-before > opt.Memory:
			return fmt.Sprintf("within the memory limit of %d MiB", opt.Memory>>20)
		}
	}
}

func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// unread is a program that its front end did not get through.
func unread(in Input, over string) *program {
	p := newProgram(in)
	p.diags = append(p.diags, verdict.Diagnostic{
		Severity: verdict.SeverityError, Code: "FP0916", Pos: verdict.Pos{File: in.Name},
		Message: "the program was not read " + over,
		Notes:   []string{"look for macros that expand to very much, and for expressions of thousands of operators"},
	})
	return p
}
