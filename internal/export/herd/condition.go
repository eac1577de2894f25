package herd

// What a litmus test asks: which variables its final states show, which final states count, and the condition.

import (
	"fmt"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// condition returns the end of the test: locations, filter and condition.
func (w *litmusTest) condition() string {
	var out strings.Builder
	var shown []string
	for _, v := range w.props.Observe {
		shown = append(shown, w.shown(v)+";")
	}
	var stops, fails []string
	for _, c := range w.cols {
		if c.stops {
			stops = append(stops, fmt.Sprintf("~(%s=%d)", c.statusName(), stopped))
		}
		if c.fails {
			fails = append(fails, fmt.Sprintf("%s=%d", c.statusName(), failed))
		}
	}
	if len(shown) > 0 {
		fmt.Fprintf(&out, "locations [%s]\n", strings.Join(shown, " "))
	}
	if len(stops) > 0 {
		filter := strings.Join(stops, ` /\ `)
		if len(fails) > 0 {
			filter = fmt.Sprintf(`%s \/ %s`, strings.Join(fails, ` \/ `), filter)
		}
		fmt.Fprintf(&out, "filter (%s)\n", filter)
	}
	fmt.Fprintln(&out, w.question(fails))
	return out.String()
}

// question returns the condition. fails are the propositions that an assertion has failed.
func (w *litmusTest) question(fails []string) string {
	f := w.props.Final
	bad := strings.Join(fails, ` \/ `)
	switch {
	case f == nil && bad == "":
		return "forall (true)"
	case f == nil:
		return fmt.Sprintf("~exists (%s)", bad)
	}
	cond := w.prop(f.Cond, f.Cond.Expr, f)
	switch {
	case bad == "" && f.Quantifier == property.Never:
		return fmt.Sprintf("~exists (%s)", cond)
	case bad == "":
		return fmt.Sprintf("%s (%s)", f.Quantifier, cond)
	case f.Quantifier == property.Forall:
		cond = fmt.Sprintf("~(%s)", cond)
	}
	return fmt.Sprintf(`~exists (%s \/ (%s))`, bad, cond)
}

// shown returns a variable as locations and conditions name it.
func (w *litmusTest) shown(v property.Var) string {
	if !v.IsMemory() {
		return w.cols[v.Thread].shown(v.Reg)
	}
	id := w.p.FindObject(v.Addr, v.Type.Size())
	name := w.variable(v.Addr, v.Type.Size())
	if id == ir.NoObject || w.whole[id] == "" {
		return name
	}
	obj := &w.p.Objects[id]
	if v.Type.Size() != obj.Unit {
		w.Refuse(obj.Pos, "final states of a litmus test show whole elements, and not parts of %s", obj.Name)
	}
	if obj.Size == int64(obj.Unit) {
		return w.whole[id]
	}
	return fmt.Sprintf("%s[%d]", w.whole[id], (v.Addr-obj.Addr)/uint64(obj.Unit))
}

// prop returns an expression over the variables of a condition as a proposition.
func (w *litmusTest) prop(c *property.Cond, e *ir.Expr, f *property.Final) string {
	switch e.Op {
	case ir.Const:
		if e.Value != 0 {
			return "true"
		}
		return "false"
	case ir.LAnd:
		return fmt.Sprintf(`(%s /\ %s)`, w.prop(c, e.X, f), w.prop(c, e.Y, f))
	case ir.LOr:
		return fmt.Sprintf(`(%s \/ %s)`, w.prop(c, e.X, f), w.prop(c, e.Y, f))
	case ir.Not:
		return fmt.Sprintf("~(%s)", w.prop(c, e.X, f))
	case ir.Ne:
		return fmt.Sprintf("~(%s)", w.prop(c, &ir.Expr{Op: ir.Eq, Type: e.Type, X: e.X, Y: e.Y}, f))
	case ir.RegRef:
		return fmt.Sprintf("~(%s=0)", w.shown(c.Vars[e.Reg]))
	case ir.Eq:
		x, y := e.X, e.Y
		if x.Op == ir.Const {
			x, y = y, x
		}
		if x.Op != ir.RegRef {
			break
		}
		left := w.shown(c.Vars[x.Reg])
		if v, ok := y.IsConst(); ok {
			if t := c.Vars[x.Reg].Type; c.Vars[x.Reg].IsMemory() && t.Wrap(v) != v {
				return "false" // the variable never holds such a value, and the test would cut it to one that fits
			}
			return fmt.Sprintf("%s=%d", left, v)
		}
		if y.Op == ir.RegRef {
			right := c.Vars[y.Reg]
			if name := w.shown(right); right.IsMemory() {
				return fmt.Sprintf("%s=[%s]", left, name)
			} else {
				return left + "=" + name
			}
		}
	}
	w.Refuse(f.Pos, "the condition of a litmus test compares variables with constants or with each other: it cannot say %q", f.Cond.Text)
	return ""
}
