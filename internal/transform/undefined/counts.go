//go:build !fencepost_small

package undefined

import (
	"cmp"
	"encoding/binary"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Loops that count. A loop that fills an array, such as one that creates threads, stores to an element whose number is in
// a register: which bytes are defined after it is known only with the values of that register. So the analysis
// of undefined_flow.go does not walk over locations but over nodes: a location with the values of the registers that
// addresses in arrays, and branches on these, depend on. A register that is not assigned a constant, such as one that is
// loaded from memory that can change, is not known there, and a branch on it goes both ways. Registers that are dead are forgotten,
// so after a loop there is one node again.
//
// Where a location would have too many nodes it gets one in which no register is known; a function with too many nodes
// has one for each location.

const (
	maxNodesAt = 600     // of a location
	maxNodes   = 1 << 16 // of a function, or nodesEach for each location
	nodesEach  = 16
)

// flowNode is a location with the values of counters.
type flowNode struct {
	at    ir.Loc
	steps []flowStep // nil until they are computed
}

// flowStep is an edge from a node. foot has the bytes that the operation accesses there.
type flowStep struct {
	edge int32
	to   int32
	foot analysis.Footprint
}

// nodes returns the nodes of a function; the first one is the entry.
func (w *undefinedFlow) nodes() []flowNode {
	counters := w.counters()
	if len(counters) > 0 {
		if list := w.expand(counters, max(maxNodes, nodesEach*len(w.f.Locs))); list != nil {
			return list
		}
	}
	return w.expand(nil, len(w.f.Locs)+1)
}

// counters returns the registers whose values are worth knowing: registers in addresses that may be several elements of
// an object that is tracked, registers that these are computed from, and registers that are compared with them.
func (w *undefinedFlow) counters() []ir.Reg {
	if len(w.first) == 0 {
		return nil
	}
	in := map[ir.Reg]bool{}
	var list []ir.Reg
	add := func(e *ir.Expr) {
		e.Walk(func(x *ir.Expr) {
			if x.Op == ir.RegRef && !in[x.Reg] {
				in[x.Reg] = true
				list = append(list, x.Reg)
			}
		})
	}
	for i := range w.f.Edges {
		if e := &w.f.Edges[i]; e.Op.Accesses() && w.tracks(e) {
			add(e.Op.Addr)
		}
	}
	for n := -1; n != len(list); {
		n = len(list)
		for i := range w.f.Edges {
			switch op := &w.f.Edges[i].Op; {
			case op.Kind == ir.Assign && in[op.Dst]:
				add(op.Val)
			case op.Kind == ir.Assume:
				op.Val.Walk(func(x *ir.Expr) {
					if x.Op == ir.RegRef && in[x.Reg] {
						add(op.Val)
					}
				})
			}
		}
	}
	return list
}

// values has the counters whose values are known, by number. A long function has many counters, few of which are alive at a
// location.
type values []knownValue

type knownValue struct {
	counter int32
	value   *ir.Expr
}

// find returns where a counter stands, or would stand.
func (v values) find(counter int) (int, bool) {
	return slices.BinarySearchFunc(v, int32(counter), func(k knownValue, c int32) int { return cmp.Compare(k.counter, c) })
}

// of returns the value of a counter; nil: not known.
func (v values) of(counter int) *ir.Expr {
	if k, is := v.find(counter); is {
		return v[k].value
	}
	return nil
}

// with returns the values after a counter got one, or is not known any more.
func (v values) with(counter int, value *ir.Expr) values {
	switch k, is := v.find(counter); {
	case value == nil && is:
		return slices.Delete(v, k, k+1)
	case value == nil:
		return v
	case is:
		v[k].value = value
		return v
	default:
		return slices.Insert(v, k, knownValue{int32(counter), value})
	}
}

// key returns the values as a string.
func (v values) key() string {
	b := make([]byte, 0, 12*len(v))
	for _, k := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(k.counter))
		b = binary.LittleEndian.AppendUint64(b, uint64(k.value.Value))
	}
	return string(b)
}

// expander makes the nodes of a function.
type expander struct {
	w        *undefinedFlow
	counters []ir.Reg
	number   map[ir.Reg]int // of counters
	live     func(ir.Loc, ir.Reg) bool
	max      int
	nodes    []flowNode
	known    []values         // by node
	ids      []map[string]int // by location and values: the node
}

