package lift

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
	"fencepost/internal/x86"
)

// Resolver knows what the fields of an instruction mean that are or may be addresses. off is the
// offset of the field in the instruction.
type Resolver interface {
	// Memory resolves an operand at an address relative to the instruction, which is target if no
	// relocation says otherwise. If value is true, the operand is a word of a table of addresses,
	// and the expression is the value of the word.
	Memory(addr uint64, off int, target uint64) (e *ir.Expr, value bool, err error)
	// Number resolves an immediate number or a displacement; thread says that it is an offset in
	// the block of a thread.
	Number(addr uint64, off, size int, value int64, thread bool) (*ir.Expr, error)
	// Thread resolves the word at the beginning of the block of a thread, which holds the address of the block.
	Thread(addr uint64, off int) (*ir.Expr, error)
	// Block returns the address of the block of a thread, to which an operand with registers is relative; nil: the
	// registers hold all of the address.
	Block(addr uint64) (*ir.Expr, error)
	// Branch resolves the target of a jump or call.
	Branch(addr uint64, off int, target uint64) (Target, error)
}

// Target is where a jump or call goes: an address, or a function that is defined elsewhere.
type Target struct {
	Addr uint64
	Name string // "": Addr
}

// End says where the execution goes after an instruction.
type End uint8

// The ends. Zero: to the next instruction.
const (
	Next     End = iota
	Jump         // to Target
	Branch       // to Target if Cond, else to the next
	Indirect     // to the address Cond
	Call         // a call of Target; then the next
	CallTo       // a call of the address Cond; then the next
	Ret          // out of the function
	Repeat       // the instruction again
	Stop         // nowhere: the operations end the execution
)

// Inst is a translated instruction.
type Inst struct {
	Addr  uint64
	Bytes []byte
	Text  string // in Intel's syntax
	// Guard says when the operations run, nil: always. Otherwise the next instruction comes.
	Guard *ir.Expr
	// Needs says when the translation holds, nil: always.
	Needs *ir.Expr
	Ops   []ir.Op
	End   End
	Cond  *ir.Expr
	To    Target
	// ReadsParity says that the instruction reads the flag PF.
	ReadsParity bool
	// flags say what the flags are made of afterwards; asksBefore, that knowing it before gives a better translation.
	flags      compared
	asksBefore bool
	// Push says that the first store is of a register that the function saves, or of its argument.
	Push, Pop bool
}

// NextAddr returns the address of the instruction after this one.
func (in *Inst) NextAddr() uint64 { return in.Addr + uint64(len(in.Bytes)) }

// Refusal says why an instruction has no translation.
type Refusal struct {
	Addr  uint64
	Bytes []byte
	Text  string // mnemonic and operands, "" if the bytes are no instruction that is known
	Why   string
}

func (r *Refusal) Error() string {
	text := r.Text
	if text == "" {
		text = "an unknown instruction"
	}
	return fmt.Sprintf("%s (bytes % x) is not supported%s", text, r.Bytes, r.Why)
}

// Lifter translates the instructions of a basic block in order.
type Lifter struct {
	// NoParity leaves out the flag PF, which almost no code reads.
	NoParity bool

	res Resolver
	ops []ir.Op // of the instruction

	in    x86asm.Inst
	addr  uint64
	bytes []byte
	out   *Inst
	temps ir.Reg
	// compared says what the flags were made of, in this block.
	compared compared
	err      error
}

// New returns a lifter for the beginning of a block.
func New(res Resolver) *Lifter { return &Lifter{res: res} }

// NewBlock forgets what is known about the flags.
func (l *Lifter) NewBlock() { l.compared = compared{} }

// Alone makes the next instruction one whose flags before it are not known so far.
func (l *Lifter) Alone() { l.compared = compared{before: true} }

// Pass goes on after an instruction that was translated alone. It returns false if the instruction has a better
// translation now, because the flags before it are known.
func (l *Lifter) Pass(in *Inst) bool {
	if in.asksBefore && l.compared.source != x86.OtherSource {
		return false
	}
	if !in.flags.before {
		l.compared = in.flags
	}
	return true
}

// Lift translates the instruction at the beginning of code.
func (l *Lifter) Lift(code []byte, addr uint64) (*Inst, error) {
	code = code[:min(len(code), 15)] // no instruction is longer
	if in := special(code, addr); in != nil {
		return in, nil
	}
	in, err := x86asm.Decode(code, 64)
	if err != nil || in.Op == 0 || in.Len == 0 || in.Len > len(code) {
		return nil, undecoded(code, addr)
	}
	l.in, l.addr, l.bytes, l.temps, l.err, l.ops = in, addr, code[:in.Len], FirstTemp, nil, l.ops[:0]
	l.out = &Inst{Addr: addr, Bytes: l.bytes, Text: strings.ToLower(x86asm.IntelSyntax(in, addr, nil))}
	if r := l.refuseEarly(); r != nil {
		return nil, r
	}
	if !l.instruction() {
		return nil, l.refuse(advice(in))
	}
	if l.err != nil {
		return nil, l.err
	}
	l.out.Ops, l.out.flags = slices.Clone(l.ops), l.compared
	return l.out, nil
}

