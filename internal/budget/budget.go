// Package budget lets computations take turns. A computation counts its work, such as states, and stops
// when it has done as much as it was granted, until it is granted more. Turns are counted in work and
// never in time, so that their order is the same in every run.
//
// A unit of work is about a nanosecond on the machine on which the costs were measured. A computation that counts work has
// constants that say what its steps cost; make measure ONLY=charges compares the sum with
// the CPU time.
package budget

import (
	"context"
	"sync"
)

// Units of work.
const (
	Microsecond = 1_000
	Millisecond = 1_000 * Microsecond
)

// Budget counts the work that one computation may still do. Its workers share it. A nil Budget grants everything.
type Budget struct {
	mu      sync.Mutex
	granted int64         // units that may still be done; negative: done too much already
	spent   int64         // units that were done
	free    bool          // everything may be done
	more    chan struct{} // closed by the next grant; nil while units are left
	ahead   int64         // units that were counted for work that waits to begin
	used    chan struct{} // has room for one message: the grant is used up
	left    int64         // units that the computation expects to need still, 0: it cannot tell
}

// New returns a budget with nothing granted.
func New() *Budget { return &Budget{used: make(chan struct{}, 1)} }

type key struct{}

// With returns a context whose computation keeps to p.
func With(ctx context.Context, p *Budget) context.Context { return context.WithValue(ctx, key{}, p) }

// Of returns the budget that a context asks for, nil for none.
func Of(ctx context.Context) *Budget {
	p, _ := ctx.Value(key{}).(*Budget)
	return p
}

// Spend counts n units of work. It returns when the computation may go on, or with the error of
// the context when that is done.
func (p *Budget) Spend(ctx context.Context, n int64) error {
	if p == nil {
		return ctx.Err()
	}
	for {
		wait := p.take(n)
		if wait == nil {
			return ctx.Err()
		}
		select {
		case <-wait:
			n = 0
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Begin counts n units for work that begins when it returns.
func Begin(ctx context.Context, n int64) error {
	p := Of(ctx)
	p.waits(n)
	defer p.waits(-n)
	return p.Spend(ctx, n)
}

func (p *Budget) waits(n int64) {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ahead += n
	}
}

// Spend counts n units against the budget that the context asks for.
func Spend(ctx context.Context, n int64) error { return Of(ctx).Spend(ctx, n) }

// Count counts n units that come with an answer: nothing waits for a further grant.
func Count(ctx context.Context, n int64) {
	if p := Of(ctx); p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.spent += n
	}
}

// AwaitFree returns when the budget that the context asks for is free: work that cannot be counted
// begins then. It returns the error of the context when that is done.
func AwaitFree(ctx context.Context) error { return Spend(ctx, 1<<60) }

// take counts n units. It returns nil if the computation may go on, else a channel that the next
// grant closes.
func (p *Budget) take(n int64) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent += n
	if p.free {
		return nil
	}
	p.granted -= n
	if p.granted > 0 {
		return nil
	}
	if p.more == nil {
		p.more = make(chan struct{})
		select {
		case p.used <- struct{}{}:
		default:
		}
	}
	return p.more
}

// Grant allows n more units of work, and forgets an earlier message of Used.
func (p *Budget) Grant(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.granted += n
	select {
	case <-p.used:
	default:
	}
	if p.granted <= 0 { // the computation has done more than that already
		p.used <- struct{}{}
		return
	}
	p.resume()
}

// Free allows everything from now on.
func (p *Budget) Free() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = true
	p.resume()
}

// resume lets a computation that waits go on.
func (p *Budget) resume() {
	if p.more != nil {
		close(p.more)
		p.more = nil
	}
}

// Spent returns the units of work that were done so far.
func (p *Budget) Spent() int64 {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spent
}

// Done returns the units of work that were done so far, without what waits to begin.
func (p *Budget) Done() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spent - p.ahead
}

// Expect says how many units of work the computation expects to need still; 0 if it cannot tell.
func (p *Budget) Expect(left int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = left
}

// Expected returns what the computation said last of the units that it needs still, 0 if it could not tell.
func (p *Budget) Expected() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left
}

// Used returns the channel that gets a message when the grant is used up.
func (p *Budget) Used() <-chan struct{} { return p.used }
