package explorer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"sync"
	"time"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/explore"
	"fencepost/query"
	"fencepost/verdict"
)

// Limits of a request.
const (
	MaxRequest = 1 << 20 // bytes, with the program
	maxText    = 256 << 10
	// StepTime is the time for what must be there at once: states, and runs in other forms.
	StepTime = 20 * time.Second
	// States of a graph: at most, and if the request names no limit.
	maxGraph, defaultGraph = 2000, 300
)

// Request is a question of the page. Every kind of request has a program; what else counts depends on its kind.
type Request struct {
	Name  string `json:"name"` // of the file, whose extension tells the language
	Text  string `json:"text"`
	Model string `json:"model"` // "": tso
	// Run names steps, as verdict.State does. Add is a further one. Witness, if not nil, is taken before.
	Run     []string         `json:"run"`
	Add     string           `json:"add"`
	Witness *verdict.Witness `json:"witness"`
	// Lenient leaves steps out that are not possible. Without it such a run is refused.
	Lenient bool   `json:"lenient"`
	Task    string `json:"task"`  // the text of the task that the program is an answer to
	Other   string `json:"other"` // the model to compare with
	Format  string `json:"format"`
	Limit   int    `json:"limit"` // of states of a graph
}

// Limits bound what a request may use.
type Limits struct {
	Timeout time.Duration // of a search, for each model; 0: none
	Memory  int64         // bytes; 0: none
	Workers int           // 0: one per core
	// Headers are the files that C programs can include beside the standard headers, by the names under which the
	// program looks for them. No other file is read.
	Headers map[string][]byte
}

// Progress is how far a search has come.
type Progress struct {
	Model      string `json:"model"`
	Engine     string `json:"engine,omitempty"`
	States     int64  `json:"states"`
	Executions int64  `json:"executions,omitempty"`
	Seconds    int64  `json:"seconds"`
}

// Failure is a request that has no answer. Kind tells the page what to do with it.
type Failure struct {
	Kind    FailureKind `json:"kind"`
	Message string      `json:"message"`
	Step    int         `json:"step,omitempty"` // of the run, from 1: the first that is not possible
}

func (f *Failure) Error() string { return f.Message }

// FailureKind says what is wrong with a request.
type FailureKind string

// The kinds of failures.
const (
	BadRequest FailureKind = "request"  // not understood, or too large
	BadRun     FailureKind = "run"      // a step of the run is not possible
	NoFence    FailureKind = "fence"    // no fence can be inserted
	Canceled   FailureKind = "canceled" // by the user
	Limit      FailureKind = "limit"    // the request needs more time or memory than it may take
	Part       FailureKind = "part"     // the small part of the playground cannot answer: ask the whole one
	Internal   FailureKind = "internal" // a bug of fencepost
)

// handlers has a row for each kind of request.
var handlers = map[string]struct {
	answer func(*asking) (any, error)
	search bool // takes long
}{
	"state":    {answer: (*asking).state},
	"compare":  {answer: (*asking).compare},
	"insert":   {answer: (*asking).insert},
	"share":    {answer: (*asking).share},
	"task":     {answer: (*asking).task},
	"graph":    {answer: (*asking).graph, search: true},
	"outcomes": {answer: (*asking).outcomes, search: true},
	"check":    {answer: (*asking).check, search: true},
	"robust":   {answer: (*asking).robust, search: true},
	"fences":   {answer: (*asking).fences, search: true},
}

// IsSearch reports whether a kind of request may take long. known is false for a word that is no kind of request.
func IsSearch(kind string) (search, known bool) {
	h, known := handlers[kind]
	return h.search, known
}

// asking is a request that is being answered.
type asking struct {
	Request
	ctx    context.Context
	limits Limits
	report func(Progress)
	input  query.Input
	model  query.Model
}

