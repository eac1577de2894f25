package lift

import (
	"fmt"
	"strings"
)

// form is code that is run on the processor and evaluated: instructions in Intel's syntax.
type form struct {
	name string // the mnemonic, or what else the code is about
	text string
	// undefined has the flags that the manual leaves undefined after the code.
	undefined uint64
	// small are registers that get small numbers, such as indices; pointers get addresses in memory.
	small, pointers []string
	// dividend says that rax and rdx are set up so that many divisions succeed.
	dividend bool
}

const (
	flagCF   = 1 << 0
	flagPF   = 1 << 2
	flagZF   = 1 << 6
	flagSF   = 1 << 7
	flagOF   = 1 << 11
	allFlags = flagCF | flagPF | flagZF | flagSF | flagOF
)

// register names by width.
var names = map[int]map[string]string{
	8:  {"a": "al", "b": "bl", "c": "cl", "d": "dl", "r": "r9b", "x": "r14b"},
	16: {"a": "ax", "b": "bx", "c": "cx", "d": "dx", "r": "r9w", "x": "r14w"},
	32: {"a": "eax", "b": "ebx", "c": "ecx", "d": "edx", "r": "r9d", "x": "r14d"},
	64: {"a": "rax", "b": "rbx", "c": "rcx", "d": "rdx", "r": "r9", "x": "r14"},
}

var pointer = map[int]string{8: "byte ptr", 16: "word ptr", 32: "dword ptr", 64: "qword ptr"}

// at is an operand in memory: through rsi, with and without an index.
func at(bits, n int) string {
	return pointer[bits] + []string{" [rsi+8]", " [rsi+r14*4+4]", " [rsi]"}[n%3]
}

type formList []form

func (l *formList) add(name, text string, undefined uint64) *form {
	*l = append(*l, form{name: name, text: text, undefined: undefined, small: []string{"r14"}, pointers: []string{"rsi"}})
	return &(*l)[len(*l)-1]
}

var widths = []int{8, 16, 32, 64}

// forms returns all forms.
func forms() []form {
	var l formList
	for _, w := range widths {
		n := names[w]
		l.arithmetic(w, n)
		l.shifts(w, n)
		l.moves(w, n)
		l.atomics(w, n)
		if w > 8 {
			l.words(w, n)
		}
	}
	l.conversions()
	l.conditions()
	l.stack()
	l.vectors()
	return l
}

func (l *formList) arithmetic(w int, n map[string]string) {
	for _, op := range []string{"add", "adc", "sub", "sbb", "cmp", "and", "or", "xor", "test"} {
		l.add(op, fmt.Sprintf("%s %s, %s", op, n["a"], n["b"]), 0)
		l.add(op, fmt.Sprintf("%s %s, %s", op, n["r"], n["a"]), 0)
		l.add(op, fmt.Sprintf("%s %s, %s", op, n["d"], n["d"]), 0)
		l.add(op, fmt.Sprintf("%s %s, 0x5a", op, n["d"]), 0)
		l.add(op, fmt.Sprintf("%s %s, -3", op, n["a"]), 0)
		l.add(op, fmt.Sprintf("%s %s, %s", op, at(w, 0), n["b"]), 0)
		l.add(op, fmt.Sprintf("%s %s, 0x11", op, at(w, 1)), 0)
		if op != "test" {
			l.add(op, fmt.Sprintf("%s %s, %s", op, n["c"], at(w, 1)), 0)
		}
		if op != "cmp" && op != "test" {
			l.add("lock "+op, fmt.Sprintf("lock %s %s, %s", op, at(w, 0), n["b"]), 0)
			l.add("lock "+op, fmt.Sprintf("lock %s %s, 5", op, at(w, 1)), 0)
		}
		if w == 8 {
			l.add(op, op+" ah, cl", 0)
			l.add(op, op+" bl, dh", 0)
		}
		if w >= 32 {
			l.add(op, fmt.Sprintf("%s %s, 0x12345678", op, n["r"]), 0)
		}
	}
	for _, op := range []string{"inc", "dec", "neg", "not"} {
		l.add(op, op+" "+n["a"], 0)
		l.add(op, op+" "+at(w, 0), 0)
		l.add("lock "+op, "lock "+op+" "+at(w, 2), 0)
	}
	for _, op := range []string{"mul", "imul"} {
		undefined := uint64(flagSF | flagZF | flagPF)
		l.add(op, op+" "+n["b"], undefined)
		l.add(op, op+" "+at(w, 0), undefined)
		if op == "imul" && w > 8 {
			l.add(op, fmt.Sprintf("imul %s, %s", n["a"], n["b"]), undefined)
			l.add(op, fmt.Sprintf("imul %s, %s, 77", n["d"], n["c"]), undefined)
			l.add(op, fmt.Sprintf("imul %s, %s, 0x1234", n["d"], at(w, 1)), undefined)
		}
	}
	for _, op := range []string{"div", "idiv"} {
		l.add(op, op+" "+n["b"], allFlags).dividend = true
		l.add(op, op+" "+at(w, 0), allFlags).dividend = true
	}
}

