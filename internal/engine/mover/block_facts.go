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
			return v.pr.read(st.mem, spot{v.pr.whole[o], p.term(st)}, f.typ)
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

// unpublished returns candidates that no variable and no field has the address of a block that the thread has allocated.
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
		for _, x := range blockVariables(k) {
			if x.kind == fresh.kind {
				out = append(out, k.say.compared(fresh.word, relations[3], x.word))
			}
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
			return not(equal(k.pr.read(m, spot{k.pr.whole[o], q[0]}, f.typ), fresh.term(&symbolic{mem: m, regs: regs})))
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
