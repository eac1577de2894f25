package elf

import (
	"encoding/binary"
	"slices"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
)

// Calls and jumps through registers and memory.
//
// A call goes to a function whose address the program takes: the translation of calls through pointers finds out
// which addresses reach it (transform/targets.go). That wants to know how many parameters the functions have, which
// machine code does not say at the call: there is one call for each number.
//
// A jump is a switch through a table of addresses in constant memory, or a call and a return. The idea for a switch:
// the instructions before the jump are evaluated with symbols; if the target is a word of a table at an offset X,
// or the address of the table plus such a word, then the jump is a branch on X, which is kept where the word is read.

// table is a switch through a table.
type table struct {
	load    *inst    // reads the word
	offset  *ir.Expr // of the word in the table, before the load
	sec     *object.Section
	from    uint64 // where the table begins in the section
	size    int64  // of a word
	targets []uint64
	reg     ir.Reg // keeps the offset, in the emitted function
}

// symbolic is the value of a register in front of a jump.
type symbolic struct {
	base  *ir.Expr  // the address of the table, or nil
	word  *tableUse // a word of a table, or nil
	added bool      // the address of the table was added to the word
}

type tableUse struct {
	load *inst
	base *ir.Expr
	size int
}

// findTable finds the table of an indirect jump; nil: there is none.
func (p *program) findTable(f *function, jump *inst) *table {
	before := map[uint64]*inst{}
	for _, in := range f.insts {
		if in.refused == "" && in.Inst != nil {
			before[in.NextAddr()] = in
		}
	}
	window := []*inst{jump}
	for in := jump; len(window) < 16; {
		if in = before[in.addr]; in == nil || in.End != lift.Next || in.Guard != nil {
			break
		}
		window = append(window, in)
	}
	slices.Reverse(window)
	var kept map[ir.Reg]*ir.Expr
	v := p.symbolicJump(window, jump, nil)
	if v.word == nil || v.added != (v.word.size == 4) {
		kept = f.keptBases(jump.addr)
		for _, in := range window {
			for i := range in.Ops {
				in.Ops[i].Defs(func(r ir.Reg) { delete(kept, r) })
			}
		}
		v = p.symbolicJump(window, jump, kept)
	}
	if v.word == nil || v.added != (v.word.size == 4) {
		return nil
	}
	d := p.data[v.word.base.Obj]
	t := &table{load: v.word.load, sec: d.sec, from: d.off + uint64(v.word.base.Value), size: int64(v.word.size)}
	for i := range t.load.Ops {
		if op := &t.load.Ops[i]; op.Kind == ir.Load && op.Addr.Op != ir.AddrOf {
			t.offset = ir.Binary(ir.Sub, ir.U64, op.Addr, v.word.base)
		}
	}
	for r := range lift.Vector { // the address was not seen to get there: if it is another one, no entry is meant
		if base := kept[r]; base != nil && t.offset != nil && usesAfter(window, t.load, r) {
			t.offset = ir.Conditional(ir.Binary(ir.Eq, ir.U64, ir.R(r), base), t.offset, ir.Int(-1))
		}
	}
	t.targets = p.tableTargets(f, v.word)
	inside := func(to uint64) bool { return to != 0 && to != f.sym.Addr() }
	if t.offset == nil || !slices.ContainsFunc(t.targets, inside) {
		return nil // a switch leads elsewhere than to the beginning: this is a table of methods
	}
	return t
}

// symbolicJump evaluates the target of a jump after the instructions of a window, with registers that hold addresses.
func (p *program) symbolicJump(window []*inst, jump *inst, kept map[ir.Reg]*ir.Expr) symbolic {
	values := map[ir.Reg]symbolic{}
	for r, base := range kept {
		values[r] = symbolic{base: base}
	}
	for _, in := range window {
		for r := range values {
			if r >= lift.FirstTemp {
				delete(values, r)
			}
		}
		for i := range in.Ops {
			p.symbolicStep(values, in, &in.Ops[i])
		}
	}
	return symbolicValue(values, jump.Cond)
}

