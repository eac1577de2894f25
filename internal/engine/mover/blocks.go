package mover

import (
	"fmt"
	"slices"

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

// heapStart is less than every address of a block, and more than those of static objects.
const heapStart, heapEnd = 1 << 45, 1 << 62

// blockKind is a kind of blocks.
type blockKind struct {
	name   string
	stack  bool // automatic storage
	align  int64
	made   ir.ObjectID // of its allocations
	fields []ir.ObjectID
}

// blockField is a field of the blocks of a kind. Kinds are numbered from 1.
type blockField struct {
	kind int
	off  int64
	size int
	name string
	typ  ir.Type
}

// pointee has the values of a pointer: the address of a block of a kind, or one of some numbers, such as null.
type pointee struct {
	kind    int
	numbers []int64
}

// blocks has the blocks of a program.
type blocks struct {
	static int // how many objects the program has without the ones that stand for fields
	live   ir.ObjectID
	kinds  []blockKind
	kindOf map[ir.ObjectID]int // by object of an allocation
	field  map[ir.ObjectID]blockField
	frees  bool  // the program frees blocks of the heap
	ends   bool  // blocks end: they are freed, or their function returns
	sites  []int // the kind of each allocation
	// registers and variables, and fields by object, that are pointers to blocks
	registers map[ir.FuncID]map[ir.Reg]pointee
	variables map[int64]pointee
	inFields  map[ir.ObjectID]pointee
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

// newBlocks divides the blocks of a program into kinds and fields. targets has what each access may go to.
func newBlocks(p *ir.Program, fl *valueFlow, sites []*ir.Edge, targets map[ir.EdgeID][]int64) (*blocks, error) {
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
		if locks(&e.Op) {
			return refuse(e, "a mutex in memory that is allocated is not covered by proofs with movers")
		}
		if at, ok := last[e.ID]; ok {
			if at[1] != off {
				return refuse(e, "an access to different fields of blocks through one pointer is not covered by proofs with movers")
			}
			parent[find(site)] = find(int(at[0]))
		}
		last[e.ID] = [2]int64{int64(site), off}
		return nil
	})
	if err != nil {
		return nil, err
	}
	b := &blocks{static: len(p.Objects), kindOf: map[ir.ObjectID]int{}, field: map[ir.ObjectID]blockField{}}
	b.live = b.object(p, "blocks")
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
func (b *blocks) object(p *ir.Program, name string) ir.ObjectID {
	p.Objects = append(p.Objects[:len(p.Objects):len(p.Objects)], ir.Object{Name: name, Unit: 1})
	return ir.ObjectID(len(p.Objects) - 1)
}

// addSite puts an allocation into its kind, of which class is the representative.
func (b *blocks) addSite(p *ir.Program, kind map[int]int, class int, e *ir.Edge) error {
	if _, ok := e.Op.Val.IsConst(); !ok {
		return refuse(e, "an allocation of a size that is not constant is not covered by proofs with movers")
	}
	k := kind[class]
	if k == 0 {
		name := e.Op.Msg
		if l := e.Op.Layout; l != nil && l.Name != "" {
			name = l.Name
		}
		k = len(b.kinds) + 1
		kind[class] = k
		at := b.object(p, fmt.Sprintf("kind %d", k))
		b.kindOf[at] = k
		b.kinds = append(b.kinds, blockKind{name: name, stack: e.Op.Stack, align: max(16, e.Op.Align), made: at})
	}
	if b.kinds[k-1].stack != e.Op.Stack {
		return refuse(e, "a pointer that points to local variables and to blocks of the heap is not covered by proofs with movers")
	}
	b.kinds[k-1].align = min(b.kinds[k-1].align, max(16, e.Op.Align))
	e.Op.Obj = b.kinds[k-1].made
	return nil
}

// addField adds the field that an access to a block goes to.
func (b *blocks) addField(p *ir.Program, kind int, e *ir.Edge, off int64, sites []*ir.Edge) error {
	size := width(&e.Op)
	k := &b.kinds[kind-1]
	for _, s := range sites {
		if n, _ := s.Op.Val.IsConst(); b.kindOf[s.Op.Obj] == kind && (off < 0 || off+int64(size) > n) {
			return refuse(e, "this access may be outside of its block")
		}
	}
	for _, o := range k.fields {
		switch f := b.field[o]; {
		case f.off == off && f.size == size:
			return nil
		case f.off < off+int64(size) && off < f.off+int64(f.size):
			return refuse(e, "accesses of different sizes to the same bytes of a block are not covered by proofs with movers")
		}
	}
	name := fmt.Sprintf(".bytes[%d]", off)
	for _, s := range sites {
		if s.Op.Layout != nil && b.kindOf[s.Op.Obj] == kind {
			name, _ = s.Op.Layout.Part(off, int64(size))
			break
		}
	}
	at := b.object(p, k.name+name)
	b.field[at] = blockField{kind, off, size, name, e.Op.Type}
	k.fields = append(k.fields, at)
	return nil
}

// findPointers notes which registers, variables and fields are pointers to blocks of one kind.
func (b *blocks) findPointers(p *ir.Program, fl *valueFlow) {
	kind := func(site int) int {
		if site >= len(b.sites) {
			return 0
		}
		return b.sites[site]
	}
	target := func(v values) (out pointee, ok bool) {
		for _, n := range v.list {
			site, off, block := blockAt(n)
			switch {
			case !block:
				out.numbers = append(out.numbers, n)
			case off != 0 || out.kind != 0 && out.kind != kind(site):
				return out, false
			default:
				out.kind = kind(site)
			}
		}
		return out, out.kind != 0 && !v.any
	}
	b.registers, b.variables, b.inFields = map[ir.FuncID]map[ir.Reg]pointee{}, map[int64]pointee{}, map[ir.ObjectID]pointee{}
	for _, f := range fl.funcs() {
		b.registers[f] = map[ir.Reg]pointee{}
		for r := range p.Funcs[f].Regs {
			var all values
			for _, regs := range fl.at[f] {
				if regs != nil {
					all.add(regs[r])
				}
			}
			if out, ok := target(all); ok {
				b.registers[f][ir.Reg(r)] = out
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
			b.variables[at.addr] = out
			continue
		}
		for o, f := range b.field {
			if f.kind == kind(site) && f.off == off {
				if old, ok := b.inFields[o]; ok && old.kind != out.kind {
					out.kind = -1
				}
				b.inFields[o] = out
			}
		}
	}
}

// freesInOrder marks the frees of blocks. A free must have reached memory before the thread allocates again: it could get the
// block back, and others would not see that it was freed.
func (b *blocks) freesInOrder(p *ir.Program) error {
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
			e.Op.Obj = b.live
			b.frees, b.ends = b.frees || !e.Op.Stack, true
			if inside[e.From] {
				continue
			}
			reached := analysis.Undrained(f, e.To, nil)
			for k := range f.Edges {
				if a := &f.Edges[k]; a.Op.Kind == ir.Alloc && a.Op.Stack == e.Op.Stack && reached[a.From] {
					return refuse(a, "an allocation while a free of the thread (line %d) may wait in its buffer is not covered by proofs with movers; a fence after the free would help", e.Pos.Line)
				}
			}
		}
	}
	return nil
}

