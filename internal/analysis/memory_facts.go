package analysis

import (
	"encoding/binary"
	"slices"

	"fencepost/internal/ir"
)

// AddressedInMemory reports whether memory or an argument of a thread may hold the address of an
// object from the beginning on.
func AddressedInMemory(p *ir.Program, o *ir.Object) bool {
	inside := func(v uint64) bool { return v >= o.Addr && v-o.Addr <= uint64(o.Size) }
	for i := range p.Objects {
		init := p.Objects[i].Init
		for at := 0; at+8 <= len(init); at++ {
			if inside(binary.LittleEndian.Uint64(init[at:])) {
				return true
			}
		}
	}
	for t := range p.Threads {
		if slices.ContainsFunc(p.Threads[t].Args, func(v int64) bool { return inside(uint64(v)) }) {
			return true
		}
	}
	return false
}

// TakesResults reports whether a join takes the result of a thread.
func TakesResults(p *ir.Program) bool {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Kind == ir.Join && op.Dst != ir.NoReg {
				return true
			}
		}
	}
	return false
}

// BeginsScope reports whether an operation only says that an object has no value yet, which no load asks about.
func BeginsScope(p *ir.Program, op *ir.Op) bool {
	return op.Block.Undef && op.Kind != ir.Alloc && !p.Objects[op.Obj].Masked
}
