package explicit

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/search"
)

// worker expands states for one goroutine.
type worker struct {
	task *engine.Task
	y    *memory.System
	s    *memory.State

	reduce  *reducer // nil: expand everything
	enabled []int    // steps per thread
	failed  bool     // a check failed in the state being expanded

	steps  []memory.Step
	code   []byte
	values []int64
	out    *search.Sink

	ended  int64           // final states met
	finals map[string]bool // their observations
	key    []byte
}

func newWorker(task *engine.Task, y *memory.System) *worker {
	w := &worker{task: task, y: y, s: y.NewState(), finals: map[string]bool{}, enabled: make([]int, y.Threads())}
	if reduces(task) {
		w.reduce = newReducer(y)
	}
	return w
}

// Keys of findings. Those about a state name a property; those about a step name
// the check and where it failed.
const (
	keyGoal     = "goal:"
	keyFinal    = "final"
	keyDeadlock = "deadlock"
	keyCheck    = "check:"
)

// Start adds the initial states: the threads' local beginnings already run.
func (w *worker) Start(out *search.Sink) {
	w.out = out
	w.y.SettleAll(w.s, w.visit)
	if w.s.Err != nil {
		out.Fail(w.s.Err)
	}
}

// Expand looks at a state and adds its successors.
func (w *worker) Expand(state []byte, out *search.Sink) {
	w.out = out
	w.y.Decode(w.s, state)
	w.goals()
	moved := w.list()
	if w.s.Err != nil {
		out.Fail(w.s.Err)
		return
	}
	if !moved {
		w.follow(-1) // at most wake-ups
		w.atEnd()
		return
	}
	w.failed = false
	if w.reduce != nil {
		if set := w.reduce.choose(w.s, w.enabled); set != nil {
			for _, t := range set {
				w.follow(t)
			}
			// A check that fails ends the program and what it postponed with it.
			if !w.failed {
				return
			}
		}
	}
	w.follow(-1)
}

// list finds the steps enabled, sorted by thread; it reports whether there is one
// that is not a wake-up.
func (w *worker) list() bool {
	w.steps = w.steps[:0]
	moved := false
	for t := range w.enabled {
		n := len(w.steps)
		w.steps = w.y.EnabledOf(w.s, t, w.steps)
		w.enabled[t] = len(w.steps) - n
		for _, st := range w.steps[n:] {
			moved = moved || st.Kind != memory.Wake
		}
	}
	return moved
}

// follow takes the listed steps of thread t, or of all if t is -1.
func (w *worker) follow(t int) {
	for _, st := range w.steps {
		if t >= 0 && int(st.Thread) != t {
			continue
		}
		mark := w.s.Mark()
		w.y.Apply(w.s, st)
		w.y.Settle(w.s, int(st.Thread), w.visit)
		w.s.Undo(mark)
	}
	if w.s.Err != nil {
		w.out.Fail(w.s.Err)
	}
}

// visit takes one settled successor.
func (w *worker) visit() {
	if f, failed := w.s.Fault(); failed {
		w.out.Report(checkKey(f))
		w.failed = true
		return
	}
	if w.s.Over() {
		return
	}
	w.code = w.y.Encode(w.s, w.code[:0])
	w.out.Add(w.code)
}

func checkKey(f memory.Fault) string {
	edge := ir.NoEdge
	if f.Edge != nil {
		edge = f.Edge.ID
	}
	return fmt.Sprintf("%s%d:%d", keyCheck, f.Class, edge)
}

func parseCheckKey(key string) (ir.CheckClass, ir.EdgeID) {
	class, edge, _ := strings.Cut(strings.TrimPrefix(key, keyCheck), ":")
	c, err1 := strconv.Atoi(class)
	e, err2 := strconv.Atoi(edge)
	if err1 != nil || err2 != nil {
		panic("BUG: bad key of a finding: " + key)
	}
	return ir.CheckClass(c), ir.EdgeID(e)
}

func (w *worker) goals() {
	for i := range w.task.Props.Goals {
		if w.goalHolds(&w.task.Props.Goals[i]) {
			w.out.Report(keyGoal + strconv.Itoa(i))
		}
	}
}

func (w *worker) goalHolds(g *property.Goal) bool {
	for _, at := range g.At {
		if !w.s.Started(at.Thread) || !contains(at.Locs, w.s.PC(at.Thread)) {
			return false
		}
	}
	if g.MentionsMemory() && !w.s.Drained() {
		return false
	}
	return g.With == nil || w.holds(g.With)
}

func contains(locs []ir.Loc, l ir.Loc) bool {
	for _, x := range locs {
		if x == l {
			return true
		}
	}
	return false
}

func (w *worker) holds(c *property.Cond) bool {
	w.values = w.read(c.Vars, w.values[:0])
	return c.Eval(w.values)
}

func (w *worker) read(vars []property.Var, out []int64) []int64 {
	for i := range vars {
		v := &vars[i]
		if v.IsMemory() {
			out = append(out, w.y.Read(w.s, v.Addr, v.Type))
		} else {
			out = append(out, w.y.Reg(w.s, v.Thread, v.Reg))
		}
	}
	return out
}

// atEnd looks at a state in which nothing can happen any more.
func (w *worker) atEnd() {
	if !w.y.Final(w.s) {
		if w.task.Props.Deadlock && w.y.Deadlocked(w.s) {
			w.out.Report(keyDeadlock)
		}
		return
	}
	w.ended++
	if f := w.task.Props.Final; f != nil && w.holds(f.Cond) != (f.Quantifier == property.Forall) {
		w.out.Report(keyFinal)
	}
	if w.task.Finals {
		w.key = FormatFinal(w.key[:0], w.task.Props.Observe, w.read(w.task.Props.Observe, w.values[:0]))
		if !w.finals[string(w.key)] {
			w.finals[string(w.key)] = true
		}
	}
}

// FormatFinal writes a final state as name=value pairs.
func FormatFinal(out []byte, vars []property.Var, values []int64) []byte {
	for i := range vars {
		if i > 0 {
			out = append(out, ' ')
		}
		out = append(out, vars[i].Name...)
		out = append(out, '=')
		out = strconv.AppendInt(out, values[i], 10)
	}
	return out
}
