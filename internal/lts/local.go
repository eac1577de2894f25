package lts

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
)

// Taken is an edge that a move runs through, with the value that a havoc or an abstract load picks
// there.
type Taken struct {
	Edge   *ir.Edge
	Choice int64
}

// Outcome is a result of local steps.
type Outcome struct {
	State State
	Fails bool    // a check fails, at the last edge of Path; State is unset
	Path  []Taken // the local steps
}

// Run runs a thread through its local steps, on all paths, up to states with an action, at a location
// that is shown, at the end, or at which it is stuck. If it comes to no such state, because it loops for ever or all
// paths fail, it stays in s as well: others may see what it did before.
func (y *System) Run(s State, path []Taken) []Outcome {
	var out []Outcome
	seen := map[string]bool{}
	met := []passed{{state: s, before: -1}}
	to := func(i int) []Taken { return append(slices.Clip(path), steps(met, i)...) }
	rests, count := false, 0
	id := y.Prog.Threads[s.Thread].Func
	f, joins := y.Prog.Funcs[id], y.joinsOf(id)
	for work := []int{0}; len(work) > 0 && y.Err == nil; {
		i := work[len(work)-1]
		at := met[i].state
		work = work[:len(work)-1]
		edges := f.Out(at.Loc)
		stays := len(edges) == 0 || y.visible[locKey{s.Thread, at.Loc}]
		for _, e := range edges {
			stays = stays || !y.isLocal(&f.Edges[e].Op)
		}
		if stays || i == 0 || joins[at.Loc] { // elsewhere a state has come from one that was new
			key := at.Key()
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		if count++; count > maxLocal {
			y.Err = errLocal
			return out
		}
		if stays {
			out, rests = append(out, Outcome{State: at, Path: to(i)}), true
			continue
		}
		stuck := true
		for _, e := range edges {
			for _, n := range y.Step(&at, &f.Edges[e], nil) {
				if !n.Fails {
					stuck = false
					met = append(met, passed{n.State, n.Path[0], i})
					work = append(work, len(met)-1)
				} else if !y.opt.Attacks {
					stuck = false
					out = append(out, Outcome{Fails: true, Path: append(to(i), n.Path...)})
				}
			}
		}
		if stuck { // its earlier steps still count
			out, rests = append(out, Outcome{State: at, Path: to(i)}), true
		}
	}
	if !rests {
		out = append(out, Outcome{State: s, Path: path})
	}
	return out
}

// passed is a state that local steps pass through.
type passed struct {
	state  State
	taken  Taken // the step to it
	before int   // the state before, -1 for the first one
}

// steps returns the steps to a state.
func steps(met []passed, i int) []Taken {
	var out []Taken
	for ; met[i].before >= 0; i = met[i].before {
		out = append(out, met[i].taken)
	}
	slices.Reverse(out)
	return out
}

// maxLocal bounds the states between two actions.
const maxLocal = 1 << 16

// errLocal says that a register may count without end.
var errLocal = fmt.Errorf("a thread has more than %d states between two accesses to memory: its registers may grow without end", maxLocal)

// isLocal reports whether an operation is a local step here.
func (y *System) isLocal(op *ir.Op) bool {
	return op.Local() || op.Kind == ir.Fence && (!y.opt.Fences || op.Fence == ir.StoreStoreFence)
}

// Step runs an edge that does not access memory. The path leads to the state.
func (y *System) Step(s *State, e *ir.Edge, path []Taken) []Outcome {
	op := &e.Op
	goes := func(regs []int64, choice int64) Outcome {
		return Outcome{State: y.At(s, e.To, regs), Path: append(slices.Clip(path), Taken{e, choice})}
	}
	switch op.Kind {
	case ir.Fence:
		if op.Fence == ir.GlobalFence {
			y.Refuse(e, "membarrier")
		}
		if s.Delays && op.Fence == ir.FullFence {
			return nil // it would drain
		}
		return []Outcome{goes(s.Regs, 0)}
	case ir.Nop, ir.Return, ir.ThreadExit:
		return []Outcome{goes(s.Regs, 0)}
	case ir.Assign:
		next := goes(s.Regs, 0)
		if y.Facts.IsLive(y.Prog.Threads[s.Thread].Func, e.To, op.Dst) {
			next.State.Regs[op.Dst] = op.Val.Eval(y.Env(s.Regs, 0))
		}
		return []Outcome{next}
	case ir.Assume:
		if op.Val.Eval(y.Env(s.Regs, 0)) == 0 {
			return nil
		}
		return []Outcome{goes(s.Regs, 0)}
	case ir.Assert:
		if op.Val.Eval(y.Env(s.Regs, 0)) == 0 {
			return []Outcome{{Fails: true, Path: append(slices.Clip(path), Taken{e, 0})}}
		}
		return []Outcome{goes(s.Regs, 0)}
	case ir.Havoc:
		var next []Outcome
		for _, v := range y.choices(e, s.Regs, 0) {
			regs := slices.Clone(s.Regs)
			regs[op.Dst] = v
			next = append(next, goes(regs, v))
		}
		return next
	case ir.Bound, ir.Unsupported:
		y.cutOff(e)
		return nil
	}
	panic("BUG: not a local operation: " + op.Kind.String())
}

// MaxChoices bounds how many values a havoc may have here.
const MaxChoices = 256

// choices returns the values that a havoc or abstract load may choose.
func (y *System) choices(e *ir.Edge, regs []int64, seen int64) []int64 {
	op := &e.Op
	if !op.Range.Bounded || op.Range.Hi-op.Range.Lo < 0 || op.Range.Hi-op.Range.Lo >= MaxChoices {
		y.Refuse(e, "a havoc without a range of at most %d values", MaxChoices)
		return nil
	}
	var out []int64
	trial := slices.Clone(regs)
	for v := op.Range.Lo; v <= op.Range.Hi; v++ {
		trial[op.Dst] = v
		if op.Cond == nil || op.Cond.Eval(y.Env(trial, seen)) != 0 {
			out = append(out, v)
		}
	}
	return out
}
