package mover

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/ir"
)

// Candidates about blocks. A pointer is null or a block lives there; the fields of a block that was published have
// certain contents. A block that a thread has allocated belongs to it until the thread stores the address: no variable
// and no field has the address, and no other thread has it in a register (pairs.go). With these, the accesses to a block
// of this thread move across all steps of others, as questions to the solver; ownership itself is no rule.

// pointer is a word that is a pointer to blocks.
type pointer struct {
	word
	pointee
}

// blockVariables returns the variables that are pointers to blocks.
func blockVariables(k *knowledge) []pointer {
	var out []pointer
	if k.pr.blocks == nil {
		return nil
	}
	for x := range k.pr.regions {
		if g := &k.pr.regions[x]; g.shape == single {
			if to, ok := k.pr.blocks.variables[g.base]; ok {
				out = append(out, pointer{k.say.variable(x), to})
			}
		}
	}
	return out
}

// blockRegister returns a register as a pointer to blocks, if it is one.
func blockRegister(k *knowledge, c *class, r ir.Reg) (pointer, bool) {
	if k.pr.blocks == nil {
		return pointer{}, false
	}
	to, ok := k.pr.blocks.registers[k.pr.prog.Threads[c.thread].Func][r]
	return pointer{k.say.register(c, r), to}, ok
}

// livesAt returns the fact that a block of the kind lives where a pointer points to, or that the pointer is one of
// some numbers.
func (v vocabulary) livesAt(p pointer, numbers []int64) *pred {
	text := p.name + " points to a " + v.pr.blocks.kinds[p.kind-1].name
	for _, n := range numbers {
		text += fmt.Sprintf(" || %s == %d", p.name, n)
	}
	return &pred{
		text: text,
		term: func(regs []string, m memory, _ []string) string {
			at := p.term(&symbolic{mem: m, regs: regs})
			ways := []string{isBlock(v.pr.layout, m, at, p.kind)}
			for _, n := range numbers {
				ways = append(ways, equal(at, v.pr.arith.num(n)))
			}
			return or(ways)
		},
		holds: func(st *concrete) bool {
			at := p.value(st)
			return st.Lives(uint64(at)) || slices.Contains(numbers, at)
		},
	}
}

// blockField returns what a field of the block has that a pointer points to.
func (v vocabulary) blockField(p pointer, o ir.ObjectID) word {
	f := v.pr.blocks.field[o]
	return word{
		p.name + "->" + strings.TrimPrefix(f.name, "."),
		func(st *symbolic) string {
			return v.pr.read(st.mem, spot{region: v.pr.whole[o], index: p.term(st)}, f.typ)
		},
		func(st *concrete) int64 { return st.Read(uint64(p.value(st)+f.off), f.typ) },
	}
}

// fieldsOf returns the fields of the block that a pointer points to, with their sorts.
func (g *clauseGrammar) fieldsOf(p pointer) []sorted {
	var out []sorted
	for _, o := range g.k.pr.blocks.kinds[p.kind-1].fields {
		out = append(out, sorted{g.k.say.blockField(p, o), g.sorts.variable(g.k.pr.whole[o]), ir.Type{}})
	}
	return out
}

// onBlocks returns global candidates about pointers in variables.
func onBlocks(k *knowledge) []*pred {
	var out []*pred
	for _, p := range blockVariables(k) {
		out = append(out, k.say.livesAt(p, p.numbers))
	}
	return out
}

// onFields returns global candidates about pointers in the fields of all blocks.
func onFields(k *knowledge) []*pred {
	var out []*pred
	if k.pr.blocks == nil {
		return nil
	}
	for o, to := range k.pr.blocks.inFields {
		if to.kind > 0 {
			out = append(out, fieldLives(k, o, to))
		}
	}
	slices.SortFunc(out, func(p, q *pred) int { return strings.Compare(p.text, q.text) })
	return out
}

// fieldLives returns the fact that the pointers in a field of all blocks point to blocks or are one of some numbers. It is
// about every address, since the field of a block that was freed keeps its value.
func fieldLives(k *knowledge, o ir.ObjectID, to pointee) *pred {
	k.bound = max(k.bound, 1)
	f := k.pr.blocks.field[o]
	name := fmt.Sprintf("(%s)i%s", k.pr.blocks.kinds[f.kind-1].name, strings.Replace(f.name, ".", "->", 1))
	text := fmt.Sprintf("for all i: %s points to a %s", name, k.pr.blocks.kinds[to.kind-1].name)
	for _, n := range to.numbers {
		text += fmt.Sprintf(" || %s == %d", name, n)
	}
	return &pred{
		text:  text,
		bound: 1,
		term: func(_ []string, m memory, q []string) string {
			at := k.pr.read(m, spot{region: k.pr.whole[o], index: q[0]}, f.typ)
			ways := []string{isBlock(k.pr.layout, m, at, to.kind)}
			for _, n := range to.numbers {
				ways = append(ways, equal(at, k.pr.arith.num(n)))
			}
			return or(ways)
		},
	}
}

