package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"fencepost/internal/supervise"
)

// interruptGrace is the time that interrupted work has to end. Engines stop at once and return
// what they know; a parser in the middle of a file does not notice the interruption.
const interruptGrace = 5 * time.Second

// storingGrace is the time that an interrupted check has which stores a checkpoint: a large one takes long. Who does
// not want to wait interrupts once more.
const storingGrace = 24 * time.Hour

// interruptible runs work until it ends or is interrupted, and calls interrupted on an
// interruption. After the first Ctrl-C the signal has its usual effect again, so a second
// one kills. Work that does not stop in time is a *supervise.NotStopped.
func interruptible[T any](a *app, interrupted func(), work func(context.Context) (T, error)) (T, error) {
	base := a.base
	if base == nil {
		base = context.Background()
	}
	ctx, stop := signal.NotifyContext(base, os.Interrupt, syscall.SIGTERM)
	defer stop()
	limits := supervise.Limits{Grace: a.grace, Interrupted: func() { stop(); interrupted() }}
	return supervise.Run(ctx, "the command", limits, work)
}
