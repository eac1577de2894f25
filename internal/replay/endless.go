package replay

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Executions that never end. The last steps of the witness are a cycle: the state after them is the
// state before them, so they can be repeated for ever. The repetition is fair: a thread that could always
// move does, and every store reaches memory. Registers that are not read any more do not count.

// endless returns an error if the last steps of a witness do not repeat for ever, or not in a fair
// way. states has the state before each of these steps, and the last one.
func (m *machine) endless(states []*state, steps []verdict.Step) error {
	if len(steps) == 0 {
		return fmt.Errorf("end: expected steps that repeat, the witness has none")
	}
	first, last := states[0], states[len(states)-1]
	if m.liveKey(first) != m.liveKey(last) {
		return fmt.Errorf("end: expected the state before the last %d steps, computed another one", len(steps))
	}
	if m.returned(last) {
		return fmt.Errorf("end: the main thread has returned, which ends the program")
	}
	for t := range last.threads {
		if err := m.fair(t, states, steps); err != nil {
			return err
		}
	}
	return nil
}

// fair returns an error if a cycle is not fair to thread t or to its buffer.
func (m *machine) fair(t int, states []*state, steps []verdict.Step) error {
	name := m.p.Threads[t].Name
	moves, waits := false, false
	waiting := map[uint64]bool{} // addresses of entries that have not reached memory
	for _, e := range states[0].threads[t].buf {
		waiting[e.addr] = e.kind != marker
	}
	for i := range steps {
		if steps[i].Thread == t {
			moves = moves || steps[i].Kind != verdict.StepFlush
			if steps[i].Kind == verdict.StepFlush {
				delete(waiting, steps[i].Addr)
			}
		}
		s := states[i]
		for addr := range waiting {
			if !slices.ContainsFunc(s.threads[t].buf, func(e entry) bool { return e.kind != marker && e.addr == addr }) {
				delete(waiting, addr)
			}
		}
		next, err := m.successorsOf(s, t, 0)
		if err != nil {
			return fmt.Errorf("end: %w", err)
		}
		able := false
		for _, tr := range next {
			able = able || tr.kind != verdict.StepFlush && tr.kind != verdict.StepWake
		}
		waits = waits || !able
	}
	if held := !slices.ContainsFunc(states, func(s *state) bool { return !s.heldByOther(t) }); len(waiting) > 0 && !held {
		return fmt.Errorf("end: a store of thread %s waits for ever in its buffer", name)
	}
	s := states[0]
	switch {
	case s.threads[t].phase == unstarted || m.ended(s, t) || moves:
	case !waits:
		return fmt.Errorf("end: thread %s could move at any time and does not", name)
	case m.cutOff(s, t):
		return fmt.Errorf("end: a bound stops thread %s", name)
	case m.assumedAway(s, t):
		return fmt.Errorf("end: an assumption stops thread %s, or its wait has a time limit", name)
	}
	return nil
}

// liveKey identifies a state up to registers that no thread reads any more.
func (m *machine) liveKey(s *state) string {
	n := s.clone()
	for t := range n.threads {
		th := &n.threads[t]
		th.unshare()
		for r, live := range m.live(t)[th.loc] {
			if !live {
				th.regs[r] = 0
				if th.undefined != nil {
					th.undefined[r] = undefined{}
				}
			}
		}
	}
	return n.key(false)
}

// live returns, by location, which registers of thread t may be read before they are written again. An
// assignment to a register that is not read later does not count.
func (m *machine) live(t int) [][]bool {
	f := m.p.ThreadFunc(ir.ThreadID(t))
	out := make([][]bool, len(f.Locs))
	for l := range out {
		out[l] = make([]bool, len(f.Regs))
	}
	for changed := true; changed; {
		changed = false
		for i := range f.Edges {
			e := &f.Edges[i]
			read := make([]bool, len(f.Regs))
			if !e.Op.Terminal() {
				copy(read, out[e.To])
				e.Op.Defs(func(r ir.Reg) { read[r] = false })
			}
			if e.Op.Kind != ir.Assign || out[e.To][e.Op.Dst] { // what is computed is read
				e.Op.Uses(func(r ir.Reg) { read[r] = true })
			}
			for r, is := range read {
				if is && !out[e.From][r] {
					out[e.From][r], changed = true, true
				}
			}
		}
	}
	return out
}

// loops looks for endless states among all states of a program.
type loops struct {
	m      *machine
	number map[string]int
	next   [][]way  // by state: the steps from it; a wake-up without a signal does not count
	memory []string // by state
	ends   []bool   // by state: the execution ends there, or something keeps it from going on
	empty  []bool   // by state: all buffers are empty
	states []*state
	able   [][]bool // by state and thread: whether the thread can move
	// starves is a thread that does nothing which others notice, from some moment on; -1: there is none.
	starves int
}

