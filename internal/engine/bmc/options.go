package bmc

import (
	"cmp"
	"context"
	"io"

	"fencepost/internal/engine"
)

// Options are the bounds and switches of bounded model checking. The defaults replace bounds that
// are zero.
type Options struct {
	Unroll int // how often a loop body runs; zero: as the limits of the task say
	Rounds int // rounds of all threads in order [TNIFLP16 §VI]
	Clock  int // K: times at which stores can reach memory, 0 to K-1
	Queue  int // N: writes to one location that are kept, N-1 of them waiting
	Width  int // bits that results of arithmetic may have; 0: as many as they need
	// Encoding says how schedules are encoded. "" is the order of events if the program allows it and
	// no bound for rounds, times or lists is set, and rounds otherwise.
	Encoding Encoding
	// Auto raises the bounds step by step until there is an answer or the time is over.
	Auto bool
	// Solver is a SAT solver on the PATH; "" is the embedded one.
	Solver string
	// DIMACS gets the formula of the main question, if not nil.
	DIMACS io.Writer
	// Report is called with the result of each step of Auto, if not nil.
	Report func(text string)
}

// Encoding says how the formula encodes schedules.
type Encoding string

// The encodings.
const (
	Rounds Encoding = "rounds" // rounds of all threads, times and lists of writes
	Order  Encoding = "order"  // the order of all events, without bounds other than unrolling and width
)

// Engine is bounded model checking with the default bounds.
var Engine = New(Options{})

// New returns the engine with bounds and switches.
func New(opt Options) engine.Engine {
	return engine.Engine{
		Name:     "bmc",
		Doc:      "all schedules of a number of rounds and all inputs in one formula",
		Papers:   []string{"TNIFLP16"},
		Supports: linked,
		Run: func(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
			if err := linked(task); err != nil {
				return nil, err
			}
			opt := opt
			opt.Unroll = cmp.Or(opt.Unroll, task.Limits.Unroll)
			if opt.Encoding == "" && (opt.Rounds > 0 || opt.Clock > 0 || opt.Queue > 0) {
				opt.Encoding = Rounds
			}
			return search(ctx, task, opt)
		},
	}
}
