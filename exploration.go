package fencepost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"fencepost/internal/engine/rf"
	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// Exploration is a check that is done in parts: by one process that stops and goes on, or by many. It explores one
// execution per reads-from class under one memory model, as the engine rf does.
//
// A part is a Task. Run explores a task up to a limit, and returns what it found and the tasks that are left. The tasks
// share nothing: any process that has opened the same exploration can run any of them, in any order. When none is left,
// the sum of what all runs found is the answer, exactly as one run has it. A task that is run twice must be added once.
//
// If a proof is asked for, tasks of it come after those of the search (Proof), and are run in the same way.
//
// Its methods can be called at the same time, except Answer.
type Exploration struct{ e *check.Exploration }

// NewExploration opens an exploration. If the program or the question is refused, it returns nil and says why in the
// diagnostics. The options name one model; of the engines only rf can be named. Data races, robustness and executions
// of final states cannot be asked for.
func NewExploration(ctx context.Context, in query.Input, opt query.CheckOptions) (*Exploration, []verdict.Diagnostic, error) {
	opt.Tool = Version()
	e, diags, err := check.Open(ctx, in, opt, buildVersion())
	if err != nil || e == nil {
		return nil, diags, err
	}
	return &Exploration{e}, diags, nil
}

// Identity says what an exploration is about. Tasks and results of another exploration are refused.
type Identity = check.Identity

// Identity returns the identity of the exploration.
func (x *Exploration) Identity() Identity { return x.e.Identity }

// Task is a part of an exploration that is still to be explored. It has some kilobytes.
type Task struct{ data []byte }

// ID names the task: no two tasks of an exploration have the same name, unless they were left by two runs of one task.
func (t Task) ID() string { return fmt.Sprintf("%x", t.data[len(t.data)-32:]) }

// Bytes returns the task, to store it or send it. The caller must not change them.
func (t Task) Bytes() []byte { return t.data }

// ErrTask says that a task is damaged, or belongs to another exploration.
var ErrTask = rf.ErrTask

// Task returns the task with some bytes. It returns an error that wraps ErrTask if they are none of this exploration.
func (x *Exploration) Task(data []byte) (Task, error) {
	if err := x.e.Check(data); err != nil {
		return Task{}, err
	}
	return Task{data}, nil
}

// Root returns the task of the whole exploration.
func (x *Exploration) Root() Task { return Task{x.e.Root(nil)} }

// Limit is when a run ends. Zero fields are no limits. The end of the context is a limit, too. A run explores
// something before it looks at the clock, so that runs of any limit come to an end together.
type Limit struct {
	Executions int64
	Time       time.Duration
	Workers    int // that explore at the same time; 0: one
	// Before, if not nil, has the findings of other runs, for the reports of Options.Progress.
	Before *Partial
}

// Partial has the findings of runs. The zero value has none. It is stored as JSON, whose layout may change with the
// version.
type Partial struct {
	found rf.Found
	proof *check.MadeProof // nil: no run of the proof
}

// storedPartial is the layout of findings.
type storedPartial struct {
	*rf.Found
	Proof *check.MadeProof `json:",omitempty"`
}

// MarshalJSON writes what was found.
func (p Partial) MarshalJSON() ([]byte, error) { return json.Marshal(storedPartial{&p.found, p.proof}) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Partial) UnmarshalJSON(text []byte) error {
	*p = Partial{}
	s := storedPartial{Found: &p.found}
	err := json.Unmarshal(text, &s)
	p.proof = s.Proof
	return err
}

// Add adds what another run found.
func (p *Partial) Add(other Partial) {
	p.found.Add(&other.found)
	if other.proof == nil {
		return
	}
	if p.proof == nil {
		p.proof = &check.MadeProof{}
	}
	p.proof.Add(other.proof)
}

// uncount takes away what another process counts.
func (p *Partial) uncount() {
	p.found.Uncount()
	if p.proof != nil && !p.proof.Over() {
		p.proof = &check.MadeProof{}
	}
}

// Executions returns how many executions have ended.
func (p Partial) Executions() int64 { return p.found.All() }