// keptBases returns the registers that may hold the address of constant data at a jump, as far as the instructions of the
// function are known: the compiler has put the address of a table in front of a loop. That a register holds it is
// checked where the jump is made.
func (f *function) keptBases(jump uint64) map[ir.Reg]*ir.Expr {
	out, from := map[ir.Reg]*ir.Expr{}, map[ir.Reg]uint64{}
	for _, in := range f.insts {
		if in.refused != "" || in.Inst == nil || in.Pop {
			continue
		}
		for i := range in.Ops {
			op := &in.Ops[i]
			if op.Kind != ir.Assign || op.Val.Op != ir.AddrOf || op.Dst >= lift.Vector {
				continue
			}
			// The nearest one before the jump; otherwise the first one.
			at, have := from[op.Dst]
			if !have || in.addr < jump && (at > jump || in.addr > at) || in.addr > jump && at > jump && in.addr < at {
				out[op.Dst], from[op.Dst] = op.Val, in.addr
			}
		}
	}
	return out
}

// usesAfter reports whether an instruction of a window, from the load of a word on, reads a register.
func usesAfter(window []*inst, load *inst, r ir.Reg) bool {
	for _, in := range window[slices.Index(window, load):] {
		used := false
		for i := range in.Ops {
			in.Ops[i].Uses(func(u ir.Reg) { used = used || u == r })
		}
		if used {
			return true
		}
	}
	return false
}

// checkTables refuses jumps through tables that others reach after the word is read: they may have read another word.
func (f *function) checkTables() {
	for _, jump := range f.order {
		if jump.table == nil || jump.refused != "" {
			continue
		}
		for _, in := range f.order {
			if in.addr > jump.table.load.addr && in.addr <= jump.addr && in.starts {
				jump.refused, jump.code, jump.next = jump.Text+": the table of the switch is not known, because several ways lead to the jump", codeFlow, nil
			}
		}
	}
}

func (p *program) symbolicStep(values map[ir.Reg]symbolic, in *inst, op *ir.Op) {
	switch op.Kind {
	case ir.Assign:
		values[op.Dst] = symbolicValue(values, op.Val)
	case ir.Load:
		v := symbolic{}
		if base := baseOf(values, op.Addr); base != nil && op.Addr.Op != ir.AddrOf && p.isConstant(base) && (op.Type.Size() == 4 || op.Type.Size() == 8) {
			v.word = &tableUse{load: in, base: base, size: op.Type.Size()}
		}
		values[op.Dst] = v
	default:
		op.Defs(func(r ir.Reg) { delete(values, r) })
	}
}

func (p *program) isConstant(base *ir.Expr) bool {
	sec := p.data[base.Obj].sec
	return (!sec.Write || sec.RelRO) && sec.Data != nil
}

// baseOf returns the address of constant memory that an address is relative to, nil if there is none.
func baseOf(values map[ir.Reg]symbolic, e *ir.Expr) *ir.Expr {
	switch {
	case e == nil:
		return nil
	case e.Op == ir.AddrOf:
		return e
	case e.Op == ir.RegRef:
		return values[e.Reg].base
	case e.Op == ir.Add:
		if b := baseOf(values, e.X); b != nil {
			if c, ok := e.Y.IsConst(); ok && e.X.Op == ir.AddrOf {
				return ir.Addr(b.Obj, b.Value+c)
			}
			return b
		}
		return baseOf(values, e.Y)
	}
	return nil
}

func symbolicValue(values map[ir.Reg]symbolic, e *ir.Expr) symbolic {
	switch {
	case e == nil:
		return symbolic{}
	case e.Op == ir.AddrOf:
		return symbolic{base: e}
	case e.Op == ir.RegRef:
		return values[e.Reg]
	case e.Op == ir.Cast && e.Type.Bits >= 32: // a word of 32 bits is extended
		v := symbolicValue(values, e.X)
		return symbolic{word: v.word}
	case e.Op == ir.Add && e.Type.Bits == 64:
		x, y := symbolicValue(values, e.X), symbolicValue(values, e.Y)
		if y.word != nil {
			x, y = y, x
		}
		if x.word != nil && !x.added && y.base != nil && y.base.Equal(x.word.base) {
			return symbolic{word: x.word, added: true}
		}
	}
	return symbolic{}
}

