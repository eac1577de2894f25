package cli

import (
	"fmt"
	"slices"

	"fencepost/query"
)

// Flags of check that are about the engine lazy.

func lazyModes() choiceValue {
	return choiceValue{value: string(query.LazyPractical), choices: []string{string(query.LazyPractical), string(query.LazyExact)}}
}

// modeValue is a choice that help calls a mode.
type modeValue struct{ *choiceValue }

func (modeValue) Type() string { return "mode" }

func (a *app) lazyFlags(f *checkFlags) error {
	if !slices.Contains(f.opt.Engines, "lazy") {
		if f.rounds || f.mode.value != string(query.LazyPractical) {
			return &usageError{"--mode and --trace-refinement are options of the engine lazy", "also give --engine lazy"}
		}
		return nil
	}
	f.opt.Lazy = query.LazyMode(f.mode.value)
	if f.rounds {
		f.opt.Log = func(line string) { fmt.Fprintln(a.stderr, line) }
	}
	return nil
}