// newLoops returns loops for a program and what is asked about it.
func newLoops(m *machine, props *property.Set) (*loops, error) {
	l := &loops{m: m, number: map[string]int{}, starves: -1}
	if props.Starving == "" {
		return l, nil
	}
	l.starves = slices.IndexFunc(m.p.Threads, func(t ir.Thread) bool { return t.Name == props.Starving })
	if l.starves < 0 {
		return nil, fmt.Errorf("there is no thread %s", props.Starving)
	}
	return l, nil
}

// noticed reports whether others can notice a step of a thread: it changes memory, which a store does, or takes part in what
// synchronises threads. A read-modify-write that leaves memory as it is, or a try that fails, is not noticed.
func (m *machine) noticed(s *state, tr *transition) bool {
	th := &s.threads[tr.thread]
	switch {
	case tr.kind == verdict.StepFlush || th.phase == waiting:
		return false
	case th.phase != running:
		return true
	}
	_, e, _ := m.p.EdgeByID(tr.edge)
	switch e.Op.Kind {
	case ir.Load, ir.Await, ir.AbstractLoad, ir.Fence:
		return false
	case ir.RMW, ir.TryLock:
		return tr.next == nil || !slices.Equal(s.words, tr.next.words) || !slices.EqualFunc(s.undefined, tr.next.undefined, func(a, b undefinedWord) bool { return a.addr == b.addr && a.mask == b.mask })
	default:
		return !e.Op.Local()
	}
}

// way is a step to a state, of a thread or of a flush.
type way struct {
	to     int
	thread int
	flush  bool
	addr   uint64 // of the entry that is flushed
}

// state returns the number of a state.
func (l *loops) state(s *state) int {
	key := s.key(false)
	n, known := l.number[key]
	if !known {
		n = len(l.next)
		l.number[key] = n
		l.states = append(l.states, s)
		memory := s.shared()
		l.next, l.able = append(l.next, nil), append(l.able, nil)
		l.memory = append(l.memory, memory.key(false))
		l.ends = append(l.ends, l.m.returned(s))
		l.empty = append(l.empty, s.allEmpty())
	}
	return n
}

// shared returns the memory of a state, without blocks that one thread alone can reach: a thread that writes to such a
// block and waits only waits.
func (s *state) shared() *state {
	out := &state{holder: -1, words: s.words, blocks: s.blocks}
	if !slices.ContainsFunc(s.blocks, func(b block) bool { return b.kept }) {
		return out
	}
	out.words, out.blocks = nil, nil
	for _, b := range s.blocks {
		if !b.kept {
			out.blocks = append(out.blocks, b)
		}
	}
	for _, w := range s.words {
		if !slices.ContainsFunc(s.blocks, func(b block) bool { return b.kept && w.addr-b.addr < uint64(b.size) }) {
			out.words = append(out.words, w)
		}
	}
	return out
}

// expand notes what can happen in a state.
func (l *loops) expand(s *state, next []transition) {
	n := l.state(s)
	able := make([]bool, len(s.threads))
	for _, tr := range next {
		if tr.kind == verdict.StepWake && !l.m.timed(s, tr.thread) {
			continue
		}
		able[tr.thread] = able[tr.thread] || tr.kind != verdict.StepFlush
		if tr.fail != nil || tr.next.over {
			l.ends[n] = true
			continue
		}
		if tr.thread == l.starves && l.m.noticed(s, &tr) {
			continue
		}
		one := way{to: l.state(tr.next), thread: tr.thread, flush: tr.kind == verdict.StepFlush}
		if one.flush {
			one.addr = tr.addr
		}
		l.next[n] = append(l.next[n], one)
	}
	l.able[n] = able
	for t := range s.threads {
		if s.threads[t].phase != unstarted && !l.m.ended(s, t) && !able[t] {
			l.ends[n] = l.ends[n] || l.m.cutOff(s, t) || l.m.assumedAway(s, t)
		}
	}
	l.ends[n] = l.ends[n] || len(l.next[n]) == 0
}

// timed reports whether thread t waits for a signal and its time is limited.
func (m *machine) timed(s *state, t int) bool {
	th := &s.threads[t]
	return th.phase == waiting && m.p.ThreadFunc(ir.ThreadID(t)).Edges[th.edge].Op.Timed
}