// tableTargets reads the table: up to something else that the program mentions, and up to the first word that does not
// lead to an instruction of the function. 0 stands for words before the table, where its index does not begin at 0, and for
// indices that the compiler has found to be impossible.
func (p *program) tableTargets(f *function, use *tableUse) []uint64 {
	const most, skipped = 4096, 256
	d := p.data[use.base.Obj]
	sec, from := d.sec, d.off+uint64(use.base.Value)
	end, size := sec.Size, uint64(use.size)
	if next, ok := p.sweepAll().next(sec.Addr + from); ok && next-sec.Addr < end {
		end = next - sec.Addr
	}
	var out []uint64
	found := false
	for at := from; at+size <= end && at >= from && len(out) < most; at += size {
		to, ok := p.tableTarget(use, sec, from, at)
		impossible := ok && f.sym.Size > 0 && to == f.sym.Addr()+f.sym.Size // the end of the function: the compiler knows that the index is another one
		ok = ok && p.belongs(f, to)
		switch {
		case !ok && impossible:
			to = 0
		case !ok && (found || len(out) >= skipped):
			return out
		case !ok:
			to = 0
		}
		found = found || ok
		out = append(out, to)
	}
	if !found {
		return nil
	}
	return out
}

// tableTarget returns where a word of a table leads.
func (p *program) tableTarget(use *tableUse, sec *object.Section, from, at uint64) (to uint64, ok bool) {
	switch r := sec.RelocAt(at); {
	case r != nil && r.Sym != nil && r.Sym.Sec == nil:
		return 0, false
	case r != nil && use.size == 4 && r.Kind == object.PC32:
		return r.Sym.Addr() + uint64(r.Addend) - (at - from), true
	case r != nil && use.size == 8 && r.Kind == object.Abs64:
		to = uint64(r.Addend)
		if r.Sym != nil {
			to += r.Sym.Addr()
		}
		return to, true
	case r != nil || !sec.Linked:
		return 0, false
	case use.size == 4:
		return sec.Addr + from + uint64(int64(int32(binary.LittleEndian.Uint32(sec.Data[at:])))), true
	}
	return binary.LittleEndian.Uint64(sec.Data[at:]), true
}

// belongs reports whether an address is an instruction of a function, or of a part that the compiler has put elsewhere.
func (p *program) belongs(f *function, addr uint64) bool {
	sec := p.image.Find(addr)
	if sec == nil || !sec.Exec || !p.sweepAll().begins[addr] {
		return false
	}
	sym := p.image.At(sec, addr-sec.Addr)
	return sym != nil && (sym.Addr() == f.sym.Addr() || isPart(sym.Name) && sym.Addr() != addr)
}

// takenParams returns the numbers of parameters of the functions whose addresses are taken.
func (p *program) takenParams() []int {
	var out []int
	for _, f := range p.funcs {
		if p.taken[f] && !p.onStack(f) && !slices.Contains(out, f.arity()) {
			out = append(out, f.arity())
		}
	}
	slices.Sort(out)
	return out
}

// callPointer makes the edges of a call through a pointer, up to a location after it.
func (e *emitter) callPointer(in *inst, o offsets) {
	pointer := e.fb.Reg("pointer", 0, e.pos)
	e.add(assign(pointer, e.expr(in.Cond)))
	kind := e.p.typeOfCall(e.f, in)
	after, from := e.fb.Loc("", e.pos), e.at
	var any *ir.Expr
	for _, n := range e.p.takenParams() {
		var is *ir.Expr
		for _, f := range e.p.funcs {
			if !e.p.taken[f] || e.p.onStack(f) || f.arity() != n || !e.p.reaches(kind, f) {
				continue
			}
			one := ir.Binary(ir.Eq, ir.U64, ir.R(pointer), &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: f.fb.ID})
			is = orElse(is, one)
		}
		if is == nil {
			continue
		}
		at := e.fb.Loc("", e.pos)
		e.at = from
		e.assume(is, at)
		e.at = at
		e.refuseMain(pointer)
		op := ir.NewOp(ir.Call)
		op.Dst, op.Val, op.Call.Type = e.reg(lift.RAX), ir.R(pointer), kind
		for i := range n {
			op.Call.Args = append(op.Call.Args, ir.R(e.reg(callRegs[i])))
		}
		e.fb.Edge(e.at, op, after, e.pos)
		any = orElse(any, is)
	}
	e.at = from
	for _, f := range e.p.funcs {
		if e.p.onStack(f) && e.p.reaches(kind, f) {
			is := ir.Binary(ir.Eq, ir.U64, ir.R(pointer), &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: f.fb.ID})
			at := e.fb.Loc("", e.pos)
			e.assume(is, at)
			e.at = at
			e.callOnStack(in, o, f, after)
			e.at, any = from, orElse(any, is)
		}
	}
	if any != nil {
		none := e.fb.Loc("", e.pos)
		e.assume(ir.Negate(any), none)
		e.at = none
	}
	e.refuseSlots(in, pointer, kind)
	e.refuseCode(in, pointer)
	bad := ir.NewOp(ir.Assert)
	bad.Val, bad.Report = ir.Int(0), ir.Report{Class: ir.BadAddress, Msg: "call through a pointer that is no function of the program"}
	end := e.fb.Loc("", e.pos)
	e.p.called[e.fb.Edge(e.at, bad, end, e.pos)] = ir.R(pointer)
	e.at = after
}

