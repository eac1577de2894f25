//go:build fencepost_small

package pipeline

import (
	"fencepost/internal/ir"
	"fencepost/internal/transform"
)

// inlineMade runs the passes. What the small part reads is never too large.
func inlineMade(p *ir.Program, opt transform.Options) (*ir.Program, error) {
	return transform.Run(p, opt, nil)
}
