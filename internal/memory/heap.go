package memory

import (
	"errors"

	"fencepost/internal/ir"
)

// Allocation. The address of a fresh block depends only on the thread and on its earlier
// allocations, so that the order of allocations of different threads does not make states
// differ. Reuse of a freed block is a choice of the step.

const (
	// heapBase is a multiple of the largest alignment, and its lower half is not zero: a pointer that is cut to 32 bits
	// must not become null.
	heapBase  = 0x2000_4000_0000
	heapShift = 32 // address space per thread
	heapAlign = 16
)

// maxBlock is the size of the largest block: every state carries its contents.
const maxBlock = 1 << 20

// ErrLargeBlock says that a program allocates more than states can carry.
var ErrLargeBlock = errors.New("a block of more than a megabyte is allocated")

// FreshBlock returns the address of the next block of a thread that has used so many bytes of
// its address space, and how many bytes the thread has used after that. op is the
// allocation.
func FreshBlock(thread int, used uint64, size int64, op *ir.Op) (addr, after uint64) {
	n := uint64(allocSize(size))
	used = op.Aligned(used)
	return heapBase + uint64(thread)<<heapShift + used, used + (n+heapAlign-1)&^(heapAlign-1) + heapAlign
}

// MaxBlock is the largest block that can be allocated.
const MaxBlock = maxBlock

func allocSize(v int64) uint32 { return uint32(max(1, min(v, maxBlock))) }

func blockKindOf(e *edge) blockKind {
	if e.ir.Op.Block.Stack {
		return stackBlock
	}
	return heapBlock
}

// allocChoices appends a step for a fresh block (choice 0) and one for every block that can be
// reused (its address is the choice).
func (s *State) allocChoices(t int, e *edge, regs []int64, one Step, out []Step) []Step {
	if uint64(e.val.eval(regs, 0)) > maxBlock { // sizes are unsigned: malloc(-1) asks for all of memory
		s.Err = ErrLargeBlock
		return out
	}
	out = append(out, one)
	n := e.val.eval(regs, 0)
	size, kind := allocSize(n), blockKindOf(e)
	for i := range s.blocks {
		b := &s.blocks[i]
		if b.kind == kind && b.size == size && b.empty == (n == 0) && e.ir.Op.Aligned(b.addr) == b.addr && (b.free || s.freedBy(t, b.addr)) {
			one.Choice = int64(b.addr)
			out = append(out, one)
		}
	}
	return out
}

// Shape is the kind and the size of a block. An allocation can use a freed block of its shape.
type Shape uint64

func shapeOf(size uint32, kind blockKind, empty bool) Shape {
	return Shape(size)<<3 | Shape(kind)<<1 | Shape(bit(empty))
}

// Shape returns the shape of the block that edge i, an allocation, asks for.
func (th Thread) Shape(i int32) Shape {
	e, regs := th.edge(i)
	n := e.val.eval(regs, 0)
	return shapeOf(allocSize(n), blockKindOf(e), n == 0)
}

// ShapeAt returns the shape of the block at an address.
func (s *State) ShapeAt(block uint64) Shape {
	b := &s.blocks[s.findBlock(block, 1)]
	return shapeOf(b.size, b.kind, b.empty)
}

// AllocatedBy returns the block that edge i, an allocation, gets with a choice.
func (th Thread) AllocatedBy(i int32, choice int64) uint64 {
	if choice != 0 {
		return uint64(choice)
	}
	e, regs := th.edge(i)
	addr, _ := FreshBlock(th.t, th.s.fresh[th.t], int64(allocSize(e.val.eval(regs, 0))), &e.ir.Op)
	return addr
}

