package check

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/supervise"
	"fencepost/verdict"
)

// Who runs when. Engines take turns first: one runs at a time, for as much work as it is granted,
// and goes on later where it stopped. Work is counted in states, events and propagations, and never
// in time, so with one worker the engine that answers, and the execution it shows, depend on the
// program alone. turns.go says whose turn is next. If that gives no definite answer, all engines
// run at the same time until the time limit. The first definite answer ends all others, and the
// question does not wait until they have stopped.

// An attempt is one engine at work.
type attempt struct {
	ask   *pipeline.Asking
	work  func(context.Context)
	share turnShare
	// fewestBounds says that no other engine would get further within the bounds that the user set.
	fewestBounds bool
	partial      bool              // its engine does not ask whether loops end
	then         func() []*attempt // not nil: it answers another question; called when it ends, for new attempts
	begun        *supervise.Work   // nil: not yet
	ran          time.Duration     // in its turns
	freed        time.Time         // when it could run without turns, zero: not yet
	over         bool              // it has ended or was given up
	gaveUp       bool              // its answer is not needed any more, or comes too late
	notStopped   bool              // it did not notice the time limit
}

func newAttempt(e *engine.Engine, model, under memory.Model, s *schedule) *attempt {
	return &attempt{ask: &pipeline.Asking{Engine: e, Model: model, Under: under, Share: s.share}, share: shareOf(e.Name), fewestBounds: e.Name == explicit.Engine.Name}
}

// A schedule lets attempts run until one has a definite answer.
type schedule struct {
	attempts []*attempt
	memory   int64         // limit for all attempts, 0: none
	grace    time.Duration // how long an attempt may take to notice that it is canceled
	live     atomic.Int64  // attempts that have not ended
	// crossCheck waits for all engines and compares all definite answers.
	crossCheck bool
	log        func(line string) // nil: none
	searching  searching
}

// answer returns the first definite answer, nil if there is none. Attempts that have not ended by
// then are canceled, and the next question waits for them.
func (s *schedule) answer(ctx context.Context) (*verdict.Result, error) {
	s.live.Store(int64(len(s.attempts)))
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		for _, a := range s.attempts {
			if a.begun != nil {
				a.begun.Abandon(ctx)
			}
		}
	}()
	var first *verdict.Result
	for a := s.next(ctx); a != nil; a = s.next(ctx) {
		work := a.share.turn()
		s.say(a, "turn of %d ms", work/budget.Millisecond)
		if !s.turn(ctx, a, work) {
			continue
		}
		res, err := s.ended(a, first)
		if err != nil || res != nil && !s.crossCheck {
			return res, err
		}
		first = better(first, res)
	}
	return s.together(ctx, first)
}

// share returns the part of the memory limit that each attempt may use. The memory of attempts that
// have ended goes to the others.
func (s *schedule) share() int64 { return s.memory / max(1, s.live.Load()) }

// turn lets an attempt do as much work as units says. It reports whether the attempt has ended.
func (s *schedule) turn(ctx context.Context, a *attempt, units int64) bool {
	s.begin(ctx, a)
	start := time.Now()
	defer func() { a.ran += time.Since(start) }()
	a.begun.Budget.Grant(units)
	defer func() { a.share.took(units, a.begun.Budget.Expected()) }()
	select {
	case <-a.begun.Ended():
		return true
	case <-a.begun.Budget.Used():
		return false
	case <-ctx.Done(): // it waits for nothing any more
		if a.begun.StopsSoon(ctx, s.grace) {
			return true
		}
		a.notStopped = true
		s.giveUp(a)
		return false
	}
}

// giveUp stops waiting for an attempt.
func (s *schedule) giveUp(a *attempt) {
	a.over, a.gaveUp = true, true
	s.live.Add(-1)
	if a.begun != nil {
		s.searching.without(a.begun.Budget)
	}
}

// tooLate reports whether an attempt would begin after the time limit. The first one that answers
// the question begins in any case, so that there is an answer.
func (s *schedule) tooLate(ctx context.Context, a *attempt) bool {
	if ctx.Err() == nil || a.begun != nil {
		return false
	}
	first := slices.IndexFunc(s.attempts, func(b *attempt) bool { return b.then == nil && (b.notStopped || !b.gaveUp) })
	return a != s.attempts[first]
}

func (s *schedule) begin(ctx context.Context, a *attempt) {
	if a.begun == nil {
		b := budget.New()
		s.searching.add(b)
		a.begun = supervise.Start(ctx, b, a.work)
	}
}

// searching has the budgets of the attempts that are at their first search. Attempts read it while others begin and end.
type searching struct {
	mu  sync.Mutex
	all []*budget.Budget
}

