package lift

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
)

// The processor as an oracle: every form is run on it with random registers, flags and memory, by a
// small program of its own, and the results are compared with an evaluation of the operations.

var cases = flag.Int("lift.cases", 150, "how many cases of each mnemonic and width are compared with the processor")
var caseSeed = flag.Uint64("lift.seed", 1, "the seed of the cases")

const (
	memoryAt   = 0x20000000
	memorySize = 4096
	codeAt     = 0x30000000
)

// state is the state of the processor, laid out as in testdata/runner.c.
type state struct {
	Regs    [16]uint64
	Vectors [32]uint64
	Flags   uint64
	Fault   uint64
	Memory  [memorySize]byte
}

// tool returns the path of a program, and skips the test where there is none.
func tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("there is no %s here, so that nothing is compared with the processor", name)
	}
	return path
}

// assemble returns the code of all forms.
func assemble(t testing.TB, list []form) [][]byte {
	t.Helper()
	var text strings.Builder
	text.WriteString(".intel_syntax noprefix\n.text\n")
	for i, f := range list {
		fmt.Fprintf(&text, ".globl f%d\nf%d:\n%s\n", i, i, strings.ReplaceAll(f.text, "; ", "\n"))
	}
	fmt.Fprintf(&text, ".globl f%d\nf%d:\n", len(list), len(list))
	dir := t.TempDir()
	src, out := filepath.Join(dir, "forms.s"), filepath.Join(dir, "forms.o")
	if err := os.WriteFile(src, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(tool(t, "gcc"), "-c", "-o", out, src).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	im, err := object.Load([]object.Input{{Name: "forms.o", Data: data}})
	if err != nil {
		t.Fatal(err)
	}
	var codes [][]byte
	for i := range list {
		a, b := im.Linked[fmt.Sprintf("f%d", i)], im.Linked[fmt.Sprintf("f%d", i+1)]
		codes = append(codes, a.Sec.Data[a.Off:b.Off])
	}
	return codes
}

// absolute resolves addresses as they are.
type absolute struct{}

func (absolute) Memory(_ uint64, _ int, target uint64) (*ir.Expr, bool, error) {
	return ir.Int(int64(target)), false, nil
}

func (absolute) Thread(uint64, int) (*ir.Expr, error) { return nil, nil }

func (absolute) Block(uint64) (*ir.Expr, error) { return nil, nil }

func (absolute) Number(_ uint64, _, _ int, v int64, _ bool) (*ir.Expr, error) { return nil, nil }

func (absolute) Branch(_ uint64, _ int, target uint64) (Target, error) {
	return Target{Addr: target}, nil
}

// lifted translates the code of a form, by address.
func lifted(code []byte) (map[uint64]*Inst, error) {
	out := map[uint64]*Inst{}
	l := New(absolute{})
	for off := 0; off < len(code); {
		in, err := l.Lift(code[off:], codeAt+uint64(off))
		if err != nil {
			return nil, err
		}
		out[in.Addr] = in
		off += len(in.Bytes)
		if in.End != Next {
			l.NewBlock()
		}
	}
	return out, nil
}

var flagBits = []struct {
	reg ir.Reg
	bit uint64
}{{CF, flagCF}, {PF, flagPF}, {ZF, flagZF}, {SF, flagSF}, {OF, flagOF}}

// machine evaluates operations.
type machine struct {
	regs    []int64
	memory  [memorySize]byte
	failed  bool
	limited bool // the translation does not cover this case
}

func newMachine(s *state) *machine {
	m := &machine{regs: make([]int64, FirstTemp+200), memory: s.Memory}
	for i, v := range s.Regs {
		m.regs[i] = int64(v)
	}
	for i, v := range s.Vectors {
		m.regs[int(Vector)+i] = int64(v)
	}
	for _, f := range flagBits {
		if s.Flags&f.bit != 0 {
			m.regs[f.reg] = 1
		}
	}
	for i := range m.regs[FirstTemp:] {
		m.regs[int(FirstTemp)+i] = 0x5eadbeef // no instruction may read what it has not written
	}
	return m
}

func (m *machine) eval(e *ir.Expr) int64 { return e.Eval(ir.Env{Regs: m.regs}) }

func (m *machine) bytes(op *ir.Op) []byte {
	off := uint64(m.eval(op.Addr)) - memoryAt
	if off > memorySize-8 {
		m.failed = true
		return make([]byte, 8)
	}
	return m.memory[off : off+8]
}

func read(b []byte, t ir.Type) int64 { return t.Wrap(int64(binary.LittleEndian.Uint64(b))) }

func write(b []byte, t ir.Type, v int64) {
	for i := range t.Size() {
		b[i] = byte(v >> (8 * i))
	}
}

// step runs an operation; false: the execution has ended.
func (m *machine) step(op *ir.Op) bool {
	switch op.Kind {
	case ir.Assign:
		m.regs[op.Dst] = m.eval(op.Val)
	case ir.Load:
		m.regs[op.Dst] = read(m.bytes(op), op.Type)
	case ir.Store:
		write(m.bytes(op), op.Type, m.eval(op.Val))
	case ir.RMW:
		b := m.bytes(op)
		old, val, wrote := read(b, op.Type), m.eval(op.Val), int64(1)
		next := old
		switch op.RMW {
		case ir.Xchg:
			next = val
		case ir.FetchAdd:
			next = old + val
		case ir.FetchAnd:
			next = old & val
		case ir.FetchOr:
			next = old | val
		case ir.FetchXor:
			next = old ^ val
		case ir.Cas:
			if wrote = 0; old == val {
				next, wrote = m.eval(op.Val2), 1
			}
		default:
			panic(fmt.Sprintf("the evaluation does not know %s", op.RMW))
		}
		write(b, op.Type, next)
		m.regs[op.Dst] = old
		if op.Dst2 != ir.NoReg {
			m.regs[op.Dst2] = wrote
		}
	case ir.Assert:
		m.failed = m.failed || m.eval(op.Val) == 0
	case ir.Fence, ir.AtomicBegin, ir.AtomicEnd:
	default:
		panic(fmt.Sprintf("the evaluation does not know %s", op.Kind))
	}
	return !m.failed
}

// run evaluates the code of a form.
func (m *machine) run(code map[uint64]*Inst, length int) {
	for at, n := uint64(codeAt), 0; at < codeAt+uint64(length) && n < 10000; n++ {
		in := code[at]
		next := in.NextAddr()
		if in.Needs != nil && m.eval(in.Needs) == 0 {
			m.limited = true
			return
		}
		if in.Guard != nil && m.eval(in.Guard) == 0 {
			at = next
			continue
		}
		for i := range in.Ops {
			if !m.step(&in.Ops[i]) {
				return
			}
		}
		switch in.End {
		case Jump:
			next = in.To.Addr
		case Branch:
			if m.eval(in.Cond) != 0 {
				next = in.To.Addr
			}
		case Repeat:
			next = at
		}
		at = next
	}
}

// number picks a number that is likely to meet a border.
func number(r *rand.Rand) uint64 {
	switch r.IntN(6) {
	case 0:
		return uint64(r.IntN(4)) - 1
	case 1:
		return uint64(1)<<r.IntN(64) + uint64(r.IntN(3)) - 1
	case 2:
		return uint64(r.IntN(256))
	case 3:
		return uint64(int64(-1) << r.IntN(64))
	}
	return r.Uint64() >> (8 * r.IntN(8))
}

// pool has the contents of memory of many cases, so that a case takes a window of it and need not make thousands of
// numbers. There are as many of them as words in the pool.
type pool [8 * memorySize]byte

func newPool(r *rand.Rand) *pool {
	p := &pool{}
	for i := 0; i < len(p); i += 8 {
		binary.LittleEndian.PutUint64(p[i:], number(r))
	}
	return p
}

// registerNames are the names of the general registers, by number.
var registerNames = strings.Fields("rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15")

// random makes the state that a form begins with.
func (p *pool) random(r *rand.Rand, f *form) *state {
	s := &state{}
	for i := range s.Regs {
		s.Regs[i] = number(r)
	}
	for i := range s.Vectors {
		s.Vectors[i] = number(r)
	}
	copy(s.Memory[:], p[8*r.IntN((len(p)-memorySize)/8):])
	for _, f := range flagBits {
		if r.IntN(2) == 0 {
			s.Flags |= f.bit
		}
	}
	s.Flags |= 2
	index := func(name string) int { return slices.Index(registerNames, name) }
	s.Regs[RSP] = memoryAt + 2048 + 16*uint64(r.IntN(8))
	s.Regs[R11] = 0
	for _, name := range f.small {
		s.Regs[index(name)] = uint64(r.IntN(40))
	}
	for i, name := range f.pointers {
		s.Regs[index(name)] = memoryAt + 512 + uint64(1024*i) + 16*uint64(r.IntN(16))
	}
	if f.dividend && r.IntN(4) > 0 { // most quotients fit
		s.Regs[RBX] >>= r.IntN(40)
		switch {
		case strings.HasPrefix(f.text, "idiv"):
			s.Regs[RDX] = uint64(int64(s.Regs[RAX]) >> 63)
			if strings.Contains(f.text, "dword") || strings.Contains(f.text, "ebx") {
				s.Regs[RDX] = uint64(int32(s.Regs[RAX]) >> 31)
			}
		default:
			s.Regs[RDX] = 0
		}
	}
	return s
}

// difference compares a result of the processor with the evaluation.
func (m *machine) difference(s *state, f *form) string {
	if (s.Fault != 0) != m.failed {
		return fmt.Sprintf("fault %d, evaluation fails: %v", s.Fault, m.failed)
	}
	if m.failed {
		return ""
	}
	for i, v := range s.Regs {
		if uint64(m.regs[i]) != v {
			return fmt.Sprintf("%s is 0x%x, evaluation 0x%x", RegisterName(ir.Reg(i)), v, uint64(m.regs[i]))
		}
	}
	for i, v := range s.Vectors {
		if r := int(Vector) + i; uint64(m.regs[r]) != v {
			return fmt.Sprintf("%s is 0x%x, evaluation 0x%x", RegisterName(ir.Reg(r)), v, uint64(m.regs[r]))
		}
	}
	for _, fl := range flagBits {
		if f.undefined&fl.bit == 0 && (s.Flags&fl.bit != 0) != (m.regs[fl.reg] != 0) {
			return fmt.Sprintf("%s is %v, evaluation %d", RegisterName(fl.reg), s.Flags&fl.bit != 0, m.regs[fl.reg])
		}
	}
	if !bytes.Equal(s.Memory[:], m.memory[:]) {
		return "the memory differs"
	}
	return ""
}

// widthOf returns the mnemonic of a form with the size of its operands.
func widthOf(f *form, code []byte) string {
	in, err := x86asm.Decode(code, 64)
	if err != nil {
		return f.name
	}
	return fmt.Sprintf("%s %d %d", f.name, in.DataSize, in.MemBytes)
}

// oracle compares forms with the processor.
type oracle struct {
	*processor
	r        *rand.Rand
	compared map[string]int // cases, by mnemonic and width
	limited  int            // cases that the translation does not cover; others are compared instead
	faults   int
}

// form compares a number of cases of a form, and returns the first difference.
func (o *oracle) form(f *form, code []byte, number int, group string) (string, error) {
	insts, err := lifted(code)
	if err != nil {
		return "", err
	}
	contents := newPool(o.r)
	for left, tries := number, 0; left > 0 && tries < 4*number; {
		var states []*state
		var machines []*machine
		for range min(left, 256) {
			tries++
			s := contents.random(o.r, f)
			m := newMachine(s)
			m.run(insts, len(code))
			if m.limited {
				o.limited++
				continue
			}
			states, machines = append(states, s), append(machines, m)
		}
		if err := o.batch(states, code); err != nil {
			return "", err
		}
		for k, m := range machines {
			o.compared[group]++
			if states[k].Fault != 0 {
				o.faults++
			}
			if d := m.difference(states[k], f); d != "" {
				return d, nil
			}
		}
		left -= len(machines)
	}
	return "", nil
}

// TestNative: the evaluation of every form agrees with the processor.
func TestNative(t *testing.T) {
	o := &oracle{processor: newProcessor(t), r: rand.New(rand.NewPCG(*caseSeed, 27)), compared: map[string]int{}}
	list := forms()
	codes := assemble(t, list)
	count, mnemonics := map[string]int{}, map[string]bool{}
	for i := range list {
		count[widthOf(&list[i], codes[i])]++
		mnemonics[list[i].name] = true
	}
	bad := 0
	for i := range list {
		f := &list[i]
		group := widthOf(f, codes[i])
		d, err := o.form(f, codes[i], (*cases+count[group]-1)/count[group], group)
		if err != nil {
			t.Fatalf("%s: %v", f.text, err)
		}
		if d != "" {
			if bad++; bad < 40 {
				t.Errorf("%s (% x): %s", f.text, codes[i], d)
			}
		}
	}
	compared := 0
	for group := range count {
		if compared += o.compared[group]; o.compared[group] < *cases && bad == 0 {
			t.Errorf("%s: only %d cases", group, o.compared[group])
		}
	}
	t.Logf("%d forms of %d mnemonics, %d with their widths, %d cases compared, %d of them with faults; %d beyond the translation", len(list), len(mnemonics), len(count), compared, o.faults, o.limited)
	if o.faults == 0 {
		t.Error("no case has a fault")
	}
}