func (y *System) alloc(s *State, t int, choice int64, e *edge, regs []int64) {
	addr := uint64(choice)
	n := e.val.eval(regs, 0)
	size := allocSize(n)
	if choice == 0 {
		var used uint64
		addr, used = FreshBlock(t, s.fresh[t], int64(size), &e.ir.Op)
		s.setFresh(t, used)
		s.blocks[s.addBlock(addr, size, blockKindOf(e))].empty = n == 0
	} else {
		if i := s.findBlock(addr, 1); s.blocks[i].free {
			s.freeBlock(i, false)
		}
		y.cancelFree(s, t, addr)
	}
	if lead := int(e.ir.Op.Block.Lead); e.undef && n > int64(lead) {
		undefine(s, t, int(s.blocks[s.findBlock(addr, 1)].off)+lead, addr+uint64(lead), int(size)-lead)
	}
	if y.hasSites {
		s.setOrigin(s.findBlock(addr, 1), 1+e.index, s.newestBlock()+1)
	}
	s.access(Access{addr, int(size), true})
	y.set(s, t, e.dst, int64(addr))
}

// cancelFree removes a pending free of thread t whose block the thread uses again: no other
// thread has seen the block freed. Under PSO the fence that came with the free stays.
func (y *System) cancelFree(s *State, t int, addr uint64) {
	for i := range s.bufs[t] {
		if e := &s.bufs[t][i]; e.Kind == FreeEntry && e.Addr == addr {
			s.remove(t, i)
			if y.Model == PSO {
				s.normalize(t)
			}
			return
		}
	}
}

// free issues a free and reports whether the thread goes on.
func (y *System) free(s *State, t int, e *edge, regs []int64) bool {
	addr := uint64(e.addr.eval(regs, 0))
	if addr == 0 {
		return true
	}
	i := s.findBlock(addr, 1)
	switch {
	case i < 0 || s.blocks[i].addr != addr || s.blocks[i].kind != blockKindOf(e):
		s.failAt(t, e, ir.InvalidFree, addr)
		return false
	case s.blocks[i].free || s.freedBy(t, addr):
		s.failAt(t, e, ir.DoubleFree, addr)
		return false
	}
	direct := y.direct(s, t)
	if direct {
		s.freeBlock(i, true)
	} else {
		y.append(s, t, Entry{Addr: addr, Size: s.blocks[i].size, off: -1, Kind: FreeEntry, Tag: s.Tag})
	}
	if s.Record {
		s.Event = Event{Memory: true, Addr: addr, Free: true, Buffered: !direct}
		s.access(Access{addr, int(s.blocks[i].size), true})
	}
	return true
}

// newestBlock returns the largest order of a block.
func (s *State) newestBlock() int32 {
	n := int32(0)
	for i := range s.blocks {
		n = max(n, s.blocks[i].order)
	}
	return n
}

// BlockInfo is a block that was allocated.
type BlockInfo struct {
	Addr        uint64
	Size        int64
	Stack, Free bool
	Site        *ir.Edge // nil without Options.Ends
	Order       int      // among the blocks of a site
}

// Blocks returns the blocks that were ever allocated, by address.
func (y *System) Blocks(s *State) []BlockInfo {
	var out []BlockInfo
	for i := range s.blocks {
		b := &s.blocks[i]
		if b.kind == cellBlock {
			continue
		}
		info := BlockInfo{Addr: b.addr, Size: int64(b.size), Stack: b.kind == stackBlock, Free: b.free, Order: int(b.order)}
		if b.empty {
			info.Size = 0
		}
		if b.site > 0 {
			info.Site = y.edges[b.site-1]
		}
		out = append(out, info)
	}
	return out
}

// Cells returns the addresses of the cells that may hold a value other than 0.
func (y *System) Cells(s *State) []uint64 {
	var out []uint64
	for i := range y.Prog.Objects {
		if o := &y.Prog.Objects[i]; o.Cells {
			for off := int64(0); off < o.Size; off += ir.CellUnit {
				out = append(out, o.Addr+uint64(off))
			}
		}
	}
	for i := range s.blocks {
		if s.blocks[i].kind == cellBlock {
			out = append(out, s.blocks[i].addr)
		}
	}
	return out
}

// Result returns the result of a thread that has returned, with Options.Ends, and 0 for other
// threads.
func (s *State) Result(t ir.ThreadID) int64 { return s.result[t] }
