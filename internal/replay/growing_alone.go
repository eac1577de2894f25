//go:build !fencepost_small

package replay

import (
	"errors"

	"fencepost/internal/ir"
)

// What an execution that grows does to blocks that one thread alone can reach (private.go), and to those of others.

// private reports whether an address is in a block that thread t alone can reach.
func (x *Growing) private(t int, addr uint64) bool { return x.m.alone(x.s, t, addr) }

// allocates reports whether an edge allocates.
func (x *Growing) allocates(id ir.EdgeID) bool {
	_, e, ok := x.m.p.EdgeByID(id)
	return ok && e.Op.Kind == ir.Alloc
}

// known returns an error unless an access is to static memory, or to a block whose allocation the thread depends on:
// whether the block is there would depend on the order of the threads. It refuses what is done to a block that one
// thread alone can reach, by another thread or by an operation that takes part in the order of all.
func (x *Growing) known(t int, addr uint64) error {
	for _, b := range x.s.blocks {
		if addr-b.addr >= uint64(max(b.size, 1)) {
			continue
		}
		if b.kept {
			return errors.New("there are no classes of programs with an operation of this kind on an automatic variable of one thread")
		}
		if l, ok := x.g.lives[b.addr]; !ok || !x.past(t).has(&x.g.events[l.event]) {
			return errors.New("there are no classes of programs in which a thread guesses an address")
		}
	}
	return nil
}
