//go:build fencepost_small

package transform

import "fencepost/internal/ir"

const undefinedPass = "undefined"

// undefined has nothing to do in a build that does not read C: all else has initial values.
func undefined(p *ir.Program, _ Options) (*ir.Program, error) { return p, nil }

// CodeAny is the code of uninitialised memory that cannot be given any value.
const CodeAny = "FP0942"

// FillsBlocks returns nil: no block has contents that were never written.
func FillsBlocks(*ir.Program) *ir.Edge { return nil }

const clocksPass = "clocks"

// clocks has nothing to do either: only C has clocks.
func clocks(p *ir.Program, _ Options) (*ir.Program, error) { return p, nil }

const loadSectionsPass = "load-sections"

// loadSections has nothing to do: only C has sections that only load.
func loadSections(p *ir.Program, _ Options) (*ir.Program, error) { return p, nil }

// localize has nothing to do: only C has automatic variables in memory.
func localize(p *ir.Program, _ Options) (*ir.Program, error) { return p, nil }

const registersPass = "registers"

// registers has nothing to do either.
func registers(p *ir.Program, _ Options) (*ir.Program, error) { return p, nil }