// Ask answers a request. Every error is a *Failure. report, which may be nil, is called with the progress of searches.
func Ask(ctx context.Context, kind string, body []byte, limits Limits, report func(Progress)) (any, error) {
	h, known := handlers[kind]
	if !known {
		return nil, &Failure{Kind: BadRequest, Message: fmt.Sprintf("there is no request %q", kind)}
	}
	a := &asking{ctx: ctx, limits: limits, report: report}
	if err := a.read(body); err != nil {
		return nil, &Failure{Kind: BadRequest, Message: err.Error()}
	}
	if err := a.refuseC11(kind); err != nil {
		return nil, err
	}
	if !h.search {
		limited, cancel := context.WithTimeout(ctx, StepTime)
		defer cancel()
		a.ctx, a.limits.Timeout = limited, StepTime
	}
	answer, err := h.answer(a)
	if err != nil {
		return nil, failure(a.ctx, err)
	}
	return answer, nil
}

// read reads a request and checks it.
func (a *asking) read(body []byte) error {
	if len(body) > MaxRequest {
		return fmt.Errorf("the request has more than %d bytes", MaxRequest)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&a.Request); err != nil {
		return fmt.Errorf("the request cannot be read: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("the request cannot be read: there is more after it")
	}
	if len(a.Text) > maxText {
		return fmt.Errorf("the program has more than %d KiB", maxText>>10)
	}
	if a.Name == "" {
		a.Name = "program"
	}
	a.Name = path.Base(path.Clean("/" + a.Name)) // a name of a file, and no path: nothing is read from a disk
	a.input = query.Input{Name: a.Name, Text: []byte(a.Text)}
	a.model = query.Model(cmp.Or(a.Model, "tso"))
	return nil
}

// options returns the options of all questions.
func (a *asking) options() query.Options {
	opt := query.Options{Timeout: a.limits.Timeout, Memory: a.limits.Memory, Workers: a.limits.Workers}
	opt.C.Include = func(name string) ([]byte, bool) {
		text, ok := a.limits.Headers[path.Clean(name)]
		return text, ok
	}
	return opt
}

// searchOptions returns the options of searches, which report their progress.
func (a *asking) searchOptions() query.Options {
	opt := a.options()
	if a.report != nil {
		var one sync.Mutex // engines report at the same time
		opt.Progress = func(p query.Progress) {
			one.Lock()
			defer one.Unlock()
			a.report(Progress{Model: string(p.Model), Engine: string(p.Engine), States: p.States, Executions: p.Executions, Seconds: int64(p.Elapsed / time.Second)})
		}
	}
	return opt
}

// tooManyValues is the code of the error about an input that only the engine bmc takes.
const tooManyValues = "FP0915"

// errPart is the failure of the small part of the playground where the whole one has an answer.
var errPart = &Failure{Kind: Part, Message: "this part of the playground cannot answer that"}

// checked returns the diagnostics about a program, or errPart.
func checked(diags []verdict.Diagnostic) ([]verdict.Diagnostic, error) {
	for _, d := range diags {
		if d.Code == pipeline.NeedsWhole || !pipeline.Whole && d.Code == tooManyValues {
			return nil, errPart
		}
	}
	if diags == nil {
		return []verdict.Diagnostic{}, nil
	}
	return diags, nil
}

// failure puts an error into words.
func failure(ctx context.Context, err error) *Failure {
	run, fence, option := (*query.RunError)(nil), (*explore.NoFenceError)(nil), (*query.OptionError)(nil)
	known := (*Failure)(nil)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &run):
		return &Failure{Kind: BadRun, Message: run.Error(), Step: run.Index + 1}
	case errors.As(err, &fence):
		return &Failure{Kind: NoFence, Message: fence.Why}
	case errors.As(err, &option):
		return &Failure{Kind: BadRequest, Message: option.Error()}
	case errors.Is(err, context.DeadlineExceeded):
		return &Failure{Kind: Limit, Message: "the time for this request is over"}
	case ctx.Err() != nil:
		return &Failure{Kind: Canceled, Message: "canceled"}
	default:
		return &Failure{Kind: Internal, Message: "internal error: " + err.Error()}
	}
}
