package mover

import (
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
)

// Memory as terms. Each object is a region: an integer if it is one element, else
// an array by address. The cells that integers name are one more region. Elements
// and cells that only constants name are regions of their own. Where a program
// computes with addresses of objects, everything lives in one array.

// memory is the contents of the regions.
type memory []string

// layout says which region an access touches.
type layout struct {
	prog  *ir.Program
	mixed bool // addresses are values: one region for all
	// fixed are the cells and elements that have regions of their own, after the
	// objects.
	fixed   []fixedPlace
	fixedAt map[int64]int // region by address
}

type fixedPlace struct {
	addr int64
	size int
}

// cells is the region of cells without one of their own.
func (y *layout) cells() int { return len(y.prog.Objects) + len(y.fixed) }

// scalar reports whether a region is a single integer.
func (y *layout) scalar(region int) bool {
	if y.mixed || region == y.cells() {
		return false
	}
	if region >= len(y.prog.Objects) {
		return true
	}
	o := &y.prog.Objects[region]
	return !o.Cells && o.Size == int64(o.Unit)
}

// name of a region that is a single integer.
func (y *layout) name(region int) string {
	if n := len(y.prog.Objects); region >= n {
		return y.prog.LocationName(uint64(y.fixed[region-n].addr), y.fixed[region-n].size)
	}
	return y.prog.Objects[region].Name
}

// regionOf is the region at an address: of an object, or of a cell.
func (y *layout) regionOf(obj ir.ObjectID, addr *ir.Expr) int {
	if y.mixed {
		return y.cells()
	}
	if v, ok := y.constant(addr); ok {
		if region, ok := y.fixedAt[v]; ok {
			return region
		}
	}
	if obj != ir.NoObject && !y.prog.Objects[obj].Cells {
		return int(obj)
	}
	return y.cells()
}

// constant is the value of an address that is always the same.
func (y *layout) constant(addr *ir.Expr) (int64, bool) {
	if addr.Op == ir.AddrOf {
		return int64(y.prog.Objects[addr.Obj].Addr) + addr.Value, true
	}
	return addr.IsConst()
}

func (y *layout) sort(region int) string {
	if y.scalar(region) {
		return "Int"
	}
	return "(Array Int Int)"
}

// place is where an access goes.
type place struct {
	region int
	index  string // address, for arrays
}

// locate finds the place of an access.
func (y *layout) locate(op *ir.Op, v env) place {
	obj := op.Obj
	if op.Addr.Op == ir.AddrOf {
		obj = op.Addr.Obj
	}
	region := y.regionOf(obj, op.Addr)
	if y.scalar(region) {
		return place{region: region}
	}
	return place{region, v.number(op.Addr)}
}

// variable is the region an access always goes to, if that is a single integer.
func (y *layout) variable(op *ir.Op) (int, bool) {
	if op.Addr.Op != ir.AddrOf && op.Addr.Op != ir.Const {
		return 0, false
	}
	region := y.locate(op, env{prog: y.prog}).region
	return region, y.scalar(region)
}

func (y *layout) read(m memory, p place) string {
	if p.index == "" {
		return m[p.region]
	}
	return apply("select", m[p.region], p.index)
}

func (y *layout) write(m memory, p place, value string) memory {
	out := append(memory(nil), m...)
	out[p.region] = value
	if p.index != "" {
		out[p.region] = apply("store", m[p.region], p.index, value)
	}
	return out
}

// newLayout looks at all accesses. What does not fit is refused.
func newLayout(p *ir.Program) (*layout, error) {
	y := &layout{prog: p}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			if err := supported(p, e); err != nil {
				return nil, err
			}
			if addressAsValue(&e.Op) {
				y.mixed = true
			}
		}
	}
	if !y.mixed {
		y.fix()
		return y, nil
	}
	for i := range p.Objects {
		if o := &p.Objects[i]; o.Unit != ir.CellUnit {
			return nil, &engine.Unsupported{What: fmt.Sprintf("prove: %s has elements of %d bytes, and the program computes with addresses", o.Name, o.Unit)}
		}
	}
	return y, nil
}

