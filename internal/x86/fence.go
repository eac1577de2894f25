package x86

import "fencepost/internal/ir"

// fences has the instructions without operands that order accesses, and hints for the processor, which order nothing.
// lfence orders loads, which are never reordered.
var fences = map[string]ir.FenceKind{
	"mfence": ir.FullFence, "sfence": ir.StoreStoreFence,
	"lfence": ir.FenceUnset, "pause": ir.FenceUnset, "nop": ir.FenceUnset,
}

// FenceNamed returns the fence that an instruction is; ir.FenceUnset: the instruction does nothing. known is false for
// others.
func FenceNamed(name string) (kind ir.FenceKind, known bool) {
	kind, known = fences[name]
	return kind, known
}
