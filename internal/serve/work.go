package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"fencepost/internal/explorer"
	"fencepost/internal/supervise"
)

// question is a request to a worker.
type question struct {
	Kind string `json:"kind"`
	Body []byte `json:"body"`
}

const (
	// exitMemory is the exit code of a worker that has taken too much memory.
	exitMemory = 9
	// watchPause is the time between two looks at the memory.
	watchPause = 50 * time.Millisecond
	// maxStack is the limit of one stack of a worker, in bytes.
	maxStack = 512 << 20
	// maxAnswer is how many bytes an answer may have.
	maxAnswer = 64 << 20
	// besides is the memory of a worker beside the states that it stores.
	besides = 256 << 20
)

// most returns the limit of the memory of a worker whose searches may store states in so many bytes, 0 for none.
func most(memory int64) int64 {
	if memory <= 0 {
		return 0
	}
	return memory + memory/2 + besides
}

// Work answers the requests of a server, one after the other: the first line of in has the limits, every other one a
// request. It returns when in ends; if it is busy then, it ends the process.
func Work(in io.Reader, out io.Writer) error {
	signal.Ignore(os.Interrupt) // it is meant for the server, which ends its workers
	requests := json.NewDecoder(in)
	var limits explorer.Limits
	if err := requests.Decode(&limits); err != nil {
		return fmt.Errorf("reading the limits: %w", err)
	}
	debug.SetMaxStack(maxStack)
	if limit := most(limits.Memory); limit > 0 {
		debug.SetMemoryLimit(limit - limit/8)
		go watch(limit)
	}
	list := make(chan question)
	var busy atomic.Bool
	go func() {
		defer close(list)
		for {
			var q question
			if err := requests.Decode(&q); err != nil {
				if busy.Load() {
					os.Exit(0) // the server does not wait for the answer
				}
				return
			}
			busy.Store(true)
			list <- q
		}
	}()
	ctx := supervise.WithScope(context.Background())
	for q := range list {
		if err := one(ctx, q, limits, out); err != nil {
			return err
		}
		busy.Store(false)
	}
	return nil
}

// one answers a request.
func one(ctx context.Context, q question, limits explorer.Limits, out io.Writer) error {
	to := &lines{w: out}
	answer, err := explorer.Ask(ctx, q.Kind, q.Body, limits, func(p explorer.Progress) { to.progress(&p) })
	if failed := (*explorer.Failure)(nil); errors.As(err, &failed) {
		_, err = out.Write(encode(line{Failure: failed}))
		return err
	}
	text := encode(line{Answer: answer})
	if len(text) > maxAnswer {
		text = encode(line{Failure: &explorer.Failure{Kind: explorer.Limit, Message: fmt.Sprintf("the answer has more than %d MiB", maxAnswer>>20)}})
	}
	_, err = out.Write(text)
	return err
}

// watch ends the process when it has taken more memory than limit.
func watch(limit int64) {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for {
		metrics.Read(sample)
		if int64(sample[0].Value.Uint64()-sample[1].Value.Uint64()) > limit {
			os.Exit(exitMemory)
		}
		time.Sleep(watchPause)
	}
}
