package rf

import (
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Goals: threads at certain locations at the same time. Threads can be at their locations together if
// what happens before their arrivals contains nothing that moves one of them on. What happens before
// the arrivals is a part of the graph that is closed under reads-from and program order, so it has a
// witness, and between two operations a thread can stop anywhere. Every such part of an execution
// belongs to some class, so the search at the ends of classes misses nothing.

// goalWatch finds the goals that are reached.
type goalWatch struct {
	x       *exploration
	watch   []engine.GoalLocations // nil: no goals
	goals   []property.Goal
	run     runner // its machine runs from the beginning every time
	visited []arrival
	// While the machine runs: the operation that runs, initial before the first, and the number of
	// steps before it.
	at    ref
	steps int
}

// arrival is a thread at a location of a goal.
type arrival struct {
	goal, part int32
	thread     int
	count      int // how many operations of the thread have happened
	mover      ref // the operation that moved it last, initial: the start
	past       []int32
	local      int // steps of the thread since then, that of the operation included
	values     []int64
}

// find looks for goals that the class with a witness reaches.
func (g *goalWatch) find(seq []node) {
	g.visited = g.visited[:0]
	g.replay(seq, g.arrive, nil)
	for i := range g.goals {
		if !g.x.out.Met[engine.GoalKey(i)] {
			g.together(int32(i), nil)
		}
	}
}

// replay runs a witness from the beginning. arrive is called where a thread stands between two local
// steps, each with the steps of an operation; both may be nil.
func (g *goalWatch) replay(seq []node, arrive func(t int), each func(at ref, steps []memory.Step)) {
	m := &g.run.m
	g.run.rewind(0)
	m.Undo(g.run.origin)
	m.Steps = m.Steps[:0]
	m.Arrived = arrive
	g.at, g.steps = initial, 0
	g.run.start()
	g.run.graph = g.x.g
	if each != nil {
		each(initial, m.Steps)
	}
	for _, n := range seq {
		g.at, g.steps = ref{n.thread + 1, n.index}, len(m.Steps)
		if g.run.does(g.x.g, &n) {
			g.run.step(g.x.g, &n)
		}
		if each != nil {
			each(g.at, m.Steps[g.steps:])
		}
	}
	m.Arrived = nil
}

// arrive notes that thread t is at its location.
func (g *goalWatch) arrive(t int) {
	if g.watch[t] == nil {
		return
	}
	m := &g.run.m
	for _, w := range g.watch[t][m.State.PC(ir.ThreadID(t))] {
		v := arrival{goal: w[0], part: w[1], thread: t, mover: g.at, past: make([]int32, len(g.x.g.threads))}
		if g.at != initial {
			copy(v.past, g.x.g.op(g.at).past)
		}
		for i := range g.run.ran {
			if n := g.run.ran[i].node; int(n.thread) == t && !n.update {
				v.count = int(n.index) + 1
			}
		}
		if v.count > 0 {
			for u, n := range g.x.g.threads[t][v.count-1].past {
				v.past[u] = max(v.past[u], n)
			}
		}
		for _, st := range m.Steps[g.steps:] {
			if int(st.Thread) == t {
				v.local++
			}
		}
		if with := g.goals[w[0]].With; with != nil {
			v.values = slices.Clone(g.x.judge.Read(m.State, with.Vars))
		}
		g.visited = append(g.visited, v)
	}
}

// together chooses an arrival for each part of a goal that has none, and reports whether the goal is
// reached.
func (g *goalWatch) together(number int32, chosen []int) bool {
	if len(chosen) == len(g.goals[number].At) {
		return g.reached(number, chosen)
	}
	for i := range g.visited {
		if v := &g.visited[i]; v.goal == number && int(v.part) == len(chosen) && g.together(number, append(chosen, i)) {
			return true
		}
	}
	return false
}

// reached reports whether the chosen arrivals can hold at the same time, and adds the violation if they
// can.
func (g *goalWatch) reached(number int32, chosen []int) bool {
	goal := &g.goals[number]
	past := make([]int32, len(g.x.g.threads))
	values := make([][]int64, len(chosen))
	for part, i := range chosen {
		values[part] = g.visited[i].values
		for u, n := range g.visited[i].past {
			past[u] = max(past[u], n)
		}
	}
	for _, i := range chosen {
		if v := &g.visited[i]; int(past[v.thread]) > v.count || g.movedOn(v, past) {
			return false
		}
	}
	if !engine.GoalHolds(goal, values) {
		return false
	}
	seq, ok := g.x.witness(cut{before: noStamp, past: past}, nil)
	if !ok {
		panic("BUG: a part of a graph has no witness")
	}
	g.x.out.Violated(engine.GoalKey(int(number)), engine.Violation{Kind: engine.GoalReached, Goal: int(number), Witness: g.execution(slices.Clone(seq), chosen)})
	return true
}

// movedOn reports whether an operation of another thread in past moves the thread of an arrival on.
func (g *goalWatch) movedOn(v *arrival, past []int32) bool {
	for u := range past {
		for i := v.past[u]; i < past[u]; i++ {
			if slices.Contains(g.x.g.threads[u][i].wakes, int32(v.thread)) {
				return true
			}
		}
	}
	return false
}

// execution returns an execution that ends with the threads of the chosen arrivals at their locations.
func (g *goalWatch) execution(seq []node, chosen []int) *verdict.Witness {
	rec := engine.NewRecorder(g.run.m.Sys)
	leftOut := map[int]bool{}
	g.replay(seq, nil, func(at ref, steps []memory.Step) {
		taken := map[int32]int{}
		for k, st := range steps {
			taken[st.Thread]++
			late := st.Kind != memory.Flush && slices.ContainsFunc(chosen, func(i int) bool {
				v := &g.visited[i]
				return int32(v.thread) == st.Thread && v.mover == at && taken[st.Thread] > v.local
			})
			switch {
			case late:
				leftOut[g.steps+k] = true
			case !g.run.c11:
				rec.Step(st)
			}
		}
	})
	if m, ok := g.x.model.(*graphs); memory.HasC11 && ok {
		g.x.mo = ordersOfCells(g.x, m)
		return recordRun(g.x, &g.run, func(step int) bool { return leftOut[step] }, false)
	}
	return rec.Witness()
}
