package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"time"
)

// Limits of the reading and of the passes. A page of macros can stand for more text than there is
// memory, and the parser of C, a library, cannot be stopped. So a front end runs on a goroutine of its
// own, and the pipeline stops waiting for it when it exceeds a limit. The passes look at the limits
// themselves, but not in every loop.

const (
	// pause is the time between two checks of the limits.
	pause = 100 * time.Millisecond
	// patience is how long reading may go on after an interruption. Small programs are read by
	// then, so the interruption reaches the engine, which reports what it knows.
	patience = time.Second
)

// OverLimitCode is the code of diagnostics and warnings about a program that exceeds a limit before an
// engine is asked.
const OverLimitCode = "FP0916"

// OverLimit says that a program could not be read, or its calls not be inlined, within the limits.
type OverLimit struct {
	what   string // a sentence
	advice string
}

func (o *OverLimit) Error() string { return o.what }

// beforeTheEnd says how a context ended.
func beforeTheEnd(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "within the time limit"
	}
	return "before the interruption"
}

// limited runs work. It returns the limit that was exceeded, where time counts from begun, or "" if
// work came to its end. Work that exceeds a limit is abandoned: it may still write to the variables
// that it captured. abandon, if not nil, gets the channel that the work closes when it ends.
func limited(ctx context.Context, opt Options, begun time.Time, abandon func(<-chan struct{}), work func()) (over string) {
	done, ended := make(chan any, 1), make(chan struct{})
	exceeded := exceeds(opt, begun) // before the work starts: the heap that it begins with is no part of it
	go func() {
		defer close(ended)
		defer func() { done <- recover() }()
		work()
	}()
	if abandon != nil {
		defer func() {
			if over != "" {
				abandon(ended)
			}
		}()
	}
	interrupted := ctx.Done()
	var give <-chan time.Time
	check := time.NewTicker(pause)
	defer check.Stop()
	for {
		select {
		case broken := <-done:
			if broken != nil {
				panic(broken) // on the goroutine that has the barrier
			}
			return ""
		case <-interrupted:
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return beforeTheEnd(ctx)
			}
			interrupted, give = nil, time.After(patience)
		case <-give:
			return beforeTheEnd(ctx)
		case <-check.C:
		}
		if over := exceeded(); over != "" {
			return over
		}
	}
}

// exceeds returns a function that says which limit of time, counted from begun, or of memory, counted
// from now, is exceeded: "" if none is.
func exceeds(opt Options, begun time.Time) func() string {
	before := heapBytes()
	return func() string {
		now := heapBytes()
		before = min(before, now) // garbage from before does not count
		switch {
		case opt.Timeout > 0 && time.Since(begun) >= opt.Timeout:
			return fmt.Sprintf("within the time limit of %s", opt.Timeout)
		case opt.Memory > 0 && now-before > opt.Memory:
			return fmt.Sprintf("within the memory limit of %d MiB", opt.Memory>>20)
		}
		return ""
	}
}

func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