func (l *formList) shifts(w int, n map[string]string) {
	for _, op := range []string{"shl", "shr", "sar", "rol", "ror", "rcl", "rcr"} {
		for _, count := range []int{1, 3, w - 1} {
			undefined := uint64(flagOF)
			if count == 1 {
				undefined = 0
			}
			l.add(op, fmt.Sprintf("%s %s, %d", op, n["a"], count), undefined)
			l.add(op, fmt.Sprintf("%s %s, %d", op, at(w, 0), count), undefined)
		}
		undefined := uint64(flagOF)
		if w < 32 {
			undefined |= flagCF // of a count that is larger than the width
		}
		l.add(op, fmt.Sprintf("%s %s, cl", op, n["b"]), undefined)
		l.add(op, fmt.Sprintf("%s %s, cl", op, at(w, 1)), undefined)
	}
}

func (l *formList) moves(w int, n map[string]string) {
	l.add("mov", fmt.Sprintf("mov %s, %s", n["a"], n["b"]), 0)
	l.add("mov", fmt.Sprintf("mov %s, 0x77", n["r"]), 0)
	l.add("mov", fmt.Sprintf("mov %s, -2", n["d"]), 0)
	l.add("mov", fmt.Sprintf("mov %s, -2", at(w, 1)), 0)
	l.add("mov", fmt.Sprintf("mov %s, %s", n["c"], at(w, 0)), 0)
	l.add("mov", fmt.Sprintf("mov %s, %s", at(w, 1), n["d"]), 0)
	l.add("xchg", fmt.Sprintf("xchg %s, %s", n["a"], n["b"]), 0)
	l.add("xchg", fmt.Sprintf("xchg %s, %s", n["d"], n["r"]), 0)
	l.add("xchg", fmt.Sprintf("xchg %s, %s", at(w, 0), n["r"]), 0)
	if w == 8 {
		l.add("mov", "mov ah, bl", 0)
		l.add("mov", "mov dl, ch", 0)
		l.add("mov", "mov sil, dil", 0).pointers = nil
		l.add("xchg", "xchg ah, bl", 0)
	}
}

func (l *formList) atomics(w int, n map[string]string) {
	for _, lock := range []string{"", "lock "} {
		l.add(lock+"xadd", fmt.Sprintf("%sxadd %s, %s", lock, at(w, 0), n["b"]), 0)
		l.add(lock+"cmpxchg", fmt.Sprintf("%scmpxchg %s, %s", lock, at(w, 0), n["b"]), 0)
		l.add(lock+"cmpxchg", fmt.Sprintf("mov %s, %s; %scmpxchg %s, %s", n["a"], at(w, 0), lock, at(w, 0), n["b"]), 0)
	}
	l.add("xadd", fmt.Sprintf("xadd %s, %s", n["d"], n["b"]), 0)
	l.add("xadd", fmt.Sprintf("xadd %s, %s", n["d"], n["d"]), 0)
}

