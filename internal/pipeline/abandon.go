package pipeline

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Work that is not needed any more. Every stage notices the end of its context, but some take a moment.
// The answer does not wait for them: they are abandoned, and the next question waits.

// abandoned are computations whose answers are not needed any more. They are canceled, and take a
// moment to notice.
var abandoned struct {
	sync.Mutex
	done []<-chan struct{}
}

// Abandon leaves a canceled computation to itself. It closes done when it has ended.
func Abandon(done <-chan struct{}) {
	select {
	case <-done:
		return
	default:
	}
	abandoned.Lock()
	defer abandoned.Unlock()
	abandoned.done = append(abandoned.done, done)
}

// Wait returns when no abandoned computation runs any more. The next question begins with it, so
// that computations of an old question take no time and memory from a new one.
func Wait() {
	abandoned.Lock()
	list := abandoned.done
	abandoned.done = nil
	abandoned.Unlock()
	for _, done := range list {
		<-done
	}
}

// Deaf says that a stage did not notice the end of its context in time.
type Deaf struct {
	stage string
	limit string // that ended the context
}

func (d *Deaf) Error() string { return fmt.Sprintf("%s; %s did not stop in time", d.limit, d.stage) }

// Grace returns how long a stage may take to notice the end of its context: as long as the time
// limit again, but not much more than a second.
func (o *Options) Grace() time.Duration {
	if o.Timeout <= 0 {
		return time.Second
	}
	return min(o.Timeout, time.Second) + time.Second
}

// Heed runs a stage that ends soon after its context. If the stage does not, Heed abandons it and
// returns a *Deaf: then the caller must not use anything that the stage may write.
func Heed[T any](ctx context.Context, opt *Options, stage string, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	var got outcome
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if broken := recover(); broken != nil {
				got.err = fmt.Errorf("%v\n%s", broken, Stack())
			}
		}()
		got.value, got.err = work()
	}()
	if Ends(ctx, done, opt.Grace()) {
		return got.value, got.err
	}
	Abandon(done)
	var none T
	return none, NewDeaf(ctx, stage)
}

// NewDeaf returns the error for a stage that did not notice the end of its context.
func NewDeaf(ctx context.Context, stage string) *Deaf {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &Deaf{stage, "time limit reached"}
	}
	return &Deaf{stage, "interrupted"}
}

// Ends waits until done is closed. It reports false if that does not happen within some time after
// the end of the context.
func Ends(ctx context.Context, done <-chan struct{}, grace time.Duration) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	select {
	case <-done:
		return true
	case <-time.After(grace):
		return false
	}
}
