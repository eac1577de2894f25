package mover

import (
	"cmp"
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
)

// Memory as terms. Memory is divided into regions that no access crosses. A cell with only constant
// addresses is a region by itself (a variable). An array whose elements are accessed as a whole is
// a region that is indexed by the number of the element. In an array of structures every field is
// such a region (array_fields.go). Memory that is accessed in parts, or at
// addresses whose element is not known, is a region of bytes that is indexed by address. If the
// program uses addresses as values, all objects are one region.
//
// The index of an array is the number that the program multiplies with the size of an element. Two
// different numbers may be the same address after wrapping. That does not matter: one of them is
// outside the object, and the program ends there.

// memory is the contents of the regions.
type memory []string

// shape of a region. The zero value is unset.
type shape uint8

const (
	_        shape = iota
	single         // a variable
	elements       // an array of equal cells
	loose          // bytes by address
)

// region is a part of memory.
type region struct {
	shape shape
	name  string  // of a variable
	typ   ir.Type // how it is shown to users
	size  int     // of the variable or element, in bytes
	base  int64   // address of the first element, or of the variable
	home  ir.ObjectID
	mutex bool // a variable that is the word of a mutex
	// stride is the size of the structures of an array of structures, and offset that of the field in it; 0: an
	// array of equal cells.
	stride, offset int64
}

// seenIn returns the value of a variable in a state of an instance. The word of a mutex tells there which thread
// holds it; a proof only knows whether one does.
func (g *region) seenIn(s State) int64 {
	v := s.Read(uint64(g.base), g.typ)
	if g.mutex && v != 0 {
		return 1
	}
	return v
}

// layout has the regions of a program.
type layout struct {
	prog    *ir.Program
	arith   Arithmetic
	regions []region
	single  map[int64]int       // region by address, for single cells
	whole   map[ir.ObjectID]int // region by object; ir.NoObject: cells, or all objects
	fields  map[fieldKey]int    // region by field of an array of structures
	mixed   bool                // addresses are values
	blocks  *blocks             // nil: no memory is allocated
}

// access is an access to memory with its object and size.
type access struct {
	op   *ir.Op
	edge *ir.Edge
	home ir.ObjectID // the object, or NoObject for cells and for any object
	size int
}

// accesses reports whether an operation reads or writes memory, words of mutexes included.
func accesses(op *ir.Op) bool { return op.Accesses() || locks(op) }

func locks(op *ir.Op) bool {
	return op.Kind == ir.Lock || op.Kind == ir.TryLock || op.Kind == ir.Unlock
}

// tests reports whether an operation finds out about a mutex and changes nothing.
func tests(op *ir.Op) bool { return op.Test != ir.MutexUntested }

func width(op *ir.Op) int {
	if locks(op) {
		return ir.CellUnit
	}
	return op.Type.Size()
}

// newLayout returns the layout for all accesses of a program and for the cells that conditions
// name. Accesses that no layout fits are refused.
func newLayout(p *ir.Program, arith Arithmetic, b *blocks, named []namedCell) (*layout, error) {
	y := &layout{prog: p, arith: arith, blocks: b, single: map[int64]int{}, whole: map[ir.ObjectID]int{}, fields: map[fieldKey]int{}}
	var all []access
	for _, f := range p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			if addressAsValue(p, &e.Op) {
				y.mixed = true
			}
			if _, _, block := inBlock(y, &e.Op); accesses(&e.Op) && !block {
				all = append(all, access{op: &e.Op, edge: e, home: y.home(&e.Op), size: width(&e.Op)})
			}
		}
	}
	for _, at := range named {
		op := at.load()
		if _, _, block := inBlock(y, &op); block {
			continue
		}
		all = append(all, access{op: &op, home: y.home(&op), size: width(&op)})
	}
	if y.mixed {
		return y, y.one(all)
	}
	addBlocks(y)
	homes := map[ir.ObjectID][]access{}
	var order []ir.ObjectID
	for _, a := range all {
		if homes[a.home] == nil {
			order = append(order, a.home)
		}
		homes[a.home] = append(homes[a.home], a)
	}
	slices.Sort(order)
	for _, home := range order {
		if err := y.add(home, homes[home]); err != nil {
			return nil, err
		}
	}
	nameApart(y)
	return y, nil
}

// nameApart gives variables different names: a stored proof, and a reader, tells conditions by their text. Words of one
// mutex have one name, and so have static variables of two functions.
func nameApart(y *layout) {
	taken := map[string]bool{}
	for r := range y.regions {
		g := &y.regions[r]
		name := g.name
		if taken[name] && g.home != ir.NoObject {
			name += ir.BytesName(g.base-int64(y.prog.Objects[g.home].Addr), int64(g.size))
		}
		for n := 2; g.name != "" && taken[name]; n++ {
			name = fmt.Sprintf("%s#%d", g.name, n)
		}
		taken[name], g.name = true, name
	}
}

// namedCell is a cell that a condition names.
type namedCell struct {
	addr *ir.Expr
	typ  ir.Type
	obj  ir.ObjectID
}

// home returns the object that an access stays in.
func (y *layout) home(op *ir.Op) ir.ObjectID { return homeOf(y.prog, op) }

// one makes one region for all objects.
func (y *layout) one(all []access) error {
	r := region{shape: loose, size: 1, home: ir.NoObject}
	if y.arith == Integers {
		r.size = ir.CellUnit
		for _, a := range all {
			if unit := unitAt(y.prog, a.op); a.size != ir.CellUnit || unit != ir.CellUnit {
				return refuse(a.edge, "elements of %d bytes in a program that computes with addresses need bit-vectors", min(unit, a.size))
			}
		}
	}
	y.whole[ir.NoObject] = len(y.regions)
	y.regions = append(y.regions, r)
	return nil
}

