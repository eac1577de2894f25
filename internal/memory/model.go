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
)

func (m Model) String() string {
	switch m {
	case SC:
		return "sc"
	case TSO:
		return "tso"
	case PSO:
		return "pso"
	default:
		panic(fmt.Sprintf("BUG: unknown model %d", m))
	}
}

// ParseModel returns the model with a name.
func ParseModel(name string) (Model, bool) {
	for _, m := range []Model{SC, TSO, PSO} {
		if m.String() == name {
			return m, true
		}
	}
	return ModelUnset, false
}
