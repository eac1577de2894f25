package mover

import (
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
)

// Memory as terms. Each object is a region: an integer if it is one element, else
// an array by address. The cells that integers name are one more region, or one
// each where only constants name them. Where a program computes with addresses of
// objects, everything lives in one array.

// memory is the contents of the regions.
type memory []string

// layout says which region an access touches.
type layout struct {
	prog  *ir.Program
	mixed bool // addresses are values: one region for all
	// fixed are the cells that have regions of their own, after the objects; nil:
	// the cells are one region.
	fixed   []int64 // addresses
	fixedAt map[int64]int
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
		return fmt.Sprintf("mem[%d]", y.fixed[region-n]/ir.CellUnit)
	}
	return y.prog.Objects[region].Name
}

// regionOf is the region at an address: of an object, or of a cell.
func (y *layout) regionOf(obj ir.ObjectID, addr *ir.Expr) int {
	if obj != ir.NoObject && !y.mixed && !y.prog.Objects[obj].Cells {
		return int(obj)
	}
	if v, ok := addr.IsConst(); ok && !y.mixed {
		if region, ok := y.fixedAt[v]; ok {
			return region
		}
	}
	return y.cells()
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
		y.fixCells()
		return y, nil
	}
	for i := range p.Objects {
		if o := &p.Objects[i]; o.Unit != ir.CellUnit {
			return nil, &engine.Unsupported{What: fmt.Sprintf("prove: %s has elements of %d bytes, and the program computes with addresses", o.Name, o.Unit)}
		}
	}
	return y, nil
}

// fixCells gives cells regions of their own, if only constants name them.
func (y *layout) fixCells() {
	at := map[int64]int{}
	var fixed []int64
	for _, f := range y.prog.Funcs {
		for i := range f.Edges {
			op := &f.Edges[i].Op
			if !op.Accesses() || op.Obj != ir.NoObject && !y.prog.Objects[op.Obj].Cells || op.Addr.Op == ir.AddrOf {
				continue
			}
			v, ok := op.Addr.IsConst()
			if !ok {
				return
			}
			if _, seen := at[v]; !seen {
				at[v] = len(y.prog.Objects) + len(fixed)
				fixed = append(fixed, v)
			}
		}
	}
	y.fixed, y.fixedAt = fixed, at
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
	for i, addr := range y.fixed {
		v := int64(0)
		if obj := y.prog.FindObject(uint64(addr), ir.CellUnit); obj != ir.NoObject {
			o := &y.prog.Objects[obj]
			v = element(o, int(uint64(addr)-o.Addr)/o.Unit)
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
