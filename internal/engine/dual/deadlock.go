package dual

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/lts"
)

// Deadlocks. In a deadlock nothing can happen although a thread waits: at a mutex, a join, an await or a
// conditional read-modify-write. All store buffers are empty then, since stores can always reach memory. So
// a deadlock is a bad state like any other: every thread has ended, was not started, or is in a state from
// which memory and the other threads let no transition go on. These states are enumerated with the values
// of the cells that the waiting threads look at. As in package memory, a thread that an assumption has
// stopped, or a main thread that has returned, makes a state none that counts.

// maxTried bounds the combinations of states and values that are looked at.
const maxTried = 1 << 17

// deadlocks returns the states in which threads are stuck.
func (m *model) deadlocks(ctx context.Context) ([]target, error) {
	ways := make([][]int32, len(m.threads))
	for p, th := range m.threads {
		for s := range int32(len(th.states)) {
			if s != th.failed && s != th.left && (m.rests(p, s) || m.mayWait(p, s)) {
				ways[p] = append(ways[p], s)
			}
		}
		if len(ways[p]) == 0 {
			return nil, nil
		}
	}
	var out []target
	tried := 0
	c := m.top()
	var pick func(p int) error
	pick = func(p int) error {
		if tried++; tried > maxTried || len(out) > maxTargets {
			return fmt.Errorf("more than %d combinations of states of threads may be deadlocks", min(tried, maxTargets))
		}
		if err := budget.Spend(ctx, 2*budget.Microsecond); err != nil {
			return err
		}
		if p == len(ways) {
			return m.stuckIn(c, &tried, func(d *config) { out = append(out, target{d, engine.Deadlock, 0}) })
		}
		return m.eachState(c, p, ways[p], pick)
	}
	return out, pick(0)
}

// rests reports whether a thread takes no step in a state, whatever memory holds, and does not wait: it has ended or
// was not started.
func (m *model) rests(p int, s int32) bool {
	th := m.threads[p]
	if s == th.unstarted {
		return true
	}
	f := m.task.Program.ThreadFunc(ir.ThreadID(p))
	loc := th.states[s].Loc
	return f.Ends(loc) && !(m.task.Program.Main == ir.ThreadID(p) && f.Returns(loc))
}

// mayWait reports whether a thread may wait for others in a state.
func (m *model) mayWait(p int, s int32) bool {
	th := m.threads[p]
	if s == th.unstarted || s == th.failed {
		return false
	}
	f := m.task.Program.ThreadFunc(ir.ThreadID(p))
	waits := false
	for _, i := range f.Out(th.states[s].Loc) {
		switch op := &f.Edges[i].Op; op.Kind {
		case ir.Lock, ir.Await, ir.Join:
			waits = true
		case ir.RMW:
			waits = waits || op.Cond != nil
		case ir.Assume, ir.AbstractLoad:
		default:
			return false // it takes a step, ends the program or meets a bound
		}
	}
	for _, i := range th.out[s] {
		if tr := &th.trans[i]; tr.kind == local || tr.kind == write {
			return false
		}
	}
	return waits
}

// stuckIn calls give for the values of cells with which no thread can go on.
func (m *model) stuckIn(c *config, tried *int, give func(*config)) error {
	var cells []int32
	waits := false
	for p, s := range c.at {
		if !m.mayWait(p, s) {
			continue
		}
		waits = true
		th := m.threads[p]
		for _, i := range th.out[s] {
			tr := &th.trans[i]
			if tr.kind == read {
				cells = append(cells, tr.cell)
			}
			for _, a := range tr.accesses {
				if a.old != anything {
					cells = append(cells, a.cell)
				}
			}
		}
	}
	if !waits {
		return nil
	}
	slices.Sort(cells)
	cells = slices.Compact(cells)
	held, count := make([][]int64, len(cells)), 1
	for i, cell := range cells {
		for v := range m.sys.Cells[cell].Values {
			held[i] = append(held[i], int64(v))
		}
		if count *= len(held[i]); count > maxTried {
			return fmt.Errorf("more than %d combinations of values may be deadlocks", maxTried)
		}
	}
	*tried += count
	lts.EachChoice(held, func(values []int64) {
		d := c.clone()
		for i, cell := range cells {
			d.mem[cell] = int32(values[i])
		}
		for p := range d.at {
			if m.goesOn(d, p) {
				return
			}
		}
		give(d)
	})
	return nil
}

// goesOn reports whether a thread can take a step; memory is known where it matters.
func (m *model) goesOn(c *config, p int) bool {
	th := m.threads[p]
	if c.at[p] == th.unstarted {
		return false
	}
	for _, i := range th.out[c.at[p]] {
		tr := &th.trans[i]
		enabled := tr.other == 0 || c.at[tr.other-1] == tr.before
		if tr.kind == read {
			enabled = enabled && c.mem[tr.cell] == tr.value
		}
		for _, a := range tr.accesses {
			enabled = enabled && (a.old == anything || c.mem[a.cell] == a.old)
		}
		if enabled {
			return true
		}
	}
	return false
}