// expand returns the nodes of a function, with the values of some registers. It returns nil if there would be too many.
func (w *undefinedFlow) expand(counters []ir.Reg, most int) []flowNode {
	x := &expander{w: w, counters: counters, number: map[ir.Reg]int{}, max: most, ids: make([]map[string]int, len(w.f.Locs))}
	var first values
	for i, r := range counters {
		x.number[r] = i
		if reg := &w.f.Regs[r]; int(r) >= w.f.Params && reg.Undef == (ir.Type{}) {
			first = append(first, knownValue{int32(i), ir.Int(reg.Init)})
		}
	}
	if len(counters) > 0 {
		x.live = analysis.Liveness(w.f)
	}
	x.node(w.f.Entry, first)
	for n := 0; n < len(x.nodes); n++ {
		if len(x.nodes) > x.max {
			return nil
		}
		x.steps(n)
	}
	return x.nodes
}

// node returns the number of the node of a location and values.
func (x *expander) node(at ir.Loc, known values) int32 {
	known = slices.DeleteFunc(known, func(k knownValue) bool { return !x.live(at, x.counters[k.counter]) })
	if len(x.ids[at]) >= maxNodesAt {
		known = nil
	}
	key := known.key()
	if n, is := x.ids[at][key]; is {
		return int32(n)
	}
	if x.ids[at] == nil {
		x.ids[at] = map[string]int{}
	}
	x.ids[at][key] = len(x.nodes)
	x.nodes, x.known = append(x.nodes, flowNode{at: at}), append(x.known, known)
	return int32(len(x.nodes) - 1)
}

// steps adds the steps of a node.
func (x *expander) steps(n int) {
	w, known := x.w, x.known[n]
	replace := func(e *ir.Expr) *ir.Expr {
		if e.Op == ir.RegRef {
			if i, is := x.number[e.Reg]; is {
				if v := known.of(i); v != nil {
					return v
				}
			}
		}
		return e
	}
	for _, i := range w.f.Out(x.nodes[n].at) {
		e := &w.f.Edges[i]
		op, foot := &e.Op, w.u.foot[e.ID]
		after := slices.Clone(known)
		op.Defs(func(r ir.Reg) {
			if k, is := x.number[r]; is {
				after = after.with(k, nil)
			}
		})
		switch {
		case len(x.counters) == 0:
		case op.Kind == ir.Assume:
			if v := op.Val.Map(replace); isKnown(v) && v.Value == 0 {
				continue
			}
		case op.Kind == ir.Assign:
			if k, is := x.number[op.Dst]; is {
				if v := op.Val.Map(replace); isKnown(v) {
					after = after.with(k, v)
				}
			}
		case op.Kind == ir.Load && w.constantAt(op, foot) != nil:
			if k, is := x.number[op.Dst]; is {
				after = after.with(k, w.constantAt(op, foot))
			}
		case op.Accesses() && !foot.Anything:
			if addr := op.Addr.Map(replace); addr != op.Addr {
				at := *op
				at.Addr = addr
				if f := analysis.FootprintOf(w.u.p, &at); isPart(f, foot) { // else the access leaves its object, an error
					foot = f
				}
			}
		}
		to := x.node(e.To, after)
		x.nodes[n].steps = append(x.nodes[n].steps, flowStep{edge: i, to: to, foot: foot})
	}
}

// constantAt returns what a load always reads: part of an object that no thread writes. It returns nil for other loads.
func (w *undefinedFlow) constantAt(op *ir.Op, foot analysis.Footprint) *ir.Expr {
	if foot.Anything || len(foot.Ranges) != 1 {
		return nil
	}
	r := foot.Ranges[0]
	o := w.u.p.FindObject(uint64(r.Lo), op.Type.Size())
	if o == ir.NoObject || w.u.written[o] || r.Hi-r.Lo != int64(op.Type.Size()) {
		return nil
	}
	return ir.Int(w.u.p.Objects[o].Initial(r.Lo-int64(w.u.p.Objects[o].Addr), op.Type))
}

// isPart reports whether a footprint is one range, and part of another.
func isPart(f, in analysis.Footprint) bool {
	return !f.Anything && len(f.Ranges) == 1 && len(in.Ranges) == 1 && in.Ranges[0].Contains(f.Ranges[0])
}

// isKnown reports whether an expression is a number.
func isKnown(e *ir.Expr) bool { return e.Op == ir.Const && !e.Undef && !e.Type.Float }
