package bmc

import (
	"encoding/binary"
	"maps"
	"reflect"
	"slices"

	"fencepost/internal/ir"
)

// A more precise value flow for small programs: all threads are analysed together, through all
// vectors of locations that they can be at. A value that one thread computes from a value of
// another thread then depends only on writes that can have come before. So sums that threads pass
// back and forth get the range that they really have, and circuits are narrower.
//
// Memory at a vector holds every value that can have been written on a path to the vector: under
// all models a load reads one of these values or the initial one. A thread that surely can take a
// local step takes it first.

// maxVectors is how many vectors of locations are visited before the product is given up.
const maxVectors = 1 << 14

// vector is the locations of all threads, and the values there.
type vector struct {
	locs []ir.Loc // notStarted if it is
	regs []table[values]
	mem  map[byteRange]values
}

const notStarted ir.Loc = -1

// product explores the vectors.
type product struct {
	fl     *flow
	index  [][]int // by thread and location: its index in topological order
	levels []map[string]*vector
	count  int
	at     [][]table[values] // by thread, location and register, over all vectors
	seen   map[threadEdge]values
}

// threadEdge is an instruction of a thread.
type threadEdge struct {
	thread int
	edge   *ir.Edge
}

// refineTogether replaces the values that newFlow found by those of all vectors.
func (fl *flow) refineTogether() {
	p := &product{fl: fl, seen: map[threadEdge]values{}}
	deepest := 0
	for t := range fl.threads {
		th := &fl.threads[t]
		index := make([]int, len(th.f.Locs))
		for i, l := range th.order {
			index[l] = i + 1
		}
		p.index = append(p.index, index)
		p.at = append(p.at, make([]table[values], len(th.f.Locs)))
		deepest += len(th.order)
	}
	p.levels = make([]map[string]*vector, deepest+1)
	start := &vector{mem: map[byteRange]values{}}
	for t := range fl.threads {
		start.locs, start.regs = append(start.locs, notStarted), append(start.regs, table[values]{})
		if fl.p.Threads[t].Start {
			p.start(start, t, fl.args[t])
		}
	}
	p.add(start)
	for level := range p.levels {
		for _, key := range slices.Sorted(maps.Keys(p.levels[level])) {
			if p.count > maxVectors {
				return
			}
			p.expand(p.levels[level][key])
		}
		p.levels[level] = nil
	}
	for t := range fl.threads {
		fl.threads[t].at = p.at[t]
	}
	fl.seen = p.seen
}

// start puts a thread at its entry.
func (p *product) start(v *vector, t int, args []values) {
	th := &p.fl.threads[t]
	v.locs[t], v.regs[t] = th.f.Entry, th.entry(args)
}

// add joins a vector with the values of the same locations.
func (p *product) add(v *vector) {
	var key []byte
	level := 0
	for t, l := range v.locs {
		key = binary.AppendVarint(key, int64(l))
		if l != notStarted {
			level += p.index[t][l]
		}
	}
	if p.levels[level] == nil {
		p.levels[level] = map[string]*vector{}
	}
	old := p.levels[level][string(key)]
	if old == nil {
		p.count++
		p.levels[level][string(key)] = v
		return
	}
	work := 2 * len(old.mem)
	for t := range v.regs {
		if v.locs[t] != notStarted {
			joined := 0
			old.regs[t], joined = joinAll(old.regs[t], v.regs[t])
			work += joined
		}
	}
	p.fl.spend(work, len(old.mem))
	mem := maps.Clone(old.mem) // other vectors may have it, too
	for at, w := range v.mem {
		mem[at] = mem[at].join(w)
	}
	old.mem = mem
}

// expand adds the successors of a vector.
func (p *product) expand(v *vector) {
	for t, l := range v.locs {
		if l == notStarted {
			continue
		}
		if p.at[t][l].root == nil {
			p.at[t][l] = v.regs[t]
		} else {
			joined := 0
			p.at[t][l], joined = joinAll(p.at[t][l], v.regs[t])
			p.fl.spend(joined, 0)
		}
	}
	for t := range v.locs {
		if p.surely(v, t) {
			p.step(v, t)
			return
		}
	}
	for t, l := range v.locs {
		if l != notStarted {
			p.step(v, t)
		}
	}
}

