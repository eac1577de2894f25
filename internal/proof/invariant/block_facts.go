package invariant

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
)

// Candidates about blocks. A pointer is null or a block lives there; the fields of a block that was published have
// certain contents. A block that a thread has allocated belongs to it until the thread stores the address: no variable
// and no field has the address, and no other thread has it in a register (pairs.go). With these, the accesses to a block
// of this thread move across all steps of others, as questions to the solver; ownership itself is no rule.

// pointer is a word that is a pointer to blocks.
type pointer struct {
	word
	program.Pointee
}

// blockVariables returns the variables that are pointers to blocks.
func (k *Knowledge) blockVariables() []pointer {
	var out []pointer
	if k.pr.Blocks == nil {
		return nil
	}
	for x := range k.pr.Regions {
		if g := &k.pr.Regions[x]; g.Shape == encode.Single {
			if to, ok := k.pr.Blocks.Variables[g.Base]; ok {
				out = append(out, pointer{k.say.variable(x), to})
			}
		}
	}
	return out
}

// blockRegister returns a register as a pointer to blocks, if it is one.
func (k *Knowledge) blockRegister(c *program.Class, r ir.Reg) (pointer, bool) {
	if k.pr.Blocks == nil {
		return pointer{}, false
	}
	to, ok := k.pr.Blocks.Registers[k.pr.Prog.Threads[c.Thread].Func][r]
	return pointer{k.say.register(c, r), to}, ok
}

// livesAt returns the fact that a block of the kind lives where a pointer points to, or that the pointer is one of
// some numbers.
func (v vocabulary) livesAt(p pointer, numbers []int64) *Condition {
	text := p.name + " points to a " + v.pr.Blocks.Kinds[p.Kind-1].Name
	for _, n := range numbers {
		text += fmt.Sprintf(" || %s == %d", p.name, n)
	}
	return &Condition{
		text: text,
		term: func(regs []smt.Term, m encode.Memory, _ []smt.Term) smt.Term {
			at := p.term(&symbolic{mem: m, regs: regs})
			ways := []smt.Term{v.pr.IsBlock(m, at, p.Kind)}
			for _, n := range numbers {
				ways = append(ways, encode.Equal(at, v.pr.Arith.Num(n)))
			}
			return smt.Or(ways...)
		},
		holds: func(st *concrete) bool {
			at := p.value(st)
			return st.Lives(uint64(at)) || slices.Contains(numbers, at)
		},
	}
}

// blockField returns what a field of the block has that a pointer points to.
func (v vocabulary) blockField(p pointer, o ir.ObjectID) word {
	f := v.pr.Blocks.Field[o]
	return word{
		p.name + "->" + strings.TrimPrefix(f.Name, "."),
		func(st *symbolic) smt.Term {
			return v.pr.Read(st.mem, encode.Spot{Region: v.pr.Whole[o], Index: p.term(st)}, f.Type)
		},
		func(st *concrete) int64 { return st.Read(uint64(p.value(st)+f.Offset), f.Type) },
	}
}

// fieldsOf returns the fields of the block that a pointer points to, with their sorts.
func (g *clauseGrammar) fieldsOf(p pointer) []sorted {
	var out []sorted
	for _, o := range g.k.pr.Blocks.Kinds[p.Kind-1].Fields {
		out = append(out, sorted{g.k.say.blockField(p, o), g.sorts.variable(g.k.pr.Whole[o]), ir.Type{}})
	}
	return out
}

// onBlocks returns global candidates about pointers in variables.
func (k *Knowledge) onBlocks() []*Condition {
	var out []*Condition
	for _, p := range k.blockVariables() {
		out = append(out, k.say.livesAt(p, p.Numbers))
	}
	return out
}

// onFields returns global candidates about pointers in the fields of all blocks.
func (k *Knowledge) onFields() []*Condition {
	var out []*Condition
	if k.pr.Blocks == nil {
		return nil
	}
	for o, to := range k.pr.Blocks.InFields {
		if to.Kind > 0 {
			out = append(out, k.fieldLives(o, to))
		}
	}
	slices.SortFunc(out, func(p, q *Condition) int { return strings.Compare(p.text, q.text) })
	return out
}

// fieldLives returns the fact that the pointers in a field of all blocks point to blocks or are one of some numbers. It is
// about every address, since the field of a block that was freed keeps its value.
func (k *Knowledge) fieldLives(o ir.ObjectID, to program.Pointee) *Condition {
	k.bound = max(k.bound, 1)
	f := k.pr.Blocks.Field[o]
	name := fmt.Sprintf("(%s)i%s", k.pr.Blocks.Kinds[f.Kind-1].Name, strings.Replace(f.Name, ".", "->", 1))
	text := fmt.Sprintf("for all i: %s points to a %s", name, k.pr.Blocks.Kinds[to.Kind-1].Name)
	for _, n := range to.Numbers {
		text += fmt.Sprintf(" || %s == %d", name, n)
	}
	return &Condition{
		text:  text,
		bound: 1,
		term: func(_ []smt.Term, m encode.Memory, q []smt.Term) smt.Term {
			at := k.pr.Read(m, encode.Spot{Region: k.pr.Whole[o], Index: q[0]}, f.Type)
			ways := []smt.Term{k.pr.IsBlock(m, at, to.Kind)}
			for _, n := range to.Numbers {
				ways = append(ways, encode.Equal(at, k.pr.Arith.Num(n)))
			}
			return smt.Or(ways...)
		},
	}
}

