package program

import (
	"slices"

	"fencepost/internal/ir"
)

// Pointers with few values. A published pointer is null or the address of one of a few objects. An access through it
// is made an access to each of these objects, after a test which of them it is: the program then accesses variables,
// about which invariants are found, and not an array of all bytes.
//
// The values come from a propagation of small sets of numbers through registers and memory, whatever the order of the
// steps. An access is split as
//
//	assert p is one of the addresses;  if (p == &a) access a;  if (p == &b) access b;
//
// so that what the sets leave out, null before all, is a failed check and not forgotten. The tests read
// registers only. Differs from a points-to analysis (analysis.PointsTo) in that addresses are followed through memory.
// If one access of the program may go anywhere, nothing is changed.

// maxValues bounds a set of values, and maxTargets the objects that one access is split into.
const (
	maxValues  = 8
	maxTargets = 4
)

// values is a set of numbers, or any number.
type values struct {
	any  bool
	list []int64
}

// add adds numbers, and reports a change.
func (v *values) add(more values) bool {
	if v.any {
		return false
	}
	before := len(v.list)
	for _, n := range more.list {
		if !slices.Contains(v.list, n) {
			v.list = append(v.list, n)
		}
	}
	if more.any || len(v.list) > maxValues {
		v.any, v.list = true, nil
		return true
	}
	return len(v.list) != before
}

// valueFlow propagates values: of registers along the control flow, and of memory whatever the order.
type valueFlow struct {
	p       *ir.Program
	at      map[ir.FuncID][][]values // the registers at each location; nil: not reached
	cells   map[span]*values
	smeared map[ir.ObjectID]bool // objects whose contents are not followed
	changed bool
	lost    bool              // an access may go anywhere
	sites   map[ir.EdgeID]int // the allocations
	lostAt  *ir.Edge          // the access that is lost
}

// ResolvePointers splits accesses through pointers with few values. open has registers with any initial value.
func ResolvePointers(p *ir.Program, open map[ir.ThreadID]ir.Reg) (*Blocks, error) {
	wild := func(op *ir.Op) bool {
		_, fixed := ConstantAddress(p, op.Addr)
		return !fixed && HomeOf(p, op) == ir.NoObject
	}
	found := false
	for _, f := range p.Funcs {
		for i := range f.Edges {
			op := &f.Edges[i].Op
			found = found || AccessesMemory(op) && wild(op)
		}
	}
	first, sites := allocationsOf(p)
	if first == nil && (!found || p.Cells) || Supported(p) != nil {
		return nil, nil
	}
	if p.Cells {
		return nil, Refuse(first, "memory that is allocated is not covered by proofs with movers in a program with cells")
	}
	fl := newValueFlow(p, open, sites)
	if fl.lost && first != nil {
		return nil, lostPointer(fl.lostAt)
	}
	targets, unreached := map[ir.EdgeID][]int64{}, map[ir.EdgeID]bool{}
	for _, f := range fl.funcs() {
		for i := range p.Funcs[f].Edges {
			e := &p.Funcs[f].Edges[i]
			if !AccessesMemory(&e.Op) || !wild(&e.Op) {
				continue
			}
			regs := fl.at[f][e.From]
			if regs == nil {
				unreached[e.ID] = true
				continue
			}
			if targets[e.ID] = fl.targets(regs, &e.Op); len(targets[e.ID]) == 0 || len(targets[e.ID]) > maxTargets {
				if first != nil {
					return nil, lostPointer(e)
				}
				return nil, nil
			}
		}
	}
	if fl.lost {
		return nil, nil
	}
	var b *Blocks
	if first != nil {
		var err error
		if b, err = newBlocks(p, fl, sites, targets); err != nil {
			return nil, err
		}
		failUnreached(p, unreached)
	}
	for _, f := range p.Funcs {
		splitAccesses(p, f, targets, b)
		for i := range f.Edges {
			addressesAsNumbers(p, &f.Edges[i].Op)
		}
	}
	p.Seal()
	return b, nil
}

// lostPointer refuses an access of which it is not known what it may go to.
func lostPointer(e *ir.Edge) error {
	return Refuse(e, "the program allocates memory, and it is not known which block this access may go to: proofs with movers follow pointers to fields at fixed offsets")
}

