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
		x86asm.XCHG: (*Lifter).exchange, x86asm.XADD: (*Lifter).exchangeAdd, x86asm.CMPXCHG: (*Lifter).compareExchange,
		x86asm.CMPXCHG8B: (*Lifter).compareExchangePair, x86asm.CMPXCHG16B: (*Lifter).compareExchangePair,
		x86asm.BSWAP: (*Lifter).reverseBytes, x86asm.MOVBE: (*Lifter).reverseBytes,
		x86asm.CBW: widen(8), x86asm.CWDE: widen(16), x86asm.CDQE: widen(32),
		x86asm.CWD: signs(16), x86asm.CDQ: signs(32), x86asm.CQO: signs(64),
		x86asm.IMUL: (*Lifter).multiplySigned, x86asm.MUL: (*Lifter).multiply, x86asm.DIV: (*Lifter).divide, x86asm.IDIV: (*Lifter).divide,
		x86asm.SHLD: (*Lifter).shiftPair, x86asm.SHRD: (*Lifter).shiftPair, x86asm.CRC32: (*Lifter).checksum,
		x86asm.MFENCE: (*Lifter).fence, x86asm.SFENCE: (*Lifter).fence, x86asm.LFENCE: (*Lifter).fence,
		x86asm.NOP: (*Lifter).fence, x86asm.PAUSE: (*Lifter).fence,

		x86asm.JMP: (*Lifter).jump, x86asm.CALL: (*Lifter).call, x86asm.RET: (*Lifter).ret,
		x86asm.JRCXZ: (*Lifter).jumpIfZero, x86asm.JECXZ: (*Lifter).jumpIfZero,
		x86asm.UD2: (*Lifter).trap, x86asm.UD1: (*Lifter).trap, x86asm.HLT: (*Lifter).trap,
	}
	for op := range stringWidths {
		table[op] = (*Lifter).stringStep
	}
	for _, op := range []x86asm.Op{
		x86asm.ADD, x86asm.ADC, x86asm.SUB, x86asm.SBB, x86asm.CMP, x86asm.AND, x86asm.OR, x86asm.XOR, x86asm.TEST,
		x86asm.INC, x86asm.DEC, x86asm.NEG, x86asm.NOT,
	} {
		table[op] = (*Lifter).arithmetic
	}
	for _, op := range []x86asm.Op{
		x86asm.SHL, x86asm.SHR, x86asm.SAR, x86asm.ROL, x86asm.ROR, x86asm.RCL, x86asm.RCR,
	} {
		table[op] = (*Lifter).shift
	}
	for _, op := range []x86asm.Op{x86asm.BT, x86asm.BTS, x86asm.BTR, x86asm.BTC} {
		table[op] = (*Lifter).bit
	}
	for _, op := range []x86asm.Op{x86asm.BSF, x86asm.BSR, x86asm.TZCNT, x86asm.LZCNT, x86asm.POPCNT} {
		table[op] = (*Lifter).countBits
	}
	for _, op := range []x86asm.Op{x86asm.CLC, x86asm.STC, x86asm.CMC} {
		table[op] = (*Lifter).carry
	}
	for _, op := range []x86asm.Op{
		x86asm.PREFETCHNTA, x86asm.PREFETCHT0, x86asm.PREFETCHT1, x86asm.PREFETCHT2, x86asm.PREFETCHW,
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
