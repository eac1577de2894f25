//go:build !fencepost_small

package pipeline

import (
	"fencepost/internal/ir"
	"fencepost/internal/transform"
)

// FlattenMade makes a program flat with the calls only that random executions make, but for functions of at most small
// instructions.
func FlattenMade(p *Program, small int) (*ir.Program, error) {
	return inlineMade(p.IR, transform.Options{Unroll: 8, Default: true, Observed: p.Props.Observed(), Objects: p.Props.Objects, Calls: &transform.Calls{Always: true, Small: small}})
}
