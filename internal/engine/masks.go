package engine

import "fencepost/internal/ir"

// Undefined bits in memory (transform/undefined.go). Those of registers are ordinary values to every engine. Engines with a
// memory of their own do not have masks beside its values.

// masked returns the first operation of a program that asks which bits in memory are undefined, nil if there is none.
func masked(p *ir.Program) *ir.Edge {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Undef.Dst != ir.NoReg {
				return &f.Edges[i]
			}
		}
	}
	return nil
}

// NoMasks returns an error if a program asks which bits in memory are undefined.
func NoMasks(name string, p *ir.Program) error {
	if e := masked(p); e != nil {
		return &Unsupported{
			Pos: Pos(e), Code: "FP0941", What: name + " cannot tell whether the memory read here is initialised",
			Advice: "use check --engine explicit or smc, or give --uninitialised zero, which reads such memory as 0",
		}
	}
	return nil
}

// NoMaskedReuse returns an error if a program asks which bits in memory are undefined and frees blocks, whose contents
// become undefined when they are allocated again.
func NoMaskedReuse(name string, p *ir.Program) error {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.Free {
				return NoMasks(name, p)
			}
		}
	}
	return nil
}
