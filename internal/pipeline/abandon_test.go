package pipeline

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// A stage that does not notice the end of its context is abandoned, and the next question waits for it.
func TestHeed(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	opt := &Options{Timeout: 1} // almost no time to notice
	if got, err := Heed(ctx, opt, "stage", func(context.Context) (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	gate, ended := make(chan struct{}), false
	_, err := Heed(ctx, opt, "stage", func(context.Context) (int, error) {
		cancel()
		<-gate
		ended = true
		return 7, nil
	})
	if deaf := (*Deaf)(nil); !errors.As(err, &deaf) || err.Error() != "interrupted; stage did not stop in time" {
		t.Errorf("%v", err)
	}
	close(gate)
	if Wait(); !ended {
		t.Error("the stage still runs")
	}
	if _, err := Heed(ctx, opt, "stage", func(context.Context) (int, error) { panic("BUG: broken") }); err == nil || !strings.Contains(err.Error(), "BUG: broken") {
		t.Errorf("%v", err)
	}
}

// An answer that an engine has is noted in every watch around it.
func TestWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	outerCtx, outer := NewWatch(ctx)
	inner, watch := NewWatch(outerCtx)
	done := make(chan struct{})
	if watch.Ends(inner, done, 0) {
		t.Error("something has ended")
	}
	Answered(inner)
	if !outer.HasAnswer() {
		t.Error("the outer watch does not know of the answer")
	}
	ended := make(chan bool)
	go func() { ended <- outer.Ends(outerCtx, done, 0) }()
	close(done)
	if !<-ended {
		t.Error("an answer is lost")
	}
}