// refuseSlots makes a call of a function that is not at the offset of the call in any table not supported.
func (e *emitter) refuseSlots(in *inst, pointer ir.Reg, kind string) {
	var other *ir.Expr
	for _, f := range e.p.funcs {
		if e.p.taken[f] && !e.p.reaches(kind, f) {
			other = orElse(other, ir.Binary(ir.Eq, ir.U64, ir.R(pointer), &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: f.fb.ID}))
		}
	}
	if other == nil {
		return
	}
	e.refuseIf(other, in.Text+": the function is at another offset in the tables of methods than the one that is called")
}

// refuseIf makes the executions with a condition not supported, and goes on with the others.
func (e *emitter) refuseIf(cond *ir.Expr, why string) {
	refused, others := e.fb.Loc("", e.pos), e.fb.Loc("", e.pos)
	e.assume(cond, refused)
	e.assume(ir.Negate(cond), others)
	e.at = refused
	e.unsupported(codeFlow, why)
	e.at = others
}

// refuseCode makes a jump or call into the code of a linked file not supported, where the address is that of no function:
// the table of a switch has not been found.
func (e *emitter) refuseCode(in *inst, pointer ir.Reg) {
	for _, sec := range e.p.image.Sections {
		if !sec.Exec || !sec.Linked {
			continue
		}
		at := ir.Binary(ir.Sub, ir.U64, ir.R(pointer), ir.Int(int64(linkedBase(e.p.image)+sec.Addr)))
		inside := ir.Binary(ir.Lt, ir.U64, at, ir.Int(int64(sec.Size)))
		e.refuseIf(inside, in.Text+": the address is in the code, and is that of no function: the table of a switch is not found")
	}
}

// refuseMain makes a call of main through a pointer not supported where functions run before main.
func (e *emitter) refuseMain(pointer ir.Reg) {
	for _, f := range e.p.funcs {
		if !f.main || !e.p.taken[f] || len(e.p.first) == 0 {
			continue
		}
		is := ir.Binary(ir.Eq, ir.U64, ir.R(pointer), &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: f.fb.ID})
		e.refuseIf(is, callsMain)
	}
}

// branchTable makes the edges of a switch.
func (e *emitter) branchTable(in *inst) {
	from := e.at
	var known *ir.Expr
	for i, to := range in.table.targets {
		is := ir.Binary(ir.Eq, ir.U64, ir.R(e.tableReg(in.table)), ir.Int(int64(i)*in.table.size))
		next := e.f.insts[to]
		if next == nil {
			continue // no entry, or the function has too many instructions
		}
		e.at = from
		e.assume(is, e.locs[next])
		known = orElse(known, is)
	}
	e.at = from
	if known != nil {
		other := e.fb.Loc("", e.pos)
		e.assume(ir.Negate(known), other)
		e.at = other
	}
	e.unsupported(codeFlow, in.Text+": the index is outside the table of the switch")
}

// tableReg is the register that keeps the offset in a table.
func (e *emitter) tableReg(t *table) ir.Reg {
	if t.reg == ir.NoReg {
		t.reg = e.fb.Reg("switch", 0, e.pos)
	}
	return t.reg
}
