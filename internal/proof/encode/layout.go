package encode

import (
	"cmp"
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
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

// Memory is the contents of the regions.
type Memory []smt.Term

// Shape of a region. The zero value is unset.
type Shape uint8

const (
	_        Shape = iota
	Single         // a variable
	Elements       // an array of equal cells
	loose          // bytes by address
)

// region is a part of memory.
type region struct {
	Shape Shape
	name  string  // of a variable
	Type  ir.Type // how it is shown to users
	Size  int     // of the variable or element, in bytes
	Base  int64   // address of the first element, or of the variable
	home  ir.ObjectID
	mutex bool // a variable that is the word of a mutex
	// stride is the size of the structures of an array of structures, and offset that of the field in it; 0: an
	// array of equal cells.
	stride, offset int64
}

// SeenIn returns the value of a variable in a state of an instance. The word of a mutex tells there which thread
// holds it; a proof only knows whether one does.
func (g *region) SeenIn(s program.State) int64 {
	v := s.Read(uint64(g.Base), g.Type)
	if g.mutex && v != 0 {
		return 1
	}
	return v
}

// Layout has the regions of a program.
type Layout struct {
	Prog    *ir.Program
	Arith   Arithmetic
	Regions []region
	single  map[int64]int       // region by address, for single cells
	Whole   map[ir.ObjectID]int // region by object; ir.NoObject: cells, or all objects
	fields  map[fieldKey]int    // region by field of an array of structures
	Mixed   bool                // addresses are values
	Blocks  *program.Blocks     // nil: no memory is allocated
}

// access is an access to memory with its object and size.
type access struct {
	op   *ir.Op
	edge *ir.Edge
	home ir.ObjectID // the object, or NoObject for cells and for any object
	size int
}

// NewLayout returns the layout for all accesses of a program and for the cells that conditions
// name. Accesses that no layout fits are refused.
func NewLayout(p *ir.Program, arith Arithmetic, b *program.Blocks, named []program.NamedCell) (*Layout, error) {
	y := &Layout{Prog: p, Arith: arith, Blocks: b, single: map[int64]int{}, Whole: map[ir.ObjectID]int{}, fields: map[fieldKey]int{}}
	var all []access
	for _, f := range p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			if addressAsValue(p, &e.Op) {
				y.Mixed = true
			}
			if _, _, block := y.InBlock(&e.Op); program.AccessesMemory(&e.Op) && !block {
				all = append(all, access{op: &e.Op, edge: e, home: y.Home(&e.Op), size: program.AccessSize(&e.Op)})
			}
		}
	}
	for _, at := range named {
		op := at.Load()
		if _, _, block := y.InBlock(&op); block {
			continue
		}
		all = append(all, access{op: &op, home: y.Home(&op), size: program.AccessSize(&op)})
	}
	if y.Mixed {
		return y, y.one(all)
	}
	y.addBlocks()
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
	y.nameApart()
	return y, nil
}

// nameApart gives variables different names: a stored proof, and a reader, tells conditions by their text. Words of one
// mutex have one name, and so have static variables of two functions.
func (y *Layout) nameApart() {
	taken := map[string]bool{}
	for r := range y.Regions {
		g := &y.Regions[r]
		name := g.name
		if taken[name] && g.home != ir.NoObject {
			name += ir.BytesName(g.Base-int64(y.Prog.Objects[g.home].Addr), int64(g.Size))
		}
		for n := 2; g.name != "" && taken[name]; n++ {
			name = fmt.Sprintf("%s#%d", g.name, n)
		}
		taken[name], g.name = true, name
	}
}

// Home returns the object that an access stays in.
func (y *Layout) Home(op *ir.Op) ir.ObjectID { return program.HomeOf(y.Prog, op) }

// one makes one region for all objects.
func (y *Layout) one(all []access) error {
	r := region{Shape: loose, Size: 1, home: ir.NoObject}
	if y.Arith == Integers {
		r.Size = ir.CellUnit
		for _, a := range all {
			if unit := unitAt(y.Prog, a.op); a.size != ir.CellUnit || unit != ir.CellUnit {
				return program.Refuse(a.edge, "elements of %d bytes in a program that computes with addresses need bit-vectors", min(unit, a.size))
			}
		}
	}
	y.Whole[ir.NoObject] = len(y.Regions)
	y.Regions = append(y.Regions, r)
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
func (y *Layout) add(home ir.ObjectID, list []access) error {
	computed := slices.ContainsFunc(list, func(a access) bool { _, ok := y.Constant(a.op.Addr); return !ok })
	if !computed && y.addSingles(home, list) {
		return nil
	}
	size := list[0].size
	fits := !slices.ContainsFunc(list, func(a access) bool {
		_, ok := y.index(a.op.Addr, y.base(home), a.size)
		return !ok || a.size != size
	})
	r := region{Shape: Elements, Size: size, Base: y.base(home), home: home, Type: list[0].op.Type}
	if !fits && y.addFields(home, list) {
		return nil
	}
	if !fits {
		if y.Arith == Integers {
			return program.Refuse(list[0].edge, "accesses of different sizes to the same bytes need bit-vectors")
		}
		r.Shape, r.Size = loose, 1
	}
	y.Whole[home] = len(y.Regions)
	y.Regions = append(y.Regions, r)
	return nil
}

// addSingles makes a region for each variable. It returns false if two overlap.
func (y *Layout) addSingles(home ir.ObjectID, list []access) bool {
	at := map[int64]region{}
	for _, a := range list {
		addr, _ := y.Constant(a.op.Addr)
		typ := a.op.Type
		if program.UsesMutex(a.op) {
			typ = ir.U64
		}
		known, ok := at[addr]
		if ok && known.Size != a.size {
			return false
		}
		at[addr] = region{mutex: program.UsesMutex(a.op) || known.mutex, Shape: Single, Size: a.size, Base: addr, home: home, Type: typ, name: y.Prog.LocationName(uint64(addr), a.size)}
	}
	cells := make([]region, 0, len(at))
	for _, r := range at {
		cells = append(cells, r)
	}
	slices.SortFunc(cells, func(a, b region) int { return cmp.Compare(a.Base, b.Base) })
	for i := 1; i < len(cells); i++ {
		if cells[i-1].Base+int64(cells[i-1].Size) > cells[i].Base {
			return false
		}
	}
	for _, r := range cells {
		y.single[r.Base] = len(y.Regions)
		y.Regions = append(y.Regions, r)
	}
	return true
}

func (y *Layout) base(home ir.ObjectID) int64 {
	if home == ir.NoObject {
		return 0
	}
	return int64(y.Prog.Objects[home].Addr)
}

// Constant returns the value of a constant address.
func (y *Layout) Constant(addr *ir.Expr) (int64, bool) { return program.ConstantAddress(y.Prog, addr) }

// index returns the number of the element at an address, or false if it may be no element.
func (y *Layout) index(addr *ir.Expr, base int64, size int) (*ir.Expr, bool) {
	n := int64(size)
	if v, ok := y.Constant(addr); ok {
		return ir.Int((v - base) / n), (v-base)%n == 0
	}
	if addr.Op == ir.Ite { // an index outside the object has an invalid address
		if _, ok := y.Constant(addr.Z); ok {
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
	for _, a := range op.Call.Args {
		find(a)
	}
	if program.AccessesMemory(op) && op.Obj == ir.NoObject && op.Addr.Op != ir.AddrOf {
		if find(op.Addr); !p.Cells {
			_, fixed := op.Addr.IsConst()
			found = found || !fixed
		}
	}
	return found
}
