package pipeline

import (
	"context"
	"errors"
	"time"

	"fencepost/internal/supervise"
	"fencepost/query"
)

// Limits of the reading and of the passes. A page of macros can stand for more text than there is
// memory, and the parser of C, a library, cannot be stopped. So a front end is supervised, and abandoned
// when it exceeds a limit. The passes look at the limits themselves, but not in every loop.

// readingGrace is how long reading may go on after an interruption. Small programs are read by
// then, so the interruption reaches the engine, which reports what it knows.
const readingGrace = time.Second

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
func beforeTheEnd(end error) string {
	if errors.Is(end, context.DeadlineExceeded) {
		return "within the time limit"
	}
	return "before the interruption"
}

// limited runs work. It returns the limit that was exceeded, where time counts from begun, or "" if
// work came to its end. Work that exceeds a limit may still write to the variables that it captured.
func limited(ctx context.Context, opt query.Options, begun time.Time, stoppable bool, work func()) string {
	limits := supervise.Limits{Grace: readingGrace, Exceeded: supervise.Exceeds(opt.Timeout, opt.Memory, begun), Unstoppable: !stoppable}
	_, err := supervise.Run(ctx, "", limits, func(context.Context) (struct{}, error) {
		work()
		return struct{}{}, nil
	})
	late := (*supervise.NotStopped)(nil)
	switch {
	case !errors.As(err, &late):
		return ""
	case late.Limit != "":
		return late.Limit
	default:
		return beforeTheEnd(late.End)
	}
}
