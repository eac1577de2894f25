package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is the time that interrupted work has to end. Engines stop at once and return
// what they know; a parser in the middle of a file does not notice the interruption.
const patience = 5 * time.Second

// storingPatience is the time that an interrupted check has which stores a checkpoint: a large one takes long. Who does
// not want to wait interrupts once more.
const storingPatience = 24 * time.Hour

// errDeaf means that work was interrupted and did not end. It still runs and may write, so
// nothing that it has access to may be used any more.
var errDeaf = errors.New("interrupted before there was an answer")

// interruptible runs work until it ends or is interrupted, and calls heard on an
// interruption. After the first Ctrl-C the signal has its usual effect again, so a second
// one kills.
func interruptible[T any](heard func(), work func(context.Context) (T, error)) (T, error) {
	return untilInterrupted(patience, heard, work)
}

// untilInterrupted is interruptible with another patience.
func untilInterrupted[T any](patience time.Duration, heard func(), work func(context.Context) (T, error)) (T, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return impatient(ctx, patience, func() { stop(); heard() }, work)
}

// impatient runs work, and abandons it if it has not ended some time after the end of its
// context.
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
			o.panic = recover() // raised again in the caller
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
