package bmc

import (
	"maps"
	"math"
	"slices"
	"unsafe"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// The value flow: which values registers and memory can hold. The values of registers are tracked
// through every thread, location by location. Memory, the arguments of threads and their results
// have one set each for the whole execution.
//
// The unrolled program has no cycles, so each instruction runs at most once. So a value in memory
// has passed through at most as many writes as the program has writing instructions. As many rounds
// of the analysis, each with the writes of the round before, cover every execution: the widths of
// counters and sums become finite without widening. Only if that takes too many rounds, the sets
// that still grow become unbounded.

// maxFlowRounds is how many rounds values may grow before they become unbounded.
const maxFlowRounds = 64

// byteRange is the bytes of an access.
type byteRange struct {
	addr uint64
	size int
}

func (a byteRange) overlaps(b byteRange) bool {
	return analysis.Overlap(a.addr, uint64(a.size), b.addr, uint64(b.size))
}

// contains reports whether b is a part of a.
func (a byteRange) contains(b byteRange) bool {
	d := b.addr - a.addr
	return d < uint64(a.size) && uint64(a.size)-d >= uint64(b.size)
}

// wordType is the type of mutexes and barriers.
var wordType = ir.S64

type flow struct {
	p       *ir.Program
	width   int // bits of results, 0: any
	threads []threadFlow
	mem     map[byteRange]values // values that may have been written
	next    map[byteRange]values
	near    map[uint64][]byteRange // ranges that were written, by the addresses of their bytes without the lowest bits
	// Arguments and results of threads, before and after the current round.
	args, nextArgs       [][]values
	results, nextResults []values
	started              []bool
	blocks               []*block              // the blocks that allocations can return
	seen                 map[threadEdge]values // the values that accesses can read, if known
	grew                 bool                  // a block was added, or can be freed now

	limits func(bytes int64) // called now and then
	work   int               // since the last call
	bytes  int64             // of the values at all locations
}

// valuesBytes is the memory of a set of values.
const valuesBytes = int64(unsafe.Sizeof(values{}))

// changedValues is how many values an instruction copies: those beside the register that it changes.
const changedValues = 16

// spend counts an instruction as work, which copies some registers and keeps some of the copies.
func (fl *flow) spend(regs, kept int) {
	fl.bytes += int64(kept) * valuesBytes
	if fl.work += 4 + regs*3/4; fl.work >= checkEvery {
		fl.work = 0
		fl.limits(fl.bytes)
	}
}

// block is a range of memory that an allocation returns. The address of a new block depends only on
// what its thread allocated before. If that depends on the path of the thread, there are blocks
// that overlap, of which no execution has more than one.
type block struct {
	byteRange
	owner int // the thread that allocates it
	stack bool
	freed bool // some free can free it
}

type threadFlow struct {
	f     *ir.Func
	order []ir.Loc        // reachable locations in topological order
	at    []table[values] // by location
}

// newFlow returns the value flow of an unrolled program. It calls limits now and then with the memory
// it uses.
func newFlow(p *ir.Program, width int, limits func(bytes int64)) *flow {
	fl := &flow{p: p, width: width, mem: map[byteRange]values{}, near: map[uint64][]byteRange{}, limits: limits}
	writes := 0
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		fl.threads = append(fl.threads, threadFlow{f: f, order: topological(f)})
		args := make([]values, f.Params)
		if p.Threads[t].Start {
			for i := range args {
				args[i] = oneValue(p.Threads[t].Args[i])
			}
		}
		fl.args = append(fl.args, args)
		fl.results = append(fl.results, oneValue(0))
		fl.started = append(fl.started, p.Threads[t].Start)
		for i := range f.Edges {
			switch f.Edges[i].Op.Kind {
			case ir.Store, ir.RMW, ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait, ir.Spawn, ir.Return, ir.ThreadExit, ir.Alloc, ir.Free:
				writes++
			}
		}
	}
	for round := 0; fl.pass() && round < writes; round++ {
		if round%maxFlowRounds == maxFlowRounds-1 {
			fl.giveUp()
		} else {
			fl.mem, fl.args, fl.results = fl.next, fl.nextArgs, fl.nextResults
		}
	}
	if width == 0 && fl.grows() { // with a bound on widths, executions are cut off depending on this result
		mem, args, results := fl.mem, fl.args, fl.results
		fl.refineTogether()
		fl.mem, fl.args, fl.results = mem, args, results
	}
	return fl
}

