package supervise

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Work that does not notice the end of its context is abandoned, and the next question in the scope waits for it.
func TestRun(t *testing.T) {
	ctx, cancel := context.WithCancel(WithScope(context.Background()))
	stage := OfStage(1) // almost no time to notice
	if got, err := Run(ctx, "stage", stage, func(context.Context) (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	gate, ended := make(chan struct{}), false
	_, err := Run(ctx, "stage", stage, func(context.Context) (int, error) {
		cancel()
		<-gate
		ended = true
		return 7, nil
	})
	if late := (*NotStopped)(nil); !errors.As(err, &late) || err.Error() != "interrupted; stage did not stop in time" {
		t.Errorf("%v", err)
	}
	close(gate)
	if Wait(ctx); !ended {
		t.Error("the work still runs")
	}
}

// A panic is raised again where the work is waited for, with the stack of the work.
func TestPanic(t *testing.T) {
	defer func() {
		p, ok := recover().(*Panic)
		if !ok || p.Value != "BUG: broken" || !strings.Contains(p.String(), "TestPanic.func") {
			t.Errorf("%v", p)
		}
	}()
	_, _ = Run(context.Background(), "outer", Limits{}, func(ctx context.Context) (int, error) {
		return Run(ctx, "inner", Limits{}, func(context.Context) (int, error) { panic("BUG: broken") })
	})
}

// Work that ends after an interruption has the last word, and the interruption is told once.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	told := 0
	limits := Limits{Grace: time.Hour, Interrupted: func() { told++ }}
	got, err := Run(ctx, "stage", limits, func(ctx context.Context) (int, error) {
		<-ctx.Done()
		return 7, nil
	})
	if got != 7 || err != nil || told > 1 {
		t.Errorf("got %d, %v, told %d times", got, err, told)
	}
	forever := make(chan int)
	defer close(forever)
	limits.Grace = 0
	if _, err = Run(ctx, "stage", limits, func(context.Context) (int, error) { return <-forever, nil }); err == nil || told == 0 {
		t.Errorf("got %v, told %d times", err, told)
	}
}

// An answer that an engine has is noted in all work around it, and is not lost.
func TestAnswered(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	gate, answered := make(chan struct{}), make(chan struct{})
	var inner *Work
	outer := Start(ctx, nil, func(ctx context.Context) {
		inner = Start(ctx, nil, func(ctx context.Context) {
			Start(Apart(ctx), nil, Answered)
			Answered(ctx)
			close(answered)
			<-gate
		})
		<-inner.Ended()
	})
	<-answered
	cancel()
	if !inner.HasAnswer() || !outer.HasAnswer() {
		t.Error("the work does not know of the answer")
	}
	ended := make(chan bool)
	go func() { ended <- outer.StopsSoon(ctx, 0) }()
	close(gate)
	if !<-ended {
		t.Error("an answer is lost")
	}
}

// A question of another kind has no answer for the work.
func TestApart(t *testing.T) {
	w := Start(context.Background(), nil, func(ctx context.Context) { Answered(Apart(ctx)) })
	if <-w.Ended(); w.HasAnswer() {
		t.Error("the answer to another question counts")
	}
}

// Work that does not end is abandoned at each of the limits, and work that ends is not.
func TestLimits(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		name   string
		ctx    context.Context
		limit  time.Duration
		memory int64
		work   func()
		want   string
	}{
		{"time", t.Context(), time.Nanosecond, 0, func() { <-hang }, "within the time limit of 1ns"},
		{"interruption", gone, 0, 0, func() { <-hang }, "interrupted; stage did not stop in time"},
		{"memory", t.Context(), 0, 1 << 20, func() {
			kept := make([]byte, 64<<20)
			<-hang
			kept[0]++
		}, "within the memory limit of 1 MiB"},
		{"nothing", t.Context(), time.Hour, 1 << 40, func() {}, ""},
	} {
		runtime.GC() // so that what earlier tests left does not count
		_, err := Run(tc.ctx, "stage", Limits{Exceeded: Exceeds(tc.limit, tc.memory, time.Now())}, func(context.Context) (int, error) {
			tc.work()
			return 0, nil
		})
		got, late := "", (*NotStopped)(nil)
		if errors.As(err, &late) {
			if got = late.Limit; got == "" {
				got = late.Error()
			}
		}
		if got != tc.want {
			t.Errorf("%s: ended %q, want %q", tc.name, got, tc.want)
		}
	}
}