// split divides what an access may go to: static objects, and a field of blocks or NoObject.
func (b *blocks) split(targets []int64) (static []int64, field ir.ObjectID) {
	field = ir.NoObject
	for _, v := range targets {
		site, off, ok := blockAt(v)
		if !ok || b == nil || site >= len(b.sites) {
			static = append(static, v)
			continue
		}
		for _, o := range b.kinds[b.sites[site]-1].fields {
			if b.field[o].off == off {
				field = o
			}
		}
	}
	return static, field
}

// restore removes what stands for fields from a program.
func (b *blocks) restore(p *ir.Program) {
	if b == nil {
		return
	}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if op := &f.Edges[i].Op; int(op.Obj) >= b.static {
				op.Obj = ir.NoObject
			}
		}
	}
	p.Objects = p.Objects[:b.static:b.static]
}

// addBlocks makes the regions of blocks.
func addBlocks(y *layout) {
	if y.blocks == nil {
		return
	}
	for _, k := range y.blocks.kinds {
		for _, o := range k.fields {
			f := y.blocks.field[o]
			y.whole[o] = len(y.regions)
			y.regions = append(y.regions, region{shape: elements, size: f.size, typ: f.typ, home: o})
		}
	}
	y.whole[y.blocks.live] = len(y.regions)
	y.regions = append(y.regions, region{shape: elements, size: 1, typ: ir.Type{Bits: 8}, home: y.blocks.live})
}

