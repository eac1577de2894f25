package translate

import (
	"strings"

	"fencepost/internal/ir"
)

// The barriers of other processors. A program that has them was written for another
// memory model. Each orders stores, and stores and later loads, here as it does there. A
// note says so.

// barrierKind is the effect of a barrier here.
type barrierKind uint8

// The kinds of barriers.
const (
	barrierUnset barrierKind = iota
	barrierFull
	barrierStores
	barrierNothing
)

// foreignBarriers are the barriers of POWER, ARM and SPARC; membar is apart.
var foreignBarriers = map[string]barrierKind{
	"sync": barrierFull, "hwsync": barrierFull, "sync 0": barrierFull,
	"dmb": barrierFull, "dmb ish": barrierFull, "dmb sy": barrierFull, "dmb osh": barrierFull, "dmb nsh": barrierFull,
	"dsb": barrierFull, "dsb ish": barrierFull, "dsb sy": barrierFull, "dsb osh": barrierFull, "dsb nsh": barrierFull,
	"lwsync": barrierStores, "sync 1": barrierStores, "eieio": barrierStores, "stbar": barrierStores,
	"dmb ishst": barrierStores, "dmb st": barrierStores, "dmb oshst": barrierStores,
	"dsb ishst": barrierFull, "dsb st": barrierFull,
	"dmb ishld": barrierNothing, "dmb ld": barrierNothing, "dsb ishld": barrierNothing, "dsb ld": barrierNothing,
	"isync": barrierNothing, "isb": barrierNothing, "isb sy": barrierNothing,
}

// membar returns the effect of SPARC's membar, by the orders its operands name.
func membar(operands string) barrierKind {
	kind := barrierNothing
	for _, o := range strings.Split(operands, "|") {
		switch strings.TrimPrefix(strings.TrimSpace(o), "#") {
		case "storeload", "sync", "memissue":
			return barrierFull
		case "storestore":
			kind = barrierStores
		case "loadload", "loadstore", "lookaside":
		default:
			return barrierUnset
		}
	}
	return kind
}

// foreignBarrier translates a barrier of another processor; false: p is none.
func (b *asmBlock) foreignBarrier(p string) bool {
	kind := foreignBarriers[p]
	if rest, ok := strings.CutPrefix(p, "membar "); ok {
		kind = membar(rest)
	}
	what := ""
	switch kind {
	case barrierUnset:
		return false
	case barrierFull:
		what = "a full fence"
		b.Mem.FullFence()
	case barrierStores:
		what = "a store-store fence"
		b.Mem.StoreFence()
	case barrierNothing:
		what = "nothing"
		op := ir.NewOp(ir.Nop)
		op.Sync.Marks = ir.Machine
		b.Code.Emit(op)
	default:
		panic("BUG: unknown barrier")
	}
	at := b.In.Span(b.stmt)
	b.In.Warnf(codeForeign, at, "the barrier %s of another processor is taken for %s", p, what)
	return true
}

// StoreFence emits a store-store fence.
func (f *Accesses) StoreFence() {
	op := ir.NewOp(ir.Fence)
	op.Fence = ir.StoreStoreFence
	f.Code.Emit(op)
}
