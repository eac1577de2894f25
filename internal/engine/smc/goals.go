package smc

import (
	"fencepost/internal/machine"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Goals: threads at certain locations at the same time. An execution stands for all executions with
// its trace, and their states are the consistent cuts of happens-before. So goalWatch notes when a
// thread arrives at a location of a goal. Threads can be at their locations together if the events
// that happen before these arrivals contain no departure of one of the threads from its location,
// and no update of a store that one of them issues only later.
//
// Between two of its events a thread can stop anywhere, since the steps there are local.
//
// Goals that read memory are refused: a trace does not determine what memory holds in the states of
// a cut.

// goalWatch notes the arrivals of threads at locations of goals, and finds the goals that are
// reached.
type goalWatch struct {
	path  *path
	run   *machine.Machine
	exec  *execution
	out   *outcome
	judge *engine.Judge
	goals []property.Goal

	watch   []engine.GoalLocations // per thread: locations of goals; nil: no goals
	visited []visit                // in the execution
	moved   []threadSet            // per event: the threads it moved; only if there are goals
}

// visit is the arrival of a thread at a location of a goal.
type visit struct {
	goal, at int32 // index of the goal, and of the thread's part in it
	ev       int32 // the event that brought it there, none: the start
	ord      int32 // stores issued by then
	steps    int   // length of the execution by then, in steps
	values   []int64
}

// arrive notes that thread t is at its location.
func (g *goalWatch) arrive(t int) {
	if g.watch[t] == nil {
		return
	}
	state := g.run.State
	for _, w := range g.watch[t][state.PC(ir.ThreadID(t))] {
		v := visit{goal: w[0], at: w[1], ev: int32(len(g.exec.events) - 1), ord: g.run.Threads.Now[t].Ord, steps: len(g.run.Steps)}
		if with := g.goals[w[0]].With; with != nil {
			v.values = slices.Clone(g.judge.Read(state, with.Vars))
		}
		g.visited = append(g.visited, v)
	}
}

// noteMoved notes the threads that the newest event moved: its own and the reached ones.
func (g *goalWatch) noteMoved(e *event, reached []int32) {
	if g.watch == nil {
		return
	}
	var moved threadSet
	if e.Flags&isUpdate == 0 {
		moved = append(threadSet{e.Thread}, reached...)
	}
	g.moved = append(g.moved, moved)
}

// backtrack keeps the given numbers of arrivals and of events.
func (g *goalWatch) backtrack(visited, events int) {
	g.visited = g.visited[:visited]
	if g.watch != nil {
		g.moved = g.moved[:events]
	}
}

// find adds the goals that an execution with this trace reaches to the violations.
func (g *goalWatch) find() {
	if g.watch == nil || len(g.visited) == 0 {
		return
	}
	for k := range g.goals {
		if !g.out.Met[engine.GoalKey(k)] {
			g.together(int32(k), nil)
		}
	}
}

// together tries all arrivals for the parts of a goal that have none in chosen. It reports whether
// the goal is reached.
func (g *goalWatch) together(number int32, chosen []int) bool {
	goal := &g.goals[number]
	if len(chosen) == len(goal.At) {
		return g.reachable(number, chosen)
	}
	for i := range g.visited {
		if v := &g.visited[i]; v.goal == number && int(v.at) == len(chosen) && g.together(number, append(chosen, i)) {
			return true
		}
	}
	return false
}

// reachable reports whether the chosen arrivals can hold at the same time, and adds the violation
// if they can.
func (g *goalWatch) reachable(number int32, chosen []int) bool {
	goal := &g.goals[number]
	var past clockSum
	for _, i := range chosen {
		if v := &g.visited[i]; v.ev != none {
			past.join(g.exec.clock(v.ev))
		}
	}
	cut := past.sum
	for _, i := range chosen {
		v := &g.visited[i]
		t := int32(goal.At[v.at].Thread)
		for j := v.ev + 1; int(j) < len(g.exec.events); j++ {
			if !g.exec.precedes(j, cut) {
				continue
			}
			e := &g.exec.events[j]
			if g.moved[j].has(t) || e.Flags&isUpdate != 0 && e.Thread == t && e.Ord >= v.ord {
				return false
			}
		}
	}
	values := make([][]int64, len(chosen))
	for part, i := range chosen {
		values[part] = g.visited[i].values
	}
	if !engine.GoalHolds(goal, values) {
		return false
	}
	g.out.Violated(engine.GoalKey(int(number)), engine.Violation{Kind: engine.GoalReached, Goal: int(number), Witness: g.cutWitness(goal, cut, chosen)})
	return true
}

// threadSet is a set of threads.
type threadSet []int32

func (s threadSet) has(t int32) bool { return slices.Contains(s, t) }

// cutWitness returns an execution that ends with the threads of the chosen arrivals at their
// locations.
func (g *goalWatch) cutWitness(goal *property.Goal, cut clock, chosen []int) *verdict.Witness {
	rec := engine.NewRecorder(g.run.Sys)
	late := func(st memory.Step, pos int, ev int32) bool {
		for _, i := range chosen {
			v := &g.visited[i]
			if st.Kind != memory.Flush && st.Thread == int32(goal.At[v.at].Thread) && ev == v.ev && pos >= v.steps {
				return true
			}
		}
		return false
	}
	for ev := int32(none); int(ev) < len(g.exec.events); ev++ {
		from, to := 0, g.path.nodes[ev+1].steps
		if ev != none {
			if !g.exec.precedes(ev, cut) {
				continue
			}
			from = g.path.nodes[ev].steps
		}
		for pos := from; pos < to; pos++ {
			st := g.run.Steps[pos]
			if late(st, pos, ev) {
				continue
			}
			if st.Kind == memory.Flush {
				p := &g.run.Procs.List[g.exec.events[ev].Proc]
				st, _ = g.run.Sys.Thread(rec.State(), int(p.Thread)).FindFlush(p.Addr, p.Size)
			}
			rec.Step(st)
		}
	}
	return rec.Witness()
}