// grows reports whether a set of values in memory is an interval.
func (fl *flow) grows() bool {
	for _, v := range fl.mem {
		if v.some && v.set == nil {
			return true
		}
	}
	return false
}

// topological returns the locations that the entry reaches, in topological order. The unrolled
// program has no cycles.
func topological(f *ir.Func) []ir.Loc {
	done := make([]bool, len(f.Locs))
	var out []ir.Loc
	type frame struct {
		l ir.Loc
		i int
	}
	stack := []frame{{l: f.Entry}}
	done[f.Entry] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		edges := f.Out(top.l)
		if top.i == len(edges) {
			out = append(out, top.l)
			stack = stack[:len(stack)-1]
			continue
		}
		to := f.Edges[edges[top.i]].To
		top.i++
		if !done[to] {
			done[to] = true
			stack = append(stack, frame{l: to})
		}
	}
	slices.Reverse(out)
	return out
}

// giveUp makes the sets that still grow unbounded.
func (fl *flow) giveUp() {
	for p, v := range fl.next {
		if !v.equal(fl.mem[p]) {
			fl.next[p] = rangeValues(analysis.TypeRange(ir.Type{Bits: uint8(8 * p.size), Signed: true}))
		}
	}
	fl.mem = fl.next
	for t := range fl.args {
		for i := range fl.nextArgs[t] {
			if !fl.nextArgs[t][i].equal(fl.args[t][i]) {
				fl.nextArgs[t][i] = rangeValues(analysis.AllNumbers)
			}
		}
		if !fl.nextResults[t].equal(fl.results[t]) {
			fl.nextResults[t] = rangeValues(analysis.AllNumbers)
		}
	}
	fl.args, fl.results = fl.nextArgs, fl.nextResults
}

// pass analyses all threads once. It reports whether a new value was written.
func (fl *flow) pass() bool {
	fl.next, fl.grew, fl.bytes = maps.Clone(fl.mem), false, 0
	fl.nextArgs, fl.nextResults = nil, slices.Clone(fl.results)
	for t := range fl.args {
		fl.nextArgs = append(fl.nextArgs, slices.Clone(fl.args[t]))
	}
	startedBefore := slices.Clone(fl.started)
	for t := range fl.threads {
		if startedBefore[t] {
			fl.thread(t)
		}
	}
	same := !fl.grew && slices.Equal(startedBefore, fl.started) && maps.EqualFunc(fl.mem, fl.next, values.equal) &&
		slices.EqualFunc(fl.results, fl.nextResults, values.equal)
	for t := range fl.args {
		same = same && slices.EqualFunc(fl.args[t], fl.nextArgs[t], values.equal)
	}
	return !same
}

func (fl *flow) thread(t int) {
	th := &fl.threads[t]
	th.at = make([]table[values], len(th.f.Locs))
	th.at[th.f.Entry] = th.entry(fl.args[t])
	for _, l := range th.order {
		if th.at[l].root == nil {
			continue
		}
		for _, i := range th.f.Out(l) {
			e := &th.f.Edges[i]
			regs, ok := fl.edge(t, e, th.at[l])
			if !ok {
				continue
			}
			changed := changedValues
			if th.at[e.To].root == nil {
				th.at[e.To] = regs
			} else {
				th.at[e.To], changed = joinAll(th.at[e.To], regs)
			}
			fl.spend(changed, changed)
		}
	}
}

