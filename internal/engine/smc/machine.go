package smc

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// The machine runs events on package memory's state. It knows nothing of the order of events,
// of wakeup trees or of what is asked about the program.

// machine is memory's state, with what an execution has to know about threads beyond it.
type machine struct {
	sys    *memory.System
	state  *memory.State
	task   *job
	procs  *processes
	tables readsFromTables
	uses   features
	steps  []memory.Step // of the execution

	threads threads
	loops   []loopCode           // per thread; nil: there are none
	cuts    map[ir.EdgeID]cutOff // bounds that were met
	stopsAt []func(ir.Loc, int32) bool

	checkFailed func(memory.Fault) // called when the newest of steps has failed a check
	arrived     func(t int)        // called where a thread stops between two local steps; may be nil
	err         error              // the program is more than the package can take

	// Modes. dry: events are tried; no steps are recorded and no violations reported. lenient: a
	// label whose choice is not there stands for another choice of its edge.
	dry, lenient bool

	// What the last call of perform found.
	issued  []issued // stores that entered buffers
	reached []int32  // other threads that were moved
	inner   []uint32 // choices inside a section that were not taken

	// What the last call of list found.
	options []label
	hidden  []label // edges that have no step now but may have one later

	// Scratch.
	enabled []memory.Step
	waiting []int32
}

// features says what operations a program has.
type features struct {
	heap, frees       bool
	compares, mutexes bool // compare-exchange, mutexes
}

func featuresOf(p *ir.Program) features {
	var out features
	for _, f := range p.Funcs {
		for i := range f.Edges {
			op := &f.Edges[i].Op
			out.heap = out.heap || op.Kind == ir.Alloc
			out.frees = out.frees || op.Kind == ir.Free
			out.compares = out.compares || op.Kind == ir.RMW && op.RMW == ir.Cas
			out.mutexes = out.mutexes || op.Kind == ir.Lock
		}
	}
	return out
}

func newMachine(task *job, y *memory.System, procs *processes, tables readsFromTables, uses features) machine {
	m := machine{
		sys: y, state: y.NewState(), task: task, procs: procs, tables: tables, uses: uses,
		threads: threads{now: make([]threadState, y.Threads()), loops: make([][]loopState, y.Threads())},
		loops:   compileLoops(y.Prog, task.Limits.Unroll, int32(task.IdleRounds), task.KeepOf()),
		cuts:    map[ir.EdgeID]cutOff{},
	}
	m.state.Record = true
	return m
}

// failure returns why the exploration cannot go on, or nil.
func (m *machine) failure() error {
	if m.state.Err != nil {
		return m.state.Err
	}
	return m.err
}

// mark says how to return to a state of the machine.
type mark struct{ state, log int }

func (m *machine) mark() mark { return mark{m.state.Mark(), len(m.threads.log)} }

func (m *machine) undo(to mark) {
	m.state.Undo(to.state)
	m.threads.undo(to.log)
}

// takeIssued returns the stores that entered buffers since the last call. The slice is valid
// until the next event is performed.
func (m *machine) takeIssued() []issued {
	out := m.issued
	m.issued = m.issued[:0]
	return out
}

// stop says why a thread does not run on although memory's state would let it. The zero value:
// it does run on.
type stop uint8

const (
	runs    stop = iota
	failed       // a check failed
	exited       // exit was called
	refused      // the condition of an await did not hold, or a round of a loop changed nothing
	stuck        // a section cannot be finished
	bounded      // a loop would begin a round too many
)

// threadState is the state of a thread as far as memory's state does not have it.
type threadState struct {
	ord         int32 // stores issued
	epoch       int32 // store-store fences passed
	stop        stop
	bufferStuck bool  // an update failed: what is in the buffer stays there
	effects     int32 // how many of its steps others can notice
	// held has the mutexes that the thread has, once for each time it locked them; only with
	// Options.IdleRounds. The slice is never changed.
	held []uint64
}

// threads has the state of every thread, and of the loops that threads are in, with a log for
// backtracking.
type threads struct {
	now     []threadState
	log     []savedThread
	loops   [][]loopState // per thread and loop
	loopLog []loopState
}

// savedThread is the state of a thread, or of one of its loops, before a change.
type savedThread struct {
	thread int32
	loop   int32 // none, or the loop whose state was changed; the old state is in loopLog
	old    threadState
}

// issued is a store that an event put into a buffer.
type issued struct {
	thread, ord, epoch int32
}

func (th *threads) set(t int, v threadState) {
	th.log = append(th.log, savedThread{int32(t), none, th.now[t]})
	th.now[t] = v
}

func (th *threads) setLoop(t int, loop int32, v loopState) {
	for int(loop) >= len(th.loops[t]) {
		th.loops[t] = append(th.loops[t], loopState{})
	}
	th.log = append(th.log, savedThread{thread: int32(t), loop: loop})
	th.loopLog = append(th.loopLog, th.loops[t][loop])
	th.loops[t][loop] = v
}

// undo takes back the changes after the first n.
func (th *threads) undo(n int) {
	for k := len(th.log) - 1; k >= n; k-- {
		l := &th.log[k]
		if l.loop == none {
			th.now[l.thread] = l.old
			continue
		}
		last := len(th.loopLog) - 1
		th.loops[l.thread][l.loop] = th.loopLog[last]
		th.loopLog = th.loopLog[:last]
	}
	th.log = th.log[:n]
}

// addEffect counts something that others can notice.
func (th *threads) addEffect(t int) {
	v := th.now[t]
	v.effects++
	th.set(t, v)
}

// addEpoch notes that thread t has passed a store-store fence.
func (th *threads) addEpoch(t int) {
	v := th.now[t]
	v.epoch++
	th.set(t, v)
}

// setStop notes why thread t does not run on.
func (th *threads) setStop(t int, why stop) {
	v := th.now[t]
	v.stop = why
	th.set(t, v)
}