// onBlocksAt returns candidates about pointers in registers at a location, and about the pointers in their fields.
func onBlocksAt(k *knowledge, c *class, l ir.Loc) []*pred {
	var out []*pred
	if k.pr.blocks == nil {
		return nil
	}
	for _, r := range k.watched(c, l) {
		p, ok := blockRegister(k, c, r)
		if !ok {
			continue
		}
		out = append(out, k.say.livesAt(p, nil))
		if len(p.numbers) > 0 {
			out = append(out, k.say.livesAt(p, p.numbers))
		}
		for _, o := range k.pr.blocks.kinds[p.kind-1].fields {
			if to, ok := k.pr.blocks.inFields[o]; ok && to.kind > 0 {
				out = append(out, k.say.livesAt(pointer{k.say.blockField(p, o), to}, to.numbers))
			}
		}
	}
	return out
}

// onContents returns candidates about the block that a register points to: no variable has its address, and a field has
// a constant that the program stores there.
func onContents(k *knowledge, c *class, l ir.Loc) []*pred {
	var out []*pred
	if k.pr.blocks == nil {
		return nil
	}
	stored := storedInFields(k.pr)
	for _, r := range k.watched(c, l) {
		p, ok := blockRegister(k, c, r)
		if !ok {
			continue
		}
		for _, x := range blockVariables(k) {
			if x.kind == p.kind {
				out = append(out, k.say.compared(p.word, relations[3], x.word))
			}
		}
		for _, o := range k.pr.blocks.kinds[p.kind-1].fields {
			for _, v := range stored[o] {
				out = append(out, k.say.comparedWith(k.say.blockField(p, o), relations[0], v))
			}
		}
	}
	return out
}

// storedInFields returns the constants that the program stores to each field.
func storedInFields(pr *problem) map[ir.ObjectID][]int64 {
	out := map[ir.ObjectID][]int64{}
	for _, c := range pr.classes {
		for i := range c.f.Edges {
			op := &c.f.Edges[i].Op
			if _, field := pr.blocks.field[op.Obj]; !field || op.Kind != ir.Store {
				continue
			}
			if v, ok := op.Val.IsConst(); ok && !slices.Contains(out[op.Obj], v) {
				out[op.Obj] = append(out[op.Obj], v)
			}
		}
	}
	return out
}

// unpublished returns candidates that no field has the address of a block that the thread has allocated.
func unpublished(k *knowledge, c *class, l ir.Loc) []*pred {
	var out []*pred
	if k.pr.blocks == nil {
		return nil
	}
	live := k.watched(c, l)
	for _, r := range allocated(k, c) {
		fresh, ok := blockRegister(k, c, r)
		if !ok || !slices.Contains(live, r) {
			continue
		}
		for o, to := range k.pr.blocks.inFields {
			if to.kind == fresh.kind {
				out = append(out, inNoField(k, fresh, o))
			}
		}
	}
	slices.SortFunc(out, func(p, q *pred) int { return strings.Compare(p.text, q.text) })
	return out
}

// inNoField returns the fact that no block has a pointer in one of its fields.
func inNoField(k *knowledge, fresh pointer, o ir.ObjectID) *pred {
	k.bound = max(k.bound, 1)
	f := k.pr.blocks.field[o]
	return &pred{
		text:  fmt.Sprintf("for all i: (%s)i%s != %s", k.pr.blocks.kinds[f.kind-1].name, strings.Replace(f.name, ".", "->", 1), fresh.name),
		bound: 1,
		term: func(regs []string, m memory, q []string) string {
			return not(equal(k.pr.read(m, spot{region: k.pr.whole[o], index: q[0]}, f.typ), fresh.term(&symbolic{mem: m, regs: regs})))
		},
	}
}

// allocated returns the registers of a thread that get the address of a block that it allocates, and their copies.
func allocated(k *knowledge, c *class) []ir.Reg {
	return copiesOf(c, func(op *ir.Op) bool { return op.Kind == ir.Alloc })
}

// pointerRegisters returns the registers of a thread that are pointers to blocks.
func pointerRegisters(k *knowledge, c *class) []ir.Reg {
	var out []ir.Reg
	for r := range c.f.Regs {
		if _, ok := blockRegister(k, c, ir.Reg(r)); ok {
			out = append(out, ir.Reg(r))
		}
	}
	return out
}
