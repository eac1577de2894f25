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
	"fencepost/internal/memory"
	"fencepost/query"
)

// table lists all engines that answer tasks. Procedures with a contract of their own are packages
// fences, param and mover below internal/engine.
var table = []struct {
	name string
	asks bool // answers a program's own questions
	make func(*query.CheckOptions) engine.Engine
}{
	{"explicit", true, func(*query.CheckOptions) engine.Engine { return explicit.Engine }}, // takes every program
	{"lazy", true, func(o *query.CheckOptions) engine.Engine {
		return lazy.New(explicit.GoalsFirst, robust.AttacksFirst, lazy.Options{Mode: o.Lazy, Log: o.Log})
	}},
	{"smc", true, func(o *query.CheckOptions) engine.Engine {
		return smc.New(smc.Options{SourceDPOR: o.Algorithm == query.SourceDPOR})
	}},
	{"rf", true, func(*query.CheckOptions) engine.Engine { return rf.Engine }},
	{"bmc", true, func(o *query.CheckOptions) engine.Engine { return bmc.New(o.BMC) }},
	{"dual", true, func(*query.CheckOptions) engine.Engine { return dual.Engine }},
	{"robust", false, func(*query.CheckOptions) engine.Engine { return robust.Engine }},
	{"instrument", false, func(*query.CheckOptions) engine.Engine { return instrument.New(explicit.Engine) }},
	{"trf", false, func(*query.CheckOptions) engine.Engine { return robust.TRF }},
}

// Engine returns an engine by its name. opt has its options; nil: the defaults. An unknown name is a broken invariant.
func Engine(name string, opt *query.CheckOptions) *engine.Engine {
	if opt == nil {
		opt = &query.CheckOptions{}
	}
	for _, row := range table {
		if row.name == name {
			e := row.make(opt)
			if takes := e.Supports; name != "rf" {
				e.Supports = func(t *engine.Task) error {
					if t.Model == memory.C11 {
						return &engine.Unsupported{What: name + " does not take the model c11: only rf does"}
					}
					return takes(t)
				}
			}
			return &e
		}
	}
	panic("BUG: unknown engine " + name)
}

// Engines returns the engines that answer a program's own questions. The first takes every program.
func Engines(opt *query.CheckOptions) []*engine.Engine {
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
func EngineNamed(name query.Engine, opt *query.CheckOptions) (*engine.Engine, error) {
	for _, e := range Engines(opt) {
		if e.Name == string(name) {
			return e, nil
		}
	}
	return nil, &query.OptionError{Option: "engine", Value: string(name), Want: strings.Join(EngineNames(), ", ")}
}
