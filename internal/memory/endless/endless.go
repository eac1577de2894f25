package endless

import (
	"fmt"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Limits of what is run to judge one state. A state beyond them is not judged: nothing is reported.
const (
	maxAlone    = 1 << 10 // states of one thread
	maxTogether = 1 << 12 // states of all threads, where a round writes memory and takes it back
)

// Most states are judged in vain: the thread leaves its loop soon. So it is run for a few steps first, and states
// on a longer way out are remembered, since the search comes to them next.
const (
	maxQuick  = 64
	maxLeaves = 1 << 14 // states remembered
)

// Test recognises endless states of one system. It is one worker's own.
type Test struct {
	y     *memory.System
	loops []threadLoops
	graph graph
	key   []byte
	steps []memory.Step   // of leavesSoon
	out   map[string]bool // states of a thread, with memory, from which it leaves its loop
	// writes says that, as far as the last call of spinning found, rounds change memory in between.
	writes bool
}

// threadLoops says where in its automaton a thread can go round.
type threadLoops struct {
	component []int32 // by location: its strongly connected component, -1 if no round of it can leave the thread as it was
	writes    []bool  // by component: whether an operation in it may change memory
	threads   []bool  // by component: whether an operation in it depends on other threads, or acts on them, without memory
	waits     []bool  // by location: whether an operation there may wait
	waysOut   *analysis.WaysOut
}

// New returns a test for states of y.
func New(y *memory.System) *Test {
	x := &Test{y: y, out: map[string]bool{}}
	for t := range y.Prog.Threads {
		x.loops = append(x.loops, loopsOf(y.Prog.ThreadFunc(ir.ThreadID(t))))
	}
	return x
}

func loopsOf(f *ir.Func) threadLoops {
	marks := func() []bool { return make([]bool, len(f.Locs)) }
	l := threadLoops{component: analysis.IdleLoops(f), writes: marks(), threads: marks(), waits: marks()}
	l.waysOut = analysis.NewWaysOut(f)
	for i := range f.Edges {
		e := &f.Edges[i]
		l.waits[e.From] = l.waits[e.From] || mayWait(&e.Op)
		if analysis.OnCycle(e, l.component) {
			c := l.component[e.From]
			l.writes[c] = l.writes[c] || mayWrite(&e.Op)
			l.threads[c] = l.threads[c] || actsOnThreads(&e.Op)
		}
	}
	return l
}

func mayWait(op *ir.Op) bool {
	switch op.Kind {
	case ir.Lock, ir.Join, ir.Await, ir.CondWait, ir.Barrier:
		return true
	}
	return op.Kind == ir.RMW && op.Cond != nil
}

func actsOnThreads(op *ir.Op) bool {
	switch op.Kind {
	case ir.Spawn, ir.Join, ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier:
		return true
	}
	return false
}

func mayWrite(op *ir.Op) bool {
	switch op.Kind {
	case ir.Load, ir.Await, ir.AbstractLoad, ir.Fence:
		return false
	}
	return !op.Local()
}

// Possible reports whether some thread has a loop in which it can go round without getting anywhere.
func (x *Test) Possible() bool {
	for t := range x.loops {
		for _, c := range x.loops[t].component {
			if c >= 0 {
				return true
			}
		}
	}
	return false
}

// Holds reports whether nothing can end the loops that threads are in. It leaves the state as it is.
func (x *Test) Holds(s *memory.State) bool {
	spin, ok := x.spinning(s)
	return ok && (!x.writes || x.together(s, spin))
}

// spinning returns the threads that spin, false if some thread does not and could go on. It notes whether
// rounds change memory in between: then threads may notice each other's rounds.
func (x *Test) spinning(s *memory.State) ([]int, bool) {
	if s.Over() || s.Faulted() || !s.Drained() || s.Holder() >= 0 || memory.MainReturned(x.y, s) {
		return nil, false
	}
	for t := range x.loops {
		l := &x.loops[t]
		if pc := s.PC(ir.ThreadID(t)); x.runs(s, t) && l.component[pc] < 0 && !l.waits[pc] {
			return nil, false
		}
	}
	var spin []int
	for t := range x.loops {
		if !x.runs(s, t) {
			continue
		}
		switch steps, ok := x.moves(s, t); {
		case !ok:
			return nil, false
		case len(steps) > 0:
			spin = append(spin, t)
		case !x.y.Thread(s, t).Waits():
			return nil, false
		}
	}
	for _, t := range spin {
		if x.leavesSoon(s, t) {
			return nil, false
		}
	}
	x.writes = false
	meant := make([]bool, len(x.loops)) // to go on for ever
	for _, t := range spin {
		if !x.alone(s, t) {
			return nil, false
		}
		meant[t] = !x.loops[t].waysOut.Depend(x.graph.again())
		if x.graph.changed {
			// A loop that has effects and no way out does not wait: a server is meant to go on.
			if !x.graph.returns() || meant[t] {
				return nil, false
			}
			x.writes = true
		}
	}
	return spin, len(spin) > 0 && x.waitsInVain(s, meant)
}

// runs reports whether a thread has begun and not ended.
func (x *Test) runs(s *memory.State, t int) bool {
	return s.Started(ir.ThreadID(t)) && !x.y.Thread(s, t).Ended()
}

// moves returns the steps of a thread. It returns false if a bound withholds one. A thread that waits
// for a signal is not woken without one, unless its time is limited.
func (x *Test) moves(s *memory.State, t int) ([]memory.Step, bool) {
	withheld := s.Withheld
	s.Withheld = false
	steps := x.y.EnabledThread(s, t, nil)
	cut := s.Withheld || s.Err != nil
	s.Withheld, s.Err = withheld, nil
	if cut {
		return nil, false
	}
	n := 0
	for _, st := range steps {
		if st.Kind != memory.Wake || x.y.Thread(s, t).Op(st.Edge).Timed {
			steps[n] = st
			n++
		}
	}
	return steps[:n], true
}

// leavesSoon reports whether a thread that has no choice and runs alone leaves its loop, stops or fails within a few
// steps.
func (x *Test) leavesSoon(s *memory.State, t int) bool {
	home := x.loops[t].component[s.PC(ir.ThreadID(t))]
	mark, withheld := s.Mark(), s.Withheld
	defer func() {
		s.Undo(mark)
		s.Withheld = withheld
	}()
	if home < 0 {
		return true
	}
	for range maxQuick {
		s.Withheld = false
		x.steps = x.y.EnabledThread(s, t, x.steps[:0])
		switch {
		case s.Withheld || s.Err != nil || len(x.steps) == 0:
			s.Err = nil
			return true
		case len(x.steps) > 1 && x.steps[0].Kind != memory.Flush || x.steps[0].Kind == memory.Wake:
			return false
		}
		if x.y.Apply(s, x.steps[0]); !x.inside(s, t, home) {
			return true
		}
	}
	return false
}

// graph has the states and steps of one thread that runs alone. States are numbered as they are met; 0 is the first one.
type graph struct {
	numbers map[string]int
	next    [][]move
	locs    []ir.Loc // by state: where the thread is
	changed bool     // some state has other memory than the first
	left    bool     // the thread can leave its loop, stop or fail
	shared  string   // the memory of the first state
}

type move struct {
	step memory.Step
	to   int
}

// alone explores what a thread can do if no other thread moves. It returns false if the thread can leave
// its loop, stop or fail, or if there is too much to explore.
func (x *Test) alone(s *memory.State, t int) bool {
	x.graph = graph{numbers: map[string]int{}}
	l := &x.loops[t]
	home := l.component[s.PC(ir.ThreadID(t))]
	if home < 0 {
		return false
	}
	writes := l.writes[home]
	others := -1
	if l.threads[home] {
		others = t
	}
	x.graph.shared = string(x.sharedKey(s, others))
	var visit func() (int, bool)
	visit = func() (int, bool) {
		key := x.y.Codec().EncodeThread(s, t, x.key[:0])
		x.key = key
		shared := x.graph.shared
		if writes {
			shared = string(x.sharedKey(s, others))
			x.graph.changed = x.graph.changed || shared != x.graph.shared
		}
		text := fmt.Sprintf("%d|%s|%s", t, key, shared)
		if n, known := x.graph.numbers[text]; known {
			return n, true
		}
		if x.out[text] {
			x.graph.left = true
			return 0, false
		}
		n := len(x.graph.next)
		if n >= maxAlone {
			return 0, false
		}
		x.graph.numbers[text] = n
		x.graph.next = append(x.graph.next, nil)
		x.graph.locs = append(x.graph.locs, s.PC(ir.ThreadID(t)))
		steps, ok := x.moves(s, t)
		if !ok || len(steps) == 0 {
			return 0, false
		}
		// A thread reads its own stores wherever they are: alone it does the same if they reach memory at once.
		if steps[0].Kind == memory.Flush {
			steps = steps[:1]
		}
		for _, st := range steps {
			mark := s.Mark()
			x.y.Apply(s, st)
			to, ok := 0, x.inside(s, t, home)
			left := !ok
			if ok {
				to, ok = visit()
				left = !ok && x.graph.left
			}
			s.Undo(mark)
			if left {
				x.remember(text)
			}
			if !ok {
				return 0, false
			}
			x.graph.next[n] = append(x.graph.next[n], move{st, to})
		}
		return n, true
	}
	_, ok := visit()
	return ok
}

// remember notes that a thread leaves its loop from a state.
func (x *Test) remember(state string) {
	if x.graph.left = true; len(x.out) >= maxLeaves {
		clear(x.out)
	}
	x.out[state] = true
}

// inside reports whether a thread is still in its loop, and nothing has failed.
func (x *Test) inside(s *memory.State, t int, home int32) bool {
	failed := s.Faulted() || s.Over() || s.Err != nil
	s.Err = nil
	return !failed && x.loops[t].component[s.PC(ir.ThreadID(t))] == home
}

// sharedKey encodes memory, and the threads other than t, which a signal can wake. t is -1 if they do not matter.
func (x *Test) sharedKey(s *memory.State, t int) []byte {
	out := x.y.Codec().EncodeRest(s, s.Holder(), x.y.Codec().EncodeStatic(s, nil))
	for u := range x.loops {
		if t >= 0 && u != t {
			out = x.y.Codec().EncodeThread(s, u, out)
		}
	}
	return out
}

// returns reports whether the thread can come back to the first state from every other.
func (g *graph) returns() bool {
	back := make([][]int, len(g.next))
	for n, out := range g.next {
		for _, m := range out {
			back[m.to] = append(back[m.to], n)
		}
	}
	seen := make([]bool, len(g.next))
	seen[0] = true
	work, count := []int{0}, 1
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range back[n] {
			if !seen[p] {
				seen[p] = true
				count++
				work = append(work, p)
			}
		}
	}
	return count == len(g.next)
}

// together explores what all threads can do. It returns false if one of them can leave its loop, if a
// thread that waits can go on, if something fails, or if there is too much to explore.
func (x *Test) together(s *memory.State, spin []int) bool {
	home := make([]int32, len(x.loops))
	for t := range home {
		home[t] = -1
	}
	for _, t := range spin {
		home[t] = x.loops[t].component[s.PC(ir.ThreadID(t))]
	}
	seen := map[string]bool{}
	var visit func() bool
	visit = func() bool {
		key := string(x.y.Codec().Encode(s, nil))
		if seen[key] {
			return true
		}
		if len(seen) >= maxTogether {
			return false
		}
		seen[key] = true
		any := false
		for t := range x.loops {
			if !x.runs(s, t) {
				continue
			}
			steps, ok := x.moves(s, t)
			if !ok || len(steps) > 0 && home[t] < 0 {
				return false
			}
			for _, st := range steps {
				any = true
				mark := s.Mark()
				x.y.Apply(s, st)
				ok := x.inside(s, t, home[t]) && visit()
				s.Undo(mark)
				if !ok {
					return false
				}
			}
		}
		return any
	}
	return visit()
}
