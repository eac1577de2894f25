package lift

import "golang.org/x/arch/x86/x86asm"

// instruction translates the instruction; false: it has no translation.
func (l *Lifter) instruction() bool {
	if n, ok := conditions[l.in.Op]; ok {
		return l.conditional(n)
	}
	switch l.in.Op {
	case x86asm.LFENCE, x86asm.MFENCE, x86asm.SFENCE: // with a prefix these are other instructions, or none
		if b := l.bytes[0]; b == 0x66 || b == 0xf2 || b == 0xf3 {
			return false
		}
	}
	f := table[l.in.Op]
	return f != nil && f(l)
}

// conditions are the instructions with a condition, with its number.
var conditions = map[x86asm.Op]int{}

// table has the translations, by mnemonic.
var table map[x86asm.Op]func(*Lifter) bool

func init() {
	for n, ops := range [][3]x86asm.Op{
		{x86asm.JO, x86asm.SETO, x86asm.CMOVO}, {x86asm.JNO, x86asm.SETNO, x86asm.CMOVNO},
		{x86asm.JB, x86asm.SETB, x86asm.CMOVB}, {x86asm.JAE, x86asm.SETAE, x86asm.CMOVAE},
		{x86asm.JE, x86asm.SETE, x86asm.CMOVE}, {x86asm.JNE, x86asm.SETNE, x86asm.CMOVNE},
		{x86asm.JBE, x86asm.SETBE, x86asm.CMOVBE}, {x86asm.JA, x86asm.SETA, x86asm.CMOVA},
		{x86asm.JS, x86asm.SETS, x86asm.CMOVS}, {x86asm.JNS, x86asm.SETNS, x86asm.CMOVNS},
		{x86asm.JP, x86asm.SETP, x86asm.CMOVP}, {x86asm.JNP, x86asm.SETNP, x86asm.CMOVNP},
		{x86asm.JL, x86asm.SETL, x86asm.CMOVL}, {x86asm.JGE, x86asm.SETGE, x86asm.CMOVGE},
		{x86asm.JLE, x86asm.SETLE, x86asm.CMOVLE}, {x86asm.JG, x86asm.SETG, x86asm.CMOVG},
	} {
		for _, op := range ops {
			conditions[op] = n
		}
	}
	table = map[x86asm.Op]func(*Lifter) bool{
		x86asm.MOV: (*Lifter).move, x86asm.MOVZX: (*Lifter).move, x86asm.MOVSX: (*Lifter).moveSigned, x86asm.MOVSXD: (*Lifter).moveSigned,
		x86asm.LEA: (*Lifter).lea, x86asm.PUSH: (*Lifter).push, x86asm.POP: (*Lifter).pop, x86asm.LEAVE: (*Lifter).leave,
		x86asm.XCHG: (*Lifter).exchange, x86asm.BSWAP: (*Lifter).swapBytes,
		x86asm.CBW: widen(8, 16), x86asm.CWDE: widen(16, 32), x86asm.CDQE: widen(32, 64),
		x86asm.CWD: signs(16), x86asm.CDQ: signs(32), x86asm.CQO: signs(64),

		x86asm.ADD: (*Lifter).add, x86asm.ADC: (*Lifter).add, x86asm.SUB: (*Lifter).subtract, x86asm.SBB: (*Lifter).subtract, x86asm.CMP: (*Lifter).subtract,
		x86asm.AND: (*Lifter).logic, x86asm.OR: (*Lifter).logic, x86asm.XOR: (*Lifter).logic, x86asm.TEST: (*Lifter).logic,
		x86asm.INC: (*Lifter).increment, x86asm.DEC: (*Lifter).increment, x86asm.NEG: (*Lifter).negate, x86asm.NOT: (*Lifter).not,
		x86asm.SHL: (*Lifter).shift, x86asm.SHR: (*Lifter).shift, x86asm.SAR: (*Lifter).shift,
		x86asm.ROL: (*Lifter).rotate, x86asm.ROR: (*Lifter).rotate,
		x86asm.IMUL: (*Lifter).multiplySigned, x86asm.MUL: (*Lifter).multiply, x86asm.DIV: (*Lifter).divide, x86asm.IDIV: (*Lifter).divide,
		x86asm.BT: (*Lifter).bit, x86asm.BTS: (*Lifter).bit, x86asm.BTR: (*Lifter).bit, x86asm.BTC: (*Lifter).bit,
		x86asm.BSF: (*Lifter).scan, x86asm.BSR: (*Lifter).scan, x86asm.TZCNT: (*Lifter).scan, x86asm.POPCNT: (*Lifter).population,
		x86asm.CLC: carry(0), x86asm.STC: carry(1), x86asm.CMC: (*Lifter).complementCarry,

		x86asm.XADD: (*Lifter).exchangeAdd, x86asm.CMPXCHG: (*Lifter).compareExchange, x86asm.CMPXCHG16B: (*Lifter).compareExchange16,
		x86asm.MFENCE: fence(true), x86asm.SFENCE: fence(false),

		x86asm.JMP: (*Lifter).jump, x86asm.CALL: (*Lifter).call, x86asm.RET: (*Lifter).ret,
		x86asm.JRCXZ: (*Lifter).jumpIfZero, x86asm.JECXZ: (*Lifter).jumpIfZero,
		x86asm.UD2: (*Lifter).trap, x86asm.UD1: (*Lifter).trap, x86asm.HLT: (*Lifter).trap,

		x86asm.STOSB: (*Lifter).stringStore, x86asm.STOSW: (*Lifter).stringStore, x86asm.STOSD: (*Lifter).stringStore, x86asm.STOSQ: (*Lifter).stringStore,
		x86asm.MOVSB: (*Lifter).stringMove, x86asm.MOVSW: (*Lifter).stringMove, x86asm.MOVSD: (*Lifter).stringMove, x86asm.MOVSQ: (*Lifter).stringMove,
	}
	for _, op := range []x86asm.Op{
		x86asm.NOP, x86asm.PAUSE, x86asm.LFENCE, x86asm.PREFETCHNTA, x86asm.PREFETCHT0, x86asm.PREFETCHT1, x86asm.PREFETCHT2, x86asm.PREFETCHW,
	} {
		table[op] = func(*Lifter) bool { return true }
	}
	for _, op := range []x86asm.Op{x86asm.MOVAPS, x86asm.MOVUPS, x86asm.MOVAPD, x86asm.MOVUPD, x86asm.MOVDQA, x86asm.MOVDQU} {
		table[op] = (*Lifter).moveVector
	}
	for _, op := range []x86asm.Op{x86asm.MOVQ, x86asm.MOVD, x86asm.MOVSS, x86asm.MOVSD_XMM, x86asm.MOVLPS, x86asm.MOVLPD, x86asm.MOVHPS, x86asm.MOVHPD, x86asm.MOVLHPS, x86asm.MOVHLPS} {
		table[op] = (*Lifter).moveHalf
	}
	for op, f := range vectorTable {
		table[op] = f
	}
}

// Mnemonics returns how many mnemonics have a translation, conditions among them.
func Mnemonics() int { return len(table) + len(conditions) }
