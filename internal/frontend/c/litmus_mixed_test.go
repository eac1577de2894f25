package c_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/testkit"
	"fencepost/query"
)

// Litmus tests of accesses of several sizes, rewritten to C: a variable is a volatile integer of 8 bytes or less, an
// access goes through a pointer of its width, and the registers of a thread are stored to variables when it ends.

// mixedC is a test of several sizes as a C program.
type mixedC struct {
	atomic bool // accesses are made by __atomic_load_n and others, not by volatile
	// misaligned says that an access is not aligned. In C, such an access may be several, and is no atomic one.
	misaligned bool
	inits      map[string]int // first values of registers
	regs       map[string]bool
}

var (
	mixedInstruction = regexp.MustCompile(`^(lock )?([a-z]+) (\S+?)(?:,(\S+))?$`)
	mixedRegister    = regexp.MustCompile(`^%(?:[re]?([abcd])x|([abcd])l)$`)
	mixedLocation    = regexp.MustCompile(`^\(?([xyz])\)?(?:\+(\d+))?$`)
	mixedFinal       = regexp.MustCompile(`(\d):(r[abcd]x|[abcd]l)=(\d+)`)
	mixedVariable    = regexp.MustCompile(`\b([xyz])=(\d+)`)
	mixedDeclare     = regexp.MustCompile(`(int64_t|int) ([xyz])=0;`)
	mixedInit        = regexp.MustCompile(`(\d):(r[abcd]x)=(\d+);`)
)

var mixedTypes = map[byte]string{'b': "unsigned char", 'w': "unsigned short", 'l': "unsigned int", 'q': "unsigned long"}

// operand returns an operand of a width as an expression in C; memory is "" for a register or a number, and otherwise
// the address.
func (m *mixedC) operand(thread int, text string, width byte) (value, memory string, err error) {
	if n, ok := strings.CutPrefix(text, "$"); ok {
		return n + "UL", "", nil
	}
	if f := mixedRegister.FindStringSubmatch(text); f != nil {
		name := fmt.Sprintf("r%d_r%sx", thread, f[1]+f[2])
		m.regs[name] = true
		return name, "", nil
	}
	f := mixedLocation.FindStringSubmatch(text)
	if f == nil {
		return "", "", fmt.Errorf("no C for the operand %q", text)
	}
	off, _ := strconv.Atoi(f[2]) // none is 0
	m.misaligned = m.misaligned || off%map[byte]int{'b': 1, 'w': 2, 'l': 4, 'q': 8}[width] != 0
	memory = fmt.Sprintf("(volatile %s *)((volatile char *)&%s + %d)", mixedTypes[width], f[1], off)
	if m.atomic {
		return "__atomic_load_n(" + memory + ", __ATOMIC_RELAXED)", memory, nil
	}
	return "*" + memory, memory, nil
}

// assign returns the assignment of a value to an operand.
func (m *mixedC) assign(to, memory, value string, width byte) string {
	switch {
	case memory != "" && m.atomic:
		return fmt.Sprintf("__atomic_store_n(%s, (%s)(%s), __ATOMIC_RELAXED);", memory, mixedTypes[width], value)
	case memory != "":
		return fmt.Sprintf("%s = %s;", to, value)
	case width == 'b' || width == 'w': // the rest of the register stays
		mask := map[byte]string{'b': "0xffUL", 'w': "0xffffUL"}[width]
		return fmt.Sprintf("%s = %s & ~%s | (%s)(%s);", to, to, mask, mixedTypes[width], value)
	}
	return fmt.Sprintf("%s = (%s)(%s);", to, mixedTypes[width], value)
}

