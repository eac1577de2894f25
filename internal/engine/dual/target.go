package dual

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/lts"
	"fencepost/internal/property"
)

// The bad states. In all of them buffers are empty: messages can always leave. Memory has all stores
// then, as it has under TSO when all store buffers are empty, so conditions on memory can be tested.

// target is a set of bad states.
type target struct {
	config *config
	kind   engine.ViolationKind
	goal   int
}

// maxTargets bounds the sets of bad states.
const maxTargets = 1 << 16

// targets returns the bad states of all questions.
func (m *model) targets(ctx context.Context) ([]target, error) {
	var out []target
	if m.task.Props.Checks {
		for p, th := range m.threads {
			if th.failed != anything {
				c := m.one(p, th.failed)
				out = append(out, target{c, engine.CheckFailed, 0})
			}
		}
	}
	for i := range m.task.Props.Goals {
		g := &m.task.Props.Goals[i]
		ways := make([][]int32, len(m.threads))
		var of []int32
		for _, at := range g.At {
			list := m.statesAt(int(at.Thread), func(l ir.Loc) bool { return slices.Contains(at.Locs, l) })
			if m.threads[at.Thread].template { // two locations of one template are two instances
				of, ways = append(of, int32(at.Thread)), append(ways, append([]int32{}, list...))
				continue
			}
			if ways[at.Thread] != nil {
				list = slices.DeleteFunc(list, func(s int32) bool { return !slices.Contains(ways[at.Thread], s) })
			}
			if ways[at.Thread] = list; len(list) == 0 {
				ways[at.Thread] = []int32{} // no state: not any state
			}
		}
		for _, t := range anywhere(g) {
			if m.threads[t].unstarted != anything {
				return nil, &engine.Unsupported{What: "dual: a goal that reads registers of a thread that is started, without its location, is not supported"}
			}
			ways[t] = m.statesAt(int(t), func(ir.Loc) bool { return true })
		}
		err := m.combine(ways, of, g.With, true, func(c *config) { out = append(out, target{c, engine.GoalReached, i}) }, &out)
		if err != nil {
			return nil, err
		}
	}
	if f := m.task.Props.Final; f != nil {
		ends, err := m.ends(f.Cond, f.Quantifier != property.Forall)
		if err != nil {
			return nil, err
		}
		out = append(out, ends...)
	}
	if m.task.Props.Deadlock {
		stuck, err := m.deadlocks(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, stuck...)
	}
	return out, nil
}

// anywhere returns the threads of which a goal reads registers without naming locations.
func anywhere(g *property.Goal) []ir.ThreadID {
	var out []ir.ThreadID
	if g.With == nil {
		return nil
	}
	for i := range g.With.Vars {
		v := &g.With.Vars[i]
		if !v.IsMemory() && !slices.Contains(out, v.Thread) && !slices.ContainsFunc(g.At, func(a property.At) bool { return a.Thread == v.Thread }) {
			out = append(out, v.Thread)
		}
	}
	return out
}

// ends returns the final states in which a condition is as wanted: all threads that were started have
// ended.
func (m *model) ends(cond *property.Cond, want bool) ([]target, error) {
	ways := make([][]int32, len(m.threads))
	for p, th := range m.threads {
		ways[p] = m.statesAt(p, m.task.Program.ThreadFunc(ir.ThreadID(p)).Ends)
		if th.unstarted != anything {
			ways[p] = append(ways[p], th.unstarted)
		}
		if ways[p] == nil {
			ways[p] = []int32{}
		}
	}
	var out []target
	err := m.combine(ways, nil, cond, want, func(c *config) { out = append(out, target{c, engine.FinalViolated, 0}) }, &out)
	return out, err
}

// top returns the set of all states.
func (m *model) top() *config {
	c := &config{at: make([]int32, len(m.threads)), bufs: make([][]message, len(m.threads)), mem: make([]int32, m.cells())}
	for p := range c.at {
		c.at[p] = anything
	}
	for i := range c.mem {
		c.mem[i] = anything
	}
	return c
}

// statesAt returns the states of a thread at some locations.
func (m *model) statesAt(p int, at func(ir.Loc) bool) []int32 {
	var out []int32
	th := m.threads[p]
	for s := range th.states {
		if id := int32(s); id != th.failed && id != th.left && id != th.unstarted && at(th.states[s].Loc) {
			out = append(out, id)
		}
	}
	return out
}

// eachState puts thread p into each of some states in turn, and calls pick for the next thread where the states may come
// together.
func (m *model) eachState(c *config, p int, states []int32, pick func(p int) error) error {
	for _, s := range states {
		c.at[p] = s
		if !m.related(c) {
			continue
		}
		if err := pick(p + 1); err != nil {
			return err
		}
	}
	c.at[p] = anything
	return nil
}

// combine calls give for every choice of a state of each thread (nil: any state), of a state of each instance of a
// template, which follow the threads, and of values of cells for which a condition is as wanted.
func (m *model) combine(ways [][]int32, of []int32, cond *property.Cond, want bool, give func(*config), sofar *[]target) error {
	var cells []int
	if cond != nil {
		var mutex bool
		if cells, mutex = m.sys.CellsOf(cond.Vars); mutex {
			return &engine.Unsupported{What: "dual: a condition that reads the word of a mutex is not supported"}
		}
	}
	held := make([][]int64, len(cells))
	for i, c := range cells {
		held[i] = m.sys.Cells[c].Values
	}
	c := m.top()
	for _, t := range of {
		c = c.with(t)
	}
	var pick func(p int) error
	pick = func(p int) error {
		if p < len(ways) {
			if ways[p] == nil {
				return pick(p + 1)
			}
			return m.eachState(c, p, ways[p], pick)
		}
		if len(*sofar) > maxTargets {
			return fmt.Errorf("more than %d combinations of states of threads can violate the property", maxTargets)
		}
		if cond == nil {
			give(c.clone())
			return nil
		}
		lts.EachChoice(held, func(values []int64) {
			if m.holds(cond, c, cells, values) == want {
				d := c.clone()
				for i, cell := range cells {
					d.mem[cell] = int32(slices.Index(m.sys.Cells[cell].Values, values[i]))
				}
				give(d)
			}
		})
		return nil
	}
	return pick(0)
}

// holds evaluates a condition.
func (m *model) holds(cond *property.Cond, c *config, cells []int, held []int64) bool {
	values := make([]int64, len(cond.Vars))
	for i := range cond.Vars {
		v := &cond.Vars[i]
		if v.IsMemory() {
			values[i] = m.sys.ValueOf(v, cells, held)
		} else {
			values[i] = m.threads[v.Thread].states[c.at[v.Thread]].Regs[v.Reg]
		}
	}
	return cond.Eval(values)
}
