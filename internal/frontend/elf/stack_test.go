package elf_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/frontend/elf"
	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/query"
)

// randomStack returns instructions that access 24 bytes of the stack with random sizes at random offsets, and what rax
// holds after them: a sum of what they read.
func randomStack(r *rand.Rand) (code string, sum uint64) {
	var b strings.Builder
	stack := make([]byte, 32)
	line := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+"\n", args...) }
	load := func(at, size int) uint64 {
		return binary.LittleEndian.Uint64(stack[at:]) & (1<<(8*size) - 1)
	}
	store := func(at, size int, v uint64) {
		for i := range size {
			stack[at+i] = byte(v >> (8 * i))
		}
	}
	line("xor eax, eax")
	for at := 0; at < 24; at += 8 {
		line("mov qword ptr [rsp-%d], rax", 32-at)
	}
	for range 8 {
		size := 1 << r.IntN(4)
		at := r.IntN(25 - size)
		mem := fmt.Sprintf("%s ptr [rsp-%d]", map[int]string{1: "byte", 2: "word", 4: "dword", 8: "qword"}[size], 32-at)
		reg := map[int]string{1: "cl", 2: "cx", 4: "ecx", 8: "rcx"}[size]
		value := r.Uint64()
		old := load(at, size)
		line("movabs rcx, %d", int64(value))
		switch r.IntN(4) {
		case 0:
			line("mov %s, %s", mem, reg)
			store(at, size, value)
			continue
		case 1:
			line("lock xadd %s, %s", mem, reg)
			store(at, size, old+value)
		case 2:
			line("xchg %s, %s", mem, reg)
			store(at, size, value)
		default:
			line("mov %s, %s", reg, mem)
		}
		if size < 4 {
			line("movzx ecx, %s", reg)
		}
		line("add rax, rcx")
		sum += old
	}
	return b.String(), sum
}

// TestStackPieces: accesses of different sizes to the same bytes of a stack read what was
// written, and the stack consists of registers.
func TestStackPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	var b strings.Builder
	b.WriteString("#include <assert.h>\n")
	var calls []string
	for i := range 40 {
		code, sum := randomStack(r)
		fmt.Fprintf(&b, "unsigned long f%d(void);\n__asm__(\".text\\n.intel_syntax noprefix\\n.type f%d, @function\\nf%d:\\n%s  ret\\n.size f%d, .-f%d\\n.att_syntax\\n\");\n",
			i, i, i, strings.ReplaceAll(code, "\n", "\\n"), i, i)
		calls = append(calls, fmt.Sprintf("assert(f%d() == %#xUL);", i, sum))
	}
	fmt.Fprintf(&b, "int main(void) { %s return 0; }\n", strings.Join(calls, "\n"))
	text := b.String()
	if got, why := program(t, text, "-c -O1", "tso", query.COptions{}); got != "safe" {
		t.Errorf("%s (%s)\n%s", got, why, text)
	}
	if got, why := program(t, strings.ReplaceAll(text, "f7() ==", "f7() - 1 =="), "-c -O1", "tso", query.COptions{}); got != "unsafe" {
		t.Errorf("with a wrong assertion: %s (%s)", got, why)
	}
	object, _ := compile(t, "a.c", []byte(text), "-c", "-O1")
	u, diags := elf.Parse([]*source.File{source.NewFile("a.o", object)}, elf.Options{})
	if u.Program == nil {
		t.Fatal(diags)
	}
	for _, f := range u.Program.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.Alloc {
				t.Errorf("the stack of %s is a block", f.Name)
			}
		}
	}
}
