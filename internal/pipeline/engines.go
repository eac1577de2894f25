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

// engines returns the engines that answer a program's own questions. The first takes every
// program.
func engines(opt Options) []engine.Engine {
	return []engine.Engine{
		explicit.Engine,
		lazy.New(explicit.Engine, robust.Engine, lazy.Options{Mode: opt.Mode, Log: opt.Log}),
		smc.New(explored(opt)),
		bmc.New(opt.BMC),
	}
}

// explored is how executions are explored.
func explored(opt Options) smc.Options {
	return smc.Options{SourceDPOR: opt.Algorithm == "source"}
}

// engineNamed finds an engine.
func engineNamed(name string, opt Options) (*engine.Engine, error) {
	all := engines(opt)
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
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
	for _, e := range engines(Options{}) {
		names = append(names, e.Name)
	}
	return names
}
