package transform

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"

	"fencepost/internal/ir"
)

// Address flow: which addresses can registers and memory hold? An address is a function, or an
// object or allocating instruction with an offset, which may be unknown. Memory is a set of
// addresses per word of eight bytes of an object; a store at an unknown offset counts for all
// words. Arithmetic with constants moves an offset, and all other arithmetic forgets it. The
// sets only grow until nothing changes. An edge is looked at again if something that it reads has
// grown since.

// addressSet is a set of numbers of addresses.
type addressSet []uint64

func (s *addressSet) add(i int) {
	for len(*s) <= i/64 {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

// union adds a set and reports whether it added anything.
func (s *addressSet) union(t addressSet) bool {
	grown := false
	for i, w := range t {
		if i >= len(*s) {
			*s = append(*s, 0)
		}
		if w&^(*s)[i] != 0 {
			(*s)[i] |= w
			grown = true
		}
	}
	return grown
}

func (s addressSet) each(f func(int)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			f(64*i + bits.TrailingZeros64(w))
		}
	}
}

// address is an address in a base: a function, then objects, then allocating instructions.
type address struct {
	base int
	off  int64 // anywhere if it is not known
}

const (
	anywhere   = math.MinInt64
	maxOffsets = 256 // of one base; further ones are not told apart
	wordBytes  = 8
)

// addressFlow computes the sets.
type addressFlow struct {
	p         *ir.Program
	addresses []address       // by number
	numbers   map[address]int // the other way round
	offsets   map[int]int     // by base: how many offsets are known
	allocs    map[ir.EdgeID]int

	begins  [][]addressSet // by function and register: when the function begins
	defined [][]addressSet // by function and edge: the value that it gives its destination
	defs    []*reaching    // by function
	returns []addressSet   // by function
	joined  addressSet     // results of threads
	memory  map[address]*cell
	cells   map[int][]*cell // by base: the words in memory, in order of their appearance
	since

	work  int64               // the words of sets that loads have read
	funcs map[int64]ir.FuncID // by address
	least uint64              // no function and no object has a lower address
}

// cell is a word of memory, and when it has grown.
type cell struct {
	holds addressSet
	grown int64
}

// since says when sets have grown.
type since struct {
	now      int64     // how often any set has grown
	begun    [][]int64 // by function and register: begins
	given    [][]int64 // by function and edge: defined
	returned []int64   // by function: returns
	written  []int64   // by base: memory
	stored   int64     // any memory
	ended    int64     // joined
	ran      [][]int64 // by function and edge: when it was looked at, 0: never
	known    int64     // the edge that is looked at knows the memory that has not grown since
}

func newAddressFlow(p *ir.Program) *addressFlow {
	a := &addressFlow{
		p: p, numbers: map[address]int{}, offsets: map[int]int{}, allocs: map[ir.EdgeID]int{}, memory: map[address]*cell{},
		cells: map[int][]*cell{}, funcs: map[int64]ir.FuncID{}, least: math.MaxUint64, returns: make([]addressSet, len(p.Funcs)),
	}
	for o := range p.Objects {
		a.least = min(a.least, p.Objects[o].Addr)
	}
	for id, f := range p.Funcs {
		at := ir.FuncAddress(ir.FuncID(id))
		a.funcs[at], a.least = ir.FuncID(id), min(a.least, uint64(at))
		a.begins = append(a.begins, make([]addressSet, len(f.Regs)))
		a.defined = append(a.defined, make([]addressSet, len(f.Edges)))
		a.begun = append(a.begun, make([]int64, len(f.Regs)))
		a.given = append(a.given, make([]int64, len(f.Edges)))
		a.ran = append(a.ran, make([]int64, len(f.Edges)))
		a.defs = append(a.defs, newReaching(f))
		for i := range f.Edges {
			if e := &f.Edges[i]; e.Op.Kind == ir.Alloc {
				a.allocs[e.ID] = len(p.Funcs) + len(p.Objects) + len(a.allocs)
			}
		}
	}
	a.now, a.returned = 1, make([]int64, len(p.Funcs))
	a.written = make([]int64, len(p.Funcs)+len(p.Objects)+len(a.allocs))
	for id, f := range p.Funcs {
		for r := range f.Regs {
			a.constant(f.Regs[r].Init, &a.begins[id][r])
		}
	}
	for _, t := range p.Threads {
		for i, v := range t.Args {
			a.constant(v, &a.begins[t.Func][i])
		}
	}
	for o := range p.Objects {
		init := p.Objects[o].Init
		for at := 0; at+wordBytes <= len(init); at++ {
			var holds addressSet
			if a.constant(int64(binary.LittleEndian.Uint64(init[at:])), &holds); holds != nil {
				a.store(address{len(p.Funcs) + o, int64(at)}, wordBytes, holds)
			}
		}
	}
	return a
}

