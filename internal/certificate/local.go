package certificate

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/verdict"
)

// Local steps are taken at once.
//
// A step is local if it only changes registers and the location of its thread, or a block that no other thread can reach
// (replay/private.go), and it is the only thing that this thread can do. No step of another thread, and no flush, needs that it has not happened yet, or changes what it does.
// So what is reachable without it is reachable after it, and a state in which it is possible is neither final nor a
// deadlock. Only goals can tell the state before it from the state after it: threads that goals mention are left alone.
// If it is asked which loops end, ranks say whether there are local steps (ranks.go).

// maxLocal bounds the local steps in a row, so that a loop of them comes to an end. The state after so many is like any
// other.
const maxLocal = 4096

// localRunner takes local steps.
type localRunner struct {
	x     *replay.Stepper
	local [][]bool // by thread and location
	fixed []bool   // by thread: its steps are not taken at once
	// accesses says that of the steps on blocks that no other thread can reach only loads and stores are local.
	accesses bool
	// stops says that a check which fails stops its thread, and is no violation.
	stops bool
}

// newLocalRunner returns a runner. none says that no step is local.
func newLocalRunner(x *replay.Stepper, p *ir.Program, props *property.Set, none bool) *localRunner {
	seen := make([]bool, len(p.Threads)) // by goals
	for _, g := range props.Goals {
		for _, at := range g.At {
			seen[at.Thread] = true
		}
		if g.With == nil {
			continue
		}
		for _, v := range g.With.Vars {
			if !v.IsMemory() {
				seen[v.Thread] = true
			}
		}
	}
	out := &localRunner{x: x, local: make([][]bool, len(p.Threads)), accesses: x.WatchesLoops()}
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		out.local[t] = make([]bool, len(f.Locs))
		out.fixed = append(out.fixed, seen[t] || none)
		for l := range f.Locs {
			out.local[t][l] = !seen[t] && !none && onlyLocal(f, ir.Loc(l))
		}
	}
	return out
}

// onlyLocal reports whether all operations at a location use registers only.
func onlyLocal(f *ir.Func, l ir.Loc) bool {
	out := f.Out(l)
	for _, i := range out {
		switch op := &f.Edges[i].Op; op.Kind {
		case ir.Nop, ir.Assign:
			if op.Block.Undef { // makes memory undefined
				return false
			}
		case ir.Assume, ir.Assert:
		default:
			return false
		}
	}
	return len(out) > 0
}

// runLocal takes local steps until no thread has one.
func (l *localRunner) runLocal(s replay.State) (replay.State, error) {
	for t := 0; t < len(l.local); t++ {
		for range maxLocal {
			at, runs := l.x.At(s, t)
			if !runs || l.fixed[t] {
				break
			}
			if one, err := l.x.Alone(s, t); err != nil {
				return s, err
			} else if one != nil && (!l.accesses || one.Kind == verdict.StepLoad || one.Kind == verdict.StepStore) {
				if one.Failed != nil && l.stopped(one.Failed) {
					break
				} else if one.Failed != nil {
					return s, refute(one.Failed)
				}
				s = one.To
				continue
			}
			if !l.local[t][at] {
				break
			}
			all, err := l.x.NextOf(s, t)
			if err != nil {
				return s, err
			}
			var one *replay.Move
			n := 0
			for i := range all {
				if all[i].Edge != ir.NoEdge {
					one, n = &all[i], n+1
				}
			}
			if n != 1 {
				break
			}
			if one.Failed != nil && l.stopped(one.Failed) {
				break
			} else if one.Failed != nil {
				return s, refute(one.Failed)
			}
			s = one.To
		}
	}
	return s, nil
}

// stopped reports whether a failing check only stops its thread.
func (l *localRunner) stopped(v *replay.Violation) bool { return l.stops && v.Class != ir.NotSupported }

// Refuted is the error of a proof that leads to a violation.
type Refuted struct {
	What string
	Edge ir.EdgeID // of the check that fails, or NoEdge
	// Class is that of the check, 0 if none fails.
	Class ir.CheckClass
	// Beyond says that the execution leads to something that is not supported, or may be one that the model forbids.
	Beyond bool
}

func (r *Refuted) Error() string { return r.What }

func refute(v *replay.Violation) error {
	return &Refuted{What: fmt.Sprintf("a check fails: %s", v.Class), Edge: v.Edge, Class: v.Class, Beyond: v.Class == ir.NotSupported}
}