// inBlock returns the field that an access goes to, and the address of its block.
func inBlock(y *layout, op *ir.Op) (f blockField, block *ir.Expr, ok bool) {
	if y.blocks == nil {
		return f, nil, false
	}
	if f, ok = y.blocks.field[op.Obj]; !ok {
		return f, nil, false
	}
	if n, fixed := op.Addr.Y.IsConst(); fixed && op.Addr.Op == ir.Add && op.Addr.Type.Bits == 64 && n == f.off {
		return f, op.Addr.X, true
	}
	if f.off == 0 {
		return f, op.Addr, true
	}
	return f, ir.Binary(ir.Sub, ir.U64, op.Addr, ir.Int(f.off)), true
}

// kindAt returns the kind of the block that lives at an address; 0: none.
func kindAt(y *layout, m memory, at string) string {
	return apply("select", m[y.whole[y.blocks.live]], at)
}

// isBlock returns the condition that a block of a kind lives at an address.
func isBlock(y *layout, m memory, at string, kind int) string {
	return equal(kindAt(y, m, at), y.arith.part(int64(kind), 1))
}

// failure names what goes wrong with a pointer that points to no block.
func (b *blocks) failure() string {
	if b.frees {
		return ir.UseAfterFree.String()
	}
	return ir.NullDeref.String()
}

// allocate executes an allocation.
func allocate(x *runner, op *ir.Op, choice string, s *run) {
	k := x.blocks.kindOf[op.Obj]
	x.declare(choice, x.arith.sort())
	s.indices = append(s.indices, choice)
	aligned := equal(x.arith.binary(ir.Rem, ir.U64, choice, x.arith.num(x.blocks.kinds[k-1].align)), x.arith.num(0))
	if x.arith == BitVectors {
		aligned = equal(apply("bvand", choice, x.arith.num(x.blocks.kinds[k-1].align-1)), x.arith.num(0))
	}
	s.guard = append(s.guard, x.arith.le(x.arith.num(heapStart), choice), x.arith.le(choice, x.arith.num(heapEnd)), aligned, isBlock(x.layout, s.mem, choice, 0))
	live := x.whole[x.blocks.live]
	s.mem = slices.Clone(s.mem)
	s.mem[live] = apply("store", s.mem[live], choice, x.arith.part(int64(k), 1))
	for i, o := range x.blocks.kinds[k-1].fields {
		r := x.whole[o]
		content := fmt.Sprintf("%s_f%d", choice, i)
		x.declare(content, x.arith.bytes(x.regions[r].size))
		s.mem[r] = apply("store", s.mem[r], choice, content)
	}
	s.regs[op.Dst] = choice
}

// release executes the free of a block; null is no block.
func release(x *runner, op *ir.Op, v env, s *run) {
	at := v.number(op.Addr)
	s.indices = append(s.indices, at)
	live := x.whole[x.blocks.live]
	s.mem = slices.Clone(s.mem)
	s.mem[live] = ite(x.arith.isZero(at), s.mem[live], apply("store", s.mem[live], at, x.arith.part(0, 1)))
}

// freeable returns the condition that a free may be executed.
func freeable(y *layout, m memory, op *ir.Op, at string) string {
	ways := []string{y.arith.isZero(at)}
	for i, k := range y.blocks.kinds {
		if k.stack == op.Stack {
			ways = append(ways, isBlock(y, m, at, i+1))
		}
	}
	return or(ways)
}

// allocGoal returns the question whether an allocation moves right across a step: the same block can be allocated after the
// step, and memory is the same then. A section may see other stores of the thread in one order and not in the other,
// so it must not access blocks.
func (mt *moverTable) allocGoal(c *class, a *action, d *class, b *action) (given []string, goal string) {
	pr := mt.pr
	m, regsA, regsB := pr.memory("m"), pr.registers(c, "a"), pr.registers(d, "b")
	if !b.any(func(op *ir.Op) bool { return int(op.Obj) >= pr.blocks.static }) {
		return nil, "true"
	}
	if b.section {
		return nil, "false"
	}
	a1 := pr.run(a, "a", run{regs: regsA, mem: m})
	b1 := pr.run(b, "b", run{regs: regsB, mem: a1.mem})
	b2 := pr.run(b, "b", run{regs: regsB, mem: m})
	a2 := pr.run(a, "a", run{regs: regsA, mem: b2.mem})
	given = append(mt.given(c, a, regsA, d, b, regsB, m), a1.guard...)
	given = append(given, b1.guard...)
	want := append(slices.Clone(a2.guard), b2.guard...)
	want = append(want, sameMemory(b1.mem, a2.mem)...)
	want = append(want, pr.sameRegisters(d, b.to(), b1.regs, b2.regs)...)
	return given, and(want)
}
