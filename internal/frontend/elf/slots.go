package elf

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
)

// Calls through the tables of trait objects. A table of Rust has four words or more: the function that drops the
// value (or 0), the size and the alignment of the value, and the methods. A call through a word at an offset in such a
// table goes to a function that is at this offset in some table. So functions whose addresses are in tables only, and
// in none of them at that offset, are no targets of the call: an execution that calls one there all the same is not
// supported. The same holds for virtual functions of C++, whose tables have names.
//
// The functions have types for the translation of calls through pointers, one for each offset, and the call has the
// type of its own (transform/targets.go).

// anySlot is the type of a function whose address is elsewhere, too.
const anySlot = ""

const (
	dropSlot    = 0
	firstMethod = 24
)

// slotType is the type of the functions at an offset in tables.
func slotType(off int64) string { return fmt.Sprintf("slot%d", off) }

// slotTypes returns the types of functions whose addresses are taken.
func (p *program) slotTypes() map[*function][]string {
	loose := map[*function]bool{}
	mention := func(e *ir.Expr) {
		e.Walk(func(e *ir.Expr) {
			if e.Op == ir.FuncAddr && e.Func >= 0 {
				loose[p.funcs[e.Func]] = true
			}
		})
	}
	for _, f := range p.funcs {
		for _, in := range f.order {
			if in.Inst == nil {
				continue
			}
			for i := range in.Ops {
				op := &in.Ops[i]
				if op.Kind == ir.Assign && op.Val.Op == ir.FuncAddr && i == len(in.Ops)-1 && in.onlyCompared(op.Dst) {
					continue
				}
				for _, e := range append([]*ir.Expr{op.Addr, op.Val, op.Val2, op.Cond}, op.Call.Args...) {
					mention(e)
				}
			}
			if in.Cond != nil && in.Cond.Op != ir.FuncAddr {
				mention(in.Cond)
			}
			if in.stub != nil {
				for _, c := range in.stub.args {
					mention(c)
				}
			}
		}
	}
	for _, t := range p.threads {
		loose[t.f] = true
	}
	for _, f := range p.byClient {
		loose[f] = true
	}
	for _, f := range p.first {
		loose[f] = true
	}
	if p.last != nil {
		loose[p.last] = true
	}
	out := map[*function][]string{}
	for d, at := range p.pointerWords(mention) {
		for off, f := range at {
			if f == nil {
				continue
			}
			slots := slotsAt(d, at, off)
			if len(slots) == 0 {
				loose[f] = true
			}
			for _, s := range slots {
				if !slices.Contains(out[f], slotType(s)) {
					out[f] = append(out[f], slotType(s))
				}
			}
		}
	}
	for f := range p.taken {
		if loose[f] || len(out[f]) == 0 {
			out[f] = []string{anySlot}
		}
		slices.Sort(out[f])
	}
	return out
}

// pointerWords returns, for each object, the functions whose addresses its words hold, nil for another value. It calls
// mention on addresses that are no whole word.
func (p *program) pointerWords(mention func(*ir.Expr)) map[*datum]map[uint64]*function {
	words := map[*datum]map[uint64]*function{}
	put := func(d *datum, off uint64, e *ir.Expr) {
		if words[d] == nil {
			words[d] = map[uint64]*function{}
		}
		if e != nil && e.Op == ir.FuncAddr && e.Func >= 0 {
			words[d][off] = p.funcs[e.Func]
		} else {
			words[d][off] = nil
		}
	}
	for _, f := range p.fields() {
		e, _ := p.value(f)
		put(f.d, f.r.Off, e)
		if e != nil && e.Op == ir.FuncAddr && f.r.Kind != object.Abs64 {
			mention(e)
		}
	}
	for _, d := range p.data {
		for _, w := range d.funcs {
			put(d, w.off, w.val)
		}
	}
	return words
}

// onlyCompared reports whether what a register holds after an instruction is only compared: a compiler asks whether a
// virtual function is one that it has put in place of the call.
func (in *inst) onlyCompared(r ir.Reg) bool {
	if r >= lift.Vector {
		return false
	}
	seen := map[*inst]bool{}
	todo := slices.Clone(in.next)
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		if len(seen) > 16 || at.refused != "" || at.Inst == nil || at.isCall() || at.pointer || at.table != nil || at.Guard != nil {
			return false
		}
		harmless, kept := true, true
		for i := range at.Ops {
			op := &at.Ops[i]
			if kept {
				op.Uses(func(u ir.Reg) {
					if u == r && (op.Kind != ir.Assign || op.Dst < lift.CF || op.Dst >= lift.FirstTemp) {
						harmless = false
					}
				})
			}
			op.Defs(func(d ir.Reg) { kept = kept && d != r })
		}
		if !harmless || kept && at.End == lift.Ret {
			return false
		}
		if kept && at.live.has(r) {
			todo = append(todo, at.next...)
		}
	}
	return true
}

