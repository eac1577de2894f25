package dual

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/lts"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// Any number of threads. Instances of a template have no names, so a configuration has a multiset of them, each with
// its state and its load buffer, and stands for all states that have at least these instances [AABN18 §6]. An instance
// that is not listed is in any state: it is added when it did something that matters to the listed ones, in
// its state after the step, as a fixed thread in any state is. Multisets of words are a well-quasi-order again
// (Higman), so the search ends. A violation is for the caller to show, with as many instances as the element
// has that an initial state is one of.
//
// Differs from the paper: the multiset is over the normal form (predecessor.go), and instances that
// threads start wait for a gate, a cell that a start opens and that never closes.

// Any is the answer for all numbers of instances.
type Any struct {
	Possible bool // some number of instances violates the property
	Enough   int  // so many instances of each template do; 0: not known
	Unknown  string
	Coverage verdict.Coverage
	Stats    verdict.Stats
}

// maxInstances bounds the instances of a configuration: what covers it is looked up for all sets of them.
const maxInstances = 12

// errInstances says that a configuration has more instances.
const errInstances = errLimit("configurations of more than 12 instances")

// Decide answers whether checks hold and goals are unreachable under TSO, for any number of instances of the templates.
// A domain restricts the values of memory; nil: as found.
func Decide(ctx context.Context, task *engine.Task, d *lts.Domain) (*Any, error) {
	return decideAny(ctx, task, Options{}, d)
}

// decideAny is Decide with parts turned off.
func decideAny(ctx context.Context, task *engine.Task, opt Options, d *lts.Domain) (*Any, error) {
	if err := supportsAny(task); err != nil {
		return nil, err
	}
	start := time.Now()
	a := &Any{}
	out := &engine.Outcome{}
	ask := func(m *model, out *engine.Outcome) error {
		s, err := m.searchTargets(ctx, out)
		if err != nil {
			return err
		}
		if s.found != anything {
			a.Possible, a.Enough = true, m.enough(s.elements[s.found].config)
			out.Violations = []engine.Violation{{}}
			return nil
		}
		if s.stop != nil {
			return s.stop
		}
		return m.bounds(ctx, out)
	}
	err := decide(ctx, task, opt, out, d, ask)
	unsupported, grows := (*engine.Unsupported)(nil), (*lts.Growing)(nil)
	switch {
	case errors.As(err, &unsupported):
		return nil, err
	case errors.As(err, &grows):
		a.Unknown = fmt.Sprintf("%s may take more and more values: dual needs finite data; give --domain to restrict them", grows.Cell)
	case err != nil:
		a.Unknown = reason(err)
	}
	a.Coverage, a.Stats = out.Coverage, out.Stats
	a.Stats.Seconds = time.Since(start).Seconds()
	a.Coverage.Exhaustive = a.Unknown == "" && len(a.Coverage.Bounds) == 0
	return a, nil
}

// supportsAny refuses questions that are not upward closed, and operations that dual does not take.
func supportsAny(task *engine.Task) error {
	const who = "for any number of threads under TSO: "
	switch {
	case task.Model != memory.TSO:
		return errors.New("dual answers under TSO alone")
	case task.Props.Deadlock:
		return &engine.Unsupported{What: who + "deadlock is not supported, since more threads can end one"}
	case task.Props.Endless:
		return &engine.Unsupported{What: who + "whether loops end is not supported, since more threads can end one", Advice: "use --liveness off"}
	case task.Props.Final != nil:
		return &engine.Unsupported{What: who + "a final condition is not supported"}
	}
	for i := range task.Props.Goals {
		g := &task.Props.Goals[i]
		if g.With == nil {
			continue
		}
		for _, v := range g.With.Vars {
			if !v.IsMemory() && task.Program.Threads[v.Thread].Unbounded {
				return &engine.Unsupported{What: who + "a goal that reads registers of a template is not supported"}
			}
		}
	}
	return takes(task)
}