func (l *searching) add(b *budget.Budget) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, b)
}

// without takes an attempt off the list, and returns the work that the others have done.
func (l *searching) without(one *budget.Budget) (sum int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(b *budget.Budget) bool { return b == one })
	for _, b := range l.all {
		sum += b.Spent()
	}
	return sum
}

// ended takes the answer of an attempt that has ended. It returns the answer if the question needs
// no other: it is definite, or the engine with the fewest bounds met only bounds of the user. first
// is such an answer from before.
func (s *schedule) ended(a *attempt, first *verdict.Result) (*verdict.Result, error) {
	a.begun.Raise()
	a.over = true
	s.searching.without(a.begun.Budget)
	s.live.Add(-1)
	a.measured()
	if a.ask.Err != nil {
		return nil, a.ask.Err
	}
	if a.then != nil {
		more := a.then()
		s.live.Add(int64(len(more)))
		s.attempts = append(s.attempts, more...)
		return nil, nil
	}
	s.say(a, "%s", a.ask.Result.Verdict)
	switch res := a.ask.Result; {
	case a.partial && res.Verdict != verdict.Unsafe: // see bestOf
		return nil, nil
	case !definite(res) && !a.ask.Cut && (reachedOnly(res) || nothingEnds(res)): // and violates nothing else
		return res, nil
	case !definite(res) && (a.ask.Cut || res.BoundedOnly || !a.fewestBounds || res.Coverage.Unsupported != nil):
		return nil, nil
	case first != nil && definite(first) && definite(res) && first.Verdict != res.Verdict:
		return nil, &Contradiction{first, res}
	default:
		return res, nil
	}
}

// better returns the answer that counts: the first one, unless only the second is definite.
func better(first, second *verdict.Result) *verdict.Result {
	if first == nil || second != nil && !definite(first) && definite(second) {
		return second
	}
	return first
}

// NoMoreTurns is said of an engine that runs to its end from now on, beside the others.
const NoMoreTurns = "no more turns"

// together lets all attempts run at the same time. first is a definite answer from before, if all
// engines are to be compared.
func (s *schedule) together(ctx context.Context, first *verdict.Result) (*verdict.Result, error) {
	ends := make(chan *attempt, 64) // more than there are attempts: an attempt that ends never waits
	running := 0
	start := func(from int) {
		for _, a := range s.attempts[from:] {
			if a.over || s.tooLate(ctx, a) {
				continue
			}
			s.say(a, NoMoreTurns)
			s.begin(ctx, a)
			a.freed = time.Now()
			a.begun.Budget.Free()
			running++
			go func() {
				<-a.begun.Ended()
				ends <- a
			}()
		}
	}
	start(0)
	var late <-chan time.Time // after the time limit: nothing that still runs counts any more
	limit := ctx.Done()
	for running > 0 && (first == nil || s.crossCheck || len(ends) > 0) {
		var a *attempt
		select {
		case a = <-ends:
		case <-limit:
			limit, late = nil, time.After(s.grace)
			continue
		case <-late:
			if s.answering() {
				late = nil
				continue
			}
			return first, nil
		}
		running--
		if a.over {
			continue // given up
		}
		known := len(s.attempts)
		res, err := s.ended(a, first)
		if err != nil {
			return nil, err
		}
		first = better(first, res)
		start(known)
	}
	return first, nil
}

// answering reports whether an attempt that has not ended has an answer, which is replayed.
func (s *schedule) answering() bool {
	return slices.ContainsFunc(s.attempts, func(a *attempt) bool { return !a.over && a.begun != nil && a.begun.HasAnswer() })
}

// say reports what an attempt does.
func (s *schedule) say(a *attempt, format string, args ...any) {
	if s.log != nil {
		s.log(fmt.Sprintf("%s under %s: ", a.ask.Engine.Name, a.ask.Under) + fmt.Sprintf(format, args...))
	}
}

// measured corrects the time in the statistics, which counts from the first turn on, to the time in
// which the attempt had a turn.
func (a *attempt) measured() {
	if !a.freed.IsZero() {
		a.ran += time.Since(a.freed)
	}
	if a.ask.Result != nil {
		a.ask.Result.Stats.Seconds = min(a.ask.Result.Stats.Seconds, a.ran.Seconds())
	}
}

// hasEnded reports whether an attempt has an answer.
func (a *attempt) hasEnded() bool {
	return a.begun != nil && !a.gaveUp && a.begun.HasEnded()
}

// drop gives up all attempts that have not ended.
func (s *schedule) drop() {
	for _, a := range s.attempts {
		if a.over {
			continue
		}
		s.giveUp(a)
		if a.begun != nil {
			a.begun.Cancel()
		}
	}
}
