package dual

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/lts"
	"fencepost/internal/property"
)

// Threads and their transitions. Package lts runs every thread alone until no new state and no new
// value appears. The result is kept here as transitions that can be followed backward.

// kind says how a transition uses memory. The zero value is unset.
type kind uint8

const (
	_         kind = iota
	local          // not at all
	read           // one cell, from the buffer or memory
	write          // one cell
	exclusive      // with an empty store buffer, any number of cells at once: fence, read-modify-write, mutex, section, spawn, join
)

// access says how an exclusive transition changes a cell. Values are indices of lts.Cell.Values.
type access struct {
	cell int32
	old  int32 // anything if the transition does not read the cell
	new  int32 // anything if the transition neither reads nor writes it
}

// trans is a transition of one thread.
type trans struct {
	kind     kind
	from, to int32
	cell     int32 // read, write
	value    int32 // read, write
	accesses []access
	// A spawn or a join takes another thread from one state to another, in which it has an empty buffer.
	other  int32 // 1 + that thread
	before int32
	after  int32
	path   []lts.Taken
}

// anything stands for every value of a cell, and for every state of a thread.
const anything = -1

// thread is one thread.
type thread struct {
	states []lts.State
	ids    map[string]int32
	trans  []trans
	in     [][]int32 // transitions by the state after
	out    [][]int32 // and by the state before
	init   int32
	failed int32 // a check has failed; anything if none can
	left   int32 // a value has left the domain; anything if none can
	// unstarted is the state of a thread that another one starts, anything if there is none.
	unstarted int32
	template  bool            // any number of instances
	joined    map[int32]int32 // by end state: the state of a thread that has ended there and was joined
	waits     []pending       // by state
	writes    []bool          // by state: a write leaves it
	bursts    map[string][]undone
}

// model is a program as threads and cells.
type model struct {
	task    *engine.Task
	sys     *lts.System
	threads []*thread
	opt     Options
	initial []int32 // values of cells
	err     error

	pools pools
	gates []gate // of templates that threads start
	pairs *pairs // nil: not used

	users  []user // of cells, as lts knows them
	queue  []int
	queued []bool
}

// user is a state of a thread.
type user struct {
	thread int
	state  int32
}

// With more states or transitions than these, data is taken to be unbounded.
const (
	maxStates = 1 << 16

	maxTransitions = 1 << 19
)

// build returns the threads of a program, with cells as small as necessary.
func build(ctx context.Context, task *engine.Task, opt Options, d domain) (*model, error) {
	for cuts := (lts.Cuts{}); ; {
		m, err := buildWith(ctx, task, opt, d, cuts)
		if err != nil || !m.sys.Split {
			return m, err
		}
	}
}

func buildWith(ctx context.Context, task *engine.Task, opt Options, d domain, cuts lts.Cuts) (*model, error) {
	m := &model{task: task, opt: opt, pools: findPools(task.Program)}
	m.sys = lts.New(task.Program, cuts, lts.Options{
		For: "dual: ", Keep: task.KeepOf(), Domain: d.Domain, Restricted: d.cells, Fences: true, Joins: true, Counter: m.pools.counter, Again: m.again,
	})
	showGoals(m.sys, task.Props)
	for t := range task.Program.Threads {
		m.threads = append(m.threads, &thread{ids: map[string]int32{}, failed: anything, left: anything, unstarted: anything, template: task.Program.Threads[t].Unbounded})
		th, p := m.threads[t], &task.Program.Threads[t]
		if p.Start {
			th.init = m.state(t, m.sys.Entry(t, p.Args))
		} else {
			th.unstarted = th.special(m.sys.Entry(t, nil))
			th.init = th.unstarted
		}
	}
	for len(m.queue) > 0 && m.error() == nil && !m.sys.Split {
		id := m.queue[0]
		m.queue = m.queue[1:]
		m.queued[id] = false
		u := m.users[id]
		moves := m.moves(id)
		for i := range moves {
			m.reach(u.thread, &moves[i])
		}
		if err := budget.Spend(ctx, m.costOf(u.thread, moves)); err != nil {
			return m, err
		}
		if len(m.users) > maxStates {
			m.err = fmt.Errorf("the threads have more than %d states: their data may be unbounded", maxStates)
		}
	}
	if err := m.error(); err != nil || m.sys.Split {
		return m, err
	}
	return m, m.connect(ctx)
}

