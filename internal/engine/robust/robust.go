package robust

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/search"
	"fencepost/internal/trace"
	"fencepost/verdict"
)

// Engine is robustness against TSO.
var Engine = engine.Engine{
	Name:     "robust",
	Doc:      "robustness against TSO by attacks",
	Papers:   []string{"BDM13"},
	Supports: supports,
	Run:      Run,
}

// Run answers the task: the violations of the outcome are feasible attacks, one
// unless the task keeps going.
func Run(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
	if err := supports(task); err != nil {
		return nil, err
	}
	start := time.Now()
	y := memory.New(task.Program, memory.TSO, memory.Options{Attacks: true})
	var all []*explorer
	problem := search.Problem{
		Worker:  func() search.Worker { x := newExplorer(y); all = append(all, x); return x },
		Workers: task.Limits.Workers,
		Memory:  task.Limits.Memory,
		States:  task.Limits.States,
		All:     task.KeepGoing,
	}
	if task.Progress != nil {
		problem.Progress = func(p search.Progress) {
			task.Progress(engine.Progress{States: p.States, Waiting: p.States - p.Expanded, Depth: p.Depth, Elapsed: time.Since(start)})
		}
	}
	res := search.Run(ctx, problem)
	out := &engine.Outcome{
		Stats: verdict.Stats{States: res.States, Transitions: res.Transitions, Depth: res.Depth, Bytes: res.Bytes},
	}
	switch res.Stop {
	case search.OutOfMemory:
		out.Unknown = fmt.Sprintf("memory limit of %d MiB reached after %d states", task.Limits.Memory>>20, res.States)
	case search.OutOfStates:
		out.Unknown = fmt.Sprintf("limit of %d states reached", task.Limits.States)
	case search.OutOfTime:
		out.Unknown = fmt.Sprintf("time limit reached or interrupted after %d states", res.States)
	case search.Failed:
		out.Unknown = res.Err.Error()
	}
	for _, f := range res.Findings {
		v, err := violation(task.Program, y, res, f)
		if err != nil {
			return nil, err
		}
		out.Violations = append(out.Violations, v)
	}
	out.Coverage.Exhaustive = res.Stop == search.Complete
	for _, x := range all {
		for i := range y.EdgeCount() {
			if e := y.EdgeAt(i); x.s.Bounds[i] {
				v, _ := e.Op.Val.IsConst()
				out.Coverage.Exhaustive = false
				out.Coverage.Bounds = append(out.Coverage.Bounds, verdict.Bound{Name: e.Op.Msg, Value: int(v), Hit: true, Pos: engine.Pos(e)})
			}
		}
	}
	out.Stats.Seconds = time.Since(start).Seconds()
	return out, nil
}

// violation rebuilds the TSO execution behind an attack [BDM13 Thm 2]: everybody's
// stores reach memory at once, except the attacker's from the delayed one on, which
// do so at the end, in order. Its happens-before relation must have a cycle.
func violation(p *ir.Program, y *memory.System, res *search.Result, f search.Finding) (engine.Violation, error) {
	b := &rebuilder{x: newExplorer(y), w: engine.NewRecorder(memory.New(p, memory.TSO, memory.Options{}))}
	b.x.s = y.NewState()
	b.x.s.Record = true
	for i, state := range res.Path(f) {
		if err := b.reach(state, i == 0); err != nil {
			return engine.Violation{}, err
		}
	}
	if err := b.finish(f.Key); err != nil {
		return engine.Violation{}, err
	}
	w := b.w.Witness()
	if trace.New(p, w).Cycle() == nil {
		return engine.Violation{}, fmt.Errorf("the execution of an attack has no cycle in its happens-before relation")
	}
	key := []byte(f.Key)
	return engine.Violation{
		Kind: engine.Attack, Edge: ir.EdgeID(binary.BigEndian.Uint32(key[4:])), Load: ir.EdgeID(binary.BigEndian.Uint32(key[8:])), Witness: w,
	}, nil
}

// rebuilder finds the steps between stored states and runs them under TSO.
type rebuilder struct {
	x        *explorer
	w        *engine.Recorder
	attacker int // thread whose stores are delayed, 1 + index; 0: none yet
}

// reach finds the successor with a key, and takes its steps.
func (b *rebuilder) reach(state []byte, first bool) error {
	var way *successor
	b.x.found = func(*attack, successor) {}
	b.x.emit = func(a *attack, s successor) {
		if way == nil && bytes.Equal(encode(b.x.y, b.x.s, a, nil), state) {
			c := s
			c.steps = append([]memory.Step(nil), s.steps...)
			way = &c
		}
	}
	if first {
		b.x.initial()
	} else {
		b.x.expand()
	}
	if way == nil {
		return fmt.Errorf("no step leads on in the path to an attack")
	}
	b.take(*way)
	decode(b.x.y, b.x.s, &b.x.a, state)
	return nil
}

// finish takes the step that closes the cycle, then lets the delayed stores go.
func (b *rebuilder) finish(key string) error {
	var way *successor
	b.x.emit = func(*attack, successor) {}
	b.x.found = func(a *attack, s successor) {
		if way == nil && attackKey(a) == key {
			c := s
			c.steps = append([]memory.Step(nil), s.steps...)
			way = &c
		}
	}
	b.x.expand()
	if way == nil {
		return fmt.Errorf("no step closes the cycle of an attack")
	}
	b.take(*way)
	for len(b.w.State().Buffer(ir.ThreadID(b.attacker-1))) > 0 {
		b.w.Step(memory.Step{Thread: int32(b.attacker - 1), Kind: memory.Flush})
	}
	return nil
}

func (b *rebuilder) take(s successor) {
	for i, st := range s.steps {
		if i == 0 && s.delay {
			b.attacker = int(st.Thread) + 1
		}
		b.w.Step(st)
		if int(st.Thread)+1 != b.attacker {
			for len(b.w.State().Buffer(ir.ThreadID(st.Thread))) > 0 {
				b.w.Step(memory.Step{Thread: st.Thread, Kind: memory.Flush})
			}
		}
	}
}
