package replay

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Final replays a witness, which must lead to a final state, and returns the values of
// the variables in that state.
func Final(p *ir.Program, model Model, w *verdict.Witness, vars []property.Var) ([]int64, error) {
	m, err := newMachine(p, model)
	if err != nil {
		return nil, err
	}
	s := initial(p)
	for i := range w.Steps {
		tr, err := m.replayStep(s, i, &w.Steps[i])
		if err != nil {
			return nil, err
		}
		if tr.fail != nil {
			return nil, fmt.Errorf("end: expected a final state, computed a failed check: %s", tr.fail.class)
		}
		s = tr.next
	}
	if !m.final(s) {
		return nil, fmt.Errorf("end: expected a final state, computed one in which threads run or stores wait")
	}
	values := make([]int64, len(vars))
	for i, v := range vars {
		values[i] = s.value(v)
	}
	return values, nil
}