// entry returns the registers where a thread begins, and the bytes that it has allocated.
func (th *threadFlow) entry(args []values) table[values] {
	last := len(th.f.Regs)
	return newTable(last+1, func(i int) values {
		switch {
		case i == last:
			return oneValue(0)
		case i < len(args):
			return args[i]
		}
		return oneValue(th.f.Regs[i].Init)
	})
}

// joinAll joins two lists of values, and returns how many it had to join.
func joinAll(a, b table[values]) (out table[values], joined int) {
	out = mergeTables(a, b, func(_ int, a, b values) values {
		joined++
		return a.join(b)
	})
	return out, joined
}

func (fl *flow) eval(regs table[values], e *ir.Expr) values {
	return evalValues(fl.p, regs, values{}, e)
}

// edge returns the registers after an instruction, or false if it cannot be passed.
func (fl *flow) edge(t int, e *ir.Edge, regs table[values]) (table[values], bool) {
	op := &e.Op
	set := func(r ir.Reg, v values) {
		if r != ir.NoReg {
			regs = regs.set(int(r), v)
		}
	}
	switch op.Kind {
	case ir.Assign:
		made := operands(op.Val, func(r ir.Reg) analysis.Interval { return regs.at(int(r)).Interval })
		v := fl.eval(regs, op.Val).only(limit(fl.width, made...))
		if !v.some {
			return regs, false
		}
		set(op.Dst, v)
	case ir.Assume, ir.Assert:
		v := fl.eval(regs, op.Val)
		if !v.some || v.IsSingle() && v.Lo == 0 {
			return regs, false
		}
		refine(fl.p, &regs, op.Val)
	case ir.Havoc:
		fl.havoc(op, &regs, values{})
	case ir.Load, ir.Await, ir.AbstractLoad:
		seen := fl.load(e, regs)
		if !seen.some {
			return regs, false
		}
		if op.Kind == ir.AbstractLoad {
			fl.havoc(op, &regs, seen)
		} else {
			set(op.Dst, seen)
		}
	case ir.Store:
		made := operands(op.Val, func(r ir.Reg) analysis.Interval { return regs.at(int(r)).Interval })
		v := fl.eval(regs, op.Val).only(limit(fl.width, made...))
		if !v.some {
			return regs, false
		}
		fl.store(e, regs, v)
	case ir.RMW:
		old := fl.load(e, regs)
		if !old.some {
			return regs, false
		}
		fl.store(e, regs, fl.written(op, regs, old))
		set(op.Dst, old)
		set(op.Dst2, rangeValues(analysis.Between(0, 1)))
	case ir.Bound, ir.Unsupported, ir.Exit:
		return regs, false
	default:
		fl.control(t, e, &regs)
	}
	return regs, true
}

// control analyses instructions on threads, mutexes and blocks.
func (fl *flow) control(t int, e *ir.Edge, at *table[values]) {
	op, regs := &e.Op, *at
	set := func(r ir.Reg, v values) {
		if r != ir.NoReg {
			*at = at.set(int(r), v)
		}
	}
	switch op.Kind {
	case ir.Return, ir.ThreadExit:
		if op.Val != nil {
			fl.nextResults[t] = fl.nextResults[t].join(fl.eval(regs, op.Val))
		}
	case ir.Spawn:
		var handles []int64
		for _, u := range op.Call.Threads {
			handles = append(handles, int64(u))
			fl.started[u] = true
			for i, a := range op.Call.Args {
				fl.nextArgs[u][i] = fl.nextArgs[u][i].join(fl.eval(regs, a))
			}
		}
		set(op.Dst, setValues(handles))
	case ir.Join:
		var out values
		for u := range fl.results {
			out = out.join(fl.results[u])
		}
		set(op.Dst, out)
	case ir.Lock, ir.TryLock, ir.Unlock:
		fl.mutex(t, e, regs)
		set(op.Dst, setValues([]int64{0, ir.EPERM, ir.EBUSY, ir.EDEADLK}))
	case ir.CondWait:
		fl.storeAt(fl.ranges(op.Val2, wordType.Size(), ir.NoObject, regs), setValues([]int64{0, int64(t + 1)}))
		set(op.Dst, oneValue(0))
	case ir.Barrier:
		set(op.Dst, rangeValues(analysis.Between(0, 1)))
	case ir.Alloc:
		used := ir.Reg(len(fl.threads[t].f.Regs))
		block, after := fl.alloc(t, e, regs.at(int(used)), fl.eval(regs, op.Val))
		set(op.Dst, block)
		set(used, after)
	case ir.Free:
		fl.free(fl.eval(regs, op.Addr), op.Block.Stack)
	default:
		set(op.Dst, rangeValues(analysis.AllNumbers))
	}
}

