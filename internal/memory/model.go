package memory

import "fmt"

// Model is a memory model. The zero value is unset.
type Model uint8

// The models.
const (
	ModelUnset Model = iota
	SC
	TSO
	PSO
	// C11 is C11's own model, RC11, which is about graphs of events and has no states: a System cannot have it. Package
	// rc11 has its axioms.
	C11
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
		panic(fmt.Sprintf("BUG: unknown model %d", m))
	}
}

// ParseModel returns the model with a name.
func ParseModel(name string) (Model, bool) {
	if name == "rc11" {
		return C11, true
	}
	for _, m := range []Model{SC, TSO, PSO, C11} {
		if m.String() == name {
			return m, true
		}
	}
	return ModelUnset, false
}
