package translate

import (
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
	"fencepost/internal/lazyregexp"
	"fencepost/internal/x86"
)

// Inline assembly: fences, hints, and the locked instructions that code for x86
// builds its atomics from, in AT&T syntax. The operands of a statement become
// registers and lvalues first, the instructions work on those one after the other,
// and what was computed for outputs is written to them at the end. What is not
// listed here is refused.
//
// asm.go has the operands of a statement, asm_lines.go its lines, labels and jumps, asm_goto.go jumps to
// labels of C, asm_machine.go registers and flags, asm_parts.go what package x86 asks for, asm_instruction.go,
// asm_extend.go and asm_system.go the instructions, asm_barrier.go the barriers of other processors.

// asmOperand is an operand of an assembly statement.
type asmOperand struct {
	name       string
	constraint string
	expr       *parse.Expr
	output     bool
	memory     bool
	flag       *x86.Condition // of an output such as "=@ccz"
	lvalue     Lvalue         // of outputs and of memory operands
	reg        ir.Reg         // holds the value of a register operand
	typ        ir.Type
	constant   *int64 // the value, if it is constant
}

// asmBlock is one assembly statement.
type asmBlock struct {
	In       *read.Unit
	Types    *Typing
	Syms     *Symbols
	Code     *Code
	Arith    *Arithmetic
	Mem      *Accesses
	Exprs    *Expressions
	Lvals    *Lvalues
	jump     func(*parse.Label) // leaves the statement for a label of C
	stmt     *parse.Stmt
	operands []*asmOperand
	machine  *asmMachine
	lines    []asmLine
	labels   []*parse.Label // of C, that asm goto may jump to
	stack    []asmPushed
}

// assembly is an inline assembly statement.
func (f *Statements) assembly(s *parse.Stmt) {
	b := &asmBlock{
		In: f.In, Types: f.Types, Syms: f.Syms, Code: f.Code, Arith: f.Arith, Mem: f.Mem, Exprs: f.Exprs, Lvals: f.Lvals,
		jump: f.jumpTo, stmt: s, machine: newAsmMachine(),
	}
	for i := range s.Asm.Outputs {
		b.operands = append(b.operands, b.operand(&s.Asm.Outputs[i], true))
	}
	for i := range s.Asm.Inputs {
		b.operands = append(b.operands, b.operand(&s.Asm.Inputs[i], false))
	}
	b.labels = s.Asm.Labels
	b.lines = asmLines(s.Asm.Template)
	b.findFlags()
	b.findLabels()
	b.read()
	outer := b.Code.machine
	b.Code.machine = true
	for i := range b.lines {
		b.line(i)
	}
	b.Code.machine = outer
	if b.Code.At != Nowhere {
		b.write(true)
	}
}

// operand reads "constraint"(expression).
func (b *asmBlock) operand(e *parse.AsmOperand, output bool) *asmOperand {
	text := e.Constraint
	o := &asmOperand{output: output, reg: ir.NoReg, name: e.Name, constraint: text, expr: e.Expr}
	if cond, ok := strings.CutPrefix(text, "=@cc"); ok {
		c, known := x86.ConditionNamed(cond)
		if !known || !output {
			b.In.Refuse(codeAsm, b.stmt, "the constraint %q is not supported", text)
		}
		o.flag = &c
		return o
	}
	o.memory = strings.ContainsAny(text, "moV") && !strings.ContainsAny(text, "rqg")
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

// read gives every operand its lvalue or its register, and registers their values.
func (b *asmBlock) read() {
	for _, o := range b.operands {
		if !o.output && !o.memory {
			continue
		}
		o.lvalue = b.Lvals.Lvalue(o.expr)
		if t := o.lvalue.Type; o.memory && (IsStruct(t) || isWide(t) || t.Kind == types.Array) { // some bytes, whatever they mean
			o.typ = ir.U64
			if size := o.lvalue.Type.Size(); size == 1 || size == 2 || size == 4 {
				o.typ = ir.Type{Bits: uint8(8 * size)}
			}
			continue
		}
		if o.typ = b.Types.Scalar(o.lvalue.Type, o.expr); o.typ.Float {
			b.In.Refuse(codeFloat, o.expr, "floating point is not supported here")
		}
	}
	for _, o := range b.operands {
		switch {
		case o.memory && o.lvalue.Reg != ir.NoReg:
			panic("BUG: a memory operand in a register")
		case o.memory, o.flag != nil:
		case o.output:
			o.reg = b.registerFor(o)
			if strings.Contains(o.constraint, "+") {
				b.Code.Assign(o.reg, b.Mem.Load(o.lvalue, o.expr).Expr)
				b.machine.written[o.reg] = true
			}
		default:
			b.input(o)
		}
	}
}

// registerFor returns the register that a constraint names or the variable is declared to be in, or one
// of its own.
func (b *asmBlock) registerFor(o *asmOperand) ir.Reg {
	if name := b.declaredRegister(o.expr); name != "" && name != "rsp" {
		return b.register(name)
	}
	for _, c := range o.constraint {
		if name, ok := asmLetters[c]; ok && !strings.ContainsAny(o.constraint, "rqQgR") {
			return b.register(name)
		}
	}
	return b.Code.Temp()
}

// input gives an input its register and value.
func (b *asmBlock) input(o *asmOperand) {
	v := b.Exprs.IntegerOrPointer(o.expr)
	o.typ = v.Type
	if n, ok := v.Expr.IsConst(); ok {
		o.constant = &n
	}
	if n, err := strconv.Atoi(strings.Trim(o.constraint, "%")); err == nil {
		if n < 0 || n >= len(b.operands) || !b.operands[n].output || b.operands[n].memory {
			b.In.Refuse(codeAsm, o.expr, "the constraint %q names no output in a register", o.constraint)
		}
		o.reg = b.operands[n].reg
	} else {
		o.reg = b.registerFor(o)
	}
	b.machine.written[o.reg] = true
	b.Code.Assign(o.reg, v.Expr)
}

// write stores the registers of outputs. At the end of the text all of them must have a value.
func (b *asmBlock) write(end bool) {
	for _, o := range b.operands {
		if !o.output || o.memory {
			continue
		}
		v := Value{}
		switch {
		case o.flag != nil:
			v = Integer(b.condition(*o.flag), ir.S64)
		case !b.machine.written[o.reg] && !end:
			continue
		case !b.machine.written[o.reg]:
			b.In.Refuse(codeAsm, o.expr, "this output is never written")
		default:
			v = Integer(ir.R(o.reg), ir.S64)
		}
		b.Mem.Store(o.lvalue, b.Arith.Convert(v, o.lvalue.Type, o.expr), o.expr)
	}
}

// isLockedNop reports whether an instruction is a locked one that changes nothing:
// adding or or-ing zero to the top of the stack.
func isLockedNop(p string) bool {
	p = strings.ReplaceAll(strings.ReplaceAll(p, " ", ""), "%%", "%")
	return lockedNop.MatchString(p)
}

var lockedNop = lazyregexp.New(`^lock(add|or|sub|xor)[bwlq]\$(0|0x0),-?(\d+|0x[0-9a-f]+)?\(%[re]sp\)$`)
