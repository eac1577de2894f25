package program

import (
	"fencepost/internal/ir"
)

// Trylocks. In the flat form a trylock is a lock beside a test that finds the mutex held
// (ir.MutexTest). The two ways meet again, with the result in a register, and the thread holds the
// mutex where the register is 0.

// TriedEdge belongs to a trylock: after it, the thread holds the mutex if the result is 0.
type TriedEdge struct {
	Test   *ir.Op // names the mutex
	Result ir.Reg
}

// TriedEdges returns the locks of trylocks whose result is kept, and the assignments of results of trylocks that
// failed.
func TriedEdges(f *ir.Func) map[ir.EdgeID]TriedEdge {
	out := map[ir.EdgeID]TriedEdge{}
	for i := range f.Edges {
		test := &f.Edges[i]
		if test.Op.Mutex.Test != ir.MutexBusy {
			continue
		}
		for _, k := range f.Out(test.To) {
			set := &f.Edges[k]
			if set.Op.Kind != ir.Assign {
				continue
			}
			if v, ok := set.Op.Val.IsConst(); !ok || v == 0 {
				continue
			}
			for _, j := range f.Out(test.From) {
				if lock := &f.Edges[j]; lock.Op.Kind == ir.Lock && lock.Op.Dst == set.Op.Dst && lock.Op.Addr.Equal(test.Op.Addr) {
					t := TriedEdge{&test.Op, set.Op.Dst}
					out[lock.ID], out[set.ID] = t, t
				}
			}
		}
	}
	return out
}
