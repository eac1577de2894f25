package replay

import (
	"fmt"

	"fencepost/internal/ir"
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
	moves, flushes, empty, waits := false, false, false, false
	for i := range steps {
		if steps[i].Thread == t {
			moves = moves || steps[i].Kind != verdict.StepFlush
			flushes = flushes || steps[i].Kind == verdict.StepFlush
		}
		s := states[i]
		empty = empty || len(s.threads[t].buf) == 0
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
	if !empty && !flushes {
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
		for r, live := range m.live(t)[th.loc] {
			if !live {
				th.regs[r] = 0
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
	next   [][]int  // by state: the states after it; a wake-up without a signal does not count
	memory []string // by state
	ends   []bool   // by state: the execution ends there, or something keeps it from going on
	empty  []bool   // by state: all buffers are empty
}

// state returns the number of a state.
func (l *loops) state(s *state) int {
	key := s.key(false)
	n, known := l.number[key]
	if !known {
		n = len(l.next)
		l.number[key] = n
		memory := state{holder: -1, words: s.words, blocks: s.blocks}
		l.next = append(l.next, nil)
		l.memory = append(l.memory, memory.key(false))
		l.ends = append(l.ends, l.m.returned(s))
		l.empty = append(l.empty, s.allEmpty())
	}
	return n
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
		l.next[n] = append(l.next[n], l.state(tr.next))
	}
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

// find reports whether there is a state with empty buffers from which no execution ends, and one from
// which, besides, memory never changes.
func (l *loops) find() (any, still bool) {
	never := l.without(l.ends)
	changes := make([]bool, len(l.next))
	for n, out := range l.next {
		changes[n] = !never[n]
		for _, to := range out {
			changes[n] = changes[n] || l.memory[to] != l.memory[n]
		}
	}
	constant := l.without(changes)
	for n := range l.next {
		any = any || never[n] && l.empty[n]
		still = still || constant[n] && l.empty[n]
	}
	return any, still
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
				if out[n] && !out[to] {
					out[n], changed = false, true
				}
			}
		}
	}
	return out
}
