package fuzz

import (
	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/endless"
)

// One execution. An event is a step that the schedule decides about, with the steps of its thread after it
// that no other thread can notice.

const (
	maxEvents  = 1 << 16 // of an execution; then it is cut off
	maxSteps   = 1 << 18 // the same for steps
	maxLocal   = 1 << 10 // steps after an event that no other thread can notice
	maxRounds  = 24      // events of a thread in one idle loop before it yields, on average
	maxYields  = 1 << 9  // yields of waiting threads in an execution; then it is cut off
	maxAlone   = 1 << 5  // the same for yields in a row of one thread, while no other can go on
	maxInARow  = 1 << 10 // events of a thread in a row before it yields
	wakeChance = 64      // one in so many waits for a condition ends without a signal, where it could
)

// runner runs executions one after the other. It is one worker's own.
type runner struct {
	task  *engine.Task
	y     *memory.System
	s     *memory.State
	plan  *schedule
	judge *engine.Judge
	show  *engine.Finals
	loops *endless.Test // nil: endless loops are not asked about
	idle  [][]int32     // by thread and location: the idle loop it is in, or -1

	path    []memory.Step // of the execution
	enabled []memory.Step
	events  int
	thread  int // that took the last step other than a flush, -1: none
	inARow  int // events of it
	yielding
	store int // the point of the store that has just entered a buffer, -1: none

	points points
	ends   engine.Ends
	cut    int64 // executions that were cut off
	steps  int64
}

// yielding says which threads wait, and for how long.
type yielding struct {
	rounds  int // events of it in the loop that are left before it yields
	loop    int32
	yields  int             // of threads that wait
	alone   int             // of them, in a row of the same thread
	yielded map[uint64]bool // hashes of the states in which threads yielded
	judged  int             // the number of yields after which it is judged whether the loops are endless
}

// found describes a violation. The zero value: there is none.
type found struct {
	kind  engine.ViolationKind
	goal  int
	final string
	// why is why no more executions can be run, "" if they can.
	why error
}

func newRunner(task *engine.Task, y *memory.System) *runner {
	r := &runner{task: task, y: y, s: y.NewState(), plan: newSchedule(y.Threads()), judge: engine.NewJudge(y), show: engine.NewFinals(y, task.Props), yielding: yielding{yielded: map[uint64]bool{}}}
	if task.AsksLoops() {
		r.loops = endless.New(memory.New(task.Program, task.Model, memory.Options{}))
	}
	var locations []int
	for t := range task.Program.Threads {
		f := task.Program.ThreadFunc(ir.ThreadID(t))
		r.idle = append(r.idle, analysis.IdleLoops(f))
		locations = append(locations, len(f.Locs))
	}
	r.points = newPoints(locations)
	return r
}

// run runs the execution of a seed from the initial state.
func (r *runner) run(seed uint64, depth, length int) found {
	r.s.Undo(0)
	r.path, r.events, r.thread, r.store, r.yields, r.alone = r.path[:0], 0, -1, -1, 0, 0
	r.judged = len(r.idle)
	clear(r.yielded)
	r.plan.begin(seed, depth, length)
	defer func() { r.steps += int64(len(r.path)) }()
	for r.events < maxEvents && len(r.path) < maxSteps && r.yields < maxYields && r.alone < maxAlone {
		r.plan.walk()
		st, ok := r.pick()
		for ok && r.plan.changesAt(r.events) {
			r.plan.change(r.s, r.y.Model, st)
			st, ok = r.pick()
		}
		if r.s.Err != nil {
			return found{why: r.s.Err}
		}
		if !ok {
			return r.end()
		}
		if f, over := r.take(st); over {
			return f
		}
	}
	r.cut++
	r.ends.Bounded++
	return found{}
}

