package litmus

import (
	"fmt"
	"testing"

	"fencepost/internal/source"
)

// Numbers of a test are never addresses, whichever numbers they are: each test has
// the base of a test without numbers, reached in one way, in a register.
func TestNumbersAreNoAddresses(t *testing.T) {
	free := int64(chooseBase(nil))
	codes := map[string]string{
		"a number":       fmt.Sprintf("movl $%d,%%eax", free),
		"in hex":         fmt.Sprintf("movl $0x%x,%%eax", free),
		"a negative one": fmt.Sprintf("movq $-%d,%%rax", 1<<32-free),
		"next to it":     fmt.Sprintf("movl $%d,%%eax", free+1),
		"one more":       fmt.Sprintf("movl $%d,%%eax ; incl %%eax", free-1),
		"a sum":          fmt.Sprintf("movl $%d,%%eax ; addl $%d,%%eax", free-12345678, 12345678),
		"a difference":   fmt.Sprintf("movl $%d,%%eax ; subl $%d,%%eax", free+412345678, 412345678),
	}
	for what, code := range codes {
		text := "X86_64 number\n{ 0:rdi=x; }\n P0 ;\n " + code + " ;\n movl $1,(%rdi) ;\nexists (0:rax=x)\n"
		u, diags := Parse(source.NewFile("t.litmus", []byte(text)), Options{})
		if u.Program == nil {
			t.Fatalf("%s: %v", what, diags.All)
		}
		for _, v := range []int64{free, free + 1, free + 3} {
			if s := u.State([]int64{v}); s != fmt.Sprintf("0:rax=%d;", v) {
				t.Errorf("%s: %d is shown as %s", what, v, s)
			}
		}
		if s := u.State([]int64{int64(u.Program.Objects[0].Addr)}); s != "0:rax=x;" {
			t.Errorf("%s: the address is shown as %s", what, s)
		}
	}
}

// A test in C has its locations away from its numbers, too.
func TestNumbersAreNoAddressesInC(t *testing.T) {
	free := chooseBase(nil)
	text := fmt.Sprintf("C number\n{ int *p = &x; int x; }\nP0 (int **p) { long r0 = %d; int *r1 = *p; }\nexists (0:r0=x /\\ 0:r1=x)\n", free)
	u, diags := Parse(source.NewFile("t.litmus", []byte(text)), Options{})
	if u.Program == nil {
		t.Fatal(diags.All)
	}
	for _, o := range u.Program.Objects {
		if o.Addr <= free+keepAway && o.Addr+keepAway >= free {
			t.Errorf("%s lies at %d", o.Name, o.Addr)
		}
	}
}
