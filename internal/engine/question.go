package engine

import (
	"fmt"
	"slices"
	"strconv"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/property"
)

// What the questions of a task mean for the states of package memory: which parts
// of a state must be kept for them, and whether they hold in one.

// TakesThreads refuses what no engine takes that runs threads one by one: programs
// that are not flat, and templates of any number of threads.
func (t *Task) TakesThreads(name string) error {
	if t.Program.Form != ir.Flat {
		return fmt.Errorf("%s takes flat programs", name)
	}
	for _, th := range t.Program.Threads {
		if th.Unbounded {
			return fmt.Errorf("thread %s stands for any number of threads; give --threads", th.Name)
		}
	}
	return nil
}

// KeepOf says which registers of which functions the questions look at.
func (t *Task) KeepOf() func(ir.FuncID, ir.Reg) bool {
	keep := t.MemoryOptions().Keep
	return func(f ir.FuncID, r ir.Reg) bool {
		for th := range t.Program.Threads {
			if t.Program.Threads[th].Func == f && keep(ir.ThreadID(th), r) {
				return true
			}
		}
		return false
	}
}

// MemoryOptions says how the program is compiled so that the registers that the questions read
// stay alive. All other options are unset.
func (t *Task) MemoryOptions() memory.Options {
	kept := map[regKey]bool{}
	for _, g := range t.Props.Goals {
		if g.With != nil {
			addRegs(kept, g.With.Vars)
		}
	}
	if t.Props.Final != nil {
		addRegs(kept, t.Props.Final.Cond.Vars)
	}
	if t.Finals {
		addRegs(kept, t.Props.Observe)
	}
	return memory.Options{
		Keep: func(t ir.ThreadID, r ir.Reg) bool { return kept[regKey{t, r}] },
		Ends: t.Finals && (t.Props.Whole || t.Props.Leaks),
	}
}

// EagerOptions says where eager steps must stop so that the questions see every state that they
// ask about. All other options are unset.
func (t *Task) EagerOptions() reduce.Options {
	watched, visible := map[regKey]bool{}, map[locKey]bool{}
	for _, g := range t.Props.Goals {
		for _, at := range g.At {
			for _, l := range at.Locs {
				visible[locKey{at.Thread, l}] = true
			}
		}
		if g.With != nil {
			addRegs(watched, g.With.Vars)
		}
	}
	return reduce.Options{
		MemoryVisible: t.GoalsReadMemory(),
		Watch:         func(t ir.ThreadID, r ir.Reg) bool { return watched[regKey{t, r}] },
		Visible:       func(t ir.ThreadID, l ir.Loc) bool { return visible[locKey{t, l}] },
	}
}

// addRegs adds the registers among some variables.
func addRegs(m map[regKey]bool, vars []property.Var) {
	for _, v := range vars {
		if !v.IsMemory() {
			m[regKey{v.Thread, v.Reg}] = true
		}
	}
}

// GoalsReadMemory reports whether a goal's condition mentions memory.
func (t *Task) GoalsReadMemory() bool {
	return slices.ContainsFunc(t.Props.Goals, func(g property.Goal) bool { return g.MentionsMemory() })
}

type regKey struct {
	t ir.ThreadID
	r ir.Reg
}

type locKey struct {
	t ir.ThreadID
	l ir.Loc
}

// Judge evaluates conditions in states. It is one worker's own.
type Judge struct {
	y      *memory.System
	values []int64
}

// NewJudge is a judge for states of y.
func NewJudge(y *memory.System) *Judge { return &Judge{y: y} }

// Goal reports whether a state belongs to a goal.
func (j *Judge) Goal(s *memory.State, g *property.Goal) bool {
	for _, at := range g.At {
		if !s.Started(at.Thread) || !slices.Contains(at.Locs, s.PC(at.Thread)) {
			return false
		}
	}
	if g.MentionsMemory() && !s.Drained() {
		return false
	}
	return g.With == nil || j.Holds(s, g.With)
}

// Final reports whether a final state decides a final condition: it is an example
// for exists, or a counterexample for never or forall.
func (j *Judge) Final(s *memory.State, f *property.Final) bool {
	return j.Holds(s, f.Cond) != (f.Quantifier == property.Forall)
}

// Holds reports whether a condition holds.
func (j *Judge) Holds(s *memory.State, c *property.Cond) bool {
	return c.Eval(j.Read(s, c.Vars))
}

// Read gives the values of variables. The slice is the judge's own.
func (j *Judge) Read(s *memory.State, vars []property.Var) []int64 {
	j.values = j.values[:0]
	for i := range vars {
		v := &vars[i]
		if v.IsMemory() {
			j.values = append(j.values, j.y.Read(s, v.Addr, v.Type))
		} else {
			j.values = append(j.values, j.y.Reg(s, v.Thread, v.Reg))
		}
	}
	return j.values
}

// Finals writes down final states.
type Finals struct {
	view     stateView
	observer *property.Observer
}

// NewFinals returns a writer of the final states that a set shows.
func NewFinals(y *memory.System, set *property.Set) *Finals {
	return &Finals{view: stateView{y: y}, observer: property.NewObserver(y.Prog, set)}
}

// Text returns the text of a final state.
func (f *Finals) Text(s *memory.State) string {
	f.view.s = s
	return f.observer.Text(&f.view)
}

// stateView is a state as property sees it.
type stateView struct {
	y *memory.System
	s *memory.State
}

func (v *stateView) Memory(addr uint64, t ir.Type) int64 { return v.y.Read(v.s, addr, t) }

func (v *stateView) Register(t ir.ThreadID, r ir.Reg) int64 { return v.y.Reg(v.s, t, r) }

func (v *stateView) Result(t ir.ThreadID) int64 { return v.s.Result(t) }

func (v *stateView) Cells() []uint64 { return v.y.Cells(v.s) }

func (v *stateView) Blocks() []property.Block {
	var out []property.Block
	for _, b := range v.y.Blocks(v.s) {
		one := property.Block{Addr: b.Addr, Size: b.Size, Stack: b.Stack, Freed: b.Free, Site: ir.NoEdge, Order: b.Order}
		if b.Site != nil {
			one.Site = b.Site.ID
		}
		out = append(out, one)
	}
	return out
}

// FormatFinal writes a list of variables as name=value pairs.
func FormatFinal(vars []property.Var, values []int64) string {
	var out []byte
	for i := range vars {
		if i > 0 {
			out = append(out, ' ')
		}
		out = append(out, vars[i].Name...)
		out = append(out, '=')
		out = strconv.AppendInt(out, values[i], 10)
	}
	return string(out)
}