// Fingerprint is a sum over all executions. It depends on nothing else.
func (p Partial) Fingerprint() string { return p.found.Fingerprint.String() }

// Part returns what part of the whole exploration is over, or of its proof if that has begun, as far as that can be
// estimated: from 0 to 1.
func (p Partial) Part() float64 {
	if p.proof != nil {
		return p.proof.Share
	}
	return p.found.Part
}

// Over reports whether the rest need not be explored: there is a violation, and only the first is asked for, or the
// answer is unknown, or there is no proof that can be made in parts.
func (p Partial) Over() bool { return p.found.Stopped || p.proof != nil && p.proof.Over() }

// Violated reports whether there is a violation.
func (p Partial) Violated() bool { return len(p.found.Violations) > 0 }

// Again reports whether the exploration must start again, with Exploration.Restart: an access of another size
// than those before has shown that what was found is not exact. This is rare, and happens a few times at most.
func (p Partial) Again() bool { return p.found.Torn }

// Restart returns the task of the whole exploration after Partial.Again. What was found before is void.
func (x *Exploration) Restart(p Partial) Task { return Task{x.e.Root(p.found.Cells)} }

// Proof returns the task of the whole proof. ok is false if none is asked for, there is nothing to prove after what was
// found, or its tasks have begun. It comes when no task of the search is left.
func (x *Exploration) Proof(p Partial) (task Task, ok bool) {
	if !x.e.Proves() || p.proof != nil || p.Over() || p.Again() || p.Violated() {
		return Task{}, false
	}
	return Task{x.e.ProofRoot()}, true
}

// Run explores some tasks up to a limit. It returns what it has found, and the tasks that are left: none if what it
// found is over or must start again. With one worker and no limit of time, the result depends on the tasks and
// the limit only.
func (x *Exploration) Run(ctx context.Context, limit Limit, tasks ...Task) (Partial, []Task, error) {
	in := rf.Limit{Executions: limit.Executions, Time: limit.Time, Workers: limit.Workers}
	if limit.Before != nil {
		in.Before = &limit.Before.found
	}
	data := make([][]byte, 0, len(tasks))
	proofs := 0
	for _, t := range tasks {
		data = append(data, t.data)
		if check.IsProof(t.data) {
			proofs++
		}
	}
	switch proofs {
	case 0:
	case len(tasks):
		made, left, err := x.e.Prove(ctx, data, in)
		if err != nil {
			return Partial{}, nil, err
		}
		return Partial{proof: made}, taskList(left), nil
	default:
		return Partial{}, nil, errors.New("tasks of a search and of its proof are run one after the other")
	}
	found, left, err := x.e.Explore(ctx, data, in)
	if err != nil {
		return Partial{}, nil, err
	}
	return Partial{found: *found}, taskList(left), nil
}

// Split divides a task into at least n, unless it is too small for that. It returns what it has found on the way, and
// the tasks. Both depend on the task and n only.
func (x *Exploration) Split(ctx context.Context, task Task, n int) (Partial, []Task, error) {
	if check.IsProof(task.data) {
		made, left, err := x.e.SplitProof(ctx, task.data, n)
		return Partial{proof: made}, taskList(left), err
	}
	found, left, err := x.e.Split(ctx, task.data, n)
	if err != nil {
		return Partial{}, nil, err
	}
	return Partial{found: *found}, taskList(left), nil
}

func taskList(all [][]byte) []Task {
	var out []Task
	for _, data := range all {
		out = append(out, Task{data})
	}
	return out
}

// Answer returns the answer, as Check gives it, from what all runs found and the time that they took. Violations are
// replayed first. If tasks of the search are left, unfinished says why, such as "interrupted"; else it is "".
func (x *Exploration) Answer(ctx context.Context, p Partial, unfinished string, took time.Duration) (query.Answer, error) {
	if p.Again() {
		return query.Answer{}, errors.New("the exploration must start again")
	}
	return x.e.Answer(ctx, p.found, p.proof, unfinished, took.Seconds())
}
