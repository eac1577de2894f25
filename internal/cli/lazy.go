package cli

import (
	"fmt"

	"fencepost"
)

// Flags of check that are about the engine lazy.

func lazyModes() choiceValue {
	return choiceValue{value: fencepost.LazyModes[0], choices: fencepost.LazyModes}
}

// modeValue is a choice that help calls a mode.
type modeValue struct{ *choiceValue }

func (modeValue) Type() string { return "mode" }

func (a *app) lazyFlags(f *checkFlags) error {
	if f.opt.Engine != "lazy" {
		if f.rounds || f.mode.value != fencepost.LazyModes[0] {
			return &usageError{"--mode and --trace-refinement are about the engine lazy", "give --engine lazy, too"}
		}
		return nil
	}
	f.opt.Mode = f.mode.value
	if f.rounds {
		f.opt.Log = func(line string) { fmt.Fprintln(a.stderr, line) }
	}
	return nil
}
