package dual

import (
	"fencepost/internal/ir"
	"fencepost/internal/lts"
)

// Joins. A join waits until another thread has ended and its store buffer is empty, and its own thread
// needs an empty buffer as well. So it is an exclusive step with a condition on the other thread, like a
// spawn, which takes the other thread from unstarted to its entry: a join takes it from the state in
// which it has ended to a copy of this state, in which it was joined. A thread can be joined once, and
// only after it was started; any other join fails.

// addJoined adds the states of threads that were joined, if there are joins.
func (m *model) addJoined() {
	if !m.hasJoins() {
		return
	}
	for p, th := range m.threads {
		th.joined = map[int32]int32{}
		ends := m.task.Program.ThreadFunc(ir.ThreadID(p)).Ends
		for _, s := range m.statesAt(p, ends) {
			th.joined[s] = th.special(th.states[s])
		}
	}
}

func (m *model) hasJoins() bool {
	for t := range m.task.Program.Threads {
		f := m.task.Program.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.Join {
				return true
			}
		}
	}
	return false
}

// joins returns the transitions of a join: for each state in which the other thread may have ended one to each
// outcome, and failures for each in which it cannot be joined.
func (m *model) joins(u user, mv *lts.Move) []trans {
	fails := trans{kind: exclusive, from: u.state, to: m.after(u.thread, &lts.Outcome{Fails: true}), path: []lts.Taken{{Edge: mv.Edge}}}
	if mv.Handle < 0 || mv.Handle >= int64(len(m.threads)) {
		return []trans{fails}
	}
	var out []trans
	other := m.threads[mv.Handle]
	if other.template {
		m.sys.Refuse(mv.Edge, "a join of one of any number of threads")
		return nil
	}
	fails.other = int32(mv.Handle) + 1
	if s := other.unstarted; s != anything {
		fails.before, fails.after = s, s
		out = append(out, fails)
	}
	for end := range int32(len(other.states)) {
		joined, ok := other.joined[end]
		if !ok || int(mv.Handle) == u.thread {
			continue
		}
		for i := range mv.Next {
			out = append(out, trans{
				kind: exclusive, from: u.state, to: m.after(u.thread, &mv.Next[i]), path: mv.Next[i].Path,
				other: fails.other, before: end, after: joined,
			})
		}
		fails.before, fails.after = joined, joined
		out = append(out, fails)
	}
	return out
}
