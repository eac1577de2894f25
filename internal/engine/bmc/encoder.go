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

// Lazy sequentialization [TNIFLP16 §I, §VI]. The threads run one after the other, in
// the order of the program, for a number of rounds. In every round a thread goes on
// from where it stopped to a place that is guessed, so one formula stands for all
// schedules of so many rounds, and what it computes in a round is what memory
// holds then: every model is an execution.
//
// The program is acyclic, so a thread comes to each location at most once. For every
// location at which a thread can be stopped, and every round, there is a gate that
// says whether the thread may go beyond it by the end of that round (a turn). They
// are the guessed places: monotone from round to round and along the thread.
//
// Differs from the paper, which leaves all this to a source-to-source translation
// and a bounded model checker behind it: the way of a thread, its registers and what
// it computes are encoded once and not once per round. What an access reads is an
// input of the circuit; in each round there is a point for the access, and if the
// access falls into that round, its input is what the memory abstraction holds at
// that point. Only points are multiplied by rounds.

// encoder builds the formula of a task.
type encoder struct {
	*circuit
	prog  *ir.Program // unrolled
	props *property.Set
	model memory.Model
	opt   Options
	flow  *flow
	facts *analysis.Facts
	cells *cells
	mem   abstraction

	threads  []*thread
	joins    bool // some thread waits for another's end
	pools    map[ir.ThreadID]*pool
	poolList []*pool

	heap   heap
	when   map[*location]word    // the time at which a thread leaves a location
	orders map[[2]*location]gate // see before
	points []point
	fails  []*failure
	cuts   []*cut
	checks []gate // some check is executed
	exits  []gate // exit is called
	waits  []*wait
	holds  *ir.Edge // an instruction at which a thread can wait while it holds everybody up in a section
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

// pool is the threads of a spawn, of which each run takes the next.
type pool struct {
	index   int // of its count among the registers, behind the real ones
	spawner int
	size    int
	shared  bool // which is next depends on what other threads have started
}

type thread struct {
	id      int
	f       *ir.Func
	started gate // ever
	params  []word
	locs    []*location // reachable ones, sources first
	at      []*location // by ir.Loc
	turns   [][]gate    // by round and position
	result  word
	latest  word // of the thread's stores when it has ended
}

// location is a control location that a thread can come to.
type location struct {
	id      ir.Loc
	pos     int // position among those where the thread can stop, -1: none
	inner   bool
	reached gate
	state   *local
	steps   []*step
	rest    gate // the thread comes here and does not go on
	ends    bool
	stops   gate  // the thread stops here for good, inside a section, see sections.go
	wait    *wait // the thread waits for a signal here, in the middle of an instruction

	arrivals []arrival
}

type arrival struct {
	taken gate
	state *local
}

// step is an edge as a thread runs it.
type step struct {
	e     *ir.Edge
	index int  // among the edges of its location
	tries gate // the thread starts it
	runs  gate // and gets past it
	drain gate // it needs an empty buffer
	ends  gate // it frees a block

	reads, writes gate
	access        *access

	sees  gate    // it depends on what has reached memory, without reading it
	again []again // blocks an allocation can use again

	choice    word // of a havoc or abstract load
	hasChoice bool

	signals  []signal // whom it wakes
	signalAt word
	targets  []spawnTarget
	shared   bool // which of them it is depends on other threads
	handle   word // of a join
	joined   word // what a join gives
	badJoin  gate
}

type spawnTarget struct {
	thread int
	is     gate
	args   []word
}

// unsupported ends an encoding; it is recovered in encode.
type unsupported struct{ err *engine.Unsupported }

func refuse(e *ir.Edge, format string, args ...any) {
	panic(unsupported{&engine.Unsupported{Pos: engine.Pos(e), What: fmt.Sprintf(format, args...)}})
}

// stopped ends an encoding or a question because of a limit; it is recovered where
// unsupported is.
type stopped struct{ err error }

// recovered turns what ended an encoding into an error. Other panics go on.
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

// encode builds the formula and looks at the limits with look. The error is an
// *engine.Unsupported, or that of look.
func encode(task *engine.Task, prog *ir.Program, props *property.Set, opt Options, sink func(...sat.Lit), look func(*circuit) error) (x *encoder, err error) {
	defer func() {
		if e := recovered(recover()); e != nil {
			err = e
		}
	}()
	x = &encoder{
		heap: newHeap(), when: map[*location]word{}, orders: map[[2]*location]gate{}, prog: prog, props: props, model: task.Model, opt: opt, flow: newFlow(prog, opt.Width), pools: map[ir.ThreadID]*pool{},
	}
	x.circuit = newCircuit(sink, func() {
		if err := look(x.circuit); err != nil {
			panic(stopped{err})
		}
	})
	keep := (&engine.Task{Props: props, Finals: task.Finals}).MemoryOptions().Keep
	x.facts = analysis.NewFacts(prog, func(f ir.FuncID, r ir.Reg) bool {
		return slices.ContainsFunc(threadsOf(prog, f), func(t ir.ThreadID) bool { return keep(t, r) })
	})
	x.survey()
	for _, t := range x.threads {
		x.thread(t)
	}
	x.connect()
	x.sequentialize()
	x.follow()
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

// turn is whether a thread may go beyond a position by the end of a round.
func (t *thread) turn(round, pos int) gate {
	if round < 0 {
		return low
	}
	return t.turns[min(round, len(t.turns)-1)][pos]
}

// rounds is how often a thread has its turn. The main thread has one turn more than
// the others, behind the last round, so that it can look at what they did.
func (x *encoder) rounds(t *thread) int {
	if ir.ThreadID(t.id) == x.prog.Main {
		return x.opt.Rounds + 1
	}
	return x.opt.Rounds
}

// addPosition makes a location one where the thread can stop.
func (x *encoder) addPosition(t *thread, l *location) {
	l.pos = 0
	if len(t.turns) > 0 {
		l.pos = len(t.turns[0])
	} else {
		t.turns = make([][]gate, x.rounds(t))
	}
	for r := range t.turns {
		if l.inner { // in the middle of an atomic section: as it was at its beginning
			t.turns[r] = append(t.turns[r], t.turns[r][l.pos-1])
			continue
		}
		g := x.input()
		t.turns[r] = append(t.turns[r], g)
		if r > 0 {
			x.demand(g, t.turns[r-1][l.pos])
		}
		if l.pos > 0 {
			before := t.turns[r][l.pos-1]
			x.demand(before, g)
			x.demand(g, before, l.reached.not()) // where it does not come it does not stop
		}
	}
}

// by is whether a thread has gone beyond a location when a thread, another one or
// itself, is at a location in a round.
func (x *encoder) by(t *thread, l *location, round int, other *thread, at *location) gate {
	switch {
	case l.pos < 0:
		return high
	case t == other && l.pos >= at.pos:
		return low
	case t.id > other.id:
		round--
	}
	return t.turn(round, l.pos)
}
