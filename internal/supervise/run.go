package supervise

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"time"
)

// Limits say when Run stops waiting for work.
type Limits struct {
	// Grace is how long the work may go on after an interruption, and AtTimeLimit after the time limit of its context.
	Grace, AtTimeLimit time.Duration
	// KeepAnswers waits longer if an engine has an answer.
	KeepAnswers bool
	// Exceeded, if not nil, is called now and then. It names the limit that the work exceeds, or returns "".
	Exceeded func() string
	// Unstoppable: the work looks at no context, so that no later question waits for it once it is abandoned.
	Unstoppable bool
	// Interrupted, if not nil, is called once, at the end of the context.
	Interrupted func()
}

// OfStage returns the limits of a stage that looks at its context, under a time limit: see Grace.
func OfStage(timeLimit time.Duration) Limits {
	g := Grace(timeLimit)
	return Limits{Grace: g, AtTimeLimit: g, KeepAnswers: true}
}

// NotStopped says that work was abandoned. It may still run: the caller must not use anything that the work may write.
type NotStopped struct {
	Stage string
	Limit string // what Limits.Exceeded returned; "": the context has ended
	End   error  // of the context
}

func (n *NotStopped) Error() string {
	limit := "interrupted"
	if errors.Is(n.End, context.DeadlineExceeded) {
		limit = "time limit reached"
	}
	return fmt.Sprintf("%s; %s did not stop in time", limit, n.Stage)
}

// pause is the time between two calls of Limits.Exceeded.
const pause = 100 * time.Millisecond

// Run runs work, and waits until it has ended or exceeds a limit. In the second case it abandons the work, and returns a
// *NotStopped. A panic of the work is raised again, as a *Panic.
func Run[T any](ctx context.Context, stage string, limits Limits, work func(context.Context) (T, error)) (T, error) {
	var got T
	var err error
	w := Start(ctx, nil, func(ctx context.Context) { got, err = work(ctx) })
	if late := w.wait(ctx, &limits); late != nil {
		late.Stage = stage
		if w.cancel(); !limits.Unstoppable {
			abandon(ctx, w.ended)
		}
		var none T
		return none, late
	}
	w.cancel()
	w.Raise()
	return got, err
}

// wait returns nil when the work has ended.
func (w *Work) wait(ctx context.Context, limits *Limits) *NotStopped {
	var poll <-chan time.Time
	if limits.Exceeded != nil {
		ticker := time.NewTicker(pause)
		defer ticker.Stop()
		poll = ticker.C
	}
	end := ctx.Done()
	var late <-chan time.Time
	for {
		select {
		case <-w.ended:
			return nil
		case <-end:
			end = nil
			if limits.Interrupted != nil {
				limits.Interrupted()
			}
			grace := limits.Grace
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				grace = limits.AtTimeLimit
			}
			late = time.After(grace)
		case <-late:
			if !limits.KeepAnswers || !w.HasAnswer() {
				return &NotStopped{End: ctx.Err()}
			}
			late = nil
		case <-poll:
			if limit := limits.Exceeded(); limit != "" {
				return &NotStopped{Limit: limit, End: ctx.Err()}
			}
		}
	}
}

// Exceeds returns a function that says which limit of time, counted from begun, or of memory, counted from now, is
// exceeded: "" if none is. A limit of 0 is none.
func Exceeds(timeLimit time.Duration, memory int64, begun time.Time) func() string {
	before := heapBytes()
	return func() string {
		now := heapBytes()
		before = min(before, now) // garbage from before does not count
		switch {
		case timeLimit > 0 && time.Since(begun) >= timeLimit:
			return fmt.Sprintf("within the time limit of %s", timeLimit)
		case memory > 0 && now-before > memory:
			return fmt.Sprintf("within the memory limit of %d MiB", memory>>20)
		}
		return ""
	}
}

func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
