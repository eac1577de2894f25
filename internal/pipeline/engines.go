package pipeline

import (
	"fmt"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/engine/explicit"
)

// engines are those that answer Check, the default first.
var engines = []engine.Engine{explicit.Engine, bmc.Engine}

// Engines are the names of the engines that answer Check, the default first.
func Engines() []string {
	var names []string
	for i := range engines {
		names = append(names, engines[i].Name)
	}
	return names
}

// chooseEngine finds an engine by its name; "" is the default.
func chooseEngine(name string) (*engine.Engine, error) {
	if name == "" {
		return &engines[0], nil
	}
	for i := range engines {
		if engines[i].Name == name {
			return &engines[i], nil
		}
	}
	return nil, fmt.Errorf("unknown engine %q; known: %s", name, strings.Join(Engines(), ", "))
}