func (m *mixedC) statement(thread int, text string) (string, error) {
	switch text {
	case "":
		return "", nil
	case "mfence", "lfence":
		return fmt.Sprintf(`__asm__ __volatile__("%s" ::: "memory");`, text), nil
	}
	f := mixedInstruction.FindStringSubmatch(text)
	if f == nil {
		return "", fmt.Errorf("no C for %q", text)
	}
	op, width := f[2][:len(f[2])-1], f[2][len(f[2])-1]
	switch f[2] {
	case "movabsq":
		op = "mov"
	case "movzwl", "movzbl", "movsbl":
		from := f[2][4]
		value, _, err := m.operand(thread, f[3], from)
		if err != nil {
			return "", err
		}
		if f[2][3] == 's' {
			value = "(signed char)" + value
		}
		to, memory, err := m.operand(thread, f[4], 'l')
		return m.assign(to, memory, value, 'l'), err
	}
	a, memA, err := m.operand(thread, f[3], width)
	if err != nil {
		return "", err
	}
	if op == "inc" {
		if f[1] != "" {
			return "__atomic_fetch_add(" + memA + ", 1, __ATOMIC_SEQ_CST);", nil
		}
		return m.assign(a, memA, a+" + 1", width), nil
	}
	b, memB, err := m.operand(thread, f[4], width)
	if err != nil {
		return "", err
	}
	switch op {
	case "mov":
		return m.assign(b, memB, a, width), nil
	case "or", "and":
		return m.assign(b, memB, b+map[string]string{"or": " | ", "and": " & "}[op]+a, width), nil
	case "xchg":
		return m.assign(a, "", fmt.Sprintf("__atomic_exchange_n(%s, %s, __ATOMIC_SEQ_CST)", memB, a), width), nil
	case "xadd":
		if f[1] != "" {
			return m.assign(a, "", fmt.Sprintf("__atomic_fetch_add(%s, %s, __ATOMIC_SEQ_CST)", memB, a), width), nil
		}
		return fmt.Sprintf("{ %s old = %s; %s %s }", mixedTypes[width], b, m.assign(b, memB, "old + "+a, width), m.assign(a, "", "old", width)), nil
	case "cmpxchg":
		m.regs[fmt.Sprintf("r%d_rax", thread)] = true
		return fmt.Sprintf("{ %s e = r%d_rax; __atomic_compare_exchange_n(%s, &e, %s, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); r%d_rax = e; }", mixedTypes[width], thread, memB, a, thread), nil
	}
	return "", fmt.Errorf("no C for %q", text)
}

// mixedToC rewrites a test, with the condition as an assertion that it does not hold, or without it.
func mixedToC(text string, atomic, asserted bool) (program string, misaligned bool, err error) {
	head, rest, ok := strings.Cut(text, "}\n")
	code, cond, ok2 := strings.Cut(rest, "exists ")
	if !ok || !ok2 {
		return "", false, fmt.Errorf("not of the form that is rewritten")
	}
	code, _, _ = strings.Cut(code, "locations")
	m := &mixedC{atomic: atomic, inits: map[string]int{}, regs: map[string]bool{}}
	for _, f := range mixedInit.FindAllStringSubmatch(head, -1) {
		m.inits[fmt.Sprintf("r%s_%s", f[1], f[2])], _ = strconv.Atoi(f[3])
	}
	var bodies []string
	for i, line := range strings.Split(strings.TrimSpace(code), "\n") {
		for t, cell := range strings.Split(strings.TrimSuffix(strings.TrimSpace(line), ";"), "|") {
			if i == 0 {
				bodies = append(bodies, "")
				continue
			}
			s, err := m.statement(t, strings.TrimSpace(cell))
			if err != nil {
				return "", false, err
			}
			bodies[t] += "  " + s + "\n"
		}
	}
	return m.program(head, bodies, m.condition(cond), asserted), m.misaligned, nil
}