// pick returns the step of the thread or buffer with the highest priority that has one. The choices of a
// thread are random.
func (r *runner) pick() (memory.Step, bool) {
	r.s.Withheld = false
	var st memory.Step
	at := priority(-1 << 63)
	for _, t := range r.plan.order {
		r.enabled = r.y.EnabledEdges(r.s, t, r.enabled[:0])
		if n := len(r.enabled); n > 0 && (r.enabled[0].Kind != memory.Wake || r.plan.rng.IntN(wakeChance) == 0) {
			st, at = r.enabled[0], r.plan.threads[t]
			if n > 1 {
				st = r.enabled[r.plan.rng.IntN(n)]
			}
			break
		}
	}
	if r.y.Model != memory.SC && r.s.Holder() < 0 {
		for t := range r.plan.buffers {
			if len(r.s.Buffer(ir.ThreadID(t))) > 0 {
				st, at = r.pickFlush(t, st, at)
			}
		}
	}
	if st.Kind == memory.StepUnset {
		return r.timeout()
	}
	return st, true
}

// pickFlush returns a flush of thread t if its priority is higher than the one of a step, else the step.
func (r *runner) pickFlush(t int, st memory.Step, at priority) (memory.Step, priority) {
	if r.y.Model == memory.TSO {
		if p := r.plan.buffers[t]; p > at {
			return memory.Step{Thread: int32(t), Kind: memory.Flush}, p
		}
		return st, at
	}
	b := r.s.Buffer(ir.ThreadID(t))
	r.enabled = r.y.Thread(r.s, t).EnabledFlushes(r.enabled[:0])
	for _, f := range r.enabled {
		if p := r.plan.ofEntry(t, b[f.Index].Addr); p > at {
			st, at = f, p
		}
	}
	return st, at
}

// timeout returns the step by which the time limit of a wait ends it, where nothing else can happen.
func (r *runner) timeout() (memory.Step, bool) {
	for _, t := range r.plan.order {
		r.enabled = r.y.EnabledEdges(r.s, t, r.enabled[:0])
		if len(r.enabled) > 0 && r.y.Thread(r.s, t).Op(r.enabled[0].Edge).Timed {
			return r.enabled[0], true
		}
	}
	return memory.Step{}, false
}

// take takes a step and the steps after it that no other thread can notice. It reports whether the execution
// is over.
func (r *runner) take(st memory.Step) (found, bool) {
	r.note(st)
	t, pc := int(st.Thread), 0
	if st.Kind != memory.Flush {
		pc = int(r.s.PC(ir.ThreadID(t)))
	}
	pending := len(r.s.Buffer(ir.ThreadID(t)))
	r.y.Apply(r.s, st)
	r.path = append(r.path, st)
	r.events++
	switch {
	case r.s.Faulted():
		r.ends.Failed++
		return found{kind: engine.CheckFailed}, true
	case r.s.Over():
		r.ends.Exits++
		return found{}, true
	case len(r.task.Props.Goals) > 0:
		if f, reached := r.goal(); reached {
			return f, true
		}
	case st.Kind != memory.Flush:
		n := len(r.path)
		if r.path = r.y.Thread(r.s, t).Advance(nil, maxLocal, r.path); len(r.path)-n == maxLocal {
			r.rounds = 0 // a loop without memory
		}
	}
	if st.Kind == memory.Flush {
		r.alone = 0
		return found{}, false
	}
	if len(r.s.Buffer(ir.ThreadID(t))) > pending {
		r.store = r.points.first[t] + pc
		r.points.buffered[r.store] = true
	}
	return r.wait(t)
}

// goal reports whether a goal is reached.
func (r *runner) goal() (found, bool) {
	for i := range r.task.Props.Goals {
		if r.judge.Goal(r.s, &r.task.Props.Goals[i]) {
			return found{kind: engine.GoalReached, goal: i}, true
		}
	}
	return found{}, false
}

