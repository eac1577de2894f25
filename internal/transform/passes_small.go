//go:build fencepost_small

package transform

import "fencepost/internal/ir"

const clocksPass = "clocks"

// clocks has nothing to do in a build that does not read C: only C has clocks.
func clocks(p *ir.Program, _ Options) (*ir.Program, error) { return p, nil }

const loadSectionsPass = "load-sections"

// loadSections has nothing to do: only C has sections that only load.
func loadSections(p *ir.Program, _ Options) (*ir.Program, error) { return p, nil }
