package pipeline

import (
	"fmt"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/smc"
)

// engines are those that answer a program's own questions. The first is the one
// that takes every program.
var engines = []engine.Engine{explicit.Engine, smc.Engine}

// engineNamed finds an engine.
func engineNamed(name string) (*engine.Engine, error) {
	var names []string
	for i := range engines {
		if engines[i].Name == name {
			return &engines[i], nil
		}
		names = append(names, engines[i].Name)
	}
	return nil, fmt.Errorf("unknown engine %q: choose among %s", name, strings.Join(names, ", "))
}