// failUnreached replaces accesses that the propagation does not reach by checks that fail: contents of blocks are not followed
// exactly.
func failUnreached(p *ir.Program, unreached map[ir.EdgeID]bool) {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if e := &f.Edges[i]; unreached[e.ID] {
				fails := ir.NewOp(ir.Assert)
				fails.Report.Class, fails.Val = ir.OutOfBounds, ir.Int(0)
				e.Op = fails
			}
		}
	}
}

func newValueFlow(p *ir.Program, open map[ir.ThreadID]ir.Reg, sites []*ir.Edge) *valueFlow {
	fl := &valueFlow{p: p, at: map[ir.FuncID][][]values{}, cells: map[span]*values{}, smeared: map[ir.ObjectID]bool{}, sites: map[ir.EdgeID]int{}}
	for i, e := range sites {
		fl.sites[e.ID] = i
	}
	for t := range p.Threads {
		th := &p.Threads[t]
		f := p.ThreadFunc(ir.ThreadID(t))
		if fl.at[th.Func] == nil {
			fl.at[th.Func] = make([][]values, len(f.Locs))
		}
		regs := make([]values, len(f.Regs))
		for r := range f.Regs {
			v := f.Regs[r].Init
			if r < len(th.Args) {
				v = th.Args[r]
			}
			regs[r].list = []int64{v}
		}
		if r, ok := open[ir.ThreadID(t)]; ok {
			regs[r] = values{any: true}
		}
		fl.reach(th.Func, f.Entry, regs)
	}
	for fl.changed = true; fl.changed && !fl.lost; {
		fl.changed = false
		for _, f := range fl.funcs() {
			for i := range p.Funcs[f].Edges {
				fl.flow(f, &p.Funcs[f].Edges[i])
			}
		}
	}
	return fl
}

// funcs returns the functions of threads, in order.
func (fl *valueFlow) funcs() []ir.FuncID {
	var list []ir.FuncID
	for f := range fl.at {
		list = append(list, f)
	}
	slices.Sort(list)
	return list
}

// reach adds the registers of a path to those of a location.
func (fl *valueFlow) reach(f ir.FuncID, l ir.Loc, regs []values) {
	if fl.at[f][l] == nil {
		fl.at[f][l], fl.changed = make([]values, len(regs)), true
	}
	for r := range regs {
		fl.changed = fl.at[f][l][r].add(regs[r]) || fl.changed
	}
}

// flow adds what an edge does to the values.
func (fl *valueFlow) flow(f ir.FuncID, e *ir.Edge) {
	regs := slices.Clone(fl.at[f][e.From])
	if regs == nil {
		return
	}
	op := &e.Op
	switch {
	case op.Kind == ir.Assign:
		regs[op.Dst] = fl.eval(regs, op.Val)
	case op.Kind == ir.Assume:
		if !fl.assume(regs, op.Val) {
			return
		}
	case op.Kind == ir.Alloc:
		regs[op.Dst] = values{list: []int64{blockPointer(fl.sites[e.ID], 0)}}
	case op.Kind == ir.Havoc && op.Block.Layout != nil:
		regs[op.Dst] = fl.blocksLike(op.Block.Layout)
	case op.Accesses():
		if fl.access(regs, op); fl.lost && fl.lostAt == nil {
			fl.lostAt = e
		}
	default:
		if op.Kind == ir.Spawn {
			fl.spawn(regs, op)
		}
		op.Defs(func(r ir.Reg) { regs[r] = values{any: true} })
	}
	fl.reach(f, e.To, regs)
}

// spawn passes arguments to the threads that are started.
func (fl *valueFlow) spawn(regs []values, op *ir.Op) {
	for _, t := range op.Call.Threads {
		f := fl.p.Threads[t].Func
		entry := fl.p.Funcs[f].Entry
		args := slices.Clone(fl.at[f][entry])
		for i, x := range op.Call.Args {
			args[i] = fl.eval(regs, x)
		}
		fl.reach(f, entry, args)
	}
}

