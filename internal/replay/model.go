package replay

import "fmt"

// Model is a memory model. The zero value is unset.
type Model uint8

// The models.
const (
	_   Model = iota
	SC        // stores reach memory at once
	TSO       // one first-in first-out buffer per thread
	PSO       // one such buffer per thread and variable
	C11       // RC11: a witness is a graph (graph.go)
)

func (m Model) String() string {
	switch m {
	case SC:
		return "sc"
	case TSO:
		return "tso"
	case PSO:
		return "pso"
	case C11:
		return "c11"
	default:
		panic(fmt.Sprintf("BUG: unknown memory model %d", m))
	}
}

// ParseModel returns the model with the name, which is sc, tso, pso or c11.
func ParseModel(name string) (Model, error) {
	for _, m := range []Model{SC, TSO, PSO, C11} {
		if m.String() == name {
			return m, nil
		}
	}
	return 0, fmt.Errorf("unknown memory model %q (want sc, tso, pso or c11)", name)
}
