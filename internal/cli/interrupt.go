package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long work that was interrupted has to come to its end. Engines
// stop at once and say what they know; a parser in the middle of a file does not
// listen.
const patience = 1500 * time.Millisecond

// errDeaf means that work was interrupted and went on. It is still running, and may be
// writing: nothing it has touched may be used any more.
var errDeaf = errors.New("interrupted before anything was known")

// interruptible runs work until it ends or is interrupted; heard is called then.
// After the first Ctrl-C the signal has its usual effect again, so that a second kills.
func interruptible[T any](heard func(), work func(context.Context) (T, error)) (T, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return impatient(ctx, patience, func() { stop(); heard() }, work)
}

// impatient runs work, and leaves it behind if it has not ended some time after
// its context has.
func impatient[T any](ctx context.Context, patience time.Duration, heard func(), work func(context.Context) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
		panic any
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.panic = recover() // for whoever called
			done <- o
		}()
		o.value, o.err = work(ctx)
	}()
	finish := func(o outcome) (T, error) {
		if o.panic != nil {
			panic(o.panic)
		}
		return o.value, o.err
	}
	select {
	case o := <-done:
		return finish(o)
	case <-ctx.Done():
	}
	heard()
	select {
	case o := <-done:
		return finish(o)
	case <-time.After(patience):
		var none T
		return none, errDeaf
	}
}