// words has what there is for 16 bits and more.
func (l *formList) words(w int, n map[string]string) {
	for _, op := range []string{"bt", "bts", "btr", "btc"} {
		undefined := uint64(flagOF | flagSF | flagPF)
		l.add(op, fmt.Sprintf("%s %s, 7", op, n["a"]), undefined)
		l.add(op, fmt.Sprintf("%s %s, %s", op, n["a"], n["c"]), undefined)
		l.add(op, fmt.Sprintf("%s %s, 9", op, at(w, 0)), undefined)
		l.add(op, fmt.Sprintf("%s %s, %s", op, at(w, 2), n["x"]), undefined)
		if op != "bt" {
			l.add("lock "+op, fmt.Sprintf("lock %s %s, 9", op, at(w, 0)), undefined)
			l.add("lock "+op, fmt.Sprintf("lock %s %s, %s", op, at(w, 2), n["x"]), undefined)
		}
	}
	for _, op := range []string{"bsf", "bsr", "tzcnt", "lzcnt"} {
		undefined := uint64(allFlags &^ flagZF)
		if op == "tzcnt" || op == "lzcnt" {
			undefined = allFlags &^ (flagZF | flagCF)
		}
		l.add(op, fmt.Sprintf("%s %s, %s", op, n["a"], n["b"]), undefined)
		l.add(op, fmt.Sprintf("%s %s, %s", op, n["r"], at(w, 0)), undefined)
	}
	l.add("popcnt", fmt.Sprintf("popcnt %s, %s", n["a"], n["b"]), 0)
	if w >= 32 {
		l.add("bswap", "bswap "+n["b"], 0)
		l.add("crc32", fmt.Sprintf("crc32 %s, %s", names[w]["a"], n["b"]), 0)
	}
	l.add("movbe", fmt.Sprintf("movbe %s, %s", n["b"], at(w, 0)), 0)
	l.add("movbe", fmt.Sprintf("movbe %s, %s", at(w, 1), n["d"]), 0)
	l.add("lea", fmt.Sprintf("lea %s, [rbx+rcx*4-0x123]", n["a"]), 0)
	l.add("lea", fmt.Sprintf("lea %s, [rdx*8+0x40]", n["r"]), 0)
	for _, v := range []int{8, 16} {
		if v >= w {
			continue
		}
		for _, op := range []string{"movzx", "movsx"} {
			l.add(op, fmt.Sprintf("%s %s, %s", op, n["a"], names[v]["b"]), 0)
			l.add(op, fmt.Sprintf("%s %s, %s", op, n["d"], at(v, 1)), 0)
		}
	}
	if w < 64 {
		l.add("movzx", fmt.Sprintf("movzx %s, dh", n["a"]), 0)
	}
}

func (l *formList) conversions() {
	for _, r := range []string{"rax", "ecx", "dx", "bl"} {
		l.add("or", "or "+r+", -1", 0)
		l.add("and", "and "+r+", 0", 0)
	}
	for _, op := range []string{"cbw", "cwde", "cdqe", "cwd", "cdq", "cqo", "nop", "pause", "lfence", "mfence", "sfence", "clc", "stc", "cmc", "endbr64"} {
		l.add(op, op, 0)
	}
	l.add("mov", "mov rax, [rsi+r14*4-0x100]", 0)
	l.add("mov", "mov rax, [rsi-0x180]", 0)
	l.add("mov", "mov [rsi-0x80], ecx", 0)
	l.add("movsxd", "movsxd rax, ecx", 0)
	l.add("movsxd", "movsxd rdx, dword ptr [rsi+8]", 0)
	l.add("movabs", "movabs rax, 0x1234567890abcdef", 0)
	l.add("nop", "nop word ptr [rax+rax*1+0x0]", 0)
	for _, op := range []string{"prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta", "prefetchw"} {
		l.add(op, op+" [rsi]", 0)
	}
	for _, text := range []string{"ud2", "ud1 eax, ecx", "hlt"} {
		l.add(strings.Fields(text)[0], text, allFlags)
	}
	l.add("cmpxchg16b", "lock cmpxchg16b xmmword ptr [r12]", 0).pointers = []string{"r12"}
	l.add("cmpxchg16b", "mov rax, [r12]; mov rdx, [r12+8]; lock cmpxchg16b xmmword ptr [r12]", 0).pointers = []string{"r12"}
	l.add("cmpxchg8b", "lock cmpxchg8b qword ptr [rsi+8]", 0)
	l.add("cmpxchg8b", "mov eax, [rsi]; mov edx, [rsi+4]; lock cmpxchg8b qword ptr [rsi]", 0)
	for _, text := range []string{"eax, bl", "rax, byte ptr [rsi+3]", "edx, cx", "edx, word ptr [rsi+8]"} {
		l.add("crc32", "crc32 "+text, 0)
	}
	for _, w := range []string{"b", "w", "d", "q"} {
		l.add("stos", "stos"+w, 0).pointers = []string{"rdi"}
		l.add("movs", "movs"+w, 0).pointers = []string{"rdi", "rsi"}
		rep := l.add("rep stos", "rep stos"+w, 0)
		rep.pointers, rep.small = []string{"rdi"}, []string{"rcx"}
		rep = l.add("rep movs", "rep movs"+w, 0)
		rep.pointers, rep.small = []string{"rdi", "rsi"}, []string{"rcx"}
	}
}

