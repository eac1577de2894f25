package explicit

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/search"
)

// worker expands states for one goroutine.
type worker struct {
	task  *engine.Task
	y     *memory.System
	s     *memory.State
	c     *codec
	judge *engine.Judge
	show  *engine.Finals

	look    *look     // nil: no reduction
	reduce  *reducer  // nil: expand everything
	sleep   *sleepers // nil: no sleep sets
	asleep  uint32    // what the successor under construction sleeps on
	enabled []int     // steps per thread
	moves   []bool    // whether one of them is more than a wake-up
	ended   int       // steps so far that ended the program: a check failed, or exit

	steps []memory.Step
	code  []byte
	out   *search.Sink

	done   int64           // final states met
	exits  int64           // executions ended by exit
	finals map[string]bool // their observations
}

func newWorker(task *engine.Task, y *memory.System, in *search.Interner) *worker {
	w := &worker{task: task, y: y, s: y.NewState(), c: newCodec(y, in), judge: engine.NewJudge(y), show: engine.NewFinals(y, task.Props), finals: map[string]bool{}, enabled: make([]int, y.Threads()), moves: make([]bool, y.Threads())}
	if reduces(task) {
		w.look = newLook(y)
		w.reduce = newReducer(y, w.look)
		if sleeps(task) {
			w.sleep = newSleepers(y, w.look)
		}
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
	keyState    = "state:"
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
func (w *worker) Expand(state []byte, out *search.Sink) { w.ExpandAwake(state, 0, 0, out) }

// ExpandAwake looks at a state, or looks again at some of its steps.
func (w *worker) ExpandAwake(state []byte, sleep, only uint32, out *search.Sink) {
	w.out = out
	w.c.unpack(w.s, state)
	if only == 0 {
		w.goals()
	}
	moved := w.list()
	if w.s.Err != nil {
		out.Fail(w.s.Err)
		return
	}
	if !moved {
		w.follow(-1, 0, 0) // at most wake-ups
		if only == 0 {
			w.atEnd()
		}
		return
	}
	if w.look != nil {
		w.look.at(w.s)
	}
	if w.sleep != nil {
		w.sleep.filled = 0
	}
	if only != 0 {
		w.follow(-1, sleep, only)
		return
	}
	before := w.ended
	if w.reduce != nil {
		if set := w.reduce.choose(w.s, w.enabled, w.moves); set != nil {
			for _, t := range set {
				sleep = w.follow(t, sleep, 0)
			}
			// A step that ends the program ends what was postponed with it.
			if w.ended == before {
				return
			}
		}
	}
	w.follow(-1, sleep, 0)
}

// list finds the steps enabled, sorted by thread; it reports whether there is one
// that is not a wake-up.
func (w *worker) list() bool {
	w.steps = w.steps[:0]
	w.s.Withheld = false
	moved := false
	for t := range w.enabled {
		n := len(w.steps)
		w.steps = w.y.EnabledOf(w.s, t, w.steps)
		w.enabled[t] = len(w.steps) - n
		w.moves[t] = n < len(w.steps) && w.steps[n].Kind != memory.Wake
		moved = moved || w.moves[t]
	}
	return moved
}

// follow takes the listed steps of thread t, or of all if t is -1, that are not
// asleep, or just those in only if it is not 0. It returns sleep with the steps
// taken: later siblings need not look at those they are independent of, unless
// they ended the program, for then the other order was not looked at.
func (w *worker) follow(t int, sleep, only uint32) uint32 {
	for i := 0; i < len(w.steps); {
		bit := uint32(0)
		if w.sleep != nil {
			bit = bitOf(w.steps[i])
		}
		n := i + 1
		for n < len(w.steps) && w.steps[n].Thread == w.steps[i].Thread && (bit == 0 || bitOf(w.steps[n]) == bit) {
			n++
		}
		if (t < 0 || int(w.steps[i].Thread) == t) && sleep&bit == 0 && (only == 0 || only&bit != 0) {
			if bit != 0 {
				w.asleep = sleep & w.sleep.independent(w.s, bit)
			}
			before := w.ended
			for _, st := range w.steps[i:n] {
				mark := w.s.Mark()
				w.y.Apply(w.s, st)
				w.y.Settle(w.s, int(st.Thread), w.visit)
				w.s.Undo(mark)
			}
			if w.ended == before {
				sleep |= bit
			}
		}
		i = n
	}
	if w.s.Err != nil {
		w.out.Fail(w.s.Err)
	}
	return sleep
}

// visit takes one settled successor.
func (w *worker) visit() {
	if f, failed := w.s.Fault(); failed {
		w.out.Report(checkKey(f))
		w.ended++
		return
	}
	if w.s.Over() {
		w.ended++
		w.exits++
		return
	}
	w.code = w.c.pack(w.s, w.code[:0])
	w.out.AddAsleep(w.code, w.asleep)
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
		if w.judge.Goal(w.s, &w.task.Props.Goals[i]) {
			w.out.Report(keyGoal + strconv.Itoa(i))
		}
	}
}

// atEnd looks at a state in which nothing can happen any more.
func (w *worker) atEnd() {
	if !w.y.Final(w.s) {
		// A state we only look no further from is not stuck.
		if w.task.Props.Deadlock && !w.s.Withheld && w.y.Deadlocked(w.s) {
			w.out.Report(keyDeadlock)
		}
		return
	}
	w.done++
	if f := w.task.Props.Final; f != nil && w.judge.Final(w.s, f) {
		w.out.Report(keyFinal)
	}
	if w.task.Finals {
		text := w.show.Text(w.s)
		w.finals[text] = true
		if pick := w.task.WitnessFinal; pick != nil && pick(text) {
			w.out.Report(keyState + text)
		}
	}
}
