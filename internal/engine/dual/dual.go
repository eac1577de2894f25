package dual

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/lts"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// Options turn parts of the search on and off, to compare answers with and without them.
type Options struct {
	NoWords    bool // own messages may stand in any order and at any state
	NoValues   bool // own messages may have any value
	NoPairs    bool // configurations may have states and values that exclude each other
	SmallSteps bool // no normal form: single steps, as the paper has them
	Late       bool // messages are propagated as late as possible; this is tried, and saves next to nothing
}

// Engine is the engine with all that makes it fast.
var Engine = New(Options{})

// New returns the engine.
func New(opt Options) engine.Engine {
	return engine.Engine{
		Name:     "dual",
		Doc:      "backward search over load buffers: TSO with buffers of any length, finite data",
		Papers:   []string{"AABN18"},
		Supports: linked,
		Run: func(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
			return answer(ctx, task, opt)
		},
	}
}

// maxThreads bounds the threads: sets of them are words.
const maxThreads = 64

func supports(t *engine.Task) error {
	if err := t.TakesThreads("dual"); err != nil {
		return err
	}
	if err := t.NoEndless("dual"); err != nil {
		return err
	}
	switch {
	case t.Model != memory.TSO:
		return fmt.Errorf("dual answers under TSO alone, not under %s", strings.ToUpper(t.Model.String()))
	case t.Finals:
		return errors.New("dual does not collect final states")
	case t.KeepGoing:
		return errors.New("dual reports one violation")
	}
	return takes(t)
}

// takes refuses programs that have something that dual does not take.
func takes(t *engine.Task) error {
	if err := t.NoExtras("dual"); err != nil {
		return err
	}
	switch {
	case len(t.Program.Threads) > maxThreads:
		return fmt.Errorf("dual takes at most %d threads", maxThreads)
	}
	if e := overlappingPools(t.Program); e != nil {
		return &engine.Unsupported{Pos: engine.Pos(e), What: "dual: a spawn that shares some of its threads with another one is not supported"}
	}
	if what := engine.InsideSections(t.Program, t.Props); what != "" {
		return fmt.Errorf("dual does not take %s", what)
	}
	for i := range t.Props.Goals { // sections are one step here
		if t.Props.Goals[i].MentionsMemory() && engine.MemoryInside(t.Program) {
			return errors.New("dual does not take a goal that reads memory where sections write several times")
		}
	}
	for th := range t.Program.Threads {
		f := t.Program.ThreadFunc(ir.ThreadID(th))
		for i := range f.Edges {
			if what := refused(&f.Edges[i].Op); what != "" {
				return &engine.Unsupported{Pos: engine.Pos(&f.Edges[i]), What: fmt.Sprintf("dual: %s is not supported", what)}
			}
		}
	}
	return nil
}

// refused names an operation that no thread may have, "" if there is nothing against it.
func refused(op *ir.Op) string {
	switch op.Kind {
	case ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier, ir.Alloc, ir.Free:
		return op.Kind.String()
	case ir.Lock, ir.TryLock, ir.Unlock, ir.Await:
		if op.Mutex.Kind != ir.MutexUnset && op.Mutex.Kind != ir.NormalMutex {
			return "a mutex that is not of the normal kind"
		}
	case ir.Havoc, ir.AbstractLoad:
		if !op.Range.Bounded || op.Range.Hi-op.Range.Lo < 0 || op.Range.Hi-op.Range.Lo >= lts.MaxChoices {
			return fmt.Sprintf("a havoc without a range of at most %d values", lts.MaxChoices)
		}
	}
	return ""
}

func run(ctx context.Context, task *engine.Task, opt Options) (*engine.Outcome, error) {
	if err := supports(task); err != nil {
		return nil, err
	}
	start := time.Now()
	out := &engine.Outcome{}
	err := decide(ctx, task, opt, out, nil, func(m *model, out *engine.Outcome) error { return m.answer(ctx, out) })
	var grows *lts.Growing
	switch {
	case errors.As(err, &grows):
		out.Unknown = fmt.Sprintf("%s may take more and more values: dual needs finite data", grows.Cell)
	case err != nil:
		out.Unknown = reason(err)
	}
	out.Stats.Seconds = time.Since(start).Seconds()
	return out, nil
}

// reason says why there is no answer.
func reason(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "time limit reached before the states of the threads were known"
	case errors.Is(err, context.Canceled):
		return "interrupted before the states of the threads were known"
	}
	return err.Error()
}

// searchTargets searches for what violates the property, and notes the work.
func (m *model) searchTargets(ctx context.Context, out *engine.Outcome) (*search, error) {
	targets, err := m.targets(ctx)
	if err != nil {
		return nil, err
	}
	s := m.search(ctx, targets)
	out.Stats = verdict.Stats{States: int64(len(s.elements)), Transitions: s.tried, Bytes: s.bytes}
	return s, nil
}

// answer searches, and turns the result into an outcome.
func (m *model) answer(ctx context.Context, out *engine.Outcome) error {
	s, err := m.searchTargets(ctx, out)
	if err != nil {
		return err
	}
	if s.found != anything {
		v, err := s.violation()
		if err != nil {
			return err
		}
		out.Violations = append(out.Violations, v)
		return nil
	}
	if s.stop != nil {
		return s.stop
	}
	if err := m.bounds(ctx, out); err != nil {
		return err
	}
	out.Coverage.Exhaustive = len(out.Coverage.Bounds) == 0
	return tested(ctx, m.task, out)
}