var conditionNames = strings.Fields("o no b ae e ne be a s ns p np l ge le g")

// conditions has setcc, cmovcc and jcc of any flags, and after instructions whose operands they
// compare.
func (l *formList) conditions() {
	before := []string{"", "cmp %s, %s; ", "test %s, %s; ", "sub %s, %s; ", "and %s, %s; ", "add %s, %s; ", "dec %s; ", "neg %s; ", "shr %s, 1; ", "xor %s, %s; "}
	for i, cc := range conditionNames {
		for j, b := range before {
			w := widths[(i+j)%4]
			var args []any
			for k := range strings.Count(b, "%s") {
				args = append(args, names[w][[]string{"b", "d"}[k]])
			}
			text := fmt.Sprintf(b, args...)
			undefined := uint64(0)
			l.add("set"+cc, fmt.Sprintf("%sset%s al", text, cc), undefined)
			l.add("cmov"+cc, fmt.Sprintf("%scmov%s eax, ecx", text, cc), undefined)
			l.add("j"+cc, fmt.Sprintf("%sj%s 1f; mov r11d, 1; 1:", text, cc), undefined)
			// A change of the operands after the comparison does not change the condition.
			if b != "" {
				l.add("set"+cc, fmt.Sprintf("%smov %s, 1; set%s al", text, names[w]["b"], cc), undefined)
			}
		}
		l.add("cmov"+cc, fmt.Sprintf("cmov%s rax, qword ptr [rsi+8]", cc), 0)
		l.add("cmov"+cc, fmt.Sprintf("cmov%s dx, word ptr [rsi+8]", cc), 0)
		l.add("set"+cc, fmt.Sprintf("set%s byte ptr [rsi+8]", cc), 0)
	}
	l.add("jrcxz", "jrcxz 1f; mov r11d, 1; 1:", 0).small = []string{"rcx"}
	l.add("jecxz", "jecxz 1f; mov r11d, 1; 1:", 0)
	l.add("jmp", "jmp 1f; mov r11d, 1; 1:", 0)
}

func (l *formList) stack() {
	for _, text := range []string{"push rax", "push rsp", "push 0x55", "push -1", "push qword ptr [rsi+8]", "pop rcx", "pop rsp", "push rbx; pop rdx"} {
		l.add(strings.Fields(text)[0], text, 0)
	}
	leave := l.add("leave", "leave", 0)
	leave.pointers = []string{"rsi", "rbp"}
}

