package explicit

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/endless"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/search"
)

// worker expands states for one goroutine.
type worker struct {
	task   *engine.Task
	y      *memory.System
	s      *memory.State
	eager  *reduce.Runner
	c      *codec
	judge  *engine.Judge
	show   *engine.Finals
	guide  *guide        // nil: states are not ranked
	length int           // steps to the successor under construction
	loops  *endless.Test // nil: endless loops are not asked about

	selection

	steps []memory.Step
	code  []byte
	out   *search.Sink

	done     int64           // final states met
	exits    int64           // executions ended by exit
	returned bool            // a state was met in which the main thread has returned
	finals   map[string]bool // their observations
}

// selection says which steps of a state are taken.
type selection struct {
	conflicts  *conflicts      // nil: no reduction
	persistent *persistentSets // nil: all threads are expanded
	sleep      *sleepSets      // nil: no sleep sets
	asleep     uint64          // what the successor under construction sleeps on
	enabled    []int           // steps per thread
	moves      []bool          // whether one of them is more than a wake-up
	ended      int             // steps so far that ended the program: a check failed, or exit
}

func newWorker(task *engine.Task, y *system, in *search.Interner) *worker {
	n := y.mem.Threads()
	w := &worker{
		task: task, y: y.mem, s: y.mem.NewState(), eager: reduce.NewRunner(y.plan), c: newCodec(y, in),
		judge: engine.NewJudge(y.mem), show: engine.NewFinals(y.mem, task.Props),
		finals: map[string]bool{}, selection: selection{enabled: make([]int, n), moves: make([]bool, n)},
	}
	if task.AsksLoops() {
		// Without thread-private memory, as the witness is judged: rounds that only write such memory are
		// not endless there, since their stores wait in the buffer. Registers that only properties read
		// keep no thread from going round.
		w.loops = endless.New(memory.New(task.Program, task.Model, memory.Options{}))
	}
	if reduces(task) {
		w.conflicts = newConflicts(y)
		w.persistent = newPersistentSets(y, w.conflicts)
		if sleeps(task) {
			w.sleep = newSleepSets(y, w.conflicts)
		}
	}
	return w
}

// Keys of findings. A finding about a state names a property; a finding about a step names the
// check and where it failed.
const (
	keyGoal     = "goal:"
	keyFinal    = "final"
	keyDeadlock = "deadlock"
	keyEndless  = "non-termination"
	keyCheck    = "check:"
	keyState    = "state:"
)

// Start adds the initial states: all threads have run their first eager steps.
func (w *worker) Start(out *search.Sink) {
	w.out = out
	w.eager.RunAll(w.s, w.visit)
	if w.s.Err != nil {
		out.Fail(w.s.Err)
	}
}

// What is counted as work beside states and transitions: a step that could be taken, whether it is taken or sleeps, and
// an eager step, and a thread that is looked at for the steps of a state.
const (
	stepCost   = 200
	eagerCost  = 170
	threadCost = 250
)

// Expand checks a state and adds its successors.
func (w *worker) Expand(state []byte, out *search.Sink) { w.ExpandAwake(state, 0, 0, out) }

// ExpandAwake checks a state and adds its successors, except those of steps in sleep. With only
// not 0 the state has been checked before, and the successors of the steps in only are added.
func (w *worker) ExpandAwake(state []byte, sleep, only uint64, out *search.Sink) {
	w.out = out
	w.c.unpack(w.s, state)
	if w.guide != nil {
		w.length = 1
		if only == 0 {
			w.length = w.guide.stepsTo(out.LevelRank()) + 1
		}
	}
	if only == 0 {
		w.goals()
		w.returned = w.returned || memory.MainReturned(w.y, w.s)
		if w.loops != nil && w.loops.Holds(w.s) {
			w.out.Report(keyEndless)
		}
	}
	moved := w.list()
	out.Count(stepCost*int64(len(w.steps)) + threadCost*int64(len(w.enabled)))
	if w.s.Err != nil {
		out.Fail(w.s.Err)
		return
	}
	if !moved {
		w.take(-1, 0, 0) // at most wake-ups
		if only == 0 {
			w.atEnd()
		}
		return
	}
	if w.conflicts != nil {
		w.conflicts.moveTo(w.s)
	}
	if w.sleep != nil {
		clear(w.sleep.filled)
	}
	if only != 0 {
		w.take(-1, sleep, only)
		return
	}
	before := w.ended
	if w.persistent != nil {
		if set := w.persistent.choose(w.s, w.enabled, w.moves); set != nil {
			for _, t := range set {
				sleep = w.take(t, sleep, 0)
			}
			// A step that ends the program ends what was postponed with it.
			if w.ended == before {
				return
			}
		}
	}
	w.take(-1, sleep, 0)
}

