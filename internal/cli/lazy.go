package cli

import (
	"cmp"
	"fmt"
	"slices"

	"fencepost/query"
)

// Flags of check that are about the engine lazy.

func (a *app) lazyFlags(f *checkFlags) error {
	if !slices.Contains(f.opt.Engines, "lazy") {
		if f.rounds || f.opt.Lazy == query.LazyExact {
			return &usageError{"--mode and --trace-refinement are options of the engine lazy", "also give --engine lazy"}
		}
		f.opt.Lazy = ""
		return nil
	}
	f.opt.Lazy = cmp.Or(f.opt.Lazy, query.LazyPractical)
	if f.rounds {
		f.opt.Log = func(line string) { fmt.Fprintln(a.stderr, line) }
	}
	return nil
}
