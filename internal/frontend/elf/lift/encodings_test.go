package lift

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
)

// Encodings that the forms do not have: other registers, prefixes, displacements and numbers. The code of a form is
// changed at random; what still has a translation is run on the processor, too.

var encodings = flag.Int("lift.encodings", 4, "how many changed encodings of each form are compared with the processor")

// notRun are mnemonics that the processor does not run for the tests, and why.
var notRun = map[x86asm.Op]string{
	x86asm.CALL: "it leaves the code", x86asm.RET: "it leaves the code",
}

// tried returns the mnemonics of the forms, with the flags that are undefined after them.
func tried(t testing.TB, list []form, codes [][]byte) map[x86asm.Op]uint64 {
	t.Helper()
	out := map[x86asm.Op]uint64{}
	for i, code := range codes {
		for at := 0; at < len(code); {
			in, err := x86asm.Decode(code[at:], 64)
			if err != nil {
				break // the decoder of the tests does not know it; the forms are compared nevertheless
			}
			out[in.Op] |= list[i].undefined
			at += in.Len
		}
	}
	return out
}

// TestAllMnemonics: every mnemonic that has a translation is compared with the processor.
func TestAllMnemonics(t *testing.T) {
	list := forms()
	have := tried(t, list, assemble(t, list))
	check := func(op x86asm.Op) {
		if _, ok := have[op]; !ok && notRun[op] == "" {
			t.Errorf("%s has a translation, and no form", op)
		}
	}
	for op := range table {
		check(op)
	}
	for op := range conditions {
		check(op)
	}
}

// changed returns another encoding of an instruction; nil: there is no translation, or it cannot be run.
func changed(r *rand.Rand, code []byte) ([]byte, x86asm.Op, *Inst) {
	buf := append(bytes.Clone(code), make([]byte, 16)...)
	switch r.IntN(4) {
	case 0:
		buf = append([]byte{0x40 | byte(r.IntN(16))}, buf...)
	case 1:
		buf = append([]byte{[]byte{0x66, 0xf0, 0xf2, 0xf3}[r.IntN(4)]}, buf...)
	}
	for range 1 + r.IntN(3) {
		buf[r.IntN(len(code)+2)] = byte(r.IntN(256))
	}
	in, err := x86asm.Decode(buf, 64)
	if err != nil || in.Len > 15 {
		return nil, 0, nil
	}
	for _, a := range in.Args {
		if m, ok := a.(x86asm.Mem); ok && m.Segment != 0 {
			return nil, 0, nil
		}
	}
	out, err := New(absolute{}).Lift(buf, codeAt)
	if err != nil || out.End != Next && out.End != Stop || out.Guard != nil {
		return nil, 0, nil
	}
	return buf[:len(out.Bytes)], in.Op, out
}

// inside reports whether the accesses of an instruction are in memory that the evaluation has.
func inside(m *machine, in *Inst) bool {
	probe := *m
	probe.regs = append([]int64{}, m.regs...)
	align := uint64(1) // of the next access: operands of 16 bytes are taken to be aligned
	if strings.Contains(in.Text, "xmmword") {
		align = 16
	}
	for i := range in.Ops {
		op := &in.Ops[i]
		if op.Accesses() {
			if at := uint64(probe.eval(op.Addr)) - memoryAt; at > memorySize-64 || at%align != 0 {
				return false
			}
			align = min(align, 8)
		}
		if !probe.step(op) {
			return true
		}
	}
	return true
}

// TestNativeEncodings: changed encodings agree with the processor.
func TestNativeEncodings(t *testing.T) {
	p := newProcessor(t)
	list := forms()
	codes := assemble(t, list)
	undefined := tried(t, list, codes)
	r := rand.New(rand.NewPCG(*caseSeed, 28))
	compared, bad, ops := 0, 0, map[x86asm.Op]int{}
	for i := range list {
		contents := newPool(r)
		for range *encodings {
			code, op, in := changed(r, codes[i])
			flags, known := undefined[op]
			if code == nil || !known {
				continue
			}
			f := form{text: in.Text, undefined: flags, small: list[i].small, pointers: list[i].pointers}
			var states []*state
			var machines []*machine
			for range 4 {
				s := contents.random(r, &f)
				for k := range s.Regs { // most registers are pointers, so that most operands are in memory
					if ir.Reg(k) != RSP && r.IntN(2) == 0 {
						s.Regs[k] = memoryAt + 1024 + 8*uint64(r.IntN(128))
					}
				}
				m := newMachine(s)
				if in.Needs != nil && m.eval(in.Needs) == 0 || !inside(m, in) {
					continue
				}
				m.run(map[uint64]*Inst{codeAt: in}, len(code))
				states, machines = append(states, s), append(machines, m)
			}
			if err := p.batch(states, code); err != nil {
				t.Fatalf("%s (% x): %v", in.Text, code, err)
			}
			for k, m := range machines {
				compared++
				ops[op]++
				if d := m.difference(states[k], &f); d != "" {
					if bad++; bad < 40 {
						t.Errorf("%s (% x): %s", in.Text, code, d)
					}
					break
				}
			}
		}
	}
	t.Logf("%d cases of %d mnemonics compared", compared, len(ops))
	if compared < len(list) || len(ops) < 80 {
		t.Errorf("only %d cases of %d mnemonics compared", compared, len(ops))
	}
}
