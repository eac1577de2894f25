package machine

import (
	"maps"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// The machine runs events on package memory's state. It knows nothing of the order of events,
// of wakeup trees or of what is asked about the program.

// Machine is memory's state, with what an execution has to know about threads beyond it.
type Machine struct {
	Sys    *memory.System
	State  *memory.State
	opt    Options
	Procs  *Processes
	Tables ReadsFromTables
	Uses   Features
	Steps  []memory.Step // of the execution

	Threads Threads
	Ordered Beginnings
	Limits

	CheckFailed func(memory.Fault) // called when the newest of steps has failed a check
	Arrived     func(t int)        // called where a thread stops between two local steps; may be nil
	Err         error              // the program is more than the package can take

	// Modes. dry: events are tried; no steps are recorded and no violations reported. lenient: a
	// label whose choice is not there stands for another choice of its edge.
	Dry, Lenient bool

	Performed
	Listed

	// Scratch.
	Enabled []memory.Step
	waiting []int32

	recursive []uint64 // recursive mutexes that were locked, in any execution; none with Options.Stores
}

// Limits has what is known of loops, and where threads stop.
type Limits struct {
	Loops   []LoopCode           // per thread; nil: there are none
	Cuts    map[ir.EdgeID]CutOff // bounds that were met
	StopsAt []func(ir.Loc, int32) bool
}

// Listed has the options that the last call of list found.
type Listed struct {
	Options []Label
	Hidden  []Label // edges that have no step now but may have one later, or had one if others had come later
}

// Performed has the effects of the last step that perform took.
type Performed struct {
	Issued  []Issued // stores that entered buffers
	Reached []int32  // other threads that were moved
	Inner   []uint32 // choices inside a section that were not taken
	Choices []InnerChoice
	Inside  []InnerOp // operations inside a section that are more than accesses to memory
	// Takes has the blocks that the allocations inside a section use, in their order: freed ones, or 0 for fresh ones.
	// Those beyond the list use fresh ones. Without Options.Stores the label has these choices.
	Takes []uint64
	// Misfit says that such a block does not have the alignment that an allocation asks for.
	Misfit bool
	// LoadWaits says that an abstract load, one of several edges inside a section, had no value in some state.
	LoadWaits bool
}

// Features says what operations a program has.
type Features struct {
	Heap, Frees       bool
	Compares, Mutexes bool // compare-exchange, mutexes
	Recursive         bool // recursive mutexes
	Global            bool // fences that wait for the buffers of all threads
	Shared            bool // threads that several threads can start
	Joins             bool // joins of one thread may depend on each other, or on its spawn
}

// FeaturesOf returns what operations a program has.
func FeaturesOf(p *ir.Program) Features {
	var out Features
	out.Joins = p.SeveralJoin()
	out.Shared = slices.ContainsFunc(p.Starters(), func(n int) bool { return n > 0 })
	for _, f := range p.Funcs {
		for i := range f.Edges {
			op := &f.Edges[i].Op
			out.Heap = out.Heap || op.Kind == ir.Alloc
			out.Frees = out.Frees || op.Kind == ir.Free
			out.Compares = out.Compares || op.Kind == ir.RMW && op.RMW == ir.Cas
			out.Mutexes = out.Mutexes || op.Kind == ir.Lock
			out.Recursive = out.Recursive || op.Mutex.Kind == ir.RecursiveMutex
			out.Global = out.Global || op.Kind == ir.Fence && op.Fence == ir.GlobalFence
		}
	}
	return out
}

// Options choose how a program is run.
type Options struct {
	// Unroll bounds the rounds of loops; 0: no bound.
	Unroll int
	// Idle says to stop no thread after a round of a loop that changes nothing.
	Idle bool
	// IdleRounds is how many rounds in a row of a loop are executed that change nothing for any
	// thread, where such a round makes an access that the round which leaves the loop may not
	// make.
	IdleRounds int
	// Passing says that a round which takes a mutex and gives it back changes nothing.
	Passing bool
	// Stores says that a store which enters a buffer is an event of its own, not one of the local
	// steps of the event before it.
	Stores bool
	// Keep reports the registers that a question reads: they are never dead.
	Keep func(ir.FuncID, ir.Reg) bool
	// After has, per thread, the thread after whose beginning it begins, or None; nil: all None. Begin has where the
	// beginning of the thread is, or None (beginning.go).
	After []int32
	Begin []ir.Loc
}

// New returns a machine in the initial state of the program, before any local steps.
func New(y *memory.System, procs *Processes, tables ReadsFromTables, opt Options) Machine {
	m := Machine{
		Sys: y, State: y.NewState(), opt: opt, Procs: procs, Tables: tables, Uses: FeaturesOf(y.Prog), Ordered: newBeginnings(&opt),
		Threads: Threads{Now: make([]ThreadState, y.Threads()), loops: make([][]loopState, y.Threads())},
		Limits: Limits{Loops: compileLoops(y.Prog, opt.Unroll, int32(opt.IdleRounds), opt.Keep),
			Cuts: map[ir.EdgeID]CutOff{}},
	}
	m.State.Record = true
	return m
}

// Failure returns why the exploration cannot go on, or nil.
func (m *Machine) Failure() error {
	if m.State.Err != nil {
		return m.State.Err
	}
	return m.Err
}

// Mark says how to return to a state of the machine.
type Mark struct{ State, Log int }

// Mark returns how to return to the present state.
func (m *Machine) Mark() Mark { return Mark{m.State.Mark(), len(m.Threads.Log)} }

// Undo returns to a state.
func (m *Machine) Undo(to Mark) {
	m.State.Undo(to.State)
	m.Threads.undo(to.Log)
}

// Merge adds what the machine of another worker has covered: edges, and bounds that were met.
func (m *Machine) Merge(o *Machine) {
	maps.Copy(m.Cuts, o.Cuts)
	for i := range o.State.Covered {
		m.State.Covered[i] = m.State.Covered[i] || o.State.Covered[i]
		m.State.Bounds[i] = m.State.Bounds[i] || o.State.Bounds[i]
	}
}

// AtAssumption reports whether a thread is blocked whatever the other threads do.
func (m *Machine) AtAssumption() bool {
	for t := range m.Threads.Now {
		if m.Stopped(t) {
			return true
		}
	}
	return false
}

// Stopped reports whether a thread is blocked whatever the other threads do.
func (m *Machine) Stopped(t int) bool {
	th := m.Sys.Thread(m.State, t)
	if !m.State.Started(ir.ThreadID(t)) || !m.State.Running(ir.ThreadID(t)) || th.Ended() {
		return false
	}
	for i := range int32(th.EdgeCount()) {
		if why := th.Hindrance(i).Why; why != memory.Never && why != memory.NoThread {
			return false
		}
	}
	return true
}

// TakeIssued returns the stores that entered buffers since the last call. The slice is valid
// until the next event is performed.
func (m *Machine) TakeIssued() []Issued {
	out := m.Issued
	m.Issued = m.Issued[:0]
	return out
}

// Stop says why a thread does not run on although memory's state would let it. The zero value:
// it does run on.
type Stop uint8

const (
	Runs    Stop = iota
	Failed       // a check failed
	Exited       // exit was called
	Refused      // the condition of an await did not hold, or a round of a loop changed nothing
	Stuck        // a section cannot be finished
	Bounded      // a loop would begin a round too many
)

// ThreadState is the state of a thread as far as memory's state does not have it.
type ThreadState struct {
	Ord         int32 // stores issued
	Epoch       int32 // store-store fences passed
	Stop        Stop
	BufferStuck bool  // an update failed
	Begun       bool  // its beginning has happened; only of threads that Options.After names
	effects     int32 // how many of its steps others can notice
	// held has the mutexes that the thread has, once for each time it locked them; only with
	// Options.IdleRounds. The slice is never changed.
	held   []uint64
	failed []int32  // the tags of entries whose updates failed: they stay in the buffer. The slice is never changed
	stored []uint64 // recursive mutexes that the thread has stored to while it had them; the slice is never changed
}

// Threads has the state of every thread, and of the loops that threads are in, with a log for
// backtracking.
type Threads struct {
	Now     []ThreadState
	Log     []savedThread
	loops   [][]loopState // per thread and loop
	loopLog []loopState
	// Memory for what states of loops point to: registers, and older states. The first regsKept and oldKept of them belong
	// to states in loops and loopLog. Undoing a change gives back what the change took.
	regs              []int64
	old               []loopState
	regsKept, oldKept int32
}

// savedThread is the state of a thread, or of one of its loops, before a change.
type savedThread struct {
	thread int32
	loop   int32 // none, or the loop whose state was changed; the old state is in loopLog
	// Of a loop: what was kept before.
	regsKept, oldKept int32
	old               ThreadState
}

// Issued is a store that an event put into a buffer.
type Issued struct {
	Thread, Ord, Epoch int32
}

func (th *Threads) set(t int, v ThreadState) {
	th.Log = append(th.Log, savedThread{thread: int32(t), loop: None, old: th.Now[t]})
	th.Now[t] = v
}

func (th *Threads) setLoop(t int, loop int32, v loopState) {
	for int(loop) >= len(th.loops[t]) {
		th.loops[t] = append(th.loops[t], loopState{})
	}
	th.Log = append(th.Log, savedThread{thread: int32(t), loop: loop, regsKept: th.regsKept, oldKept: th.oldKept})
	th.regsKept, th.oldKept = int32(len(th.regs)), int32(len(th.old))
	th.loopLog = append(th.loopLog, th.loops[t][loop])
	th.loops[t][loop] = v
}

// undo takes back the changes after the first n.
func (th *Threads) undo(n int) {
	for k := len(th.Log) - 1; k >= n; k-- {
		l := &th.Log[k]
		if l.loop == None {
			th.Now[l.thread] = l.old
			continue
		}
		last := len(th.loopLog) - 1
		th.loops[l.thread][l.loop] = th.loopLog[last]
		th.loopLog = th.loopLog[:last]
		th.regsKept, th.oldKept = l.regsKept, l.oldKept
		th.regs, th.old = th.regs[:l.regsKept], th.old[:l.oldKept]
	}
	th.Log = th.Log[:n]
}

// addEffect counts something that others can notice.
func (th *Threads) addEffect(t int) {
	v := th.Now[t]
	v.effects++
	th.set(t, v)
}

// addEpoch notes that thread t has passed a store-store fence.
func (th *Threads) addEpoch(t int) {
	v := th.Now[t]
	v.Epoch++
	th.set(t, v)
}

// setStop notes why thread t does not run on.
func (th *Threads) setStop(t int, why Stop) {
	v := th.Now[t]
	v.Stop = why
	th.set(t, v)
}
