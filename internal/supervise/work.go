package supervise

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"fencepost/internal/budget"
)

// Work is a computation on a goroutine of its own.
type Work struct {
	// Budget limits the work in its turns; nil: the work takes no turns.
	Budget *budget.Budget
	cancel context.CancelFunc
	ended  chan struct{} // closed when the work has ended
	failed *Panic        // set before ended is closed
	// answered is set when an engine has an answer; around is the work that this one is a part of.
	answered atomic.Bool
	around   *Work
}

// Panic is a panic of work. It is raised again where the work is waited for, with the stack of the work.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) String() string { return fmt.Sprintf("%v\n%s", p.Value, p.Stack) }

// Broken returns what recover returned with the stack at which it was raised, for reports of broken invariants. It is
// called by the function that recovers.
func Broken(recovered any) *Panic {
	if p, ok := recovered.(*Panic); ok {
		return p
	}
	buf := make([]byte, 8<<10)
	return &Panic{recovered, buf[:runtime.Stack(buf, false)]}
}

type workKey struct{}

// Start starts work. Its context ends with ctx, or when Cancel is called. With a budget, the work does as much as the
// budget grants.
func Start(ctx context.Context, b *budget.Budget, work func(context.Context)) *Work {
	around, _ := ctx.Value(workKey{}).(*Work)
	w := &Work{Budget: b, ended: make(chan struct{}), around: around}
	if b != nil {
		ctx = budget.With(ctx, b)
	}
	ctx, w.cancel = context.WithCancel(context.WithValue(ctx, workKey{}, w))
	go func() {
		defer close(w.ended)
		defer func() {
			if broken := recover(); broken != nil {
				w.failed = Broken(broken)
			}
		}()
		work(ctx)
	}()
	return w
}

// Ended returns a channel that is closed when the work has ended.
func (w *Work) Ended() <-chan struct{} { return w.ended }

// HasEnded reports whether the work has ended.
func (w *Work) HasEnded() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// Raise raises the panic of work that has ended with one.
func (w *Work) Raise() {
	if w.failed != nil {
		panic(w.failed)
	}
}

// Cancel ends the context of the work.
func (w *Work) Cancel() { w.cancel() }

// Abandon cancels work that is not needed any more. The scope of the context remembers it until it has ended.
func (w *Work) Abandon(ctx context.Context) {
	w.cancel()
	abandon(ctx, w.ended)
}

// Answered notes that an engine has an answer for the work that the context belongs to, and for all work around it.
func Answered(ctx context.Context) {
	w, _ := ctx.Value(workKey{}).(*Work)
	for ; w != nil; w = w.around {
		w.answered.Store(true)
	}
}

// Apart returns a context for questions of other kinds: an engine that answers one of them has no answer for the work
// that ctx belongs to.
func Apart(ctx context.Context) context.Context {
	return context.WithValue(ctx, workKey{}, (*Work)(nil))
}

// HasAnswer reports whether an engine has an answer.
func (w *Work) HasAnswer() bool { return w.answered.Load() }

// StopsSoon waits until the work has ended. It returns false if the work still runs some time after the end of ctx,
// and no engine has an answer.
func (w *Work) StopsSoon(ctx context.Context, grace time.Duration) bool {
	select {
	case <-w.ended:
		return true
	case <-ctx.Done():
	}
	select {
	case <-w.ended:
		return true
	case <-time.After(grace):
	}
	if !w.HasAnswer() {
		return false
	}
	<-w.ended
	return true
}
