package engine

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Goals for engines that explore executions: threads at certain locations at the same time.

// GoalsByLocation returns an error if a goal is about something else than locations of threads
// outside atomic sections, and registers of those threads. An execution stands for others in which
// memory holds other values in between.
func (t *Task) GoalsByLocation(name string) error {
	for i := range t.Props.Goals {
		g := &t.Props.Goals[i]
		ok := len(g.At) > 0 && !GoalInside(t.Program, g)
		if g.With != nil {
			for _, v := range g.With.Vars {
				ok = ok && !v.IsMemory() && slices.ContainsFunc(g.At, func(a property.At) bool { return a.Thread == v.Thread })
			}
		}
		if !ok {
			return &Unsupported{What: name + " takes goals about locations of threads outside atomic sections, and about registers of those threads"}
		}
	}
	return nil
}

// GoalLocations maps a location of a thread to the goals that name it, and to the number of the
// thread's part in each.
type GoalLocations map[ir.Loc][][2]int32

// WatchGoals returns the locations of goals per thread, or nil if there are no goals.
func WatchGoals(p *ir.Program, goals []property.Goal) []GoalLocations {
	if len(goals) == 0 {
		return nil
	}
	out := make([]GoalLocations, len(p.Threads))
	for g := range goals {
		for a, at := range goals[g].At {
			for _, l := range at.Locs {
				if out[at.Thread] == nil {
					out[at.Thread] = GoalLocations{}
				}
				out[at.Thread][l] = append(out[at.Thread][l], [2]int32{int32(g), int32(a)})
			}
		}
	}
	return out
}

// GoalHolds reports whether the condition of a goal on registers holds, given the values of its variables
// in the state of each thread. values[k] has the values where the thread of part k of the goal is.
func GoalHolds(goal *property.Goal, values [][]int64) bool {
	if goal.With == nil {
		return true
	}
	all := make([]int64, len(goal.With.Vars))
	for k, v := range goal.With.Vars {
		for part := range goal.At {
			if goal.At[part].Thread == v.Thread {
				all[k] = values[part][k]
			}
		}
	}
	return goal.With.Eval(all)
}
