package budget

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestTurns lets two computations take turns: no other order of their steps is possible.
func TestTurns(t *testing.T) {
	var order []byte
	ctx := context.Background()
	finished := map[byte]chan struct{}{}
	budgets := map[byte]*Budget{}
	for _, name := range []byte("ab") {
		p, done := New(), make(chan struct{})
		budgets[name], finished[name] = p, done
		go func() {
			defer close(done)
			for range 6 {
				if err := Spend(With(ctx, p), 1); err != nil {
					t.Error(err)
				}
				order = append(order, name)
			}
		}()
		<-p.Used()
	}
	for range 4 {
		for _, name := range []byte("ab") {
			budgets[name].Grant(2)
			select {
			case <-budgets[name].Used():
			case <-finished[name]:
			}
		}
	}
	// The first grant pays for the unit that each has done before it waits.
	if got, want := string(order), "abaabbaabbab"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
}

// TestDebt: work that is larger than the grant is paid for by later ones.
func TestDebt(t *testing.T) {
	p, done := New(), make(chan error, 1)
	p.Grant(1)
	go func() {
		done <- p.Spend(context.Background(), 100)
	}()
	grants := 0
	for ended := false; !ended; grants++ {
		select {
		case <-p.Used():
			p.Grant(10)
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			ended = true
		}
	}
	if grants != 11 { // ten and the end
		t.Errorf("went on after %d grants, want 10", grants-1)
	}
}

// TestCanceled: a computation that waits for its turn ends with its context.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p, done := New(), make(chan error, 1)
	go func() { done <- p.Spend(ctx, 1) }()
	<-p.Used()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestFree: no computation waits once its budget is free, and none waits without a budget.
func TestFree(t *testing.T) {
	ctx := context.Background()
	if err := Spend(ctx, 1<<40); err != nil {
		t.Error(err)
	}
	p := New()
	var units atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 1000 {
				if p.Spend(ctx, 1<<20) == nil {
					units.Add(1)
				}
			}
		})
	}
	<-p.Used()
	p.Free()
	p.Free()
	all.Wait()
	if n := units.Load(); n != 4000 {
		t.Errorf("%d of 4000 units", n)
	}
}

// TestAwaitFree: work that cannot be counted waits until there are no turns any more.
func TestAwaitFree(t *testing.T) {
	ctx := context.Background()
	if err := AwaitFree(ctx); err != nil {
		t.Error(err)
	}
	p, began := New(), make(chan error, 1)
	go func() { began <- AwaitFree(With(ctx, p)) }()
	<-p.Used()
	for range 100 {
		p.Grant(1 << 30)
		<-p.Used()
	}
	select {
	case <-began:
		t.Error("it began in a turn")
	default:
	}
	p.Free()
	if err := <-began; err != nil {
		t.Error(err)
	}
	for range 100 { // and it never waits again
		if err := AwaitFree(With(ctx, p)); err != nil {
			t.Error(err)
		}
	}
}

// TestBegin: what is counted for work that waits to begin is spent, but not done.
func TestBegin(t *testing.T) {
	p := New()
	ctx := With(context.Background(), p)
	begun := make(chan error)
	go func() { begun <- Begin(ctx, 100) }()
	<-p.Used()
	if p.Spent() != 100 || p.Done() != 0 {
		t.Errorf("%d units spent and %d done while the work waits", p.Spent(), p.Done())
	}
	p.Grant(200)
	if err := <-begun; err != nil || p.Done() != 100 {
		t.Errorf("%d units done, %v", p.Done(), err)
	}
	if err := Begin(context.Background(), 100); err != nil { // no budget grants everything
		t.Error(err)
	}
}
