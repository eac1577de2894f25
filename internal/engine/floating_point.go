package engine

import "fencepost/internal/ir"

// NoFloatingPoint returns an error if a program computes with floating point, which has no encoding
// as a formula here.
func NoFloatingPoint(name string, p *ir.Program) error {
	if e := p.FloatingPoint(); e != nil {
		return &Unsupported{Pos: Pos(e), What: "floating point is not supported by " + name, Advice: "use check --engine explicit or smc"}
	}
	return nil
}
