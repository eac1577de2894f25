package bmc

import (
	"fmt"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/solver/sat"
)

// Lazy sequentialization [TNIFLP16 §I, §VI]. The threads run one after the other, in the order of
// the program, for a number of rounds. In every round a thread continues from where it stopped to a
// location that is chosen freely, so one formula stands for all schedules with so many rounds.
// Memory in a round holds what earlier steps have written, so every model of the formula is an
// execution.
//
// The unrolled program has no cycles, so a thread comes to each location at most once. For every
// location at which a thread can be stopped, and every round, a gate says whether the thread may go
// beyond the location by the end of the round (a turn). These gates are the free choices. They are
// monotone from round to round and along the thread.
//
// Differs from the paper, which uses a source-to-source translation and a bounded model checker
// after it: the path of a thread, its registers and its computations are encoded once instead of
// once per round. The value that an access reads is an input of the circuit. Every round has a
// point for the access. If the access happens in that round, its input equals the value of the
// memory abstraction at that point. Only points are multiplied by rounds.

// encoder builds the formula of a task.
type encoder struct {
	c     *circuit
	prog  *ir.Program // unrolled
	props *property.Set
	model memory.Model
	opt   Options
	flow  *flow
	facts *analysis.Facts
	cells *cells
	mem   abstraction

	threads  []*thread
	joins    bool // some thread joins another
	pools    map[ir.ThreadID]*pool
	poolList []*pool

	lifetimes *lifetimes
	seq       *sequencer
	order     *order // nil: rounds
	asker     *asker
	found
}

// found has the ways in which the program can fail, be cut off, or come to a check.
type found struct {
	fails  []*failure
	cuts   []*cut
	checks []gate // some check is executed
	exits  []gate // exit is called
	waits  []*wait
	holds  *ir.Edge // an instruction inside a section at which a thread can wait
	// leftInside lets a thread stop for ever inside a section, where a bound or exit ends its path. The
	// others could then run although the section is open. So it holds only where the question is whether
	// that bound or exit is reached.
	leftInside gate
}

// failure is a check that fails.
type failure struct {
	fails  gate
	class  ir.CheckClass
	thread *thread
	loc    *location
	step   *step
}

// cut is a bound that stops a thread.
type cut struct {
	cuts  gate
	name  string
	value int
	edge  *ir.Edge
}

// pool is the threads of a spawn. Each execution of the spawn starts the next of them.
type pool struct {
	index   int // of its counter among the words of a thread, after the registers
	spawner int
	size    int
	shared  bool // which thread is next depends on what other threads have started
}

type thread struct {
	id      int
	f       *ir.Func
	started gate // ever
	params  []word
	locs    []*location // the reachable ones, in topological order
	at      []*location // by ir.Loc
	turns   [][]gate    // by round and position
	result  word
	latest  word // of the thread's stores when it has ended
}

// location is a control location that a thread can reach.
type location struct {
	id      ir.Loc
	pos     int // index among the locations where the thread can stop, -1: it cannot
	inner   bool
	reached gate
	state   *local
	steps   []*step
	rest    gate // the thread reaches this location and does not leave it
	ends    bool
	stops   gate  // the thread stops here for ever, inside a section (sections.go)
	wait    *wait // the thread waits here, between the two steps of an instruction

	arrivals []arrival
}

type arrival struct {
	taken gate
	state *local
}

// step is an edge of a thread, with the conditions under which it runs.
type step struct {
	e     *ir.Edge
	index int  // among the edges of its location
	asks  gate // the thread comes to it
	tries gate // the thread starts it: its address is valid
	runs  gate // the thread completes it
	drain gate // it needs an empty buffer
	ends  gate // it frees a block

	reads, writes gate
	access        *access

	sees  gate    // it depends on what has reached memory, without reading it
	again []again // freed blocks that an allocation can return

	choice    word // of a havoc or abstract load
	hasChoice bool

	others
}

// others has the effects of a step on other threads.
type others struct {
	signals  []signal // the waits it can end
	signalAt word
	targets  []spawnTarget
	shared   bool // which of them it is depends on other threads
	handle   word // of a join
	joined   word // the result of a join
	badJoin  gate
}

type spawnTarget struct {
	thread int
	is     gate
	args   []word
}

