//go:build !fencepost_small

package litmus

import (
	"encoding/binary"

	"fencepost/internal/ir"
	"fencepost/internal/stress"
)

// A test in C becomes a stress program through its translation: the text of the test is
// not given to a compiler. Every object of the translation is a location; so is the
// memory for the automatic variables of a thread, if it has any.

// inC makes the threads of a test in C.
func (n *native) inC() {
	c, p := n.c, n.c.unit.Program
	n.test.Program = p
	n.test.ObjectAt = make([]int, len(p.Objects))
	c.nativeBase = nil
	for id := range p.Objects {
		n.test.ObjectAt[id] = n.objectAt(ir.ObjectID(id))
	}
	n.pointers()
	for i := range c.tree.procs {
		th := stress.Thread{Func: p.Threads[i].Func, Stack: -1}
		if p.Threads[i].Name != procName(c.tree.procs[i].num) {
			panic("BUG: the threads of a test are in another order")
		}
		if size := stress.StackSize(p); size > 0 {
			th.Stack = n.extra(stress.Location{Size: size, Align: 16}, 0)
		}
		n.test.Threads = append(n.test.Threads, th)
	}
}

// objectAt returns the location of an object. Objects that the initial state and the
// conditions do not mention, such as a static variable, have locations of their own.
func (n *native) objectAt(id ir.ObjectID) int {
	for i, s := range n.c.symbols {
		if n.c.locations[s.name].obj == id {
			return i
		}
	}
	o := &n.c.unit.Program.Objects[id]
	if o.PerThread {
		n.refuse("it has a variable of which each thread has its own")
	}
	return n.extra(stress.Location{Size: max(o.Size, 1), Align: int(max(o.Align, 16)), Init: o.Init}, o.Addr)
}

// pointers finds the addresses in the first values of the locations that only the
// translation knows. No number of the test leads to an object, so what looks like an
// address is one.
func (n *native) pointers() {
	p := n.c.unit.Program
	for id := range p.Objects {
		at := n.test.ObjectAt[id]
		if at < len(n.c.symbols) {
			continue
		}
		l := &n.test.Locations[at]
		for k := 0; k+8 <= len(l.Init); k += 8 {
			v := binary.LittleEndian.Uint64(l.Init[k:])
			if to := p.FindObject(v, 0); to != ir.NoObject {
				l.Pointers = append(l.Pointers, stress.Pointer{At: k, Width: 8, Target: stress.Address{Location: n.test.ObjectAt[to], Offset: int64(v - p.Objects[to].Addr)}})
			}
		}
	}
}

// extra adds a location after those of the test. base is its address in the model.
func (n *native) extra(l stress.Location, base uint64) int {
	n.test.Locations = append(n.test.Locations, l)
	n.c.nativeBase = append(n.c.nativeBase, base)
	return len(n.test.Locations) - 1
}

// kept is where a register of a thread is kept.
func (n *native) kept(thread int, r ir.Reg) int {
	th := &n.test.Threads[thread]
	for k := range th.Keep {
		if th.Keep[k] == r {
			return k
		}
	}
	th.Keep = append(th.Keep, r)
	return len(th.Keep) - 1
}
