package program

import (
	"fmt"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Blocks: memory that is allocated. An allocation returns any address at which no block lives, and a block with any
// contents; so a proof is for every allocator, for any number of allocations, and whether or not memory is used again
// after it was freed.
//
// Blocks are divided into kinds: the allocations whose blocks one access may go to make one kind. Every field of a kind is
// a region that is indexed by the address of the block: two blocks that live have no common bytes, whatever their
// addresses are. One more region has the kind of the block that lives at an address, or 0. An access to a block must
// find its kind there, which is a check of the program (null pointer, use after free).
//
// Under TSO a free is an entry of the buffer (docs/models.md), so it is a store to that region and must be atomic as other
// stores. An allocation acts on memory at once, also while older stores of the thread wait. So it is treated as a load
// that overtakes them: it must move right across the steps of others. That it moves across the thread's own stores needs
// no question: if one of them is to the block, the block may have this content in the other order.
//
// Accesses are checked when they are issued and when they reach memory. Neither fails under TSO if no check fails under
// SC. Take the first access that fails. When it is issued, let the stores of its thread reach memory: none of them makes
// a block live. If a store fails when it reaches memory, no older store waits. In both cases all stores of the thread
// have been brought to where they were issued, so that the SC execution finds the thread before the access, with the same memory.
//
// Fields are objects of their own in the program, so that an access names its field; restore removes them.

// blockKind is a kind of blocks.
type blockKind struct {
	Name   string
	Stack  bool // automatic storage
	Align  int64
	made   ir.ObjectID // of its allocations
	Fields []ir.ObjectID
}

// BlockField is a field of the blocks of a kind. Kinds are numbered from 1.
type BlockField struct {
	Kind   int
	Offset int64
	Size   int
	Name   string
	Type   ir.Type
}

// Pointee has the values of a pointer: the address of a block of a kind, or one of some numbers, such as null.
type Pointee struct {
	Kind    int
	Numbers []int64
}

// Blocks has the blocks of a program.
type Blocks struct {
	Static int // how many objects the program has without the ones that stand for fields
	Live   ir.ObjectID
	Kinds  []blockKind
	KindOf map[ir.ObjectID]int // by object of an allocation
	Field  map[ir.ObjectID]BlockField
	frees  bool  // the program frees blocks of the heap
	Ends   bool  // blocks end: they are freed, or their function returns
	sites  []int // the kind of each allocation
	// Registers and variables, and fields by object, that are pointers to blocks
	Registers map[ir.FuncID]map[ir.Reg]Pointee
	Variables map[int64]Pointee
	InFields  map[ir.ObjectID]Pointee
}

// newBlocks divides the blocks of a program into kinds and fields. targets has what each access may go to.
func newBlocks(p *ir.Program, fl *valueFlow, sites []*ir.Edge, targets map[ir.EdgeID][]int64) (*Blocks, error) {
	parent := make([]int, len(sites))
	for i := range parent {
		parent[i] = i
	}
	find := func(s int) int {
		for parent[s] != s {
			s = parent[s]
		}
		return s
	}
	accessed := func(visit func(e *ir.Edge, site int, off int64) error) error {
		for _, f := range p.Funcs {
			for i := range f.Edges {
				for _, v := range targets[f.Edges[i].ID] {
					if site, off, ok := blockAt(v); ok && site < len(sites) {
						if err := visit(&f.Edges[i], site, off); err != nil {
							return err
						}
					}
				}
			}
		}
		return nil
	}
	last := map[ir.EdgeID][2]int64{} // site and offset of an access
	err := accessed(func(e *ir.Edge, site int, off int64) error {
		if UsesMutex(&e.Op) {
			return Refuse(e, "a mutex in memory that is allocated is not covered by proofs with movers")
		}
		if at, ok := last[e.ID]; ok {
			if at[1] != off {
				return Refuse(e, "an access to different fields of blocks through one pointer is not covered by proofs with movers")
			}
			parent[find(site)] = find(int(at[0]))
		}
		last[e.ID] = [2]int64{int64(site), off}
		return nil
	})
	if err != nil {
		return nil, err
	}
	b := &Blocks{Static: len(p.Objects), KindOf: map[ir.ObjectID]int{}, Field: map[ir.ObjectID]BlockField{}}
	b.Live = b.object(p, "blocks")
	kind := map[int]int{}
	for i, e := range sites {
		if err := b.addSite(p, kind, find(i), e); err != nil {
			return nil, err
		}
		b.sites = append(b.sites, kind[find(i)])
	}
	err = accessed(func(e *ir.Edge, site int, off int64) error { return b.addField(p, kind[find(site)], e, off, sites) })
	if err != nil {
		return nil, err
	}
	b.findPointers(p, fl)
	return b, b.freesInOrder(p)
}

// object adds an object without bytes.
func (b *Blocks) object(p *ir.Program, name string) ir.ObjectID {
	p.Objects = append(p.Objects[:len(p.Objects):len(p.Objects)], ir.Object{Name: name, Unit: 1})
	return ir.ObjectID(len(p.Objects) - 1)
}

// addSite puts an allocation into its kind, of which class is the representative.
func (b *Blocks) addSite(p *ir.Program, kind map[int]int, class int, e *ir.Edge) error {
	if _, ok := e.Op.Val.IsConst(); !ok {
		return Refuse(e, "an allocation of a size that is not constant is not covered by proofs with movers")
	}
	k := kind[class]
	if k == 0 {
		name := e.Op.Block.Name
		if l := e.Op.Block.Layout; l != nil && l.Name != "" {
			name = l.Name
		}
		k = len(b.Kinds) + 1
		kind[class] = k
		at := b.object(p, fmt.Sprintf("kind %d", k))
		b.KindOf[at] = k
		b.Kinds = append(b.Kinds, blockKind{Name: name, Stack: e.Op.Block.Stack, Align: max(16, e.Op.Block.Align), made: at})
	}
	if b.Kinds[k-1].Stack != e.Op.Block.Stack {
		return Refuse(e, "a pointer that points to local variables and to blocks of the heap is not covered by proofs with movers")
	}
	b.Kinds[k-1].Align = min(b.Kinds[k-1].Align, max(16, e.Op.Block.Align))
	e.Op.Obj = b.Kinds[k-1].made
	return nil
}

// addField adds the field that an access to a block goes to.
func (b *Blocks) addField(p *ir.Program, kind int, e *ir.Edge, off int64, sites []*ir.Edge) error {
	size := AccessSize(&e.Op)
	k := &b.Kinds[kind-1]
	for _, s := range sites {
		if n, _ := s.Op.Val.IsConst(); b.KindOf[s.Op.Obj] == kind && (off < 0 || off+int64(size) > n) {
			return Refuse(e, "this access may be outside of its block")
		}
	}
	for _, o := range k.Fields {
		switch f := b.Field[o]; {
		case f.Offset == off && f.Size == size:
			return nil
		case f.Offset < off+int64(size) && off < f.Offset+int64(f.Size):
			return Refuse(e, "accesses of different sizes to the same bytes of a block are not covered by proofs with movers")
		}
	}
	name := fmt.Sprintf(".bytes[%d]", off)
	for _, s := range sites {
		if s.Op.Block.Layout != nil && b.KindOf[s.Op.Obj] == kind {
			name, _ = s.Op.Block.Layout.Part(off, int64(size))
			break
		}
	}
	at := b.object(p, k.Name+name)
	b.Field[at] = BlockField{kind, off, size, name, e.Op.Type}
	k.Fields = append(k.Fields, at)
	return nil
}

// findPointers notes which registers, variables and fields are pointers to blocks of one kind.
func (b *Blocks) findPointers(p *ir.Program, fl *valueFlow) {
	kind := func(site int) int {
		if site >= len(b.sites) {
			return 0
		}
		return b.sites[site]
	}
	target := func(v values) (out Pointee, ok bool) {
		for _, n := range v.list {
			site, off, block := blockAt(n)
			switch {
			case !block:
				out.Numbers = append(out.Numbers, n)
			case off != 0 || out.Kind != 0 && out.Kind != kind(site):
				return out, false
			default:
				out.Kind = kind(site)
			}
		}
		return out, out.Kind != 0 && !v.any
	}
	b.Registers, b.Variables, b.InFields = map[ir.FuncID]map[ir.Reg]Pointee{}, map[int64]Pointee{}, map[ir.ObjectID]Pointee{}
	for _, f := range fl.funcs() {
		b.Registers[f] = map[ir.Reg]Pointee{}
		for r := range p.Funcs[f].Regs {
			var all values
			for _, regs := range fl.at[f] {
				if regs != nil {
					all.add(regs[r])
				}
			}
			if out, ok := target(all); ok {
				b.Registers[f][ir.Reg(r)] = out
			}
		}
	}
	for at, v := range fl.cells {
		out, ok := target(*v)
		if !ok || at.size != ir.CellUnit {
			continue
		}
		site, off, block := blockAt(at.addr)
		if !block {
			b.Variables[at.addr] = out
			continue
		}
		for o, f := range b.Field {
			if f.Kind == kind(site) && f.Offset == off {
				if old, ok := b.InFields[o]; ok && old.Kind != out.Kind {
					out.Kind = -1
				}
				b.InFields[o] = out
			}
		}
	}
}

// freesInOrder marks the frees of blocks. A free must have reached memory before the thread allocates again: it could get the
// block back, and others would not see that it was freed.
func (b *Blocks) freesInOrder(p *ir.Program) error {
	for _, f := range p.Funcs {
		inside, err := ir.SectionLocs(f)
		if err != nil {
			return err
		}
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.Op.Kind != ir.Free {
				continue
			}
			e.Op.Obj = b.Live
			b.frees, b.Ends = b.frees || !e.Op.Block.Stack, true
			if inside[e.From] {
				continue
			}
			reached := analysis.Undrained(f, e.To, nil)
			for k := range f.Edges {
				if a := &f.Edges[k]; a.Op.Kind == ir.Alloc && a.Op.Block.Stack == e.Op.Block.Stack && reached[a.From] {
					return Refuse(a, "an allocation while a free of the thread (line %d) may wait in its buffer is not covered by proofs with movers; a fence after the free would help", e.Pos.Line)
				}
			}
		}
	}
	return nil
}