// surely reports whether a thread can surely take a step, and all its steps are local.
func (p *product) surely(v *vector, t int) bool {
	if v.locs[t] == notStarted {
		return false
	}
	f := p.fl.threads[t].f
	out := f.Out(v.locs[t])
	sure := false
	for i, index := range out {
		op := &f.Edges[index].Op
		switch op.Kind {
		case ir.Nop, ir.Return, ir.ThreadExit:
			sure = true
		case ir.Assign:
			sure = true
		case ir.Assume:
			w := p.fl.eval(v.regs[t], op.Val)
			sure = sure || w.some && (w.Lo > 0 || w.Hi < 0)
			for _, j := range out[:i] {
				sure = sure || opposite(&f.Edges[j].Op, op)
			}
		default:
			return false
		}
	}
	return sure
}

// opposite reports whether one of two assumptions always holds.
func opposite(a, b *ir.Op) bool {
	return a.Kind == ir.Assume && b.Kind == ir.Assume &&
		(reflect.DeepEqual(ir.Negate(a.Val), b.Val) || reflect.DeepEqual(ir.Negate(b.Val), a.Val))
}

// step adds the successors of a vector by the edges of a thread.
func (p *product) step(v *vector, t int) {
	fl, f := p.fl, p.fl.threads[t].f
	for _, i := range f.Out(v.locs[t]) {
		e := &f.Edges[i]
		copied := len(v.mem)
		if readsOnly(e) {
			copied = 0
		}
		fl.spend(len(v.locs)+3*changedValues+2*copied, changedValues+copied)
		next := &vector{locs: slices.Clone(v.locs), regs: slices.Clone(v.regs), mem: v.mem}
		if !p.control(v, next, t, e) {
			continue
		}
		fl.mem, fl.next = v.mem, v.mem
		if !readsOnly(e) {
			fl.next = maps.Clone(v.mem)
		}
		if w := p.loads(t, e, v.regs[t]); w.some {
			key := threadEdge{t, e}
			p.seen[key] = p.seen[key].join(w)
		}
		regs, ok := fl.edge(t, e, v.regs[t])
		if !ok {
			continue
		}
		next.locs[t], next.regs[t], next.mem = e.To, regs, fl.next
		p.add(next)
	}
}

// readsOnly reports whether an instruction surely writes no memory.
func readsOnly(e *ir.Edge) bool {
	return e.Op.Local() || e.Op.Kind == ir.Load || e.Op.Kind == ir.Await || e.Op.Kind == ir.AbstractLoad
}

// loads returns what an access can read.
func (p *product) loads(t int, e *ir.Edge, regs table[values]) values {
	switch e.Op.Kind {
	case ir.Load, ir.Await, ir.AbstractLoad, ir.RMW:
		at := p.fl.ranges(e.Op.Addr, e.Op.Type.Size(), e.Op.Obj, regs)
		return p.fl.loadAt(at, ir.Type{Bits: e.Op.Type.Bits, Signed: true})
	}
	return values{}
}

// control starts the thread of a spawn. It reports whether an instruction that waits for a thread
// can be passed.
func (p *product) control(v, next *vector, t int, e *ir.Edge) bool {
	op := &e.Op
	switch op.Kind {
	case ir.Spawn:
		for _, u := range op.Call.Threads {
			if v.locs[u] == notStarted {
				var args []values
				for _, a := range op.Call.Args {
					args = append(args, p.fl.eval(v.regs[t], a))
				}
				p.start(next, int(u), args)
				return true
			}
		}
		return false
	case ir.Join:
		h := p.fl.eval(v.regs[t], op.Val)
		if !h.IsSingle() || h.Lo < 0 || h.Lo >= int64(len(v.locs)) || v.locs[h.Lo] == notStarted {
			return true
		}
		return p.fl.threads[h.Lo].f.Ends(v.locs[h.Lo])
	}
	return true
}