// note writes down which points the next step covers.
func (r *runner) note(st memory.Step) {
	t := int(st.Thread)
	if r.store >= 0 {
		if st.Kind != memory.Flush || t != r.thread {
			r.points.delayed[r.store] = true
		}
		r.store = -1
	}
	if st.Kind == memory.Flush {
		return
	}
	if at := r.points.first[t] + int(r.s.PC(ir.ThreadID(t))); !r.points.reached[at] {
		r.points.reached[at] = !r.y.Thread(r.s, t).Invisible()
	}
	if r.thread >= 0 && t != r.thread {
		if at := r.points.first[r.thread] + int(r.s.PC(ir.ThreadID(r.thread))); !r.points.preempted[at] {
			r.enabled = r.y.EnabledEdges(r.s, r.thread, r.enabled[:0])
			r.points.preempted[at] = len(r.enabled) > 0 && !r.y.Thread(r.s, r.thread).Invisible()
			r.points.reached[at] = r.points.reached[at] || r.points.preempted[at]
		}
	}
}

// wait lets thread t, which took the last step, yield if it has gone round an idle loop for a while, or has
// run alone for very long. It reports whether the loops of all threads are endless.
func (r *runner) wait(t int) (found, bool) {
	loop := r.idle[t][r.s.PC(ir.ThreadID(t))]
	if t != r.thread {
		r.thread, r.inARow, r.alone = t, 0, 0
		r.enter(loop)
	}
	if loop != r.loop {
		r.enter(loop)
	}
	r.inARow++
	r.rounds--
	if r.inARow < maxInARow && (loop < 0 || r.rounds > 0) {
		return found{}, false
	}
	r.inARow = 0
	r.enter(loop)
	r.plan.yield(t)
	if loop < 0 {
		return found{}, false
	}
	r.alone++
	if r.yields++; r.loops != nil && r.recurs(t) && r.yields >= r.judged {
		r.judged *= 2 // a judgement costs much more than an event
		if r.loops.Holds(r.s) {
			r.ends.Waits++
			return found{kind: engine.NonTermination}, true
		}
	}
	return found{}, false
}

// recurs reports whether thread t has yielded before where it is now, with the same registers: else it gets somewhere.
func (r *runner) recurs(t int) bool {
	id := ir.ThreadID(t)
	h := uint64(t)<<32 | uint64(r.s.PC(id))
	for i := range r.task.Program.ThreadFunc(id).Regs {
		h = (h ^ uint64(r.y.Reg(r.s, id, ir.Reg(i)))) * 0x100000001b3
		h ^= h >> 29
	}
	before := r.yielded[h]
	r.yielded[h] = true
	return before
}

// enter begins to count the rounds of a loop.
func (r *runner) enter(loop int32) {
	r.loop, r.rounds = loop, maxRounds/2+r.plan.rng.IntN(maxRounds)
}

// end judges a state in which no step but a wake-up is possible.
func (r *runner) end() found {
	if memory.MainReturned(r.y, r.s) {
		r.ends.Returned++
	}
	if !r.y.Final(r.s) {
		if r.task.Props.Deadlock && !r.s.Withheld && r.y.Deadlocked(r.s) {
			r.ends.Waits++
			return found{kind: engine.Deadlock}
		}
		r.ends.Blocked++
		return found{}
	}
	r.ends.Complete++
	if f := r.task.Props.Final; f != nil && r.judge.Final(r.s, f) {
		return found{kind: engine.FinalViolated}
	}
	if pick := r.task.WitnessFinal; pick != nil {
		if text := r.show.Text(r.s); pick(text) {
			return found{kind: engine.FinalReached, final: text}
		}
	}
	return found{}
}

// violation returns what the last execution violates, with its witness.
func (r *runner) violation(f found) engine.Violation {
	v := engine.Violation{Kind: f.kind, Goal: f.goal, Final: f.final, Edge: ir.NoEdge}
	if fault, failed := r.s.Fault(); failed {
		_, v = engine.FailedCheck(fault)
	}
	rec, s := engine.NewPrivateRecorder(r.task, r.y), r.y.NewState()
	for _, st := range r.path {
		rec.Step(s, st)
		r.y.Apply(s, st)
	}
	v.Witness = rec.Witness()
	return v
}
