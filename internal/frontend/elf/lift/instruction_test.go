package lift

import (
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/ir"
)

// TestRefusals: what has no translation is refused with its bytes, its mnemonic, and advice.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		code string
		want []string
	}{
		{"\xc5\xf8\x77", []string{"vzeroupper", "c5 f8 77", "-mno-avx"}},
		{"\x62\xf1\x7c\x48\x58\xc1", []string{"62 f1", "-mno-avx"}},
		{"\x0f\x05", []string{"syscall", "system calls"}},
		{"\x0f\xc3\x07", []string{"movnti", "not ordered as TSO says"}},
		{"\x48\x0f\xc3\x07", []string{"movnti", "not ordered"}},
		{"\x66\x0f\xe7\x07", []string{"movntdq", "not ordered"}},
		{"\xd9\x07", []string{"fld", "floating point"}},
		{"\xf2\x0f\x58\xc1", []string{"addsd", "floating point"}},
		{"\x65\x48\x8b\x04\x25\x00\x00\x00\x00", []string{"segment gs"}},
		{"\x67\x8b\x06", []string{"32-bit addresses"}},
		{"\x0f\x31", []string{"rdtsc", "not known"}},
		{"\x06", []string{"an unknown instruction"}},
		{"\x48", []string{"an unknown instruction"}},
		{"\xc2\x08\x00", []string{"ret"}},
		{"\x0f\xc7\x0f", []string{"cmpxchg8b"}},
	} {
		in, err := New(absolute{}).Lift([]byte(c.code), 0x1000)
		if err == nil {
			t.Errorf("% x is translated: %s", c.code, in.Text)
			continue
		}
		r, ok := err.(*Refusal)
		if !ok || r.Addr != 0x1000 {
			t.Errorf("% x: %#v", c.code, err)
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("% x: %q lacks %q", c.code, err, want)
			}
		}
	}
}

// TestAccesses: an operand in memory is one access of its width, a locked instruction one RMW, and a
// move of 16 bytes two accesses.
func TestAccesses(t *testing.T) {
	for code, want := range map[string]string{
		"\x89\x06":             "store 32",                                                     // mov [rsi], eax
		"\x01\x06":             "load 32, store 32",                                            // add [rsi], eax
		"\xf0\x01\x06":         "rmw 32",                                                       // lock add [rsi], eax
		"\x87\x06":             "rmw 32",                                                       // xchg [rsi], eax
		"\x66\x87\x06":         "rmw 16",                                                       // xchg [rsi], ax
		"\xf0\x48\x0f\xb1\x0e": "rmw 64",                                                       // lock cmpxchg [rsi], rcx
		"\x48\x0f\xb1\x0e":     "load 64, store 64",                                            // cmpxchg [rsi], rcx
		"\x0f\x28\x06":         "load 64, load 64",                                             // movaps xmm0, [rsi]
		"\x0f\x11\x06":         "store 64, store 64",                                           // movups [rsi], xmm0
		"\x3a\x06":             "load 8",                                                       // cmp al, [rsi]
		"\x0f\xae\xf0":         "fence full",                                                   // mfence
		"\x0f\xae\xf8":         "fence ss",                                                     // sfence
		"\x0f\xae\xe8":         "",                                                             // lfence
		"\xf3\x90":             "",                                                             // pause
		"\xf0\x48\x0f\xc7\x0e": "atomicbegin, load 64, load 64, store 64, store 64, atomicend", // lock cmpxchg16b [rsi]
		"\xf0\x83\x0c\x24\x00": "rmw 32",                                                       // lock or dword ptr [rsp], 0
		"\x0f\x18\x0e":         "",                                                             // prefetcht0 [rsi]
		"\x8d\x46\x08":         "",                                                             // lea eax, [rsi+8]
	} {
		in, err := New(absolute{}).Lift([]byte(code), 0x1000)
		if err != nil {
			t.Errorf("% x: %v", code, err)
			continue
		}
		var got []string
		for _, op := range in.Ops {
			switch {
			case op.Accesses():
				got = append(got, op.Kind.String()+" "+strings.TrimPrefix(op.Type.String(), "u"))
			case op.Kind == ir.Fence:
				got = append(got, "fence "+op.Fence.String())
			case op.Kind != ir.Assign:
				got = append(got, op.Kind.String())
			}
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: %q, want %q", in.Text, text, want)
		}
	}
}

// TestAnyBytes: no bytes panic, and a translation uses no register that it does not write and that is
// none of the processor's.
func TestAnyBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	translated := 0
	for range 200000 {
		code := make([]byte, 1+r.IntN(15))
		for i := range code {
			code[i] = byte(r.IntN(256))
		}
		in, err := New(absolute{}).Lift(code, 0x1000)
		if err != nil {
			continue
		}
		translated++
		written := map[ir.Reg]bool{}
		check := func(q ir.Reg) {
			if q >= FirstTemp && !written[q] {
				t.Fatalf("% x (%s) reads a register that is not written", code, in.Text)
			}
		}
		for _, op := range in.Ops {
			op.Uses(check)
			op.Defs(func(q ir.Reg) { written[q] = true })
		}
	}
	if translated == 0 {
		t.Error("nothing was translated")
	}
}

// TestHowMany: the mnemonics that are planned for have translations.
func TestHowMany(t *testing.T) {
	if n := Mnemonics(); n < 100 {
		t.Errorf("%d mnemonics", n)
	}
}
