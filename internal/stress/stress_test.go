package stress

import (
	"reflect"
	"strings"
	"testing"
)

// sb is store buffering, with an observed part of a register and a pointer in memory.
func sb() *Test {
	return &Test{
		Name: "SB", Base: 0x1234000,
		Locations: []Location{
			{Name: "x", Size: 4, Align: 4},
			{Name: "evil */ name", Size: 8, Align: 8, Init: make([]byte, 8), Pointers: []Pointer{{At: 0, Width: 8, Target: Address{0, 2}}}},
		},
		Threads: []Thread{
			{Asm: []string{"movl $1, 0(%rcx)", "movl 0(%rdx), %eax"}, In: []Input{
				{Register: "rax", Number: -1 << 63}, {Register: "rcx", IsAddress: true}, {Register: "rdi", Number: 7}, {Register: "rdx", IsAddress: true, Address: Address{1, 4}},
			}, Out: []string{"rax", "rdi"}},
			{},
		},
		Observe: []Var{{Thread: 0, Out: 1, Shift: 8, Held: 8, Bits: 8, Signed: true}, {Thread: -1, Address: Address{1, 4}, Held: 32, Bits: 32}},
	}
}

func TestWrite(t *testing.T) {
	p, err := Write(sb())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"enum { THREADS = 2, LOCATIONS = 2, OBSERVED = 2, INPUTS = 4, OUTPUTS = 2 };",
		"REGION_HINT 0x1234000ul",
		// The context's register is loaded last.
		`  "movq 0(%rdi), %rax\n"` + "\n" + `  "movq 8(%rdi), %rcx\n"` + "\n" + `  "movq 24(%rdi), %rdx\n"` + "\n" + `  "movq 16(%rdi), %rdi\n"` + "\n" + `  "# the test\n"`,
		`  "movl $1, 0(%rcx)\n"` + "\n" + `  "movl 0(%rdx), %eax\n"` + "\n" + `  "# the end of the test\n"` + "\n" + `  "push %rax\n"` + "\n" + `  "push %rdi\n"` + "\n" +
			`  "movq 16(%rsp), %rdi\n"` + "\n" + `  "popq 8+8*4(%rdi)\n"` + "\n" + `  "popq 0+8*4(%rdi)\n"` + "\n",
		"fp_pointers_1[] = {{0,8,0,2},",
		"{{-1,(-9223372036854775807l-1)},{0,0},{-1,7l},{1,4},},{{-1,0}}",
		"{0,1,8,0,0,8,8,1},{-1,0,0,1,4,32,32,0},",
		"int main(",
	} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("the program does not have\n%s\n%s", want, p.Text[:strings.Index(p.Text, "The part of a stress program")])
		}
	}
	if strings.Contains(p.Text, "evil") {
		t.Error("the name of a location is in the program")
	}
}

func TestRead(t *testing.T) {
	const good = "rounds 30\nlost 1\nfinished 1\nprocessors 2\npinned 1\noutcome 10 -1 @1+4\noutcome 20 0 7\nend\n"
	run, err := Read(sb(), []byte(good))
	want := &Run{Rounds: 30, Lost: 1, Finished: true, Processors: 2, Pinned: true, Outcomes: []Outcome{
		{10, []Value{{Number: -1}, {IsAddress: true, Address: Address{1, 4}}}}, {20, []Value{{}, {Number: 7}}},
	}}
	if err != nil || !reflect.DeepEqual(run, want) {
		t.Errorf("%v %+v", err, run)
	}
	if run, err := Read(sb(), []byte("fault\n")); err != nil || !run.Fault {
		t.Errorf("%v %+v", err, run)
	}
	for _, bad := range []string{
		"", "rounds 30\n", "rounds x\nend\n", "outcome 1 2\nend\n", "outcome 1 2 3 4\nend\n", "outcome 1 2 @2+0\nend\n", "outcome 1 2 @-1+0\nend\n",
		"outcome 1 2 @1\nend\n", "outcome x 2 3\nend\n", "outcome 1 2 z\nend\n", "no memory\nend\n", "lost -\nend\n",
	} {
		if run, err := Read(sb(), []byte(bad)); err == nil {
			t.Errorf("%q is read as %+v", bad, run)
		}
	}
}