// special returns the instructions that the decoder does not know: endbr64 and endbr32, which mark
// targets of jumps.
func special(code []byte, addr uint64) *Inst {
	if len(code) < 4 || code[0] != 0xf3 || code[1] != 0x0f || code[2] != 0x1e || code[3] != 0xfa && code[3] != 0xfb {
		return nil
	}
	return &Inst{Addr: addr, Bytes: code[:4], Text: []string{"endbr64", "endbr32"}[code[3]-0xfa], flags: compared{before: true}}
}

// undecoded refuses bytes that the decoder does not know.
func undecoded(code []byte, addr uint64) *Refusal {
	r := &Refusal{Addr: addr, Bytes: code}
	if len(code) > 0 && (code[0] == 0xc5 || code[0] == 0xc4 || code[0] == 0x62) {
		r.Text, r.Why = "an AVX instruction", ": compile with -mno-avx"
	}
	return r
}

func (l *Lifter) refuse(why string) *Refusal {
	return &Refusal{Addr: l.addr, Bytes: l.bytes, Text: l.out.Text, Why: why}
}

// advice says what the user can do about an instruction without a translation.
func advice(in x86asm.Inst) string {
	name := in.Op.String()
	switch {
	case strings.HasPrefix(name, "MOVNT"):
		return ": its store is not ordered as TSO says"
	case strings.HasPrefix(name, "F") && name != "FXSAVE":
		return ": floating point of the 8087 is not supported"
	case name == "SYSCALL" || strings.HasPrefix(name, "INT"):
		return ": system calls are not supported"
	case strings.HasSuffix(name, "SS") || strings.HasSuffix(name, "SD") || strings.HasSuffix(name, "PS") || strings.HasSuffix(name, "PD"):
		return ": floating point is not supported"
	case in.Op == x86asm.RDTSC || in.Op == x86asm.RDTSCP || in.Op == x86asm.CPUID:
		return ": what it returns is not known"
	}
	return ""
}

// refuseEarly refuses what no translation below expects.
func (l *Lifter) refuseEarly() *Refusal {
	in := &l.in
	for _, p := range in.Prefix {
		switch {
		case p == 0:
			continue
		case p&x86asm.PrefixInvalid != 0:
			return l.refuse(": the prefix does not belong to it")
		case p&0xff == x86asm.PrefixGS && p&x86asm.PrefixIgnored == 0:
			return l.refuse(": the segment gs is not supported")
		case p&0xff == x86asm.PrefixAddrSize && p&x86asm.PrefixIgnored == 0 && usesMemory(in):
			return l.refuse(": 32-bit addresses are not supported")
		}
		if p.IsVEX() || p.IsEVEX() {
			return l.refuse(": compile with -mno-avx")
		}
	}
	return nil
}

func usesMemory(in *x86asm.Inst) bool {
	for _, a := range in.Args {
		if _, ok := a.(x86asm.Mem); ok {
			return true
		}
	}
	return false
}

// has reports whether the instruction has a prefix.
func (l *Lifter) has(p x86asm.Prefix) bool {
	for _, q := range l.in.Prefix {
		if q&0xff == p && q&x86asm.PrefixIgnored == 0 {
			return true
		}
	}
	return false
}

func (l *Lifter) emit(op ir.Op)                { l.ops = append(l.ops, op) }
func (l *Lifter) assign(to ir.Reg, e *ir.Expr) { l.emit(assignment(to, e)) }

func assignment(to ir.Reg, e *ir.Expr) ir.Op {
	op := ir.NewOp(ir.Assign)
	op.Dst, op.Val = to, e
	return op
}

// temp returns a new register of the instruction.
func (l *Lifter) temp() ir.Reg {
	l.temps++
	return l.temps - 1
}

// keep assigns a value to a new register.
func (l *Lifter) keep(e *ir.Expr) *ir.Expr {
	if _, ok := e.IsConst(); ok {
		return e
	}
	t := l.temp()
	l.assign(t, e)
	return ir.R(t)
}

// fail keeps the first error of the resolver.
func (l *Lifter) fail(err error) {
	if l.err == nil && err != nil {
		l.err = l.refuse(": " + err.Error())
	}
}

func access(kind ir.OpKind, addr *ir.Expr, bits int) ir.Op {
	op := ir.NewOp(kind)
	op.Type, op.Addr, op.Sync.Order = unsigned(bits), addr, ir.Relaxed
	if addr.Op == ir.AddrOf {
		op.Obj = addr.Obj
	}
	return op
}

func (l *Lifter) load(addr *ir.Expr, bits int) *ir.Expr {
	op := access(ir.Load, addr, bits)
	op.Dst = l.temp()
	l.emit(op)
	return ir.R(op.Dst)
}

func (l *Lifter) store(addr *ir.Expr, bits int, val *ir.Expr) {
	op := access(ir.Store, addr, bits)
	op.Val = val
	l.emit(op)
}

// assert ends the execution with an error of the program unless a condition holds.
func (l *Lifter) assert(cond *ir.Expr, class ir.CheckClass, msg string) {
	op := ir.NewOp(ir.Assert)
	op.Val, op.Report = cond, ir.Report{Class: class, Msg: msg}
	l.emit(op)
}