// threadOf returns the thread that a part of a configuration is about.
func (m *model) threadOf(c *config, p int) *thread {
	if p < len(m.threads) {
		return m.threads[p]
	}
	return m.threads[c.of[p-len(m.threads)]]
}

// fixed returns the number of threads that are no instances.
func (c *config) fixed() int { return len(c.at) - len(c.of) }

// with returns a copy with one more instance of a template, in any state.
func (c *config) with(t int32) *config {
	d := c.clone()
	d.at, d.bufs, d.of = append(d.at, anything), append(d.bufs, nil), append(slices.Clone(c.of), t)
	return d
}

// one returns the set of the states in which a thread, or an instance of a template, is in a state.
func (m *model) one(p int, s int32) *config {
	c := m.top()
	if m.threads[p].template {
		c = c.with(int32(p))
		p = len(c.at) - 1
	}
	c.at[p] = s
	return c
}

// matches reports whether the instances of c from the i-th on can be matched with different ones of d that are at least
// as large. Instances of d that the earlier ones took are in taken.
func (c *config) matches(d *config, fixed int, taken uint64) bool {
	i := fixed
	for n := taken; n != 0; n &= n - 1 {
		i++
	}
	if i == len(c.at) {
		return true
	}
	for j := fixed; j < len(d.at); j++ {
		if taken>>(j-fixed)&1 == 0 && c.of[i-fixed] == d.of[j-fixed] && c.at[i] == d.at[j] && embeds(c.bufs[i], d.bufs[j]) &&
			c.matches(d, fixed, taken|1<<(j-fixed)) {
			return true
		}
	}
	return false
}

// sort brings the instances into an order in which equal multisets have equal keys.
func (c *config) sort() {
	if len(c.of) < 2 {
		return
	}
	fixed := c.fixed()
	order := make([]int, len(c.of))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(c.of[i], c.of[j]), cmp.Compare(c.at[fixed+i], c.at[fixed+j]),
			bytes.Compare([]byte(selfWord(c.bufs[fixed+i])), []byte(selfWord(c.bufs[fixed+j]))), slices.Compare(c.bufs[fixed+i], c.bufs[fixed+j]))
	})
	d := c.clone()
	c.of = slices.Clone(c.of)
	for i, from := range order {
		c.of[i], c.at[fixed+i], c.bufs[fixed+i] = d.of[from], d.at[fixed+from], d.bufs[fixed+from]
	}
}

// enough returns the largest number of instances of a template in a configuration, at least 1, or 0 if instances are
// started and do not come from the initial state.
func (m *model) enough(c *config) int {
	if len(m.gates) > 0 {
		return 0
	}
	n, count := 1, map[int32]int{}
	for _, t := range c.of {
		count[t]++
		n = max(n, count[t])
	}
	return n
}

// gate is a cell for which instances of a template wait until a thread starts them with certain arguments.
type gate struct {
	template int
	entry    int32
}

// open is the value of a gate after a start; its initial value is 0.
const open = 1

// cells counts the cells, with the counters of pools and the gates.
func (m *model) cells() int { return m.firstGate() + len(m.gates) }

// firstGate is the cell of the first gate.
func (m *model) firstGate() int { return len(m.sys.Cells) + len(m.pools.shared) }

// gate returns the cell of the gate that a start opens.
func (m *model) gate(mv *lts.Move) int32 {
	t := mv.Spawns - 1
	g := gate{t, m.state(t, m.sys.Entry(t, mv.Args))}
	i := slices.Index(m.gates, g)
	if i < 0 {
		i = len(m.gates)
		m.gates = append(m.gates, g)
		m.initial = append(m.initial, 0)
	}
	return int32(m.firstGate() + i)
}

// openGates lets the instances of templates start once their gates are open.
func (m *model) openGates() {
	for i, g := range m.gates {
		th := m.threads[g.template]
		th.trans = append(th.trans, trans{
			kind: exclusive, from: th.unstarted, to: g.entry,
			accesses: []access{{cell: int32(m.firstGate() + i), old: open, new: open}},
		})
	}
}