// list finds the enabled steps, sorted by thread, and reports whether there is one that is not a
// wake-up.
func (w *worker) list() bool {
	w.steps = w.steps[:0]
	w.s.Withheld = false
	moved := false
	for t := range w.enabled {
		n := len(w.steps)
		w.steps = w.y.EnabledThread(w.s, t, w.steps)
		w.enabled[t] = len(w.steps) - n
		w.moves[t] = n < len(w.steps) && w.steps[n].Kind != memory.Wake
		moved = moved || w.moves[t]
	}
	return moved
}

// take takes the listed steps of thread t, or of all threads if t is -1, that are not asleep, or
// only the steps in only if that is not 0. It returns sleep with the steps taken: later siblings
// need not explore a step they are independent of. A step that ended the program is not added,
// since the other order was not explored.
func (w *worker) take(t int, sleep, only uint64) uint64 {
	for i := 0; i < len(w.steps); {
		sleeper := -1
		if w.sleep != nil {
			sleeper = sleeperOf(w.steps[i])
		}
		bit := bitOf(sleeper)
		n := i + 1
		for n < len(w.steps) && w.steps[n].Thread == w.steps[i].Thread && (sleeper < 0 || sleeperOf(w.steps[n]) == sleeper) {
			n++
		}
		if (t < 0 || int(w.steps[i].Thread) == t) && sleep&bit == 0 && (only == 0 || only&bit != 0) {
			if sleeper >= 0 {
				w.asleep = sleep & w.sleep.independent(w.s, sleeper)
			}
			before := w.ended
			for _, st := range w.steps[i:n] {
				mark := w.s.Mark()
				w.y.Apply(w.s, st)
				w.eager.Run(w.s, int(st.Thread), w.visit)
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

// visit takes one successor, after its eager steps.
func (w *worker) visit() {
	if f, failed := w.s.Fault(); failed {
		w.out.Report(checkKey(f))
		w.ended++
		return
	}
	if w.s.Over() {
		w.ended++
		w.exits++
		if w.task.ExitFinals {
			w.final()
		}
		return
	}
	w.out.Count(eagerCost * int64(len(w.eager.Trail())))
	w.code = w.c.pack(w.s, w.code[:0])
	if w.guide != nil {
		w.out.Rank = w.guide.rank(w.length, w.y, w.s)
	}
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

// atEnd checks a state in which no step but a wake-up is enabled.
func (w *worker) atEnd() {
	if !w.y.Final(w.s) {
		// A state from which a bound withheld a step is not stuck.
		if w.task.Props.Deadlock && !w.s.Withheld && w.y.Deadlocked(w.s) {
			w.out.Report(keyDeadlock)
		}
		return
	}
	w.done++
	if f := w.task.Props.Final; f != nil && w.judge.Final(w.s, f) {
		w.out.Report(keyFinal)
	}
	w.final()
}

// final collects the final state, if that is asked for.
func (w *worker) final() {
	if !w.task.Finals {
		return
	}
	text := w.show.Text(w.s)
	w.finals[text] = true
	if pick := w.task.WitnessFinal; pick != nil && pick(text) {
		w.out.Report(keyState + text)
	}
}