// number returns the number of an address.
func (a *addressFlow) number(at address) int {
	n, ok := a.numbers[at]
	if ok {
		return n
	}
	if at.off != anywhere && a.offsets[at.base] >= maxOffsets {
		return a.number(address{at.base, anywhere})
	}
	a.offsets[at.base]++
	n = len(a.addresses)
	a.addresses, a.numbers[at] = append(a.addresses, at), n
	return n
}

// constant adds the function or object whose address a number is. The address after the end
// belongs to an object too.
func (a *addressFlow) constant(v int64, into *addressSet) {
	if uint64(v) < a.least {
		return
	}
	if f, ok := a.funcs[v]; ok {
		into.add(a.number(address{int(f), 0}))
	}
	for _, at := range []uint64{uint64(v), uint64(v) - 1} {
		if o := a.p.FindObject(at, 1); o != ir.NoObject {
			into.add(a.number(address{len(a.p.Funcs) + int(o), v - int64(a.p.Objects[o].Addr)}))
		}
	}
}

// errMuchFlow says that addresses spread too far.
var errMuchFlow = errors.New("much work")

// solve spreads addresses until nothing changes. It fails after some work, if most is not 0.
func (a *addressFlow) solve(most int64, stop func() error) error {
	for before := int64(0); before != a.now; {
		before = a.now
		for id, f := range a.p.Funcs {
			if most > 0 && a.work > most {
				return errMuchFlow
			}
			if stop != nil {
				if err := stop(); err != nil {
					return err
				}
			}
			for i := range f.Edges {
				if at := (site{ir.FuncID(id), f.Edges[i].From}); a.stale(at, i) {
					a.ran[id][i] = a.now
					a.edge(at, i)
				}
			}
		}
	}
	return nil
}

// stale reports whether something that edge i reads, which leaves the site, has grown since it was looked at.
func (a *addressFlow) stale(at site, i int) bool {
	op, ran := &a.p.Funcs[at.f].Edges[i].Op, a.ran[at.f][i]
	grown := ran == 0
	op.Uses(func(r ir.Reg) {
		for _, def := range a.defs[at.f].of(at.at, r) {
			if def == atEntry {
				grown = grown || a.begun[at.f][r] > ran
			} else {
				grown = grown || a.given[at.f][def] > ran
			}
		}
	})
	if a.known = 0; grown {
		return true
	}
	switch a.known = ran; op.Kind {
	case ir.Load, ir.AbstractLoad, ir.Await, ir.RMW:
		if a.stored > ran {
			a.value(at, op.Addr).each(func(i int) { grown = grown || a.written[a.addresses[i].base] > ran })
		}
	case ir.Call, ir.Spawn:
		for _, f := range a.targets(at, op) {
			grown = grown || a.returned[f] > ran
		}
	case ir.Join:
		grown = a.ended > ran
	}
	return grown
}

// spread adds a set to another, and notes when that has grown.
func (a *addressFlow) spread(to *addressSet, from addressSet, when *int64) {
	if to.union(from) {
		a.now++
		*when = a.now
	}
}

// site is a location of a function.
type site struct {
	f  ir.FuncID
	at ir.Loc
}

// edge spreads what edge i of a function, which leaves the site, copies.
func (a *addressFlow) edge(at site, i int) {
	e := &a.p.Funcs[at.f].Edges[i]
	op := &e.Op
	var dst addressSet // addresses that the destination may get
	switch op.Kind {
	case ir.Assign:
		dst = a.value(at, op.Val)
	case ir.Load, ir.AbstractLoad, ir.Await:
		dst = a.load(at, op)
	case ir.Store, ir.RMW:
		if op.Kind == ir.RMW {
			dst = a.load(at, op)
		}
		if val := a.value(at, op.Val, op.Val2); val != nil {
			a.value(at, op.Addr).each(func(i int) { a.store(a.addresses[i], op.Type.Size(), val) })
		}
	case ir.Alloc:
		dst.add(a.number(address{a.allocs[e.ID], 0}))
	case ir.Call, ir.Spawn:
		dst = a.call(at, op)
	case ir.Return:
		a.spread(&a.returns[at.f], a.value(at, op.Val), &a.returned[at.f])
	case ir.ThreadExit:
		a.spread(&a.joined, a.value(at, op.Val), &a.ended)
	case ir.Join:
		dst = a.joined
	}
	if op.Dst != ir.NoReg && dst != nil {
		a.spread(&a.defined[at.f][i], dst, &a.given[at.f][i])
	}
}

