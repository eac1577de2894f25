package translate

import (
	"regexp"
	"slices"
	"strings"

	"fencepost/internal/ir"
)

// Control flow and flags in assembly: labels, jumps on the zero flag, comparisons, and outputs that are
// flags ("=@ccz"). The flag is known after an instruction that sets it, up to the next label.

var asmLabel = regexp.MustCompile(`^(\.?[a-z0-9_]+|[a-z0-9_.]*%=) *: *`)

// asmLine is an instruction, or a label.
type asmLine struct {
	label string // "" for an instruction
	text  string
	at    ir.Loc // of a label
}

// lines cuts labels off.
func (b *asmBlock) lines(texts []string) []asmLine {
	var out []asmLine
	for _, text := range texts {
		for m := asmLabel.FindStringSubmatch(text); m != nil; m = asmLabel.FindStringSubmatch(text) {
			out = append(out, asmLine{label: m[1], at: b.Code.Label("")})
			text = text[len(m[0]):]
			b.jumps = true
		}
		if text != "" {
			out = append(out, asmLine{text: text})
		}
	}
	return out
}

// run translates the lines in order.
func (b *asmBlock) run(all []asmLine) {
	for i, l := range all {
		if l.label != "" {
			b.zero = nil
			b.Code.Here(l.at)
			continue
		}
		if !b.jump(all, i) {
			b.instruction(l.text)
		}
	}
}

// jumpConditions are the jumps on the zero flag, and whether they jump if it is set.
var jumpConditions = map[string]bool{"jz": true, "je": true, "jnz": false, "jne": false}

// jump translates a jump, and reports whether the line is one.
func (b *asmBlock) jump(all []asmLine, i int) bool {
	word, target, _ := strings.Cut(all[i].text, " ")
	set, conditional := jumpConditions[word]
	if !conditional && word != "jmp" {
		return false
	}
	to := asmTarget(all, i, strings.TrimSpace(target))
	if to < 0 {
		b.In.Refuse(codeAsm, b.stmt, "the target of %q is not in this statement", all[i].text)
	}
	if word == "jmp" {
		b.Code.Jump(all[to].at)
		return true
	}
	if b.zero == nil {
		b.In.Refuse(codeAsm, b.stmt, "the instruction %q needs one before it that sets the zero flag", all[i].text)
	}
	cond := b.zero
	if !set {
		cond = ir.Negate(cond)
	}
	from, next := b.Code.Start(), b.Code.Label("")
	b.Code.Assume(from, cond, all[to].at)
	b.Code.Assume(from, ir.Negate(cond), next)
	b.Code.At, b.Code.Fresh = next, false
	return true
}

// asmTarget returns the index of the label that a jump in line i names, -1 if there is none. 1f is the next
// label 1, and 1b the last one.
func asmTarget(all []asmLine, i int, name string) int {
	is := func(label string) func(asmLine) bool { return func(l asmLine) bool { return l.label == label } }
	if n := len(name); n > 1 && name[0] >= '0' && name[0] <= '9' {
		switch label := name[:n-1]; name[n-1] {
		case 'f':
			if k := slices.IndexFunc(all[i:], is(label)); k >= 0 {
				return i + k
			}
			return -1
		case 'b':
			for k := i; k >= 0; k-- {
				if all[k].label == label {
					return k
				}
			}
			return -1
		}
	}
	if name == "" {
		return -1
	}
	return slices.IndexFunc(all, is(name))
}

// compare is cmp or test, which only set flags.
func (in *asmInstruction) compare(name string, suffix ir.Type) {
	if in.locked {
		in.unsupported()
	}
	t := suffix
	for _, a := range in.args {
		if o := a.operand; t == (ir.Type{}) && o != nil {
			t = ir.Type{Bits: o.typ.Bits}
		}
	}
	if t == (ir.Type{}) {
		in.unsupported()
	}
	x, y := in.read(in.args[0], t), in.read(in.args[1], t)
	zero := ir.Binary(ir.Eq, t, x, y)
	if name == "test" {
		zero = ir.Binary(ir.Eq, t, ir.Binary(ir.And, t, x, y), ir.Int(0))
	}
	in.zero = in.Lvals.Save(Integer(zero, ir.S32)).Expr
}

// read returns the content of an operand, which may be in memory.
func (in *asmInstruction) read(a asmArg, t ir.Type) *ir.Expr {
	if a.operand == nil || !a.operand.memory {
		return in.value(a, t)
	}
	op := Access(ir.Load, a.operand.lvalue, in.widthOf(a.operand, t), ir.Plain)
	op.Dst = in.Code.Temp()
	in.Code.Emit(op)
	return ir.R(op.Dst)
}

// flagOutput returns the flag that an output is, such as "z" for "=@ccz".
func flagOutput(constraint string) (string, bool) { return strings.CutPrefix(constraint, "=@cc") }

// writeFlags gives outputs that are flags their values.
func (b *asmBlock) writeFlags() {
	for _, o := range b.operands {
		flag, ok := flagOutput(o.constraint)
		if !ok {
			continue
		}
		v := b.zero
		switch {
		case v == nil || !slices.Contains([]string{"z", "e", "nz", "ne"}, flag):
			b.In.Refuse(codeAsm, b.stmt, "the flag %q is not known here", o.constraint)
		case strings.HasPrefix(flag, "n"):
			v = ir.Negate(v)
		}
		b.Code.Assign(o.reg, v)
		o.set = true
	}
}
