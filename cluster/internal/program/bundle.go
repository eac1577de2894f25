package program

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"fencepost"
	"fencepost/cluster/internal/task"
	"fencepost/query"
	"fencepost/verdict"
)

// The limits of a bundle that a worker accepts.
const (
	maxBundle = 128 << 20 // bytes before compression
	maxFiles  = 10_000
)

// Bundle is a question about a program: the texts of all its files, and the options.
type Bundle struct {
	Input   query.Input        `json:"input"`
	Headers map[string][]byte  `json:"headers,omitempty"` // by the name that they were found under
	Options query.CheckOptions `json:"options"`           // with one model
}

// refused are options that an exploration in parts does not have.
func refused(opt *query.CheckOptions) string {
	switch {
	case len(opt.Engines) > 0 && (len(opt.Engines) > 1 || opt.Engines[0] != "rf"):
		return "another engine than rf"
	case opt.AnyThreads:
		return "any number of threads"
	case opt.Leaks:
		return "memory leaks"
	case opt.Races:
		return "data races"
	case opt.Robustness:
		return "robustness"
	case opt.CrossCheck:
		return "a comparison of engines"
	case opt.Liveness == query.LivenessFair:
		return "fair endless executions"
	default:
		return ""
	}
}

// New reads a program and returns the bundle of a question about it under one model, and its exploration. If
// the program is refused, the exploration is nil and the diagnostics say why.
func New(ctx context.Context, in query.Input, model query.Model, opt query.CheckOptions) (*Bundle, *fencepost.Exploration, []verdict.Diagnostic, error) {
	if what := refused(&opt); what != "" {
		return nil, nil, nil, fmt.Errorf("several machines cannot be asked for %s", what)
	}
	b := &Bundle{Input: in, Headers: map[string][]byte{}, Options: opt.Under(model)}
	b.Options.Engines = []query.Engine{"rf"}
	b.Options.Certified = opt.Wanted()                               // workers write no certificate
	b.Options.Timeout, b.Options.Memory, b.Options.Workers = 0, 0, 0 // the workers have their own
	var mu sync.Mutex
	find := opt.C.Include
	x, diags, err := b.open(ctx, func(name string) ([]byte, bool) {
		if find == nil {
			return nil, false
		}
		text, ok := find(name)
		if ok {
			mu.Lock()
			defer mu.Unlock()
			b.Headers[name] = text
		}
		return text, ok
	}, opt.Progress)
	return b, x, diags, err
}

// open reads the program of a bundle.
func (b *Bundle) open(ctx context.Context, include func(string) ([]byte, bool), progress func(query.Progress)) (*fencepost.Exploration, []verdict.Diagnostic, error) {
	opt := b.Options
	opt.C.Include, opt.Progress = include, progress
	return fencepost.NewExploration(ctx, b.Input, opt)
}

// Encode returns the bundle as compressed JSON.
func (b *Bundle) Encode() ([]byte, error) { return task.Pack(b) }

// Decode reads what Encode wrote.
func Decode(data []byte) (*Bundle, error) {
	var b Bundle
	if err := task.Unpack(data, maxBundle, &b); err != nil {
		return nil, fmt.Errorf("the program: %w", err)
	}
	if n := len(b.Headers) + len(b.Input.More); n > maxFiles {
		return nil, fmt.Errorf("the program has %d files, more than %d", n, maxFiles)
	}
	return &b, nil
}

// Open returns the exploration of a bundle. It reads no file: headers come from the bundle.
func (b *Bundle) Open(ctx context.Context) (*fencepost.Exploration, error) {
	if len(b.Options.Models) != 1 {
		return nil, errors.New("the program is stored without a memory model, as other versions of fencepost do")
	}
	headers := maps.Clone(b.Headers)
	x, diags, err := b.open(ctx, func(name string) ([]byte, bool) {
		text, ok := headers[name]
		return text, ok
	}, nil)
	if err != nil {
		return nil, err
	}
	if x == nil {
		for _, d := range diags {
			if d.Severity == verdict.SeverityError {
				return nil, fmt.Errorf("the program is refused: %s", d.Message)
			}
		}
		return nil, errors.New("the program is refused")
	}
	return x, nil
}