// assume leaves out the values of a register that a condition on it excludes. It returns false if none is left.
func (fl *valueFlow) assume(regs []values, cond *ir.Expr) bool {
	r := ir.NoReg
	cond.Walk(func(x *ir.Expr) {
		if x.Op == ir.RegRef {
			r = x.Reg
		}
	})
	if r == ir.NoReg || regs[r].any || !OnlyReads(cond, r) || fl.eval(regs, cond).any || regs[r].hasBlocks() && !testsNull(cond) {
		return true
	}
	env := ir.Env{Regs: make([]int64, len(regs)), Prog: fl.p}
	var kept []int64
	for _, v := range regs[r].list {
		if env.Regs[r] = v; cond.Eval(env) != 0 {
			kept = append(kept, v)
		}
	}
	regs[r].list = kept
	return len(kept) > 0
}

// access adds what an access reads to the registers, and what it writes to the cells.
func (fl *valueFlow) access(regs []values, op *ir.Op) {
	var written, read values
	switch {
	case op.Kind == ir.Store || op.Kind == ir.RMW && op.RMW == ir.Xchg:
		written = fl.eval(regs, op.Val)
	case op.Kind == ir.RMW && op.RMW == ir.Cas:
		written = fl.eval(regs, op.Val2)
	case op.Kind == ir.RMW:
		written.any = true
	}
	for i, v := range written.list {
		written.list[i] = ir.Type{Bits: op.Type.Bits, Signed: true}.Wrap(v)
	}
	at := fl.eval(regs, op.Addr)
	home := HomeOf(fl.p, op)
	switch {
	case at.any && home == ir.NoObject:
		fl.lost = true
	case at.any:
		fl.smear(home)
		read.any = true
	}
	for _, addr := range at.list {
		obj := fl.p.FindObject(uint64(addr), op.Type.Size())
		_, _, block := blockAt(addr)
		if obj == ir.NoObject && !block || home != ir.NoObject && obj != home {
			continue // the access fails
		}
		c := fl.cell(addr, op.Type.Size(), obj)
		if c == nil && block {
			fl.lost = true
			continue
		}
		if c == nil {
			fl.smear(obj)
			read.any = true
			continue
		}
		if op.Writes() {
			fl.changed = c.add(written) || fl.changed
		}
		read.any = read.any || c.any
		for _, v := range c.list {
			read.add(values{list: []int64{op.Type.Wrap(v)}})
		}
	}
	if op.Dst != ir.NoReg && op.Reads() {
		regs[op.Dst] = values{any: read.any || op.Kind == ir.AbstractLoad, list: read.list}
	}
	if op.Dst2 != ir.NoReg {
		regs[op.Dst2] = values{list: []int64{0, 1}}
	}
}

// smear stops following the contents of an object.
func (fl *valueFlow) smear(obj ir.ObjectID) {
	fl.changed = fl.changed || !fl.smeared[obj]
	fl.smeared[obj] = true
}

// cell returns the values of a cell; nil: they are not followed, since accesses to the object overlap in part
// or go to any of its elements.
func (fl *valueFlow) cell(addr int64, size int, obj ir.ObjectID) *values {
	if fl.smeared[obj] {
		return nil
	}
	at := span{addr, size}
	for s := range fl.cells {
		if s != at && s.addr < addr+int64(size) && addr < s.addr+int64(s.size) {
			return nil
		}
	}
	if fl.cells[at] == nil {
		first := InitialValue(fl.p, uint64(addr), ir.Type{Bits: uint8(8 * size), Signed: true})
		fl.cells[at] = &values{list: []int64{first}}
	}
	return fl.cells[at]
}

// eval returns the values of an expression.
func (fl *valueFlow) eval(regs []values, e *ir.Expr) values {
	if e.Op == ir.Ite { // whatever the condition reads
		out := fl.eval(regs, e.Y)
		out.add(fl.eval(regs, e.Z))
		return out
	}
	var used []ir.Reg
	known := true
	e.Walk(func(x *ir.Expr) {
		switch {
		case x.Op == ir.RegRef && !slices.Contains(used, x.Reg):
			used = append(used, x.Reg)
			known = known && !regs[x.Reg].any
		case x.Op == ir.Self || x.Op == ir.Seen:
			known = false
		}
	})
	if !known || len(used) > 2 {
		return values{any: true}
	}
	if slices.ContainsFunc(used, func(r ir.Reg) bool { return regs[r].hasBlocks() }) {
		return fl.evalBlocks(regs, e)
	}
	var out values
	chosen := make([]int64, len(regs))
	var choose func(n int)
	choose = func(n int) {
		if n == len(used) {
			out.add(values{list: []int64{e.Eval(ir.Env{Regs: chosen, Prog: fl.p})}})
			return
		}
		for _, v := range regs[used[n]].list {
			chosen[used[n]] = v
			choose(n + 1)
		}
	}
	choose(0)
	return out
}

