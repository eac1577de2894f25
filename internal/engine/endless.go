package engine

import (
	"fmt"

	"fencepost/internal/analysis"
)

// NoEndless says why an engine that does not look for endless loops cannot do a task, or nil: a program
// without loops has none.
func (t *Task) NoEndless(name string) error {
	if !t.Props.Endless && t.Props.Fairness == 0 {
		return nil
	}
	for _, f := range t.Program.Funcs {
		comp := analysis.Components(f, nil)
		for i := range f.Edges {
			if e := &f.Edges[i]; !e.Op.Terminal() && comp[e.From] >= 0 && comp[e.From] == comp[e.To] {
				return &Unsupported{Pos: Pos(e), What: fmt.Sprintf("%s does not ask whether loops end", name), Advice: "use --liveness off, or another engine"}
			}
		}
	}
	return nil
}
