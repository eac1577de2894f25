package litmus_test

import (
	"context"
	"errors"
	"fencepost/internal/question/litmus"
	"strings"
	"testing"

	"fencepost/internal/native"
	"fencepost/internal/stress"
	"fencepost/query"
	"fencepost/verdict"
)

func runStress(t *testing.T, text string, run func(context.Context, stress.Program) ([]byte, error)) verdict.StressTest {
	t.Helper()
	test, err := litmus.Stress(context.Background(), query.Input{Name: "t.litmus", Text: []byte(text)}, litmusOptions(), run)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

const stressSB = "X86_64 SB\n{}\n P0 | P1 ;\n movl $1,(x) | movl $1,(y) ;\n movl (y),%eax | movl (x),%eax ;\nexists (0:rax=0 /\\ 1:rax=0)\n"

// TestStressComparison: what a program prints is held against what TSO allows.
func TestStressComparison(t *testing.T) {
	const head = "rounds 10\nlost 0\nfinished 1\nprocessors 2\npinned 1\n"
	const filtered = "X86_64 F\n{}\n P0 | P1 ;\n movl $1,(x) | movl (x),%eax ;\nfilter (1:rax=1)\nforall (1:rax=1)\n"
	const loop = "X86_64 L\n{}\n P0 | P1 ;\nL0: | ;\n incl (x) | movl $1,(y) ;\n cmpl $1,(y) | ;\n jne L0 | ;\nlocations [x;]\nexists (x=1)\n"
	const pointer = "X86_64 P\n{ int64_t p=0; 0:rdi=x; }\n P0 ;\n movq %rdi,(p) ;\n movl $1,(x) ;\nexists (p=x)\n"
	for _, c := range []struct {
		name, test, output string
		status             verdict.StressStatus
		want               string // of states, counts and reason
	}{
		{"allowed", stressSB, head + "outcome 7 0 1\noutcome 3 0 0\nend\n", verdict.StressAllowed, "3*0:rax=0; 1:rax=0;(weak) 7 0:rax=0; 1:rax=1; "},
		{"not allowed", stressSB, head + "outcome 7 0 1\noutcome 3 2 0\nend\n", verdict.StressForbidden, "7 0:rax=0; 1:rax=1; 3!0:rax=2; 1:rax=0;(weak) "},
		{"a filter", filtered, head + "outcome 7 0\noutcome 3 1\nend\n", verdict.StressAllowed, "3*1:rax=1; "},
		{"a bound", loop, head + "outcome 10 99\nend\n", verdict.StressUnknown, "10![x]=99; an outcome was seen that the search, which did not cover everything, has not found: [x]=99;"},
		{"an address", pointer, head + "outcome 10 @1+0\nend\n", verdict.StressAllowed, "10*[p]=x; "},
		{"inside", pointer, head + "outcome 10 @1+1\nend\n", verdict.StressForbidden, "10![p]=x+1;(weak) "},
		{"a fault", stressSB, "fault\n", verdict.StressUnknown, "the test accessed memory that is not there"},
		{"no round", stressSB, "rounds 0\nlost 0\nfinished 0\nend\n", verdict.StressUnknown, "no round came to its end"},
		{"lost", stressSB, "rounds 5\nlost 5\nfinished 1\nend\n", verdict.StressUnknown, "more outcomes than can be counted: 5 rounds have others"},
		{"unfinished", stressSB, "rounds 5\nlost 0\nfinished 0\noutcome 5 1 1\nend\n", verdict.StressAllowed, "5 0:rax=1; 1:rax=1; a round did not come to its end"},
		{"garbage", stressSB, "no memory\n", verdict.StressUnknown, `the stress program printed "no memory": unknown word`},
	} {
		got := runStress(t, c.test, func(context.Context, stress.Program) ([]byte, error) { return []byte(c.output), nil })
		if got.Status != c.status || stressText(&got) != c.want {
			t.Errorf("%s: %s: %q, want %s: %q", c.name, got.Status, stressText(&got), c.status, c.want)
		}
	}
}

func stressText(t *verdict.StressTest) string {
	var b strings.Builder
	for _, o := range t.Outcomes {
		mark := map[[2]bool]string{{true, true}: "*", {true, false}: " ", {false, false}: "!", {false, true}: "!*"}[[2]bool{o.Allowed, o.Holds}]
		b.WriteString(strings.TrimSpace(strings.Join([]string{itoa(o.Count), o.State}, mark)))
		if o.Weak() {
			b.WriteString("(weak)")
		}
		b.WriteString(" ")
	}
	return b.String() + t.Reason
}

func itoa(n int64) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// TestStressNotRun: what cannot run says why, and no program is compiled.
func TestStressNotRun(t *testing.T) {
	never := func(context.Context, stress.Program) ([]byte, error) {
		t.Error("a program was run")
		return nil, nil
	}
	wrong := runStress(t, "X86_64 S\n{ 0:rdi=x; }\n P0 ;\n movl 64(%rdi),%eax ;\nexists (0:rax=0)\n", never)
	if wrong.Status != verdict.StressNotRun || !strings.Contains(wrong.Reason, "executions go wrong") {
		t.Errorf("%s: %s", wrong.Status, wrong.Reason)
	}
	broken := runStress(t, "X86_64 S\n{}\n P0 ;\n frobnicate ;\nexists (x=0)\n", never)
	if !broken.Refused() {
		t.Errorf("%+v", broken)
	}
	refused := runStress(t, stressSB, func(context.Context, stress.Program) ([]byte, error) {
		return nil, &stress.CompileError{Message: "no such thing"}
	})
	if refused.Status != verdict.StressNotRun || refused.Reason != "the compiler refuses it: no such thing" {
		t.Errorf("%s: %s", refused.Status, refused.Reason)
	}
	failed := runStress(t, stressSB, func(context.Context, stress.Program) ([]byte, error) { return nil, errors.New("disk full") })
	if failed.Status != verdict.StressUnknown || failed.Reason != "disk full" {
		t.Errorf("%s: %s", failed.Status, failed.Reason)
	}
}

// TestStressProcessor runs tests whose outcome does not depend on timing. In the second
// half of each the program has another number than the test: the processor then shows
// what the model does not allow.
func TestStressProcessor(t *testing.T) {
	compiler, err := native.Find(0.01)
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ name, test, from, to, state, wrong string }{
		{"one thread", "X86_64 one\n{ int64_t x=0; int *p=x; 0:rcx=3; }\n P0 ;\n movb $1,x+1 ;\n movl (x),%eax ;\n movq (p),%rdx ;\n addb %ch,%cl ;\nexists (0:rax=256 /\\ 0:rdx=x /\\ 0:cl=3)\n",
			"movb $1, 1(", "movb $2, 1(", "0:rax=256; 0:cl=3; 0:rdx=x;", "0:rax=512; 0:cl=3; 0:rdx=x;"},
		{"32 bits", "X86 old\n{ 0:EDI=x; }\n P0 ;\n MOV [EDI],$-1 ;\n MOV EAX,[x] ;\nexists (0:EAX=-1)\n", "movl $-1,", "movl $-2,", "0:EAX=-1;", "0:EAX=-2;"},
		{"a loop", "X86_64 loop\n{ 0:rcx=3; }\n P0 ;\nL0: ;\n addl $5,(x) ;\n decl %ecx ;\n jne L0 ;\nexists (x=15)\n", "addl $5", "addl $4", "[x]=15;", "[x]=12;"},
		{"C", "C one\n{ int x = 2; }\nP0 (int *x) { int r0; if (1) { short r1 = -7; WRITE_ONCE(*x, *x + 1); r0 = READ_ONCE(*x) + r1; } }\nexists (0:r0=-4 /\\ 0:r1=-7)\n",
			"+ (uint64_t)1l", "+ (uint64_t)2l", "0:r0=-4; 0:r1=-7;", "0:r0=-3; 0:r1=-7;"},
	} {
		right := runStress(t, c.test, compiler.Run)
		if right.Status != verdict.StressAllowed || len(right.Outcomes) != 1 || right.Outcomes[0].State != c.state || right.Rounds < 1 || right.Outcomes[0].Count != right.Rounds {
			t.Errorf("%s: %+v", c.name, right)
		}
		changed := runStress(t, c.test, func(ctx context.Context, p stress.Program) ([]byte, error) {
			if strings.Count(p.Text, c.from) != 1 {
				t.Errorf("%s: the program has %q %d times", c.name, c.from, strings.Count(p.Text, c.from))
			}
			p.Text = strings.Replace(p.Text, c.from, c.to, 1)
			return compiler.Run(ctx, p)
		})
		if changed.Status != verdict.StressForbidden || len(changed.Outcomes) != 1 || changed.Outcomes[0].State != c.wrong || changed.Outcomes[0].Allowed {
			t.Errorf("%s: %+v", c.name, changed)
		}
	}
}
