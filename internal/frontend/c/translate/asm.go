package translate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Inline assembly: fences, hints, and the locked instructions that code for x86
// builds its atomics from, in AT&T syntax. The operands of a statement become
// registers and lvalues first, the instructions work on those one after the other,
// and what was computed for outputs is written to them at the end. What is not
// listed here is refused.

// asmOperand is an operand of an assembly statement.
type asmOperand struct {
	name       string
	constraint string
	expr       cc.ExpressionNode
	output     bool
	memory     bool
	lvalue     Lvalue // of outputs and of memory operands
	reg        ir.Reg // holds the value of a register operand
	typ        ir.Type
	set        bool // the register has a value
	indirect   bool // memory at an address in a register, of any size
}

// asmBlock is one assembly statement.
type asmBlock struct {
	*Lowering
	stmt     *cc.AsmStatement
	operands []*asmOperand
	scratch  []*asmOperand     // registers that instructions name and no operand is bound to
	copies   map[ir.Reg]ir.Reg // registers without a value that were copied
	zero     *ir.Expr // whether the last result was 0; nil: not known
	jumps    bool     // there are labels, so that an instruction may not run
}

// assembly is an inline assembly statement.
func assembly(f *Lowering, s *cc.AsmStatement) {
	b := &asmBlock{Lowering: f, stmt: s}
	for q := s.Asm.AsmQualifierList; q != nil; q = q.AsmQualifierList {
		if q.AsmQualifier != nil && q.AsmQualifier.Case == cc.AsmQualifierGoto {
			f.In.Refuse(codeAsm, s, "asm goto is not supported")
		}
	}
	for i, l := 0, s.Asm.AsmArgList; l != nil; i, l = i+1, l.AsmArgList {
		for e := l.AsmExpressionList; e != nil && i < 2; e = e.AsmExpressionList {
			b.operands = append(b.operands, b.operand(e, i == 0))
		}
		if i > 2 {
			f.In.Refuse(codeAsm, s, "asm goto is not supported")
		}
	}
	b.read()
	b.run(b.lines(instructions(s.Asm.Token3.SrcStr())))
	b.writeFlags()
	b.write()
}

// operand reads "constraint"(expression).
func (b *asmBlock) operand(e *cc.AsmExpressionList, output bool) *asmOperand {
	o := &asmOperand{output: output, reg: ir.NoReg}
	if e.AsmIndex != nil && e.AsmIndex.ExpressionList != nil {
		if p, ok := Unparen(e.AsmIndex.ExpressionList).(*cc.PrimaryExpression); ok {
			o.name = p.Token.SrcStr()
		}
	}
	text, expr, ok := asmArgument(e.AssignmentExpression)
	if !ok {
		b.In.Refuse(codeAsm, b.stmt, "this operand is not supported")
	}
	o.constraint, o.expr = text, expr
	o.memory = strings.ContainsAny(text, "moV") && !strings.ContainsAny(text, "rqg")
	if _, flag := flagOutput(text); flag {
		o.memory = false
		return o
	}
	if name, ok := matchingName(text); ok {
		return b.matching(o, name)
	}
	for _, c := range strings.Trim(text, "=+&%") {
		if !strings.ContainsRune("rqQgamoVine0123456789", c) && !strings.ContainsRune("bcdDSIJKLMNOZeRlpX,*?!#", c) {
			b.In.Refuse(codeAsm, b.stmt, "the constraint %q is not supported", text)
		}
	}
	return o
}

// matchingName returns the name in a constraint such as "[result]", which says that an input shares the
// register of the output with that name.
func matchingName(constraint string) (string, bool) {
	name, ok := strings.CutPrefix(strings.Trim(constraint, "%"), "[")
	return strings.TrimSuffix(name, "]"), ok
}

// matching gives an input the constraint with the number of the output that has a name.
func (b *asmBlock) matching(o *asmOperand, name string) *asmOperand {
	i := slices.IndexFunc(b.operands, func(other *asmOperand) bool { return other.name == name })
	if i < 0 {
		b.In.Reject(codeAsm, b.stmt, "the constraint %q names no operand", o.constraint)
	}
	o.constraint, o.memory = strconv.Itoa(i), false
	return o
}

// asmArgument takes "constraint"(expression) apart, which cc reads as a call.
func asmArgument(e cc.ExpressionNode) (constraint string, expr cc.ExpressionNode, ok bool) {
	call, isCall := e.(*cc.PostfixExpression)
	if !isCall || call.Case != cc.PostfixExpressionCall {
		return "", nil, false
	}
	p, isString := call.PostfixExpression.(*cc.PrimaryExpression)
	args := arguments(call)
	if !isString || p.Case != cc.PrimaryExpressionString || len(args) != 1 {
		return "", nil, false
	}
	return strings.Trim(p.Token.SrcStr(), `"`), args[0], true
}