func (l *formList) vectors() {
	for _, op := range []string{"movaps", "movups", "movdqa", "movdqu", "movapd", "movupd"} {
		l.add(op, op+" xmm1, xmm0", 0)
		l.add(op, op+" xmm1, xmmword ptr [r12]", 0).pointers = []string{"r12"}
		l.add(op, op+" xmmword ptr [r12+16], xmm2", 0).pointers = []string{"r12"}
	}
	for _, text := range []string{
		"movq xmm0, rax", "movq rcx, xmm1", "movq xmm0, xmm1", "movq xmm2, qword ptr [rsi]", "movq qword ptr [rsi], xmm2",
		"movd xmm0, eax", "movd ecx, xmm1", "movd xmm0, dword ptr [rsi]", "movd dword ptr [rsi+8], xmm3",
		"movss xmm0, dword ptr [rsi]", "movss dword ptr [rsi], xmm0", "movss xmm0, xmm1",
		"movsd xmm0, qword ptr [rsi]", "movsd qword ptr [rsi], xmm0", "movsd xmm0, xmm1",
		"movhps xmm0, qword ptr [rsi]", "movhps qword ptr [rsi], xmm1", "movlps xmm0, qword ptr [rsi]", "movlps qword ptr [rsi], xmm1",
		"movhpd xmm0, qword ptr [rsi]", "movlpd xmm0, qword ptr [rsi]", "movlhps xmm0, xmm1", "movhlps xmm0, xmm1",
	} {
		l.add(strings.Fields(text)[0], text, 0)
	}
	for _, op := range strings.Fields("pxor xorps xorpd pand andps andpd por orps orpd paddq paddd paddw paddb psubq psubd psubw psubb pcmpeqd pcmpeqw pcmpeqb punpcklqdq punpckhqdq unpcklpd punpckldq unpcklps pcmpgtd pcmpgtw pcmpgtb pandn andnps andnpd pmuludq pmullw punpcklbw punpcklwd punpckhbw punpckhwd punpckhdq unpckhps packuswb pminub pmaxub") {
		l.add(op, op+" xmm0, xmm1", 0)
		l.add(op, op+" xmm2, xmm2", 0)
		l.add(op, op+" xmm3, xmmword ptr [r12]", 0).pointers = []string{"r12"}
	}
	for _, imm := range []string{"0xe0", "0x4e", "0x1b", "0xff"} {
		l.add("pshufd", "pshufd xmm0, xmm1, "+imm, 0)
		l.add("pshufd", "pshufd xmm2, xmm2, "+imm, 0)
		for _, op := range []string{"pshuflw", "pshufhw"} {
			l.add(op, op+" xmm0, xmm1, "+imm, 0)
			l.add(op, op+" xmm2, xmm2, "+imm, 0)
			l.add(op, op+" xmm3, xmmword ptr [r12], "+imm, 0).pointers = []string{"r12"}
		}
	}
	for _, op := range strings.Fields("psllw pslld psllq psrlw psrld psrlq psraw psrad") {
		for _, imm := range []string{"0", "3", "15", "16", "31", "32", "63", "64", "200"} {
			l.add(op, op+" xmm0, "+imm, 0)
		}
	}
	for _, imm := range []string{"0", "3", "4", "7"} {
		l.add("pextrw", "pextrw eax, xmm1, "+imm, 0)
		l.add("pinsrw", "pinsrw xmm1, eax, "+imm, 0)
		l.add("pinsrw", "pinsrw xmm1, word ptr [rsi+8], "+imm, 0)
	}
	for _, op := range []string{"pmovmskb", "movmskps", "movmskpd"} {
		l.add(op, op+" ecx, xmm1", 0)
	}
	for _, imm := range []string{"0", "1", "2", "3", "0x1b", "0x4e", "0xe4", "0xff"} {
		for _, op := range []string{"shufps", "shufpd"} {
			l.add(op, op+" xmm0, xmm1, "+imm, 0)
			l.add(op, op+" xmm2, xmm2, "+imm, 0)
			l.add(op, op+" xmm3, xmmword ptr [r12], "+imm, 0).pointers = []string{"r12"}
		}
	}
	for _, op := range []string{"shld", "shrd"} {
		for i, count := range []string{"0", "1", "7", "31", "32", "63"} {
			undefined := uint64(flagOF)
			if i < 2 {
				undefined = 0
			}
			l.add(op, op+" rax, rbx, "+count, undefined)
			l.add(op, op+" eax, ebx, "+count, undefined)
			l.add(op, op+" qword ptr [rsi+8], rdx, "+count, undefined)
		}
		l.add(op, op+" rdx, rax, cl", flagOF)
		l.add(op, op+" edx, eax, cl", flagOF)
		l.add(op, op+" dword ptr [rsi+8], eax, cl", flagOF)
	}
	for _, imm := range []string{"0", "3", "8", "11", "15", "16", "200"} {
		l.add("psrldq", "psrldq xmm0, "+imm, 0)
		l.add("pslldq", "pslldq xmm1, "+imm, 0)
	}
}