// find reports whether there is a state with empty buffers from which no execution ends, one in which, besides, some
// thread waits in vain, and one from which, besides, memory never changes.
func (l *loops) find() (any, vain, still bool) {
	never := l.without(l.ends)
	changes := make([]bool, len(l.next))
	for n, out := range l.next {
		changes[n] = !never[n]
		for _, to := range out {
			changes[n] = changes[n] || l.memory[to.to] != l.memory[n]
		}
	}
	constant := l.without(changes)
	outside := make([]bool, len(l.next)) // no thread is inside an atomic section
	for n := range l.next {
		outside[n] = l.states[n].holder < 0
	}
	stuck := l.without(outside) // what waits for the end of a section waits in vain
	for n := range l.next {
		any = any || never[n] && l.empty[n]
		if never[n] && l.empty[n] && (outside[n] || stuck[n]) && (!vain || constant[n] && !still) && l.inVain(n) {
			vain, still = true, still || constant[n]
		}
	}
	return any, vain, still
}

// without returns the states from which no marked state can be reached.
func (l *loops) without(marked []bool) []bool {
	out := make([]bool, len(l.next))
	for n := range out {
		out[n] = !marked[n]
	}
	for changed := true; changed; {
		changed = false
		for n := range out {
			for _, to := range l.next[n] {
				if out[n] && !out[to.to] {
					out[n], changed = false, true
				}
			}
		}
	}
	return out
}

// fair reports whether there is an endless execution in which every thread moves again and again, has
// ended, or cannot move again and again, and every entry of a buffer leaves it, unless one thread stays inside an
// atomic section for ever. If a thread starves, it runs, and none of its steps is noticed. States in which an assumption or a bound stops a thread, or main has returned, do not count.
func (l *loops) fair() bool { return l.fairAmong(false) || l.fairAmong(true) }

// fairAmong answers fair for executions that, if held is set, stay in states in which a thread is inside a section. It
// computes the largest set of states from each of which, inside the set, every condition can be met again [Emerson and
// Lei 1986].
func (l *loops) fairAmong(held bool) bool {
	in := make([]bool, len(l.next))
	for n := range l.states {
		in[n] = l.counts(n, held)
	}
	var all []Condition
	addrs := map[uint64]bool{}
	for _, s := range l.states {
		for t := range s.threads {
			for _, e := range s.threads[t].buf {
				if held {
					break
				}
				addrs[e.addr] = true
			}
		}
	}
	for t := range l.m.p.Threads {
		all = append(all, Condition{Thread: t})
		for addr := range addrs {
			all = append(all, Condition{Thread: t, Buffer: true, Addr: addr})
		}
	}
	for changed := true; changed; {
		changed = false
		for _, c := range all {
			// ok: from the state a way of at least one step leads, inside the set, past the condition.
			ok := make([]bool, len(in))
			for grew := true; grew; {
				grew = false
				for n := range in {
					for _, w := range l.next[n] {
						if in[n] && in[w.to] && !ok[n] && (c.metBy(w) || ok[w.to] || l.meets(n, c)) {
							ok[n], grew = true, true
						}
					}
				}
			}
			for n := range in {
				if in[n] && !ok[n] {
					in[n], changed = false, true
				}
			}
		}
	}
	return slices.Contains(in, true)
}

// counts reports whether an endless execution may stay in a state and others like it.
func (l *loops) counts(n int, held bool) bool {
	s := l.states[n]
	if l.able[n] == nil || l.m.returned(s) || held && s.holder < 0 {
		return false
	}
	if t := l.starves; t >= 0 && (s.threads[t].phase == unstarted || l.m.ended(s, t)) {
		return false
	}
	for t := range s.threads {
		if s.threads[t].phase != unstarted && !l.m.ended(s, t) && !l.able[n][t] && (l.m.cutOff(s, t) || l.m.assumedAway(s, t)) {
			return false
		}
	}
	return true
}

// Condition is something that a fair execution meets again and again: a thread moves, has ended or cannot move; or no
// entry of its buffer for an address is there, or one leaves it.
type Condition struct {
	Thread int
	Buffer bool
	Addr   uint64 // of the entries, for a buffer
}

// meets reports whether a state that was expanded meets a condition.
func (l *loops) meets(n int, c Condition) bool {
	s := l.states[n]
	th := &s.threads[c.Thread]
	if c.Buffer {
		return !slices.ContainsFunc(th.buf, func(e entry) bool { return e.kind != marker && e.addr == c.Addr })
	}
	return th.phase == unstarted || l.m.ended(s, c.Thread) || !l.able[n][c.Thread]
}

// metBy reports whether a step meets a condition.
func (c Condition) metBy(w way) bool {
	return w.thread == c.Thread && w.flush == c.Buffer && (!c.Buffer || w.addr == c.Addr)
}