// read gives every operand its lvalue or its register, and registers their values.
func (b *asmBlock) read() {
	for _, o := range b.operands {
		if !o.output && !o.memory {
			continue
		}
		o.lvalue = b.Lvals.Lvalue(o.expr)
		if size := o.lvalue.Type.Size(); o.memory && IsStruct(o.lvalue.Type) && (size == 1 || size == 2 || size == 4 || size == 8) {
			o.typ = ir.Type{Bits: uint8(8 * size)} // some bytes, whatever they mean
		} else {
			o.typ = b.Types.Scalar(o.lvalue.Type, o.expr)
		}
	}
	for _, o := range b.operands {
		switch {
		case o.memory && o.lvalue.Reg != ir.NoReg:
			panic("BUG: a memory operand in a register")
		case o.memory:
		case o.output:
			if o.set = strings.Contains(o.constraint, "+"); !b.share(o) {
				o.reg = b.Code.Temp()
			}
			if o.set {
				b.Code.Assign(o.reg, b.Mem.Load(o.lvalue, o.expr).Expr)
			}
		default:
			v := b.Lowering.Exprs.Operand(o.expr)
			o.typ = v.Type
			if n, err := strconv.Atoi(strings.Trim(o.constraint, "%")); err == nil {
				if n < 0 || n >= len(b.operands) || !b.operands[n].output || b.operands[n].memory {
					b.In.Refuse(codeAsm, o.expr, "the constraint %q names no output in a register", o.constraint)
				}
				o.reg = b.operands[n].reg
				b.operands[n].set = true
			} else if b.share(o) {
				b.setShared(o.reg)
			} else {
				o.reg = b.Code.Temp()
			}
			o.set = true
			b.Code.Assign(o.reg, v.Expr)
		}
	}
}

// setShared says that a register has a value, for all operands that share it.
func (b *asmBlock) setShared(r ir.Reg) {
	for _, o := range append(slices.Clone(b.operands), b.scratch...) {
		if !o.memory && o.reg == r {
			o.set = true
		}
	}
}

// write stores the registers of outputs.
func (b *asmBlock) write() {
	for _, o := range b.operands {
		if !o.output || o.memory {
			continue
		}
		if !o.set {
			b.In.Refuse(codeAsm, o.expr, "this output is never written")
		}
		v := Integer(ir.R(o.reg), ir.S64)
		b.Mem.Store(o.lvalue, b.Exprs.Convert(v, o.lvalue.Type, o.expr), o.expr)
	}
}

// instructions cuts the text of an assembly statement; a prefix stays with its
// instruction.
func instructions(literal string) []string {
	text := strings.ToLower(strings.Trim(literal, `"`))
	for _, sep := range []string{`\n`, `\t`, "\n", "\t"} {
		text = strings.ReplaceAll(text, sep, ";")
	}
	var out []string
	prefix := ""
	for _, p := range strings.Split(text, ";") {
		p = strings.Join(strings.Fields(p), " ")
		switch p {
		case "":
		case "lock", "rep":
			prefix = p + " "
		default:
			out = append(out, prefix+p)
			prefix = ""
		}
	}
	if prefix != "" {
		out = append(out, prefix)
	}
	return out
}

func (b *asmBlock) instruction(p string) {
	switch {
	case p == "mfence", isLockedNop(p):
		b.Mem.FullFence()
		return
	case p == "sfence":
		StoreFence(b.Lowering)
		return
	case p == "lfence", p == "pause", p == "rep nop", p == "nop":
		b.Code.Emit(ir.NewOp(ir.Nop))
		return
	}
	if b.foreignBarrier(p) {
		return
	}
	locked := strings.HasPrefix(p, "lock ")
	word, rest, _ := strings.Cut(strings.TrimPrefix(p, "lock "), " ")
	in := &asmInstruction{asmBlock: b, text: p, locked: locked}
	for _, a := range splitOperands(rest) {
		in.args = append(in.args, b.argument(a, p))
	}
	in.run(word)
}

// splitOperands cuts at commas outside parentheses.
func splitOperands(s string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(s[from:]); last != "" {
		out = append(out, last)
	}
	return out
}

// asmArg is an operand of one instruction: one of the statement's, or a number.
type asmArg struct {
	operand *asmOperand // nil: a number
	value   int64
}

// argument reads %0, %b0, %[name] or $5.
func (b *asmBlock) argument(text, instruction string) asmArg {
	if num, ok := strings.CutPrefix(text, "$"); ok {
		if v, err := strconv.ParseInt(num, 0, 64); err == nil {
			return asmArg{value: v}
		}
	}
	if o := b.named(text); o != nil {
		return asmArg{operand: o}
	}
	if o := b.indirect(text, instruction); o != nil {
		return asmArg{operand: o}
	}
	if ref, ok := strings.CutPrefix(text, "%"); ok && ref != "" {
		if len(ref) > 1 && strings.ContainsRune("bwkqhc", rune(ref[0])) {
			ref = ref[1:]
		}
		if name, ok := strings.CutPrefix(ref, "["); ok {
			name = strings.TrimSuffix(name, "]")
			i := slices.IndexFunc(b.operands, func(o *asmOperand) bool { return o.name != "" && strings.EqualFold(o.name, name) })
			if i >= 0 {
				return asmArg{operand: b.operands[i]}
			}
		}
		if n, err := strconv.Atoi(ref); err == nil && n >= 0 && n < len(b.operands) {
			return asmArg{operand: b.operands[n]}
		}
	}
	b.In.Refuse(codeAsm, b.stmt, "the operand %q of the instruction %q is not supported", text, instruction)
	panic("BUG: unreachable")
}

// isLockedNop reports whether an instruction is a locked one that changes nothing:
// adding or or-ing zero to the top of the stack.
func isLockedNop(p string) bool {
	p = strings.ReplaceAll(strings.ReplaceAll(p, " ", ""), "%%", "%")
	return lockedNop.MatchString(p)
}

var lockedNop = regexp.MustCompile(`^lock(add|or|sub|xor)[bwlq]\$(0|0x0),-?(\d+|0x[0-9a-f]+)?\(%[re]sp\)$`)
