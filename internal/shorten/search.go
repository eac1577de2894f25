package shorten

import (
	"container/heap"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// A search for the execution of least weight, best first over the states of the program.
// The search uses no reduction, because a reduction may drop the lightest execution. It
// explores only executions that weigh less than a known one, so it stays small; when the
// budget is used up, the known execution stays.
//
// A store into a buffer has two continuations: the entry reaches memory at once, or it
// waits and counts as delayed.

// searchedStates bounds the number of states that the search expands.
const searchedStates = 4_000

type node struct {
	parent int
	steps  []memory.Step // from the parent
	w      weight
	last   int // the thread that ran last
	code   string
	shows  bool // the execution ended with the violation
}

type finder struct {
	m     *machine
	s     *memory.State
	limit weight
	nodes []node
	queue order
	seen  map[string]weight
	key   []byte
}

// order is a queue of nodes by weight, then by age.
type order struct {
	f    *finder
	list []int
}

func (o order) Len() int { return len(o.list) }
func (o order) Less(i, j int) bool {
	a, b := o.f.nodes[o.list[i]].w, o.f.nodes[o.list[j]].w
	if a != b {
		return a.less(b)
	}
	return o.list[i] < o.list[j]
}
func (o order) Swap(i, j int) { o.list[i], o.list[j] = o.list[j], o.list[i] }
func (o *order) Push(x any)   { o.list = append(o.list, x.(int)) }
func (o *order) Pop() any {
	x := o.list[len(o.list)-1]
	o.list = o.list[:len(o.list)-1]
	return x
}

// shortest returns the lightest execution that shows the violation and weighs less than
// limit. It returns false if it finds none.
func shortest(m *machine, limit weight) ([]memory.Step, bool) {
	f := &finder{m: m, s: m.y.NewState(), limit: limit, seen: map[string]weight{}}
	f.queue.f = f
	f.add(-1, nil, weight{}, -1)
	for range searchedStates {
		if f.queue.Len() == 0 || m.ctx != nil && m.ctx.Err() != nil {
			return nil, false
		}
		i := heap.Pop(&f.queue).(int)
		n := &f.nodes[i]
		if n.shows {
			return f.path(i), true
		}
		m.y.Codec().Decode(f.s, []byte(n.code))
		if m.shown(f.s) {
			return f.path(i), true
		}
		f.expand(i)
	}
	return nil, false
}

// path returns the steps from the initial state to node i.
func (f *finder) path(i int) []memory.Step {
	var parts [][]memory.Step
	for ; i >= 0; i = f.nodes[i].parent {
		parts = append(parts, f.nodes[i].steps)
	}
	var out []memory.Step
	for j := len(parts) - 1; j >= 0; j-- {
		out = append(out, parts[j]...)
	}
	return out
}

func (f *finder) expand(i int) {
	y, s := f.m.y, f.s
	from := f.nodes[i]
	for _, st := range y.Enabled(s, nil) {
		t := ir.ThreadID(st.Thread)
		mark := s.Mark()
		before := len(s.Buffer(t))
		y.Apply(s, st)
		add, last := weight{steps: 1}, from.last
		if st.Kind != memory.Flush {
			last = int(t)
			if from.last >= 0 && from.last != last {
				add.switches = 1
			}
			if len(s.Buffer(t)) > before {
				f.atOnce(i, st, from.w.plus(add), last)
				add.delayed = 1
			}
		}
		f.runEager(i, []memory.Step{st}, from.w.plus(add), last)
		s.Undo(mark)
	}
}

// atOnce flushes the entry that step st made and adds the state after that.
func (f *finder) atOnce(parent int, st memory.Step, w weight, last int) {
	y, s := f.m.y, f.s
	newest := int32(len(s.Buffer(ir.ThreadID(st.Thread))) - 1)
	for _, next := range y.EnabledThread(s, int(st.Thread), nil) {
		if next.Kind == memory.Flush && next.Index == newest {
			mark := s.Mark()
			y.Apply(s, next)
			w.steps++
			f.runEager(parent, []memory.Step{st, next}, w, last)
			s.Undo(mark)
			return
		}
	}
}

// runEager runs the eager steps of the thread that moved, and adds every state in which
// they end.
func (f *finder) runEager(parent int, steps []memory.Step, w weight, last int) {
	f.m.eager.Run(f.s, int(steps[0].Thread), func() { f.add(parent, steps, w, last) })
}

// add makes the current state a node, with the eager steps at the end of its steps.
func (f *finder) add(parent int, steps []memory.Step, w weight, last int) {
	trail := f.m.eager.Trail()
	w.steps += len(trail)
	if !w.less(f.limit) {
		return
	}
	n := node{parent: parent, steps: append(append([]memory.Step(nil), steps...), trail...), w: w, last: last}
	ended, shows := f.m.over(f.s)
	switch {
	case ended && !shows:
		return
	case ended:
		n.shows = true
	default:
		f.key = f.m.y.Codec().Encode(f.s, f.key[:0])
		coded := len(f.key)
		f.key = append(f.key, byte(last), byte(last>>8))
		if old, ok := f.seen[string(f.key)]; ok && !w.less(old) {
			return
		}
		f.seen[string(f.key)] = w
		n.code = string(f.key[:coded])
	}
	f.nodes = append(f.nodes, n)
	heap.Push(&f.queue, len(f.nodes)-1)
}
