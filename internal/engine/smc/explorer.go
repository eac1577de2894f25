package smc

import (
	"context"
	"fmt"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// The exploration: depth first along wakeup trees, one execution per trace.
//
// Invariants. The events x.ev[:n] are the execution from the root to node n; the
// state, the chains, clocks and races belong to just those events. A node's sleep
// set has what need not be looked at from there: what its parent's had and
// the step to it left alone, and what has been explored from it. When a node is first reached,
// it either has a tree to follow, or takes any process that does not sleep. At
// the end of an execution every race in it is reversed into the tree of the node
// before its first event. Backtracking undoes; nothing is ever run from the
// beginning, with one exception that is local: what an event would do elsewhere, if
// that cannot be told from what it did here (reverse.go).

// process is a thread, or a buffer.
type process struct {
	thread int32
	aux    bool
	addr   uint64 // PSO: the bytes of the buffer
	size   uint32
}

// store is a store that a thread has issued.
type store struct {
	ev    int32 // the event it was issued in, none: the beginning
	upd   int32 // its update, none: pending
	epoch int32
	loads int32 // the newest attachment to it
	taken int32 // of a free: the alloc that took it back, none
}

// node is a state on the way.
type node struct {
	mark      int // of memory's state
	threadLog int
	steps     int
	records   int
	attached  int
	races     int
	sleep     []event
	wut       []*tree
	visited   int // visits of goals' locations before the event that leads here
	fresh     bool
	done      int   // branches explored
	prevLast  int32 // x.last of the process of the event that leads here
	bases     int   // saved bases
	inherit   int   // how much of sleep came from the parent

	// With several workers: the node that others know, whether it is in use, which of its branches is
	// being explored, and how many of those before it are in sleep.
	sh        *shared
	shared    bool
	cur, have int
}

// explorer explores the executions of one task.
type explorer struct {
	task   *job
	y      *memory.System
	s      *memory.State
	judge  *engine.Judge
	show   *engine.Finals
	source bool     // source-DPOR: branches without guidance
	check  *checker // nil: no checking
	atEnd  func()   // for tests
	world  *world   // nil: one worker
	number int      // of the worker

	procs []process
	auxOf [][]int32
	auxID map[process]int32 // PSO
	heap  bool              // the program allocates
	frees bool              // and frees
	// Whether the program has compare-exchange, and mutexes.
	compares, mutexes bool

	// The execution.
	ev       []event
	nodes    []node
	clocks   []int32
	stride   int
	last     []int32 // per process: its newest event
	count    []int32 // per process: its events
	base     []int32 // per thread: the event its next one continues
	bases    []savedBase
	stores   [][]store // per thread
	records  []record
	words    words
	heads    []int32
	races    []race
	attached []attachment
	tables   map[[8]int32]*[8]int32 // of sources
	steps    []memory.Step
	at       int // how many events the state has seen; less than len(ev) while events are tried elsewhere

	threads   []threadState
	threadLog []savedThread

	loops      []loopCode    // per thread; nil: there are none
	loopStates [][]loopState // per thread
	loopLog    []loopState
	cuts       map[ir.EdgeID]cutOff // bounds that were hit

	// Scratch.
	dry, lenient bool
	local        []memory.Step
	issued       []issued
	reached      []int32
	waiting      []int32
	found        []int32
	left         []int32
	pending      []race
	places       []place
	freeing      int32
	scratch      []int32
	inner        []uint32
	options      []label
	hidden       []label // edges that have no step now but may have one
	probe        event
	sleepers     []sleeper
	present      *event
	slept        []event
	passed       []*event
	led          []ledBy
	unused       []*tree
	seq          sequence

	out     counts
	met     map[string]bool // violations
	keys    []string        // of result.Violations
	stopped bool
	ticks   int64
	totals  []int64 // the last estimates of all executions
	// trees is how many nodes the wakeup trees have, and have had at most.
	trees, mostTrees int
	others           int64 // bytes that other workers used
	ctx              context.Context
	begun            time.Time
	err              error
	result           *engine.Outcome
	finals           map[string]bool

	watch   []watched   // per thread: locations of goals; nil: no goals
	visited []visit     // by the execution
	moved   []threadSet // per event, if there are goals
	// heldUp says, per thread, at which local steps something is to be noted; nil: none.
	heldUp []func(ir.Loc, int32) bool
}

// counts of what was explored.
type counts struct {
	complete int64 // executions that came to their end
	blocked  int64 // ended with a thread at an assumption or a refused await
	bounded  int64 // ended at a bound
	waits    int64 // ended with a thread waiting
	failed   int64 // with a failed check
	exits    int64
	asleep   int64 // blocked by sleep sets
	events   int64
	depth    int
}

func newExplorer(ctx context.Context, task *job, y *memory.System, w *world) *explorer {
	n := y.Threads()
	x := &explorer{
		world: w,
		task:  task, y: y, s: y.NewState(), judge: engine.NewJudge(y), show: engine.NewFinals(y, task.Props), ctx: ctx, begun: time.Now(),
		auxOf: make([][]int32, n), auxID: map[process]int32{}, tables: map[[8]int32]*[8]int32{}, base: make([]int32, n), stores: make([][]store, n),
		threads: make([]threadState, n), met: map[string]bool{}, finals: map[string]bool{}, result: &engine.Outcome{},
	}
	x.s.Record = true
	x.source = task.SourceDPOR
	x.watch = watchGoals(y.Prog, task.Props.Goals)
	if task.CheckTraces {
		x.check = newChecker()
	}
	x.loops = compileLoops(y.Prog, task.Limits.Unroll, int32(task.IdleRounds), task.KeepOf())
	x.loopStates, x.cuts = make([][]loopState, n), map[ir.EdgeID]cutOff{}
	for t := range n {
		x.heldUp = append(x.heldUp, x.holdUps(t))
		x.addProcess(process{thread: int32(t)})
		x.base[t] = none
	}
	if y.Model == memory.TSO {
		for t := range n {
			x.addProcess(process{thread: int32(t), aux: true})
		}
	}
	for _, f := range y.Prog.Funcs {
		for i := range f.Edges {
			x.heap = x.heap || f.Edges[i].Op.Kind == ir.Alloc
			x.frees = x.frees || f.Edges[i].Op.Kind == ir.Free
			x.compares = x.compares || f.Edges[i].Op.Kind == ir.RMW && f.Edges[i].Op.RMW == ir.Cas
			x.mutexes = x.mutexes || f.Edges[i].Op.Kind == ir.Lock
		}
	}
	return x
}

// addProcess numbers a process.
func (x *explorer) addProcess(p process) int32 {
	if x.world == nil {
		return x.newProcess(p)
	}
	id := x.world.number(p)
	x.learn()
	return int32(id)
}

// newProcess makes room for one more process. Clocks grow with their number.
func (x *explorer) newProcess(p process) int32 {
	id := int32(len(x.procs))
	x.procs = append(x.procs, p)
	x.last = append(x.last, none)
	x.count = append(x.count, 0)
	if p.aux {
		x.auxOf[p.thread] = append(x.auxOf[p.thread], id)
		x.auxID[p] = id
	}
	if len(x.procs) > x.stride {
		stride := (len(x.procs) + 3) &^ 3
		clocks := make([]int32, max(64, cap(x.clocks)/max(1, x.stride))*stride)
		for i := range x.ev {
			copy(clocks[i*stride:], x.clock(int32(i)))
		}
		x.clocks, x.stride = clocks, stride
	}
	return id
}

// buffer is the process of an entry.
func (x *explorer) buffer(t int, e *memory.Entry) int32 {
	if x.y.Model == memory.TSO {
		return x.auxOf[t][0]
	}
	p := process{thread: int32(t), aux: true, addr: e.Addr, size: e.Size}
	for _, id := range x.auxOf[t] {
		if x.procs[id] == p {
			return id
		}
	}
	return x.addProcess(p)
}

func (x *explorer) fail(format string, args ...any) {
	if x.err == nil {
		x.err = fmt.Errorf(format, args...)
	}
	x.stopped = true
}

// run explores everything.
func (x *explorer) run() {
	x.start()
	x.explore()
}

// start makes the root.
func (x *explorer) start() {
	for t := range x.threads {
		if x.s.Started(ir.ThreadID(t)) {
			x.begin(t)
			x.settle(t)
		}
	}
	x.noteStores(none)
	x.nodes = append(x.nodes, node{mark: x.s.Mark(), threadLog: len(x.threadLog), steps: len(x.steps), fresh: true, prevLast: none})
}

// explore explores what is left of the nodes of the execution.
func (x *explorer) explore() {
	for !x.stopped {
		if x.s.Err != nil {
			x.err, x.stopped = x.s.Err, true
			return
		}
		x.tick()
		d := len(x.nodes) - 1
		n := &x.nodes[d]
		switch {
		case n.shared:
			if x.take(d) {
				continue
			}
		case len(n.wut) > 0:
			b := n.wut[0]
			n.wut = n.wut[1:]
			x.trees--
			n.fresh = false
			x.forward(d)
			x.extend(b.ev.proc, b.ev.label, b.children)
			x.freeTree(b)
			continue
		case n.fresh:
			n.fresh = false
			if p, lb, ok := x.pick(n); ok {
				x.extend(p, lb, nil)
				continue
			}
			x.ending()
			if x.world != nil && !x.stopped && (x.world.eager || x.world.hungry.Load()) {
				x.share()
			}
		}
		if d == 0 {
			return
		}
		x.backtrack()
	}
}
