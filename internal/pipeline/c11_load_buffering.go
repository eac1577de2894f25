package pipeline

import (
	"slices"

	"fencepost/internal/ir"
)

// Load buffering: a load that reads from a store which comes after the load by program order and reads-from. RC11 has no such execution,
// and some processors do, where every thread of the cycle has a relaxed load that a relaxed store follows.

// delayed is a relaxed load of a thread that a relaxed store may overtake, by the objects that they access.
type delayed struct {
	thread      ir.ThreadID
	load, store ir.ObjectID
}

// LoadBuffering reports whether such a cycle may exist: pairs of a relaxed load and a later relaxed store, each store of which may write what
// the load of the next pair, in another thread, reads.
func LoadBuffering(flat *ir.Program) bool {
	var pairs []delayed
	for t := range flat.Threads {
		f := flat.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			op := &f.Edges[i].Op
			if !op.Reads() || op.Sync.Order != ir.Relaxed && op.Sync.Order != ir.Release || op.Sync.Kind != ir.SyncUnset {
				continue
			}
			for _, store := range storesLater(f, f.Edges[i].To) {
				if p := (delayed{ir.ThreadID(t), op.Obj, store}); !slices.Contains(pairs, p) {
					pairs = append(pairs, p)
				}
			}
		}
	}
	state := make([]int, len(pairs)) // 1: on the path, 2: no cycle from here
	var cyclic func(i int) bool
	cyclic = func(i int) bool {
		state[i] = 1
		for k := range pairs {
			a, b := &pairs[i], &pairs[k]
			if a.thread == b.thread || a.store != b.load && a.store != ir.NoObject && b.load != ir.NoObject {
				continue
			}
			if state[k] == 1 || state[k] == 0 && cyclic(k) {
				return true
			}
		}
		state[i] = 2
		return false
	}
	for i := range pairs {
		if state[i] == 0 && cyclic(i) {
			return true
		}
	}
	return false
}

// storesLater returns the objects of relaxed stores that can follow a location before a fence.
func storesLater(f *ir.Func, from ir.Loc) []ir.ObjectID {
	var out []ir.ObjectID
	seen, work := map[ir.Loc]bool{from: true}, []ir.Loc{from}
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range f.Out(l) {
			e := &f.Edges[i]
			if e.Op.Kind == ir.Fence {
				continue
			}
			if e.Op.Writes() && (e.Op.Sync.Order == ir.Relaxed || e.Op.Sync.Order == ir.Acquire) && e.Op.Sync.Kind == ir.SyncUnset && !slices.Contains(out, e.Op.Obj) {
				out = append(out, e.Op.Obj)
			}
			if !seen[e.To] {
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	return out
}