// onBlocksAt returns candidates about pointers in registers at a location, and about the pointers in their fields.
func (k *Knowledge) onBlocksAt(c *program.Class, l ir.Loc) []*Condition {
	var out []*Condition
	if k.pr.Blocks == nil {
		return nil
	}
	for _, r := range k.watched(c, l) {
		p, ok := k.blockRegister(c, r)
		if !ok {
			continue
		}
		out = append(out, k.say.livesAt(p, nil))
		if len(p.Numbers) > 0 {
			out = append(out, k.say.livesAt(p, p.Numbers))
		}
		for _, o := range k.pr.Blocks.Kinds[p.Kind-1].Fields {
			if to, ok := k.pr.Blocks.InFields[o]; ok && to.Kind > 0 {
				out = append(out, k.say.livesAt(pointer{k.say.blockField(p, o), to}, to.Numbers))
			}
		}
	}
	return out
}

// onContents returns candidates about the block that a register points to: no variable has its address, and a field has
// a constant that the program stores there.
func (k *Knowledge) onContents(c *program.Class, l ir.Loc) []*Condition {
	var out []*Condition
	if k.pr.Blocks == nil {
		return nil
	}
	stored := storedInFields(k.pr)
	for _, r := range k.watched(c, l) {
		p, ok := k.blockRegister(c, r)
		if !ok {
			continue
		}
		for _, x := range k.blockVariables() {
			if x.Kind == p.Kind {
				out = append(out, k.say.compared(p.word, relations[3], x.word))
			}
		}
		for _, o := range k.pr.Blocks.Kinds[p.Kind-1].Fields {
			for _, v := range stored[o] {
				out = append(out, k.say.comparedWith(k.say.blockField(p, o), relations[0], v))
			}
		}
	}
	return out
}

// storedInFields returns the constants that the program stores to each field.
func storedInFields(pr *encode.Problem) map[ir.ObjectID][]int64 {
	out := map[ir.ObjectID][]int64{}
	for _, c := range pr.Classes {
		for i := range c.Code.Edges {
			op := &c.Code.Edges[i].Op
			if _, field := pr.Blocks.Field[op.Obj]; !field || op.Kind != ir.Store {
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
func (k *Knowledge) unpublished(c *program.Class, l ir.Loc) []*Condition {
	var out []*Condition
	if k.pr.Blocks == nil {
		return nil
	}
	live := k.watched(c, l)
	for _, r := range k.allocated(c) {
		fresh, ok := k.blockRegister(c, r)
		if !ok || !slices.Contains(live, r) {
			continue
		}
		for o, to := range k.pr.Blocks.InFields {
			if to.Kind == fresh.Kind {
				out = append(out, k.inNoField(fresh, o))
			}
		}
	}
	slices.SortFunc(out, func(p, q *Condition) int { return strings.Compare(p.text, q.text) })
	return out
}

// inNoField returns the fact that no block has a pointer in one of its fields.
func (k *Knowledge) inNoField(fresh pointer, o ir.ObjectID) *Condition {
	k.bound = max(k.bound, 1)
	f := k.pr.Blocks.Field[o]
	return &Condition{
		text:  fmt.Sprintf("for all i: (%s)i%s != %s", k.pr.Blocks.Kinds[f.Kind-1].Name, strings.Replace(f.Name, ".", "->", 1), fresh.name),
		bound: 1,
		term: func(regs []smt.Term, m encode.Memory, q []smt.Term) smt.Term {
			return smt.Not(encode.Equal(k.pr.Read(m, encode.Spot{Region: k.pr.Whole[o], Index: q[0]}, f.Type), fresh.term(&symbolic{mem: m, regs: regs})))
		},
	}
}

// allocated returns the registers of a thread that get the address of a block that it allocates, and their copies.
func (k *Knowledge) allocated(c *program.Class) []ir.Reg {
	return copiesOf(c, func(op *ir.Op) bool { return op.Kind == ir.Alloc })
}

// pointerRegisters returns the registers of a thread that are pointers to blocks.
func (k *Knowledge) pointerRegisters(c *program.Class) []ir.Reg {
	var out []ir.Reg
	for r := range c.Code.Regs {
		if _, ok := k.blockRegister(c, ir.Reg(r)); ok {
			out = append(out, ir.Reg(r))
		}
	}
	return out
}
