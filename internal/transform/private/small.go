//go:build fencepost_small

package private

import "fencepost/internal/ir"

// Localize has nothing to do in a build that does not read C: only C has automatic variables in memory.
func Localize(p *ir.Program, _ bool, _ func() error) (*ir.Program, error) { return p, nil }

// Registers has nothing to do either.
func Registers(p *ir.Program, _ []ir.ObjectID, _ func(ir.ObjectID) bool, _ func() error) (*ir.Program, error) {
	return p, nil
}