// condition returns the condition after exists, in C.
func (m *mixedC) condition(text string) string {
	text = mixedFinal.ReplaceAllStringFunc(text, func(s string) string {
		f := mixedFinal.FindStringSubmatch(s)
		m.regs[fmt.Sprintf("r%s_r%sx", f[1], strings.Trim(f[2], "rxl"))] = true
		if strings.HasSuffix(f[2], "l") {
			return fmt.Sprintf("(r%s_r%sx & 255) == %s", f[1], f[2][:1], f[3])
		}
		return fmt.Sprintf("r%s_%s == %sUL", f[1], f[2], f[3])
	})
	text = mixedVariable.ReplaceAllString(text, "$1 == $2")
	return strings.TrimSpace(strings.NewReplacer(`/\`, "&&", `\/`, "||", "not ", "!").Replace(text))
}

func (m *mixedC) program(head string, bodies []string, cond string, asserted bool) string {
	var b strings.Builder
	b.WriteString("#include <assert.h>\n#include <pthread.h>\n")
	for _, f := range mixedDeclare.FindAllStringSubmatch(head, -1) {
		fmt.Fprintf(&b, "volatile %s %s;\n", map[string]string{"int": "int", "int64_t": "long"}[f[1]], f[2])
	}
	for _, r := range sorted(m.regs) {
		fmt.Fprintf(&b, "unsigned long %s = %d;\n", r, m.inits[r])
	}
	for t, body := range bodies {
		begin, end := "", ""
		for _, r := range sorted(m.regs) {
			if strings.HasPrefix(r, fmt.Sprintf("r%d_", t)) {
				name := "l" + r[1:]
				body = regexp.MustCompile(`\b`+r+`\b`).ReplaceAllString(body, name)
				begin += fmt.Sprintf("  unsigned long %s = %d;\n", name, m.inits[r])
				end += fmt.Sprintf("  %s = %s;\n", r, name)
			}
		}
		fmt.Fprintf(&b, "void *P%d(void *arg) {\n%s%s%s  return 0;\n}\n", t, begin, body, end)
	}
	b.WriteString("int main(void) {\n")
	for t := range bodies {
		fmt.Fprintf(&b, "  pthread_t t%d;\n  pthread_create(&t%d, 0, P%d, 0);\n", t, t, t)
	}
	for t := range bodies {
		fmt.Fprintf(&b, "  pthread_join(t%d, 0);\n", t)
	}
	if asserted {
		fmt.Fprintf(&b, "  assert(!(%s));\n", cond)
	}
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

// TestLitmusMixedCompiled: litmus tests of several sizes, in C, have the answers of the litmus front end, and as machine
// code the outcomes of their C form. In C, an access that is not aligned may be several, so that the source may have
// more outcomes; the machine code has the answers of the litmus front end then, too.
func TestLitmusMixedCompiled(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(testkit.Root(t), "testdata", "litmus", "mixed", "*.litmus"))
	if err != nil || len(paths) < 60 {
		t.Fatalf("%d tests (%v)", len(paths), err)
	}
	x := &mixedComparison{T: t}
	for i, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".litmus")
		if !testkit.InPart(t, name, 15) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		x.tests++
		_, misaligned, err := mixedToC(string(text), false, true)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		atomic := i%2 == 1 && !misaligned
		x.answers(name, string(text), atomic, misaligned)
		x.outcomes(name, string(text), atomic, misaligned)
	}
	t.Logf("%d tests of several sizes at three levels under two models: %d times the same outcomes, %d times fewer; %d conditions observed", x.tests, x.equal, x.fewer, x.observed)
	if x.tests < 3 || x.equal == 0 || x.observed == 0 {
		t.Error("they tell nothing")
	}
}

type mixedComparison struct {
	*testing.T
	tests, observed, equal, fewer int
}

// answers compares whether the condition of a test is observed.
func (x *mixedComparison) answers(name, text string, atomic, misaligned bool) {
	program, _, _ := mixedToC(text, atomic, true)
	objects := map[string][]byte{}
	for _, level := range compiledLevels {
		objects[level] = gcc(x.T, program, level)
	}
	for model, want := range litmusAnswers(x.T, name+".litmus", text, []string{"sc", "tso"}) {
		got := fails(x.T, query.Input{Name: name + ".c", Text: []byte(program)}, model)
		if got != want && !misaligned || want && !got {
			x.Errorf("%s: %s: C observes the condition: %v, litmus: %v\n%s", name, model, got, want, program)
		}
		for _, level := range compiledLevels {
			got := fails(x.T, query.Input{Name: "test.o", Text: objects[level]}, model)
			if got != want && !atomic || got && !want {
				x.Errorf("%s %s: %s: machine code observes the condition: %v, litmus: %v\n%s", name, level, model, got, want, program)
			}
		}
		if want {
			x.observed++
		}
	}
}

// outcomes compares the final states.
func (x *mixedComparison) outcomes(name, text string, atomic, misaligned bool) {
	program, _, _ := mixedToC(text, atomic, false)
	objects := map[string][]byte{}
	for _, level := range compiledLevels {
		objects[level] = gcc(x.T, program, level)
	}
	for _, model := range []string{"sc", "tso"} {
		list := outcomes(x.T, query.Input{Name: name + ".c", Text: []byte(program)}, model)
		for _, level := range compiledLevels {
			got := outcomes(x.T, query.Input{Name: "test.o", Text: objects[level]}, model)
			only := slices.DeleteFunc(slices.Clone(got), func(o string) bool { return slices.Contains(list, o) })
			switch {
			case len(only) > 0:
				x.Errorf("%s %s %s: only the machine code has the outcomes %q; the source has %q\n%s", name, level, model, only, list, program)
			case len(got) == len(list):
				x.equal++
			case !atomic && !misaligned:
				x.Errorf("%s %s %s: all accesses are volatile: the machine code has %q, the source has %q\n%s", name, level, model, got, list, program)
			default:
				x.fewer++
			}
		}
	}
}