// fix gives elements of arrays, and cells, regions of their own, if only constants
// name them.
func (y *layout) fix() {
	computed := map[ir.ObjectID]bool{} // NoObject: the cells
	container := func(op *ir.Op) ir.ObjectID {
		obj := op.Obj
		if op.Addr.Op == ir.AddrOf {
			obj = op.Addr.Obj
		}
		if obj != ir.NoObject && y.prog.Objects[obj].Cells {
			obj = ir.NoObject
		}
		return obj
	}
	each := func(f func(op *ir.Op, obj ir.ObjectID)) {
		for _, fn := range y.prog.Funcs {
			for i := range fn.Edges {
				if op := &fn.Edges[i].Op; op.Accesses() {
					f(op, container(op))
				}
			}
		}
	}
	each(func(op *ir.Op, obj ir.ObjectID) {
		if _, ok := y.constant(op.Addr); !ok {
			computed[obj] = true
		}
	})
	y.fixedAt = map[int64]int{}
	each(func(op *ir.Op, obj ir.ObjectID) {
		if computed[obj] || obj != ir.NoObject && y.scalar(int(obj)) {
			return
		}
		addr, _ := y.constant(op.Addr)
		if _, seen := y.fixedAt[addr]; !seen {
			y.fixedAt[addr] = len(y.prog.Objects) + len(y.fixed)
			y.fixed = append(y.fixed, fixedPlace{addr, op.Type.Size()})
		}
	})
}

func addressAsValue(op *ir.Op) bool {
	found := false
	look := func(e *ir.Expr) {
		e.Walk(func(e *ir.Expr) { found = found || e.Op == ir.AddrOf })
	}
	look(op.Val)
	look(op.Val2)
	look(op.Cond)
	if op.Obj == ir.NoObject && op.Addr != nil && op.Addr.Op != ir.AddrOf {
		look(op.Addr)
	}
	return found
}

// supported reports why an instruction is outside what proofs cover.
func supported(p *ir.Program, e *ir.Edge) error {
	refuse := func(format string, args ...any) error {
		return &engine.Unsupported{Pos: engine.Pos(e), What: "prove: " + fmt.Sprintf(format, args...)}
	}
	op := &e.Op
	switch op.Kind {
	case ir.Nop, ir.Fence, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.Return, ir.ThreadExit, ir.AtomicBegin, ir.AtomicEnd:
		return nil
	case ir.Load, ir.AbstractLoad, ir.Await, ir.Store, ir.RMW:
	default:
		return refuse("%s is not covered by proofs with movers", op.Kind)
	}
	if op.Type.Signed && op.Type.Bits < 64 {
		return refuse("accesses of less than 8 bytes with a sign are not covered")
	}
	obj := op.Obj
	if op.Addr.Op == ir.AddrOf {
		obj = op.Addr.Obj
	}
	unit := ir.CellUnit
	if obj != ir.NoObject {
		unit = p.Objects[obj].Unit
	}
	whole := op.Type.Size() == unit
	if op.Addr.Op == ir.AddrOf && op.Addr.Value%int64(unit) != 0 {
		whole = false
	}
	if !whole {
		return refuse("accesses of different sizes to the same bytes are not covered")
	}
	return nil
}

// initial is the memory at the beginning.
func (y *layout) initial() memory {
	m := make(memory, y.cells()+1)
	cells := "((as const (Array Int Int)) 0)"
	for i := range y.prog.Objects {
		o := &y.prog.Objects[i]
		if y.scalar(i) {
			m[i] = integer(element(o, 0))
			continue
		}
		arr := "((as const (Array Int Int)) 0)"
		if y.mixed || o.Cells {
			arr = cells
		}
		for k := range int(o.Size) / o.Unit {
			if v := element(o, k); v != 0 {
				arr = apply("store", arr, integer(int64(o.Addr)+int64(k*o.Unit)), integer(v))
			}
		}
		if m[i] = arr; y.mixed || o.Cells {
			cells = arr
		}
	}
	m[y.cells()] = cells
	for i, at := range y.fixed {
		v := int64(0)
		if obj := y.prog.FindObject(uint64(at.addr), at.size); obj != ir.NoObject {
			o := &y.prog.Objects[obj]
			v = element(o, int(uint64(at.addr)-o.Addr)/o.Unit)
		}
		m[len(y.prog.Objects)+i] = integer(v)
	}
	return m
}

func element(o *ir.Object, k int) int64 {
	var v uint64
	for b := o.Unit - 1; b >= 0; b-- {
		v <<= 8
		if at := k*o.Unit + b; at < len(o.Init) {
			v |= uint64(o.Init[at])
		}
	}
	return o.Type.Wrap(int64(v))
}
