package pipeline

import (
	"fmt"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/lazy"
	"fencepost/internal/engine/robust"
	"fencepost/internal/engine/smc"
)

// engines are those that answer a program's own questions. The first is the one
// that takes every program.
var engines = []engine.Engine{explicit.Engine, lazy.New(explicit.Engine, robust.Engine), smc.Engine, bmc.Engine}

// engineNamed finds an engine.
func engineNamed(name string) (*engine.Engine, error) {
	for i := range engines {
		if engines[i].Name == name {
			return &engines[i], nil
		}
	}
	return nil, fmt.Errorf("unknown engine %q: choose among %s", name, strings.Join(Engines(), ", "))
}

// LazyModes are the variants of the engine lazy, for Options.Mode; the first is the
// default.
var LazyModes = lazy.Modes

// Engines are the names of the engines that answer Check.
func Engines() []string {
	var names []string
	for i := range engines {
		names = append(names, engines[i].Name)
	}
	return names
}