func unitAt(p *ir.Program, op *ir.Op) int {
	obj := op.Obj
	if op.Addr.Op == ir.AddrOf {
		obj = op.Addr.Obj
	}
	if obj == ir.NoObject {
		return ir.CellUnit
	}
	return p.Objects[obj].Unit
}

// add makes the regions of one object, or of memory outside objects.
func (y *layout) add(home ir.ObjectID, list []access) error {
	computed := slices.ContainsFunc(list, func(a access) bool { _, ok := y.constant(a.op.Addr); return !ok })
	if !computed && y.addSingles(home, list) {
		return nil
	}
	size := list[0].size
	fits := !slices.ContainsFunc(list, func(a access) bool {
		_, ok := y.index(a.op.Addr, y.base(home), a.size)
		return !ok || a.size != size
	})
	r := region{shape: elements, size: size, base: y.base(home), home: home, typ: list[0].op.Type}
	if !fits && addFields(y, home, list) {
		return nil
	}
	if !fits {
		if y.arith == Integers {
			return refuse(list[0].edge, "accesses of different sizes to the same bytes need bit-vectors")
		}
		r.shape, r.size = loose, 1
	}
	y.whole[home] = len(y.regions)
	y.regions = append(y.regions, r)
	return nil
}

// addSingles makes a region for each variable. It returns false if two overlap.
func (y *layout) addSingles(home ir.ObjectID, list []access) bool {
	at := map[int64]region{}
	for _, a := range list {
		addr, _ := y.constant(a.op.Addr)
		typ := a.op.Type
		if locks(a.op) {
			typ = ir.U64
		}
		known, ok := at[addr]
		if ok && known.size != a.size {
			return false
		}
		at[addr] = region{mutex: locks(a.op) || known.mutex, shape: single, size: a.size, base: addr, home: home, typ: typ, name: y.prog.LocationName(uint64(addr), a.size)}
	}
	cells := make([]region, 0, len(at))
	for _, r := range at {
		cells = append(cells, r)
	}
	slices.SortFunc(cells, func(a, b region) int { return cmp.Compare(a.base, b.base) })
	for i := 1; i < len(cells); i++ {
		if cells[i-1].base+int64(cells[i-1].size) > cells[i].base {
			return false
		}
	}
	for _, r := range cells {
		y.single[r.base] = len(y.regions)
		y.regions = append(y.regions, r)
	}
	return true
}

func (y *layout) base(home ir.ObjectID) int64 {
	if home == ir.NoObject {
		return 0
	}
	return int64(y.prog.Objects[home].Addr)
}

// constant returns the value of a constant address.
func (y *layout) constant(addr *ir.Expr) (int64, bool) { return constantAddress(y.prog, addr) }

// index returns the number of the element at an address, or false if it may be no element.
func (y *layout) index(addr *ir.Expr, base int64, size int) (*ir.Expr, bool) {
	n := int64(size)
	if v, ok := y.constant(addr); ok {
		return ir.Int((v - base) / n), (v-base)%n == 0
	}
	if addr.Op == ir.Ite { // an index outside the object has an invalid address
		if _, ok := y.constant(addr.Z); ok {
			return y.index(addr.Y, base, size)
		}
		return nil, false
	}
	if addr.Op == ir.Add && addr.Type.Bits == 64 {
		if i, ok := y.index(addr.X, base, size); ok {
			if k, ok := multiple(addr.Y, n); ok {
				return ir.Binary(ir.Add, ir.S64, i, k), true
			}
		}
		return nil, false
	}
	if base == 0 {
		return multiple(addr, n)
	}
	return nil, false
}

// multiple returns e / n, or false if e may be no multiple of n.
func multiple(e *ir.Expr, n int64) (*ir.Expr, bool) {
	if n == 1 {
		return e, true
	}
	if e.Type.Bits != 64 {
		return nil, false
	}
	both := func() (x, y *ir.Expr, ok bool) {
		x, ok1 := multiple(e.X, n)
		y, ok2 := multiple(e.Y, n)
		return x, y, ok1 && ok2
	}
	switch e.Op {
	case ir.Const:
		return ir.Int(e.Value / n), e.Value%n == 0
	case ir.Add, ir.Sub:
		if x, y, ok := both(); ok {
			return ir.Binary(e.Op, ir.S64, x, y), true
		}
	case ir.Mul:
		if k, ok := e.Y.IsConst(); ok && k%n == 0 {
			if k == n {
				return e.X, true
			}
			return ir.Binary(ir.Mul, ir.S64, e.X, ir.Int(k/n)), true
		}
	}
	return nil, false
}

// addressAsValue reports whether an operation uses an address as a number, or a number as an
// address.
func addressAsValue(p *ir.Program, op *ir.Op) bool {
	found := false
	find := func(e *ir.Expr) {
		e.Walk(func(e *ir.Expr) { found = found || e.Op == ir.AddrOf })
	}
	find(op.Val)
	find(op.Val2)
	find(op.Cond)
	for _, a := range op.Args {
		find(a)
	}
	if accesses(op) && op.Obj == ir.NoObject && op.Addr.Op != ir.AddrOf {
		if find(op.Addr); !p.Cells {
			_, fixed := op.Addr.IsConst()
			found = found || !fixed
		}
	}
	return found
}

// refuse returns the error that proofs do not cover an instruction.
func refuse(e *ir.Edge, format string, args ...any) error {
	u := &engine.Unsupported{What: "prove: " + fmt.Sprintf(format, args...)}
	if e != nil {
		u.Pos = engine.Pos(e)
	}
	return u
}