// mutex adds the words that a mutex can hold.
func (fl *flow) mutex(t int, e *ir.Edge, regs table[values]) {
	words := setValues([]int64{0, int64(t + 1)})
	at := fl.ranges(e.Op.Addr, wordType.Size(), e.Op.Obj, regs)
	if e.Op.Mutex.Kind == ir.RecursiveMutex {
		const depth = 1 << 32
		step := int64(depth)
		if e.Op.Kind == ir.Unlock {
			step = -depth
		}
		for _, v := range fl.loadAt(at, wordType).only(analysis.Between(1, math.MaxInt64-depth)).set {
			if v+step > 0 {
				words = words.join(oneValue(v + step))
			}
		}
	}
	fl.storeAt(at, words)
}

func (fl *flow) havoc(op *ir.Op, regs *table[values], seen values) {
	chosen := rangeValues(analysis.AllNumbers)
	if op.Range.Bounded {
		chosen = rangeValues(analysis.Between(op.Range.Lo, op.Range.Hi))
	}
	*regs = regs.set(int(op.Dst), chosen)
	if op.Cond != nil && !seen.some {
		refine(fl.p, regs, op.Cond)
	}
}

// written returns what a read-modify-write can store.
func (fl *flow) written(op *ir.Op, regs table[values], old values) values {
	val := fl.eval(regs, op.Val)
	binary := map[ir.RMWKind]ir.ExprOp{ir.FetchAdd: ir.Add, ir.FetchAnd: ir.And, ir.FetchOr: ir.Or, ir.FetchXor: ir.Xor}
	switch op.RMW {
	case ir.Xchg:
		return val
	case ir.Cas:
		return fl.eval(regs, op.Val2)
	}
	e := &ir.Expr{Op: binary[op.RMW], Type: ir.S64, X: ir.R(0), Y: ir.R(1)}
	out := evalValues(fl.p, tableOf([]values{old, val}), values{}, e)
	if op.RMW == ir.FetchAdd {
		out = out.only(limit(fl.width, old.Interval, val.Interval))
	}
	return out
}

func (fl *flow) load(e *ir.Edge, regs table[values]) values {
	at := fl.ranges(e.Op.Addr, e.Op.Type.Size(), e.Op.Obj, regs)
	return fl.loadAt(at, e.Op.Type)
}

func (fl *flow) store(e *ir.Edge, regs table[values], v values) {
	fl.storeAt(fl.ranges(e.Op.Addr, e.Op.Type.Size(), e.Op.Obj, regs), v)
}

// granule is how many bits of an address do not tell ranges apart that are near.
const granule = 3

// remember adds a range to the ranges near its bytes.
func (fl *flow) remember(p byteRange) {
	for at := p.addr >> granule; at <= (p.addr+uint64(p.size)-1)>>granule; at++ {
		if !slices.Contains(fl.near[at], p) {
			fl.near[at] = append(fl.near[at], p)
		}
	}
}

func (fl *flow) storeAt(at target, v values) {
	for _, p := range at.ranges {
		if _, known := fl.next[p]; !known {
			fl.remember(p)
		}
		fl.next[p] = fl.next[p].join(v.wrap(ir.Type{Bits: uint8(8 * p.size), Signed: true}))
	}
}
