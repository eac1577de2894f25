package engine

import (
	"context"
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/query"
	"fencepost/verdict"
)

// Engine is one way of answering.
type Engine struct {
	Name   string
	Doc    string   // one line
	Papers []string // bibliography keys
	// Supports reports why the engine cannot do a task, or nil.
	Supports func(*Task) error
	Run      func(context.Context, *Task) (*Outcome, error)
}

// Unsupported says why an engine cannot do a task, and where in the program the reason is.
type Unsupported struct {
	Pos    *verdict.Pos // nil: about the whole program
	What   string
	Code   string // of the diagnostic, "" for the one of all such
	Advice string // what to do, "" if there is nothing to say
}

func (u *Unsupported) Error() string {
	if u.Pos == nil {
		return u.What
	}
	return fmt.Sprintf("%s: %s", u.Pos, u.What)
}

// Task is a question about a flat program under one model.
type Task struct {
	Program *ir.Program
	Props   *property.Set
	Model   memory.Model
	Limits  Limits

	KeepGoing bool // find every distinct violation
	Finals    bool // collect final states
	// ExitFinals, with Finals, says that the states in which a thread calls exit are final states, too.
	ExitFinals bool
	// WitnessFinal, with Finals, picks final states that are wanted with an
	// execution each, as Outcome.Finals has them. Workers call it at the same time.
	WitnessFinal func(final string) bool
	NoReduction  bool // no partial-order or symmetry reduction
	Progress     func(query.Progress)
	// AtBound, if not nil, is asked at the end of the first execution that met a bound of loops whether the search ends
	// there: an answer for all executions will not come of it. Only smc asks. Workers ask at the same time.
	AtBound func() bool
}

// Limits of a run. Time is the context's.
type Limits struct {
	Memory int64 // bytes of stored states, 0: none
	// Share, if not nil, returns the part of Memory that the run may use at this moment: engines that
	// run at the same time share it.
	Share   func() int64
	States  int64 // states visited, 0: none
	Buffer  int   // entries per thread's buffer where stores are in a cycle
	Unroll  int   // runs of a loop body per entry, where an engine needs a bound
	Workers int
}

// MemoryLimit returns the bytes of stored states that the run may use at this moment, 0: no limit.
func (l *Limits) MemoryLimit() int64 {
	if l.Memory > 0 && l.Share != nil {
		return l.Share()
	}
	return l.Memory
}

// MemoryText returns the memory limit with its unit: the share of an engine may be less than a MiB.
func (l *Limits) MemoryText() string {
	if n := l.MemoryLimit(); n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", l.MemoryLimit()>>20)
}

// Outcome is the answer of an engine. It has no verdict: the pipeline replays violations and concludes.
type Outcome struct {
	Violations []Violation // nearest first
	// Unknown is why the search did not finish, "" if it did.
	Unknown  string
	Coverage verdict.Coverage
	Stats    verdict.Stats
	Warnings []verdict.Warning
	// Exits counts executions ended by exit; Stats.FinalStates counts executions that ran to their end. ChecksReached says that some check was executed.
	Exits int64
	// Failed counts executions in which a check fails, for engines that count executions.
	Failed        int64
	ChecksReached bool
	// Ends says that some execution runs to its end, for engines that do not count them.
	Ends bool
	// Returns says that in some execution the main thread returns, which ends the program. Other threads may go on then.
	Returns bool
	// Rests says that in some execution all threads that have not ended come to loops that are meant to go on for ever.
	// It is set where no execution ends.
	Rests bool
	// Finals are the distinct final states, sorted; only if asked for.
	Finals []string
}

// Ended reports whether some execution was seen to come to its end.
func (o *Outcome) Ended() bool { return o.Stats.FinalStates+o.Exits > 0 || o.Ends || o.Returns }

// ViolationKind says what was violated. The zero value is unset.
type ViolationKind uint8

// The kinds.
const (
	_             ViolationKind = iota
	CheckFailed                 // an assertion or an error of the program
	GoalReached                 // property.Goal number Goal
	FinalViolated               // the final condition: a state against never or forall, or one for exists
	Deadlock
	NonTermination // threads go round loops that no thread can end; the witness leads to the first round
	Attack         // a store delayed past a load breaks robustness; Edge and Load name them
	FinalReached   // a final state that Task.WitnessFinal picked; no violation of anything
	// TriangularRace: an SC execution in which a thread stores at Edge and reads at
	// Load without draining in between, and another writes what was read in the last step.
	TriangularRace
	// DataRace: the steps StoreStep and LoadStep of the witness race, by the definition of C11.
	DataRace
	// NotSC: under c11, no SC execution has the reads of the witness, and the last writes of its locations Graph.Last.
	NotSC
)

func (k ViolationKind) String() string {
	switch k {
	case CheckFailed:
		return "check"
	case GoalReached:
		return "goal"
	case FinalViolated:
		return "final"
	case Deadlock:
		return "deadlock"
	case NonTermination:
		return "non-termination"
	case Attack:
		return "attack"
	case FinalReached:
		return "final state"
	case TriangularRace:
		return "triangular race"
	case DataRace:
		return "data race"
	case NotSC:
		return "not sequentially consistent"
	default:
		panic(fmt.Sprintf("BUG: unknown violation %d", k))
	}
}

// Violation is something found, with the execution that shows it.
type Violation struct {
	Kind    ViolationKind
	Class   ir.CheckClass // CheckFailed
	Edge    ir.EdgeID     // CheckFailed: the edge, NoEdge if a flush failed
	Goal    int           // GoalReached
	Load    ir.EdgeID     // Attack: the load; Edge is the delayed store
	Final   string        // FinalReached
	Waits   string        // Deadlock: who waits, and where, in words; NonTermination: who loops, and why
	Witness *verdict.Witness
	// Attack: the steps of the witness that are the delayed store and the load. Class
	// is set if the last step is a store that fails when it reaches memory. Open says
	// that the execution ends with stores pending: inside a section that has no end.
	StoreStep, LoadStep int
	Open                bool
}

// Pos is a position as verdicts carry it, or nil.
func Pos(e *ir.Edge) *verdict.Pos {
	if e == nil {
		return nil
	}
	return Position(e.Pos)
}

// EdgeText is an operation in the text form of ir, with its position.
func EdgeText(p *ir.Program, id ir.EdgeID) string {
	f, e, _ := p.EdgeByID(id)
	text := irtext.FormatOp(p, f, &e.Op)
	if pos := Pos(e); pos != nil {
		text += fmt.Sprintf(" at %s", pos)
	}
	return text
}

// Position returns a span as verdicts have it, nil for one that is not known.
func Position(s source.Span) *verdict.Pos {
	if !s.IsValid() {
		return nil
	}
	return &verdict.Pos{File: s.File, Line: s.Line, Col: s.Col, EndLine: s.EndLine, EndCol: s.EndCol}
}
