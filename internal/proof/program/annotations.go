package program

import (
	"reflect"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Annotations: invariants that are code in the program. The code is removed from the program
// before the proof begins.

// Annotation is an invariant of a location of a thread, as the paths through its code.
type Annotation struct {
	property.CodeInvariant
	At   ir.Loc
	Ways [][]*ir.Edge
	past ir.EdgeID // of ghost code: the edge that it runs with
}

// Annotations has the annotations of each thread.
type Annotations map[ir.ThreadID][]*Annotation

// Annotated has the annotations of a program before they are removed.
type Annotated struct {
	by map[ir.EdgeID]property.CodeInvariant // by the first edge of their code
}

// AnnotationsIn returns the annotations that props has, before they are removed from the program.
func AnnotationsIn(props *property.Set) *Annotated {
	return &Annotated{codeInvariants(props)}
}

// codeInvariants returns the invariants that are code, by their first edge.
func codeInvariants(props *property.Set) map[ir.EdgeID]property.CodeInvariant {
	by := map[ir.EdgeID]property.CodeInvariant{}
	for _, cl := range props.CodeInvariants {
		if !cl.Abstract {
			by[cl.Edge] = cl
		}
	}
	return by
}

// Begins reports whether the code of an annotation begins with an edge.
func (c *Annotated) Begins(e *ir.Edge) bool {
	_, ok := c.by[e.Origin]
	return ok && e.Op.Kind == ir.Assume
}

// Take removes the code of all annotations and returns them.
func (c *Annotated) Take(p *ir.Program) (Annotations, error) {
	out := Annotations{}
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		gone := map[*ir.Edge]bool{}
		for i := range f.Edges {
			e := &f.Edges[i]
			if !c.Begins(e) {
				continue
			}
			cl := &Annotation{CodeInvariant: c.by[e.Origin], At: e.From}
			if cl.Ghost {
				cl.past = pastOf(f, cl)
			}
			if err := cl.walk(f, e.To, nil, gone); err != nil {
				return nil, err
			}
			gone[e] = true
			out[ir.ThreadID(t)] = append(out[ir.ThreadID(t)], cl)
		}
		var rest []ir.Edge
		for i := range f.Edges {
			if !gone[&f.Edges[i]] {
				rest = append(rest, f.Edges[i])
			}
		}
		f.Edges = rest
	}
	p.Seal()
	return out, nil
}

// walk collects the paths from a location of the code to its assertion.
func (cl *Annotation) walk(f *ir.Func, l ir.Loc, way []*ir.Edge, gone map[*ir.Edge]bool) error {
	for _, i := range f.Out(l) {
		e := &f.Edges[i]
		gone[e] = true
		copied := *e
		next := append(way[:len(way):len(way)], &copied)
		switch e.Op.Kind {
		case ir.Assert:
			if e.Origin == cl.Last {
				if cl.Ways = append(cl.Ways, next); len(cl.Ways) > maxWays {
					return Refuse(e, "more than %d ways through %s", maxWays, cl.what())
				}
				continue
			}
			if e.Op.Report.Class == ir.Assertion {
				return Refuse(e, "%s cannot do this: %s", cl.what(), e.Op.Kind)
			}
			next = way // a check of the language, such as of a divisor
		case ir.Nop, ir.Assume, ir.Assign, ir.Load:
		case ir.Store, ir.Havoc:
			if cl.Ghost == (e.Op.Kind == ir.Store) {
				break
			}
			fallthrough
		default:
			return Refuse(e, "%s cannot do this: %s", cl.what(), e.Op.Kind)
		}
		if len(next) > maxSteps {
			return Refuse(e, "%s that loops", cl.what())
		}
		if err := cl.walk(f, e.To, next, gone); err != nil {
			return err
		}
	}
	return nil
}

func (cl *Annotation) what() string {
	if cl.Ghost {
		return "ghost code"
	}
	return "a condition"
}

// maxSteps bounds the code of a condition.
const maxSteps = 1000

// Cells returns the memory that annotations read.
func (c Annotations) Cells() []NamedCell {
	var out []NamedCell
	for _, list := range c {
		for _, cl := range list {
			for _, way := range cl.Ways {
				for _, e := range way {
					if e.Op.Accesses() {
						out = append(out, NamedCell{e.Op.Addr, e.Op.Type, e.Op.Obj})
					}
				}
			}
		}
	}
	return out
}

// Same reports whether two threads have the same annotations.
func (c Annotations) Same(a, b ir.ThreadID) bool {
	if len(c[a]) != len(c[b]) {
		return false
	}
	for i, x := range c[a] {
		y := c[b][i]
		if x.CodeInvariant != y.CodeInvariant || x.At != y.At || len(x.Ways) != len(y.Ways) {
			return false
		}
		for w := range x.Ways {
			if len(x.Ways[w]) != len(y.Ways[w]) {
				return false
			}
			for k := range x.Ways[w] {
				if !reflect.DeepEqual(x.Ways[w][k].Op, y.Ways[w][k].Op) {
					return false
				}
			}
		}
	}
	return true
}

// NamedCells returns the memory that invariants and goals name.
func NamedCells(p *ir.Program, props *property.Set) []NamedCell {
	var out []NamedCell
	add := func(c *property.Cond) {
		for i, v := range c.Vars {
			bound := false
			for _, r := range c.Bound {
				bound = bound || r == ir.Reg(i)
			}
			if v.IsMemory() && !bound {
				out = append(out, NamedCellOf(p, v))
			}
		}
	}
	for _, inv := range props.Invariants {
		add(inv.Cond)
	}
	for i := range props.Goals {
		if props.Goals[i].With != nil {
			add(props.Goals[i].With)
		}
	}
	return out
}

// NamedCellOf returns the cell of a variable in memory.
func NamedCellOf(p *ir.Program, v property.Var) NamedCell {
	if v.AddrExpr != nil {
		at := NamedCell{addr: v.AddrExpr, typ: v.Type, obj: ir.NoObject}
		v.AddrExpr.Walk(func(e *ir.Expr) {
			if e.Op == ir.AddrOf {
				at.obj = e.Obj
			}
		})
		return at
	}
	obj := p.FindObject(v.Addr, v.Type.Size())
	if obj == ir.NoObject || p.Objects[obj].Cells {
		return NamedCell{addr: ir.Int(int64(v.Addr)), typ: v.Type, obj: obj}
	}
	return NamedCell{addr: ir.Addr(obj, int64(v.Addr-p.Objects[obj].Addr)), typ: v.Type, obj: obj}
}

// Load returns a load of the cell.
func (at NamedCell) Load() ir.Op {
	op := ir.NewOp(ir.Load)
	op.Addr, op.Type, op.Obj = at.addr, at.typ, at.obj
	return op
}