// targets returns the addresses inside objects that an access may go to; nil: they are not known.
func (fl *valueFlow) targets(regs []values, op *ir.Op) []int64 {
	at := fl.eval(regs, op.Addr)
	if at.any {
		return nil
	}
	var out []int64
	for _, addr := range at.list {
		if _, _, block := blockAt(addr); block || fl.p.FindObject(uint64(addr), AccessSize(op)) != ir.NoObject {
			out = append(out, addr)
		}
	}
	slices.Sort(out)
	return out
}

// splitAccesses makes every access with targets an access to each of them, after a check that there is no other. An
// access that goes to no static object goes to a block, which has a check of its own.
func splitAccesses(p *ir.Program, f *ir.Func, targets map[ir.EdgeID][]int64, b *Blocks) {
	var edges []ir.Edge
	add := func(like ir.Edge, from, to ir.Loc, op ir.Op) {
		like.ID, like.From, like.To, like.Op = p.NextEdge, from, to, op
		p.NextEdge++
		edges = append(edges, like)
	}
	fresh := func(l ir.Loc) ir.Loc {
		at := f.Locs[l]
		f.Locs = append(f.Locs, at)
		return ir.Loc(len(f.Locs) - 1)
	}
	assume := func(like ir.Edge, from ir.Loc, cond *ir.Expr) ir.Loc {
		to := fresh(like.From)
		test := ir.NewOp(ir.Assume)
		test.Val = cond
		add(like, from, to, test)
		return to
	}
	for _, e := range f.Edges {
		list, field := b.split(targets[e.ID])
		if len(list) == 0 {
			if field != ir.NoObject {
				e.Op.Obj = field
			}
			edges = append(edges, e)
			continue
		}
		is := func(addr int64) *ir.Expr { return ir.Binary(ir.Eq, ir.S64, e.Op.Addr, ir.Int(addr)) }
		some := is(list[0])
		for _, addr := range list[1:] {
			some = ir.Binary(ir.LOr, ir.S64, some, is(addr))
		}
		from := e.From
		if field == ir.NoObject {
			check := ir.NewOp(ir.Assert)
			check.Report.Class, check.Val = ir.OutOfBounds, some
			from = fresh(e.From)
			add(e, e.From, from, check)
		} else {
			op := e.Op
			op.Obj = field
			add(e, assume(e, from, ir.Negate(some)), e.To, op)
		}
		for _, addr := range list {
			one := from
			if len(list) > 1 || field != ir.NoObject {
				one = assume(e, from, is(addr))
			}
			obj := p.FindObject(uint64(addr), AccessSize(&e.Op))
			op := e.Op
			op.Addr, op.Obj = ir.Addr(obj, addr-int64(p.Objects[obj].Addr)), obj
			add(e, one, e.To, op)
		}
	}
	f.Edges = edges
}

// addressesAsNumbers replaces addresses that an operation uses as values.
func addressesAsNumbers(p *ir.Program, op *ir.Op) {
	number := func(e *ir.Expr) *ir.Expr {
		return e.Map(func(x *ir.Expr) *ir.Expr {
			if x.Op == ir.AddrOf {
				return ir.Int(int64(p.Objects[x.Obj].Addr) + x.Value)
			}
			return x
		})
	}
	for _, e := range []**ir.Expr{&op.Val, &op.Val2, &op.Cond} {
		if *e != nil {
			*e = number(*e)
		}
	}
	op.Call.Args = slices.Clone(op.Call.Args)
	for i := range op.Call.Args {
		op.Call.Args[i] = number(op.Call.Args[i])
	}
}
