package smc

import (
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Goals: threads at certain locations at the same time. An execution stands for all
// that have its trace, and the states of those are the consistent cuts of happens-before. So it is
// noted when each thread comes to a location that a goal names; threads can be
// at theirs together if the past of all these arrivals does not contain the
// departure of one of them, nor an update of a store that the thread issues only later on.
//
// Between two events of its own a thread can be held up anywhere: the steps there
// concern nobody else.
//
// Goals that read memory are refused: a trace does not fix what it holds in between.

// visit is a thread at a location of a goal.
type visit struct {
	goal, at int32 // index of the goal, and of the thread's part in it
	ev       int32 // the event it came there with, none: the beginning
	ord      int32 // stores issued by then
	steps    int   // of the execution by then
	values   []int64
}

// watched is the parts of goals that a location of a thread belongs to.
type watched map[ir.Loc][][2]int32

// watchGoals lists what to look out for; nil if there is nothing.
func watchGoals(p *ir.Program, goals []property.Goal) []watched {
	if len(goals) == 0 {
		return nil
	}
	out := make([]watched, len(p.Threads))
	for g := range goals {
		for a, at := range goals[g].At {
			for _, l := range at.Locs {
				if out[at.Thread] == nil {
					out[at.Thread] = watched{}
				}
				out[at.Thread][l] = append(out[at.Thread][l], [2]int32{int32(g), int32(a)})
			}
		}
	}
	return out
}

// goalsByTrace refuses goals that a trace does not decide.
func goalsByTrace(t *engine.Task) error {
	for i := range t.Props.Goals {
		g := &t.Props.Goals[i]
		ok := len(g.At) > 0
		for _, a := range g.At {
			inside := insideSections(t.Program.ThreadFunc(a.Thread))
			for _, l := range a.Locs {
				ok = ok && !inside[l]
			}
		}
		if g.With != nil {
			for _, v := range g.With.Vars {
				ok = ok && !v.IsMemory() && slices.ContainsFunc(g.At, func(a property.At) bool { return a.Thread == v.Thread })
			}
		}
		if !ok {
			return &engine.Unsupported{What: "smc takes goals about locations of threads outside atomic sections, and about registers of those threads"}
		}
	}
	return nil
}

// insideSections is the locations inside atomic sections.
func insideSections(f *ir.Func) []bool {
	out := make([]bool, len(f.Locs))
	for changed := true; changed; {
		changed = false
		for i := range f.Edges {
			e := &f.Edges[i]
			in := e.Op.Kind == ir.AtomicBegin || out[e.From] && e.Op.Kind != ir.AtomicEnd
			if in && !out[e.To] {
				out[e.To], changed = true, true
			}
		}
	}
	return out
}

// visits notes that thread t is where it is.
func (x *explorer) visits(t int) {
	if x.watch == nil || x.dry || x.watch[t] == nil {
		return
	}
	for _, w := range x.watch[t][x.s.PC(ir.ThreadID(t))] {
		v := visit{goal: w[0], at: w[1], ev: int32(len(x.ev) - 1), ord: x.threads[t].ord, steps: len(x.steps)}
		if with := x.task.Props.Goals[w[0]].With; with != nil {
			v.values = slices.Clone(x.judge.Read(x.s, with.Vars))
		}
		x.visited = append(x.visited, v)
	}
}

// holds reports whether a thread must be looked at where it is before it goes on.
func (x *explorer) holds(t int, l ir.Loc) bool {
	return x.watch != nil && x.watch[t] != nil && x.watch[t][l] != nil
}

// goals looks for goals that an execution with this trace reaches.
func (x *explorer) goals() {
	if x.watch == nil || len(x.visited) == 0 {
		return
	}
	for g := range x.task.Props.Goals {
		if !x.met[goalKey(g)] {
			x.together(int32(g), nil)
		}
	}
}

// together tries all visits for the parts of a goal from the chosen ones on; it
// reports whether the goal is reached.
func (x *explorer) together(g int32, chosen []int) bool {
	goal := &x.task.Props.Goals[g]
	if len(chosen) == len(goal.At) {
		return x.reachable(g, chosen)
	}
	for i := range x.visited {
		if v := &x.visited[i]; v.goal == g && int(v.at) == len(chosen) && x.together(g, append(chosen, i)) {
			return true
		}
	}
	return false
}

// reachable reports whether the chosen visits can be at the same time, and then
// reports the goal.
func (x *explorer) reachable(g int32, chosen []int) bool {
	goal := &x.task.Props.Goals[g]
	cut := make([]int32, x.stride)
	for _, i := range chosen {
		if v := &x.visited[i]; v.ev != none {
			join(cut, x.clock(v.ev))
		}
	}
	for _, i := range chosen {
		v := &x.visited[i]
		t := int32(goal.At[v.at].Thread)
		for j := v.ev + 1; int(j) < len(x.ev); j++ {
			if !x.precedes(j, cut) {
				continue
			}
			e := &x.ev[j]
			if x.moved[j].has(t) || e.flags&isUpdate != 0 && e.thread == t && e.ord >= v.ord {
				return false
			}
		}
	}
	if !x.condition(goal, chosen) {
		return false
	}
	x.violated(goalKey(int(g)), engine.Violation{Kind: engine.GoalReached, Goal: int(g), Witness: x.cutWitness(goal, cut, chosen)})
	return true
}

// condition evaluates what a goal asks of registers.
func (x *explorer) condition(goal *property.Goal, chosen []int) bool {
	if goal.With == nil {
		return true
	}
	values := make([]int64, len(goal.With.Vars))
	for k, r := range goal.With.Vars {
		for _, i := range chosen {
			if v := &x.visited[i]; goal.At[v.at].Thread == r.Thread {
				values[k] = v.values[k]
			}
		}
	}
	return goal.With.Eval(values)
}

// threadSet is the threads that an event moved.
type threadSet []int32

func (s threadSet) has(t int32) bool { return slices.Contains(s, t) }

// cutWitness is an execution that ends with the chosen threads where they are.
func (x *explorer) cutWitness(goal *property.Goal, cut []int32, chosen []int) *verdict.Witness {
	rec := engine.NewRecorder(x.y)
	late := func(st memory.Step, pos int, ev int32) bool {
		for _, i := range chosen {
			v := &x.visited[i]
			if st.Kind != memory.Flush && st.Thread == int32(goal.At[v.at].Thread) && ev == v.ev && pos >= v.steps {
				return true
			}
		}
		return false
	}
	for ev := int32(none); int(ev) < len(x.ev); ev++ {
		from, to := 0, x.nodes[ev+1].steps
		if ev != none {
			if !x.precedes(ev, cut) {
				continue
			}
			from = x.nodes[ev].steps
		}
		for pos := from; pos < to; pos++ {
			st := x.steps[pos]
			if late(st, pos, ev) {
				continue
			}
			if st.Kind == memory.Flush {
				p := &x.procs[x.ev[ev].proc]
				st, _ = x.y.FindFlush(rec.State(), int(p.thread), p.addr, p.size)
			}
			rec.Step(st)
		}
	}
	return rec.Witness()
}
