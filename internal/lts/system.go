package lts

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/query"
	"fencepost/verdict"
)

// Domain restricts the values that cells may hold.
type Domain = query.Domain

// Options say what an engine needs.
type Options struct {
	// For begins every message about something that is not supported.
	For string
	// Keep reports the registers that a property reads: they are never dead. It may be nil.
	Keep   func(ir.FuncID, ir.Reg) bool
	Domain *Domain
	// Restricted has the addresses of the cells that Domain restricts; nil: all. The others must have few values.
	Restricted map[uint64]bool
	// Attacks is for robustness: a check that fails only stops its thread, and sections also have
	// moves for their prefixes, since a section that never ends has still made its accesses.
	Attacks bool
	// Fences says that a full fence is an action and not a local step.
	Fences bool
	// Joins says that a join is an action; otherwise it is refused.
	Joins bool
	// Counter returns the index of the counter that says how many of its threads a spawn has started, -1 if it has
	// none: then the caller knows. Only one thread may come to spawns with one counter. If Counter is nil, spawns that
	// name several threads are refused.
	Counter func(e *ir.Edge) int
	// NewCell is called when cell c is new; Again is called with a user of a cell when the cell has a
	// new value: the moves of the user's states are not complete any more. Both may be nil.
	NewCell func(c int)
	Again   func(user int)
}

// System has what the threads of a program have in common: cells, and the values seen in them.
type System struct {
	Prog   *ir.Program
	Facts  *analysis.Facts
	Cells  []*Cell
	Bounds []verdict.Bound // at which paths end
	// Split says that a cell must be divided: the system must be built again with Cuts as they are now.
	Split bool
	Err   error

	opt     Options
	cuts    Cuts
	visible map[locKey]bool
	joins   map[ir.FuncID][]bool // by location: local steps meet there, or begin
}

// Cuts has the addresses inside accesses at which cells begin. It must be kept when a system is built
// again.
type Cuts map[uint64]bool

type locKey struct {
	thread int
	loc    ir.Loc
}

// New returns the system of a program without any state.
func New(p *ir.Program, cuts Cuts, opt Options) *System {
	keep := opt.Keep
	if keep == nil {
		keep = func(ir.FuncID, ir.Reg) bool { return false }
	}
	return &System{Prog: p, Facts: analysis.NewFacts(p, keep), opt: opt, cuts: cuts, visible: map[locKey]bool{}, joins: map[ir.FuncID][]bool{}}
}

// joinsOf returns the locations of a function at which paths meet, and its entry: every cycle has one of them.
func (y *System) joinsOf(id ir.FuncID) []bool {
	if y.joins[id] == nil {
		f := y.Prog.Funcs[id]
		joins, into := make([]bool, len(f.Locs)), make([]bool, len(f.Locs))
		joins[f.Entry] = true
		for i := range f.Edges {
			to := f.Edges[i].To
			joins[to], into[to] = joins[to] || into[to], true
		}
		y.joins[id] = joins
	}
	return y.joins[id]
}

// Show makes local steps of a thread stop at a location.
func (y *System) Show(thread int, loc ir.Loc) { y.visible[locKey{thread, loc}] = true }

// State is the state of one thread: its location, its registers (dead ones are zero), and the mutexes
// it holds.
type State struct {
	Thread int
	Loc    ir.Loc
	Regs   []int64
	Held   []int // cells of mutexes
	// Delays says that stores of the thread wait, so that it does not get past a full fence.
	Delays bool
	// Started has the counters of spawns.
	Started []int
}

// Key returns a text that tells the states of a program apart.
func (s *State) Key() string {
	out := binary.AppendUvarint(nil, uint64(s.Thread))
	out = binary.AppendUvarint(out, uint64(s.Loc))
	for _, v := range s.Regs {
		out = binary.AppendVarint(out, v)
	}
	out = binary.AppendUvarint(out, uint64(len(s.Held)))
	for _, c := range s.Held {
		out = binary.AppendUvarint(out, uint64(c))
	}
	for _, n := range s.Started {
		out = binary.AppendUvarint(out, uint64(n))
	}
	return string(out)
}

// Name returns the name of a state for people. The mark follows the name of the thread.
func (y *System) Name(s *State, mark string) string {
	t := &y.Prog.Threads[s.Thread]
	f := y.Prog.Funcs[t.Func]
	var out strings.Builder
	out.WriteString(t.Name + mark + ":" + strconv.Itoa(int(s.Loc)))
	if n := f.Locs[s.Loc].Name; n != "" {
		out.WriteString("/" + n)
	}
	for r, v := range s.Regs {
		if v != 0 {
			fmt.Fprintf(&out, " %s=%d", f.Regs[r].Name, v)
		}
	}
	for _, m := range s.Held {
		fmt.Fprintf(&out, " holds %s", y.Cells[m].Name)
	}
	return out.String()
}

// Entry returns the initial state of a thread. Local steps are not run.
func (y *System) Entry(t int, args []int64) State {
	f := y.Prog.ThreadFunc(ir.ThreadID(t))
	regs := make([]int64, len(f.Regs))
	for i := range f.Regs {
		regs[i] = f.Regs[i].Init
	}
	copy(regs, args)
	return y.At(&State{Thread: t}, f.Entry, regs)
}

// At returns s at another location, with dead registers reset.
func (y *System) At(s *State, loc ir.Loc, regs []int64) State {
	next := *s
	next.Loc, next.Regs = loc, make([]int64, len(regs))
	y.Facts.EachLive(y.Prog.Threads[s.Thread].Func, loc, func(r ir.Reg) { next.Regs[r] = regs[r] })
	return next
}

// Env returns the registers of a state for expressions, and the value that an access sees.
func (y *System) Env(regs []int64, seen int64) ir.Env {
	return ir.Env{Regs: regs, Seen: seen, Prog: y.Prog}
}

// Refuse notes the first instruction that is not supported.
func (y *System) Refuse(e *ir.Edge, format string, args ...any) {
	if y.Err == nil {
		y.Err = &engine.Unsupported{Pos: engine.Pos(e), What: y.opt.For + fmt.Sprintf(format, args...) + " is not supported"}
	}
}

// cutOff notes that a path ends at a bound.
func (y *System) cutOff(e *ir.Edge) {
	one := engine.BoundAt(e)
	if !slices.ContainsFunc(y.Bounds, func(o verdict.Bound) bool { return o.Name == one.Name }) {
		y.Bounds = append(y.Bounds, one)
	}
}

// MaxValues is the number of values of a cell above which they are taken to be unbounded.
const MaxValues = 64

// Growing is a cell that takes more and more values.
type Growing struct {
	Cell string
	Addr uint64
}

func (g *Growing) Error() string {
	return fmt.Sprintf("%s takes more than %d values; give --domain to restrict them", g.Cell, MaxValues)
}

// errGrows says that the cells of one access have too many values together.
var errGrows = fmt.Errorf("the cells of one access have more than %d values together; give --domain to restrict them", maxFound)