// split divides what an access may go to: static objects, and a field of blocks or NoObject.
func (b *Blocks) split(targets []int64) (static []int64, field ir.ObjectID) {
	field = ir.NoObject
	for _, v := range targets {
		site, off, ok := blockAt(v)
		if !ok || b == nil || site >= len(b.sites) {
			static = append(static, v)
			continue
		}
		for _, o := range b.Kinds[b.sites[site]-1].Fields {
			if b.Field[o].Offset == off {
				field = o
			}
		}
	}
	return static, field
}

// Restore removes what stands for fields from a program.
func (b *Blocks) Restore(p *ir.Program) {
	if b == nil {
		return
	}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if op := &f.Edges[i].Op; int(op.Obj) >= b.Static {
				op.Obj = ir.NoObject
			}
		}
	}
	p.Objects = p.Objects[:b.Static:b.Static]
}

// Failure names what goes wrong with a pointer that points to no block.
func (b *Blocks) Failure() string {
	if b.frees {
		return ir.UseAfterFree.String()
	}
	return ir.NullDeref.String()
}

// allocationsOf returns the first operation on blocks, and numbers the allocations.
func allocationsOf(p *ir.Program) (first *ir.Edge, sites []*ir.Edge) {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			if (e.Op.Kind == ir.Alloc || e.Op.Kind == ir.Free) && first == nil {
				first = e
			}
			if e.Op.Kind == ir.Alloc {
				sites = append(sites, e)
			}
		}
	}
	return first, sites
}
