package pipeline

import (
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/engine/dual"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/instrument"
	"fencepost/internal/engine/lazy"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/robust"
	"fencepost/internal/engine/smc"
)

// EngineOptions are the options of engines that have any.
type EngineOptions struct {
	Lazy lazy.Options
	SMC  smc.Options
	BMC  bmc.Options
}

// table lists all engines that answer tasks. Procedures with a contract of their own are packages
// fences, param and mover below internal/engine.
var table = []struct {
	name string
	asks bool // answers a program's own questions
	make func(EngineOptions) engine.Engine
}{
	{"explicit", true, func(EngineOptions) engine.Engine { return explicit.Engine }}, // takes every program
	{"lazy", true, func(o EngineOptions) engine.Engine { return lazy.New(explicit.GoalsFirst, robust.AttacksFirst, o.Lazy) }},
	{"smc", true, func(o EngineOptions) engine.Engine { return smc.New(o.SMC) }},
	{"rf", true, func(EngineOptions) engine.Engine { return rf.Engine }},
	{"bmc", true, func(o EngineOptions) engine.Engine { return bmc.New(o.BMC) }},
	{"dual", true, func(EngineOptions) engine.Engine { return dual.Engine }},
	{"robust", false, func(EngineOptions) engine.Engine { return robust.Engine }},
	{"instrument", false, func(EngineOptions) engine.Engine { return instrument.New(explicit.Engine) }},
	{"trf", false, func(EngineOptions) engine.Engine { return robust.TRF }},
}

// Engine returns an engine by its name. An unknown name is a broken invariant.
func Engine(name string, opt EngineOptions) *engine.Engine {
	for _, row := range table {
		if row.name == name {
			e := row.make(opt)
			return &e
		}
	}
	panic("BUG: unknown engine " + name)
}

// Engines returns the engines that answer a program's own questions. The first takes every program.
func Engines(opt EngineOptions) []*engine.Engine {
	var all []*engine.Engine
	for _, name := range EngineNames() {
		all = append(all, Engine(name, opt))
	}
	return all
}

// EngineNames lists the names of the engines that answer a program's own questions.
func EngineNames() []string {
	var names []string
	for _, row := range table {
		if row.asks {
			names = append(names, row.name)
		}
	}
	return names
}

// EngineNamed finds an engine that answers a program's own questions. An unknown name is an error.
func EngineNamed(name string, opt EngineOptions) (*engine.Engine, error) {
	for _, e := range Engines(opt) {
		if e.Name == name {
			return e, nil
		}
	}
	return nil, &OptionError{Option: "engine", Value: name, Want: strings.Join(EngineNames(), ", ")}
}
