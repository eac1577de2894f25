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
	m, s, err := lastState(p, model, w)
	if err != nil {
		return nil, err
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

// FinalText replays a witness, which must lead to a final state, and returns the text of that state.
func FinalText(p *ir.Program, model Model, w *verdict.Witness, props *property.Set) (string, error) {
	m, s, err := lastState(p, model, w)
	if err != nil {
		return "", err
	}
	if !m.final(s) {
		return "", fmt.Errorf("end: expected a final state, computed one in which threads run or stores wait")
	}
	return m.observe(s, props), nil
}

// lastState replays a witness and returns the state at its end.
func lastState(p *ir.Program, model Model, w *verdict.Witness) (*machine, *state, error) {
	if model == C11 {
		return lastOfGraph(p, w)
	}
	m, err := newMachine(p, model)
	if err != nil {
		return nil, nil, err
	}
	s := initial(p)
	for i := range w.Steps {
		tr, err := m.replayStep(s, i, &w.Steps[i])
		if err != nil {
			return nil, nil, err
		}
		if tr.fail != nil {
			return nil, nil, earlyEnd(tr)
		}
		s = tr.next
	}
	return m, s, nil
}

// earlyEnd is the error that a check fails before the end.
func earlyEnd(tr *transition) error {
	return fmt.Errorf("end: expected a final state, computed a failed check: %s", tr.fail.class)
}