// showGoals makes threads stop at the locations of goals.
func showGoals(y *lts.System, props *property.Set) {
	for i := range props.Goals {
		for _, t := range anywhere(&props.Goals[i]) {
			for l := range y.Prog.ThreadFunc(t).Locs {
				y.Show(int(t), ir.Loc(l))
			}
		}
		for _, at := range props.Goals[i].At {
			for _, l := range at.Locs {
				y.Show(int(at.Thread), l)
			}
		}
	}
}

func (m *model) error() error {
	if m.err != nil {
		return m.err
	}
	return m.sys.Err
}

// state returns the number of a state of a thread. A new one will be expanded.
func (m *model) state(t int, s lts.State) int32 {
	th := m.threads[t]
	key := s.Key()
	if id, ok := th.ids[key]; ok {
		return id
	}
	id := th.special(s)
	th.ids[key] = id
	m.users = append(m.users, user{t, id})
	m.queued = append(m.queued, false)
	m.again(len(m.users) - 1)
	return id
}

// special adds a state that has no moves.
func (th *thread) special(s lts.State) int32 {
	th.states = append(th.states, s)
	return int32(len(th.states) - 1)
}

func (m *model) again(id int) {
	if !m.queued[id] {
		m.queued[id] = true
		m.queue = append(m.queue, id)
	}
}

// What the moves of a state cost, as work: each outcome, and each local step on the way to it.
const (
	outcomeCost  = 3 * budget.Microsecond / 2
	localCost    = budget.Microsecond / 2
	registerCost = 10 // of a register at a local step
)

// costOf returns what finding some moves of a thread costs, as work.
func (m *model) costOf(t int, moves []lts.Move) int64 {
	local := localCost + registerCost*int64(len(m.task.Program.ThreadFunc(ir.ThreadID(t)).Regs))
	cost := int64(outcomeCost)
	for i := range moves {
		cost += outcomeCost
		for j := range moves[i].Next {
			cost += outcomeCost + local*int64(len(moves[i].Next[j].Path))
		}
	}
	return cost
}

// moves returns the actions of a state.
func (m *model) moves(id int) []lts.Move {
	u := m.users[id]
	return m.sys.Moves(id, &m.threads[u.thread].states[u.state])
}

// reach adds the states that an action leads to.
func (m *model) reach(t int, mv *lts.Move) {
	for i := range mv.Next {
		m.after(t, &mv.Next[i])
	}
	if mv.Spawns > 0 {
		m.state(mv.Spawns-1, m.sys.Entry(mv.Spawns-1, mv.Args))
	}
}

// after returns the state that an outcome leads to.
func (m *model) after(t int, n *lts.Outcome) int32 {
	if !n.Fails {
		return m.state(t, n.State)
	}
	th := m.threads[t]
	if th.failed == anything {
		th.failed = th.special(lts.State{Thread: t, Loc: -1})
	}
	return th.failed
}