// slotsAt returns the offsets that a word with a function can have in tables, nil if it is in none.
func slotsAt(d *datum, words map[uint64]*function, off uint64) []int64 {
	if d.sec.Data == nil || d.sec.Write && !d.sec.RelRO {
		return nil
	}
	plain := func(at uint64) (v uint64, ok bool) { // a number
		if _, relocated := words[at]; relocated || at < d.off || at+8 > d.off+d.size {
			return 0, false
		}
		return binary.LittleEndian.Uint64(d.sec.Data[at:]), true
	}
	begins := func(at uint64) bool { // a table
		const most = 1 << 40
		size, ok := plain(at + 8)
		align, ok2 := plain(at + 16)
		if !ok || !ok2 || size > most || align == 0 || align&(align-1) != 0 || align > most || size%align != 0 {
			return false
		}
		if words[at] != nil {
			return true
		}
		v, ok := plain(at)
		return ok && v == 0
	}
	var out []int64
	if begins(off) {
		out = append(out, dropSlot)
	}
	first := off
	for first >= d.off+8 && words[first-8] != nil {
		first -= 8
	}
	if first >= d.off+firstMethod && begins(first-firstMethod) {
		return append(out, int64(off-first)+firstMethod)
	}
	if slot, ok := virtualSlot(d, words, off, plain); ok {
		return []int64{slot}
	}
	if len(out) == 1 && first != off { // the first function of a row that is in no table
		return nil
	}
	return out
}

// virtualSlot returns the offset of a virtual function in the table of a class of C++, or in a part of it: in front of the
// functions of a part are a number, the distance to the beginning of the object, and the address of the type.
func virtualSlot(d *datum, words map[uint64]*function, off uint64, plain func(at uint64) (uint64, bool)) (slot int64, ok bool) {
	if !strings.HasPrefix(d.name, "_ZTV") {
		return 0, false
	}
	for at := off; at >= d.off+16; at -= 8 {
		if f, relocated := words[at-8]; relocated && f == nil {
			_, ok := plain(at - 16)
			return int64(off - at), ok
		}
	}
	return 0, false
}

// slotOf returns the offset of the word that a call through a pointer goes through, from the address of the table; ok is
// false if that is not known.
func (f *function) slotOf(in *inst) (off int64, ok bool) {
	before := map[*inst]*inst{} // the only way to an instruction
	many := map[*inst]bool{}
	for _, from := range f.order {
		for _, to := range from.successors() {
			many[to] = many[to] || before[to] != nil && before[to] != from
			before[to] = from
		}
	}
	want, at, ops, loaded := in.Cond, in, in.Ops, false
	for range 64 {
		if want.Op != ir.RegRef {
			return off, loaded
		}
		for i := len(ops) - 1; i >= 0; i-- {
			op := &ops[i]
			if op.Dst != want.Reg && op.Dst2 != want.Reg {
				continue
			}
			if op.Dst != want.Reg || at.Guard != nil {
				return off, loaded
			}
			from, distance := moved(op.Val)
			if op.Kind == ir.Load && op.Type.Size() == 8 && !loaded {
				from, distance = moved(op.Addr)
				loaded = from != nil
			} else if op.Kind != ir.Assign || !loaded && distance != 0 {
				return off, loaded
			}
			if from == nil {
				return off, loaded
			}
			want, off = from, off+distance
		}
		if want.Reg >= lift.FirstTemp || many[at] || before[at] == nil {
			return off, loaded
		}
		at = before[at]
		if at.refused != "" || at.Inst == nil || at.isCall() && at.overwrites().has(want.Reg) {
			return off, loaded
		}
		ops = at.Ops
	}
	return off, loaded
}

// moved returns the register to which an expression adds a constant; nil: it does something else.
func moved(e *ir.Expr) (*ir.Expr, int64) {
	switch {
	case e == nil:
		return nil, 0
	case e.Op == ir.RegRef:
		return e, 0
	case e.Op == ir.Add && e.Type.Bits == 64 && e.X.Op == ir.RegRef && e.Y.Op == ir.Const:
		return e.X, e.Y.Value
	}
	return nil, 0
}

// typeOfCall returns the type that the functions have which a call through a pointer can reach; anySlot: it is not known.
func (p *program) typeOfCall(f *function, in *inst) string {
	if in.slot != 0 {
		return slotType(in.slot)
	}
	if f == nil {
		return anySlot
	}
	off, ok := f.slotOf(in)
	if !ok || off < 0 || off%8 != 0 {
		return anySlot
	}
	return slotType(off)
}

// reaches reports whether a call of a type can reach a function.
func (p *program) reaches(kind string, f *function) bool {
	return kind == anySlot || slices.Contains(p.slots[f], kind) || slices.Contains(p.slots[f], anySlot)
}