// unsupported is the panic that ends an encoding; encode recovers it.
type unsupported struct{ err *engine.Unsupported }

func refuse(e *ir.Edge, format string, args ...any) {
	panic(unsupported{&engine.Unsupported{Pos: engine.Pos(e), What: fmt.Sprintf(format, args...)}})
}

// stopped is the panic that ends an encoding or a question at a limit; it is recovered where
// unsupported is.
type stopped struct{ err error }

// recovered returns the error of unsupported and stopped. It repeats other panics.
func recovered(r any) error {
	switch r := r.(type) {
	case nil:
		return nil
	case unsupported:
		return r.err
	case stopped:
		return r.err
	default:
		panic(r)
	}
}

// encode builds the formula and calls limits now and then. The error is an *engine.Unsupported, or
// that of limits.
func encode(task *engine.Task, prog *ir.Program, props *property.Set, opt Options, sink func(...sat.Lit), limits func(bytes int64) error) (x *encoder, err error) {
	defer func() {
		if e := recovered(recover()); e != nil {
			err = e
		}
	}()
	check := func(bytes int64) {
		if err := limits(bytes); err != nil {
			panic(stopped{err})
		}
	}
	x = &encoder{
		prog: prog, props: props, model: task.Model, opt: opt, flow: newFlow(prog, opt.Width, check), pools: map[ir.ThreadID]*pool{},
	}
	x.c = newCircuit(sink, func() { check(x.c.bytes()) })
	keep := (&engine.Task{Props: props, Finals: task.Finals}).MemoryOptions().Keep
	x.facts = analysis.NewFacts(prog, func(f ir.FuncID, r ir.Reg) bool {
		return slices.ContainsFunc(threadsOf(prog, f), func(t ir.ThreadID) bool { return keep(t, r) })
	})
	x.lifetimes, x.seq, x.asker = newLifetimes(x), &sequencer{x: x}, &asker{x}
	newScan(x).run()
	for _, t := range x.threads {
		x.thread(t)
	}
	x.seq.connect()
	if x.order != nil {
		x.order.run()
	} else {
		x.seq.run()
	}
	x.lifetimes.constrain()
	x.startInOrder()
	return x, nil
}

func threadsOf(p *ir.Program, f ir.FuncID) []ir.ThreadID {
	var out []ir.ThreadID
	for t := range p.Threads {
		if p.Threads[t].Func == f {
			out = append(out, ir.ThreadID(t))
		}
	}
	return out
}

// turn returns whether a thread may go beyond a position by the end of a round.
func (t *thread) turn(round, pos int) gate {
	if round < 0 {
		return low
	}
	return t.turns[min(round, len(t.turns)-1)][pos]
}

// rounds returns in how many rounds a thread runs. The main thread runs in one more than the
// others, after the last round, so that it can read what they did.
func (x *encoder) rounds(t *thread) int {
	if x.order != nil {
		return 1
	}
	if ir.ThreadID(t.id) == x.prog.Main {
		return x.opt.Rounds + 1
	}
	return x.opt.Rounds
}

// addPosition lets a thread stop at a location.
func (x *encoder) addPosition(t *thread, l *location) {
	l.pos = 0
	if len(t.turns) > 0 {
		l.pos = len(t.turns[0])
	} else {
		t.turns = make([][]gate, x.rounds(t))
	}
	for r := range t.turns {
		if l.inner { // inside an atomic section: as at its beginning
			t.turns[r] = append(t.turns[r], t.turns[r][l.pos-1])
			continue
		}
		g := x.c.input()
		t.turns[r] = append(t.turns[r], g)
		if r > 0 {
			x.c.demand(g, t.turns[r-1][l.pos])
		}
		if l.pos > 0 {
			before := t.turns[r][l.pos-1]
			x.c.demand(before, g)
			x.c.demand(g, before, l.reached.not()) // a location that is not reached has no turn
		}
	}
}

// by returns whether thread t has gone beyond location l when thread other, which may be the same,
// is at a location in a round.
func (x *encoder) by(t *thread, l *location, round int, other *thread, at *location) gate {
	switch {
	case l.pos < 0:
		return high
	case t == other && l.pos >= at.pos:
		return low
	case x.order != nil:
		return x.order.left(t, l, at)
	case t.id > other.id:
		round--
	}
	return t.turn(round, l.pos)
}
