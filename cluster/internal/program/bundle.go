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
	Input   query.Input       `json:"input"`
	Headers map[string][]byte `json:"headers,omitempty"` // by the name that they were found under
	Options Options           `json:"options"`
}

// Options are the options of a check that change what is explored.
type Options struct {
	Model       query.Model    `json:"model"`
	Lang        string         `json:"lang,omitempty"`
	Buffer      int            `json:"buffer,omitempty"`
	Unroll      int            `json:"unroll,omitempty"`
	Threads     int            `json:"threads,omitempty"`
	Replicate   string         `json:"replicate,omitempty"`
	NoReduction bool           `json:"no_reduction,omitempty"`
	Deadlock    bool           `json:"deadlock,omitempty"`
	Liveness    query.Liveness `json:"liveness,omitempty"`
	KeepGoing   bool           `json:"keep_going,omitempty"`
	Finals      bool           `json:"finals,omitempty"`
	C           COptions       `json:"c"`
}

// COptions say how C is read.
type COptions struct {
	Defines       []string            `json:"defines,omitempty"`
	Undefines     []string            `json:"undefines,omitempty"`
	IncludeDirs   []string            `json:"include_dirs,omitempty"`
	Std           string              `json:"std,omitempty"`
	Flags         []string            `json:"flags,omitempty"`
	FileFlags     map[string][]string `json:"file_flags,omitempty"`
	ExternPure    []string            `json:"extern_pure,omitempty"`
	ExternFence   []string            `json:"extern_fence,omitempty"`
	Entry         []string            `json:"entry,omitempty"`
	Finally       string              `json:"finally,omitempty"`
	CheckOverflow bool                `json:"check_overflow,omitempty"`
	Uninitialised query.Uninitialised `json:"uninitialised,omitempty"`
	NondetRange   []int64             `json:"nondet_range,omitempty"`
	Strict        bool                `json:"strict,omitempty"`
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
	b := &Bundle{Input: in, Headers: map[string][]byte{}, Options: Options{
		Model: model, Lang: opt.Lang, Buffer: opt.Buffer, Unroll: opt.Unroll, Threads: opt.Threads, Replicate: opt.Replicate,
		NoReduction: opt.NoReduction, Deadlock: opt.Deadlock, Liveness: opt.Liveness, KeepGoing: opt.KeepGoing, Finals: opt.Finals,
		C: COptions{
			Defines: opt.C.Defines, Undefines: opt.C.Undefines, IncludeDirs: opt.C.IncludeDirs, Std: opt.C.Std, Flags: opt.C.Flags,
			FileFlags: opt.C.FileFlags, ExternPure: opt.C.ExternPure, ExternFence: opt.C.ExternFence, Entry: opt.C.Entry, Finally: opt.C.Finally,
			CheckOverflow: opt.C.CheckOverflow, Uninitialised: opt.C.Uninitialised, NondetRange: opt.C.NondetRange, Strict: opt.C.Strict,
		},
	}}
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
	o := &b.Options
	return fencepost.NewExploration(ctx, b.Input, query.CheckOptions{
		Options: query.Options{
			Lang: o.Lang, Buffer: o.Buffer, Unroll: o.Unroll, Threads: o.Threads, Replicate: o.Replicate, NoReduction: o.NoReduction,
			C: query.COptions{
				Defines: o.C.Defines, Undefines: o.C.Undefines, IncludeDirs: o.C.IncludeDirs, Std: o.C.Std, Flags: o.C.Flags,
				FileFlags: o.C.FileFlags, Include: include, ExternPure: o.C.ExternPure, ExternFence: o.C.ExternFence, Entry: o.C.Entry, Finally: o.C.Finally,
				CheckOverflow: o.C.CheckOverflow, Uninitialised: o.C.Uninitialised, NondetRange: o.C.NondetRange, Strict: o.C.Strict,
			},
			Progress: progress,
		},
		Models: []query.Model{o.Model}, Engines: []query.Engine{"rf"}, Deadlock: o.Deadlock, Endless: query.Endless{Liveness: o.Liveness},
		KeepGoing: o.KeepGoing, Finals: o.Finals,
	})
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
