package pipeline

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
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

// Watch notes whether an engine has an answer. What is left to do then, such as replay, is never
// abandoned: no answer is lost.
type Watch struct {
	answered atomic.Bool
	outer    *Watch
}

type watchKey struct{}

// NewWatch returns a context whose engines note that they have an answer.
func NewWatch(ctx context.Context) (context.Context, *Watch) {
	outer, _ := ctx.Value(watchKey{}).(*Watch)
	w := &Watch{outer: outer}
	return context.WithValue(ctx, watchKey{}, w), w
}

// Unwatched returns a context whose engines have answers to other questions than the one that is
// watched.
func Unwatched(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchKey{}, (*Watch)(nil))
}

// Answered notes that an engine has an answer.
func Answered(ctx context.Context) {
	w, _ := ctx.Value(watchKey{}).(*Watch)
	for ; w != nil; w = w.outer {
		w.answered.Store(true)
	}
}

// Heed runs a stage that ends soon after its context. If the stage does not, Heed abandons it and
// returns a *Deaf: then the caller must not use anything that the stage may write.
func Heed[T any](ctx context.Context, opt *Options, stage string, work func(context.Context) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	var got outcome
	ctx, watch := NewWatch(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if broken := recover(); broken != nil {
				got.err = fmt.Errorf("%v\n%s", broken, Stack())
			}
		}()
		got.value, got.err = work(ctx)
	}()
	if watch.Ends(ctx, done, opt.Grace()) {
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
// the end of the context, and no engine has an answer.
func (w *Watch) Ends(ctx context.Context, done <-chan struct{}, grace time.Duration) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	select {
	case <-done:
		return true
	case <-time.After(grace):
	}
	if !w.answered.Load() {
		return false
	}
	<-done
	return true
}

// HasAnswer reports whether an engine has an answer.
func (w *Watch) HasAnswer() bool { return w.answered.Load() }