// call spreads arguments to parameters. It returns the addresses among the results.
func (a *addressFlow) call(at site, op *ir.Op) addressSet {
	var results addressSet
	for _, target := range a.targets(at, op) {
		for i, arg := range op.Call.Args {
			if i < a.p.Funcs[target].Params {
				a.spread(&a.begins[target][i], a.value(at, arg), &a.begun[target][i])
			}
		}
		results.union(a.returns[target])
	}
	if op.Kind == ir.Spawn {
		a.spread(&a.joined, results, &a.ended)
		return nil
	}
	return results
}

// words calls f on the words that an access of some bytes at an address has a part in.
func words(at address, size int, f func(address)) {
	if at.off == anywhere {
		f(at)
		return
	}
	for off := at.off &^ (wordBytes - 1); off < at.off+int64(size); off += wordBytes {
		f(address{at.base, off})
	}
}

// store spreads a set to memory.
func (a *addressFlow) store(at address, size int, val addressSet) {
	if at.base < len(a.p.Funcs) { // code is never written
		return
	}
	words(at, size, func(w address) {
		c := a.memory[w]
		if c == nil {
			c = &cell{}
			a.memory[w], a.cells[w.base] = c, append(a.cells[w.base], c)
		}
		if a.spread(&c.holds, val, &c.grown); c.grown == a.now {
			a.written[w.base], a.stored = a.now, a.now
		}
	})
}

// load returns the addresses that a load may read and does not know.
func (a *addressFlow) load(from site, op *ir.Op) addressSet {
	var out addressSet
	take := func(c *cell) {
		if c != nil && c.grown > a.known {
			out.union(c.holds)
			a.work += int64(len(c.holds))
		}
	}
	a.value(from, op.Addr).each(func(i int) {
		at := a.addresses[i]
		switch {
		case a.written[at.base] <= a.known:
		case at.off == anywhere:
			for _, c := range a.cells[at.base] {
				take(c)
			}
		default:
			words(at, op.Type.Size(), func(w address) { take(a.memory[w]) })
			take(a.memory[address{at.base, anywhere}])
		}
	})
	return out
}

// value returns the addresses that expressions may hold, nil if there are none.
func (a *addressFlow) value(at site, exprs ...*ir.Expr) addressSet {
	var out addressSet
	for _, e := range exprs {
		a.collect(at, e, &out)
	}
	return out
}

// collect adds the addresses that an expression may hold. Comparisons hold none.
func (a *addressFlow) collect(from site, e *ir.Expr, into *addressSet) {
	switch {
	case e == nil, e.Op.IsTruth():
	case e.Op == ir.RegRef:
		for _, def := range a.defs[from.f].of(from.at, e.Reg) {
			if def == atEntry {
				into.union(a.begins[from.f][e.Reg])
			} else {
				into.union(a.defined[from.f][def])
			}
		}
	case e.Op == ir.FuncAddr:
		into.add(a.number(address{int(e.Func), 0}))
	case e.Op == ir.AddrOf:
		into.add(a.number(address{len(a.p.Funcs) + int(e.Obj), e.Value}))
	case e.Op == ir.Const:
		a.constant(e.Value, into)
	case e.Op == ir.Ite: // the condition is no part of the value
		a.collect(from, e.Y, into)
		a.collect(from, e.Z, into)
	case e.Op == ir.Cast && e.Type.Bits == 64:
		a.collect(from, e.X, into)
	default:
		move, known := moves(e)
		for _, addr := range a.operands(e, known) {
			a.value(from, addr).each(func(i int) {
				at := a.addresses[i]
				if known && at.off != anywhere {
					at.off += move
				} else {
					at.off = anywhere
				}
				into.add(a.number(at))
			})
		}
	}
}

// operands returns the parts of an expression whose addresses it may hold.
func (a *addressFlow) operands(e *ir.Expr, moved bool) []*ir.Expr {
	if moved {
		if _, ok := e.X.IsConst(); ok && e.Op == ir.Add {
			return []*ir.Expr{e.Y}
		}
		return []*ir.Expr{e.X}
	}
	return []*ir.Expr{e.X, e.Y, e.Z}
}

// moves returns the constant that an expression adds to an address, and whether it does only that.
func moves(e *ir.Expr) (int64, bool) {
	if e.Op != ir.Add && e.Op != ir.Sub || e.Type.Bits != 64 {
		return 0, false
	}
	if k, ok := e.Y.IsConst(); ok {
		if e.Op == ir.Sub {
			k = -k
		}
		return k, true
	}
	k, ok := e.X.IsConst()
	return k, ok && e.Op == ir.Add
}