// connect makes the transitions, once all states and values are known.
func (m *model) connect(ctx context.Context) error {
	for c := range m.sys.Cells {
		m.initial = append(m.initial, 0)
		if len(m.sys.Cells) > maxCell || len(m.sys.Cells[c].Values) > maxValue {
			return fmt.Errorf("more than %d cells, or more than %d values of one", maxCell, maxValue)
		}
	}
	m.initial = append(m.initial, make([]int32, len(m.pools.shared))...)
	m.addJoined()
	known, count := map[string]bool{}, 0
	for id := range m.users {
		u := m.users[id]
		moves := m.moves(id)
		if err := budget.Spend(ctx, 2*m.costOf(u.thread, moves)); err != nil {
			return err
		}
		for _, mv := range moves {
			list, err := m.transitions(u, &mv)
			if err != nil {
				return err
			}
			th := m.threads[u.thread]
			for _, tr := range list {
				key := fmt.Sprint(u.thread, tr.kind, tr.from, tr.to, tr.cell, tr.value, tr.accesses, tr.other, tr.before, tr.after)
				if known[key] {
					continue
				}
				known[key] = true
				th.trans = append(th.trans, tr)
				if count++; count > maxTransitions {
					return fmt.Errorf("the threads have more than %d transitions: their data may be unbounded", maxTransitions)
				}
			}
		}
	}
	if err := m.error(); err != nil {
		return err
	}
	m.openGates()
	for _, th := range m.threads {
		th.in, th.out = make([][]int32, len(th.states)), make([][]int32, len(th.states))
		th.writes = make([]bool, len(th.states))
		th.bursts = map[string][]undone{}
		for i := range th.trans {
			tr := &th.trans[i]
			th.in[tr.to] = append(th.in[tr.to], int32(i))
			th.out[tr.from] = append(th.out[tr.from], int32(i))
			th.writes[tr.from] = th.writes[tr.from] || tr.kind == write
		}
		th.findPending(m.opt)
	}
	if m.opt.NoPairs {
		return nil
	}
	var err error
	m.pairs, err = m.findPairs(ctx)
	return err
}

// transitions returns the transitions of an action.
func (m *model) transitions(u user, mv *lts.Move) ([]trans, error) {
	var out []trans
	if mv.Leaves {
		out = append(out, m.leaves(u, mv))
	}
	if mv.Joins {
		return m.joins(u, mv), nil
	}
	m.mayExceed(u, mv)
	for i := range mv.Next {
		n := &mv.Next[i]
		if n.Fails && !m.task.Props.Checks && !m.task.Props.Deadlock {
			continue
		}
		tr, err := m.transition(u, mv, n)
		if err != nil {
			return nil, err
		}
		out = append(out, tr)
	}
	return out, nil
}

// index returns the index of a value of a cell.
func (m *model) index(c int, v int64) int32 { return int32(slices.Index(m.sys.Cells[c].Values, v)) }

// transition returns the transition of an action to one of its outcomes.
func (m *model) transition(u user, mv *lts.Move, n *lts.Outcome) (trans, error) {
	tr := trans{from: u.state, to: m.after(u.thread, n), path: n.Path}
	switch op := &mv.Edge.Op; {
	case op.Kind == ir.Load || op.Kind == ir.Await || op.Kind == ir.AbstractLoad || op.Kind == ir.Store:
		if len(mv.Accesses) > 1 {
			return tr, &engine.Unsupported{Pos: engine.Pos(mv.Edge), What: "dual: a load or store that overlaps one of another size is not supported"}
		}
		tr.kind = local
		if len(mv.Accesses) == 0 {
			break // an access that fails
		}
		a := &mv.Accesses[0]
		tr.kind, tr.cell, tr.value = read, int32(a.Cell), m.index(a.Cell, a.Old)
		if a.Write {
			tr.kind, tr.value = write, m.index(a.Cell, a.New)
		}
	case op.Local() || op.Kind == ir.Fence && op.Fence != ir.FullFence:
		tr.kind = local
	default:
		tr.kind = exclusive
		for _, a := range mv.Accesses {
			one := access{cell: int32(a.Cell), old: anything, new: anything}
			if a.Read {
				one.old = m.index(a.Cell, a.Old)
				one.new = one.old
			}
			if a.Write {
				one.new = m.index(a.Cell, a.New)
			}
			tr.accesses = append(tr.accesses, one)
		}
		switch {
		case mv.Spawns > 0 && m.threads[mv.Spawns-1].template:
			tr.accesses = append(tr.accesses, access{cell: m.gate(mv), old: anything, new: open})
		case mv.Spawns > 0:
			m.takeTurn(mv, &tr)
			tr.other, tr.before = int32(mv.Spawns), m.threads[mv.Spawns-1].unstarted
			tr.after = m.state(mv.Spawns-1, m.sys.Entry(mv.Spawns-1, mv.Args))
		}
	}
	return tr, nil
}
