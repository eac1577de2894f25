package engine

import (
	"fmt"

	"fencepost/internal/analysis"
)

// AsksLoops reports whether it is asked if loops that only wait can end, and the program has loops that
// may be such loops.
func (t *Task) AsksLoops() bool { return t.Props.Endless && analysis.MayIdle(t.Program) }

// NoEndless says why an engine that does not look for endless loops cannot do a task, or nil: a program
// without loops has none, and loops that count do not only wait.
func (t *Task) NoEndless(name string) error {
	if !t.Props.Endless && t.Props.Fairness == 0 {
		return nil
	}
	for _, f := range t.Program.Funcs {
		comp := analysis.IdleLoops(f)
		if t.Props.Fairness != 0 {
			comp = analysis.Components(f, nil)
		}
		for i := range f.Edges {
			if e := &f.Edges[i]; analysis.OnCycle(e, comp) {
				return &Unsupported{Pos: Pos(e), What: fmt.Sprintf("%s does not ask whether loops end", name), Advice: "use --liveness off, or another engine"}
			}
		}
	}
	return nil
}
