package stress

import (
	_ "embed"
	"fmt"
	"strings"
)

// harness is the part of the program that is the same for every test.
//
//go:embed runtime/harness.c
var harness string

// limits is the part of the program that keeps the test from doing anything else than
// accessing memory.
//
//go:embed runtime/limits.c
var limits string

// savedRegisters belong to the caller of a thread's function.
var savedRegisters = []string{"rbx", "rbp", "r12", "r13", "r14", "r15"}

// Write makes the program of a test. Only what the front end decoded or translated
// gets into it: no text of the test does, not even a name. The error is an
// *UnsupportedError.
func Write(t *Test) (Program, error) {
	w := &writer{t: t}
	w.constants()
	if t.Program == nil {
		for i := range t.Threads {
			w.assembly(i)
		}
	} else {
		text, err := PrintCode(t)
		if err != nil {
			return Program{}, err
		}
		w.out.WriteString(text)
	}
	w.tables()
	return Program{Text: preamble + w.out.String() + limits + harness}, nil
}

// preamble is the text before the generated part.
const preamble = `#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stddef.h>
`

type writer struct {
	t   *Test
	out strings.Builder
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(&w.out, format, args...) }

// constants writes the sizes of everything.
func (w *writer) constants() {
	inputs, outputs := 1, 1
	for i := range w.t.Threads {
		inputs = max(inputs, len(w.t.Threads[i].In))
		outputs = max(outputs, len(w.t.Threads[i].Out), len(w.t.Threads[i].Keep))
	}
	for _, v := range w.t.Observe {
		if v.Thread >= 0 {
			outputs = max(outputs, v.Out+1)
		}
	}
	w.printf("enum { THREADS = %d, LOCATIONS = %d, OBSERVED = %d, INPUTS = %d, OUTPUTS = %d };\n",
		len(w.t.Threads), len(w.t.Locations), len(w.t.Observe), inputs, outputs)
	w.printf("#define REGION_HINT 0x%xul\n", w.t.Base)
	w.printf("/* What one thread gets and leaves in one round. */\n")
	w.printf("struct context { uint64_t in[INPUTS]; uint64_t out[OUTPUTS]; char **at; } __attribute__((aligned(64)));\n")
}

// assembly writes a thread as a function of a context. The instructions of the test
// stand between two comments; what is before them loads registers, and what is after
// them stores registers.
func (w *writer) assembly(i int) {
	th := &w.t.Threads[i]
	line := func(format string, args ...any) {
		w.printf("  %q\n", fmt.Sprintf(format, args...)+"\n")
	}
	w.printf("void fp_thread_%d(struct context *);\n__asm__(\n", i)
	line(".text")
	line(".globl fp_thread_%d", i)
	line(".type fp_thread_%d, @function", i)
	line("fp_thread_%d:", i)
	for _, r := range savedRegisters {
		line("push %%%s", r)
	}
	line("push %%rdi")
	line("movl $1, %%eax")
	line("testl %%eax, %%eax") // no flag is set
	self := -1
	for k, in := range th.In {
		if in.Register == "rdi" { // holds the context until the end
			self = k
			continue
		}
		line("movq %d(%%rdi), %%%s", 8*k, in.Register)
	}
	if self >= 0 {
		line("movq %d(%%rdi), %%rdi", 8*self)
	}
	line("# the test")
	for _, in := range th.Asm {
		line("%s", in)
	}
	line("# the end of the test")
	for _, r := range th.Out {
		line("push %%%s", r)
	}
	line("movq %d(%%rsp), %%rdi", 8*len(th.Out))
	for k := len(th.Out) - 1; k >= 0; k-- {
		line("popq %d+8*%d(%%rdi)", 8*k, w.inputs())
	}
	line("pop %%rdi")
	for k := len(savedRegisters) - 1; k >= 0; k-- {
		line("pop %%%s", savedRegisters[k])
	}
	line("ret")
	line(".size fp_thread_%d, .-fp_thread_%d", i, i)
	w.printf(");\n")
}

// inputs is where the outputs begin in a context, in words.
func (w *writer) inputs() int {
	n := 1
	for i := range w.t.Threads {
		n = max(n, len(w.t.Threads[i].In))
	}
	return n
}

// tables writes what the harness needs to know about the test.
func (w *writer) tables() {
	t := w.t
	w.printf("static void (*const fp_threads[])(struct context *) = {")
	for i := range t.Threads {
		w.printf(" fp_thread_%d,", i)
	}
	w.printf(" };\n")
	w.printf("struct pointer { int at, width, location; long offset; };\n")
	w.printf("struct location { long size; int align; const unsigned char *init; long inits; const struct pointer *pointers; int count; };\n")
	for i := range t.Locations {
		l := &t.Locations[i]
		w.printf("static const unsigned char fp_init_%d[] = {", i)
		for _, b := range l.Init {
			w.printf("%d,", b)
		}
		w.printf("0};\nstatic const struct pointer fp_pointers_%d[] = {", i)
		for _, p := range l.Pointers {
			w.printf("{%d,%d,%d,%d},", p.At, p.Width, p.Target.Location, p.Target.Offset)
		}
		w.printf("{0,0,0,0}};\n")
	}
	w.printf("static const struct location fp_locations[] = {")
	for i := range t.Locations {
		l := &t.Locations[i]
		w.printf("\n  {%d,%d,fp_init_%d,%d,fp_pointers_%d,%d},", l.Size, l.Align, i, len(l.Init), i, len(l.Pointers))
	}
	w.printf("\n  {1,1,0,0,0,0}};\n")
	w.printf("struct input { int location; long value; };\nstatic const struct input fp_inputs[THREADS][INPUTS] = {")
	for i := range t.Threads {
		w.printf("{")
		for _, in := range t.Threads[i].In {
			if in.IsAddress {
				w.printf("{%d,%d},", in.Address.Location, in.Address.Offset)
			} else {
				w.printf("{-1,%s},", number(in.Number))
			}
		}
		if len(t.Threads[i].In) == 0 {
			w.printf("{-1,0}")
		}
		w.printf("},")
	}
	w.printf("};\n")
	w.printf("struct var { int thread, out, shift, location; long offset; int held, bits, is_signed; };\nstatic const struct var fp_observed[] = {")
	for _, v := range t.Observe {
		w.printf("{%d,%d,%d,%d,%d,%d,%d,%d},", v.Thread, v.Out, v.Shift, v.Address.Location, v.Address.Offset, v.Held, v.Bits, btoi(v.Signed))
	}
	w.printf("{-1,0,0,0,0,8,8,0}};\n")
}

// number is a number in C; the least one has no literal.
func number(n int64) string {
	if n == -1<<63 {
		return "(-9223372036854775807l-1)"
	}
	return fmt.Sprintf("%dl", n)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// CompileError says that the compiler refuses a program, as it does where a test has
// an instruction that the processor has not, such as one with two addresses.
type CompileError struct{ Message string }

func (e *CompileError) Error() string { return "the compiler refuses the stress program: " + e.Message }
