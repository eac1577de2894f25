//go:build !fencepost_small

package litmus

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/source"
	"fencepost/internal/stress"
)

// nativeWords are the words that the functions of a test in C may have in a stress program.
var nativeWords = regexp.MustCompile(`^(static|int64_t|uint64_t|int32_t|uint32_t|int16_t|uint16_t|int8_t|uint8_t|struct|context|char|void|` +
	`if|goto|return|do|while|top|end|a|c|at|out|seen|fault|v[01]|[rl]\d+|fp_f\d+|fp_thread_\d+|\d+l?|` +
	`fp_(check|full_fence|wait|stuck|div_s|div_u|rem_s|rem_u|block|leave)|fp_(load|store|xchg|add|cas)_(8|16|32|64))$`)

// checkNativeText fails if a stress program has anything of the text of its test.
func checkNativeText(t *testing.T, u *Unit) {
	t.Helper()
	test, reason := u.Native()
	if reason != "" || test.Program == nil {
		return
	}
	text, err := stress.PrintCode(test)
	if err != nil {
		return
	}
	text = text[strings.Index(text, "static int64_t fp_f"):]
	if strings.ContainsAny(text, "#\"'\\?@$`") && strings.ContainsAny(strings.ReplaceAll(text, " ? ", ""), "#\"'\\?@$`") {
		t.Errorf("the stress program has characters of another language:\n%s", text)
	}
	for _, w := range regexp.MustCompile(`\w+`).FindAllString(text, -1) {
		if !nativeWords.MatchString(w) {
			t.Fatalf("the stress program has the word %q", w)
		}
	}
}

// harnessMacros are the macros that only the stress program or its compiler defines.
func harnessMacros(t *testing.T) []string {
	t.Helper()
	names := []string{"__GNUC__", "__OPTIMIZE__", "__GLIBC__", "_GNU_SOURCE", "__linux__", "__x86_64__", "__PIE__", "SIGSEGV", "CPU_SETSIZE", "BPF_STMT"}
	define := regexp.MustCompile(`(?m)^#\s*define\s+(\w+)`)
	for _, f := range []string{"harness.c", "code.c", "limits.c", "../program.go"} {
		text, err := os.ReadFile("../../stress/runtime/" + f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range define.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
		names = append(names, regexp.MustCompile(`\b[A-Z][A-Z_]{2,}\b`).FindAllString(string(text), -1)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestNativeText: a stress program has nothing of the text of its test, whether the front
// end refuses what a compiler understands or passes it over.
func TestNativeText(t *testing.T) {
	const evil = `system("touch evil")`
	hostile := []string{
		"__attribute__((constructor)) static void evil(void) { " + evil + "; }",
		"static void evil(void) __attribute__((constructor));\nstatic void evil(void) { " + evil + "; }",
		"[[gnu::constructor]] static void evil(void) { }",
		"__asm__(\".globl evil\\nevil: ret\");",
		"asm volatile(\"evil\");",
		"int evil __asm__(\"main\");",
		"int evil __attribute__((section(\".init_array,\\\"aw\\\"#\"))) = 1;",
		"int evil __attribute__((alias(\"x\")));",
		"#include <stdlib.h>\n__attribute__((constructor)) static void evil(void) { " + evil + "; }",
		"#include \"/etc/passwd\"",
		"#include_next <stdio.h>",
		"#import <stdio.h>",
		"#embed \"/etc/passwd\"",
		"#pragma GCC optimize(\"O3\")",
		"#pragma redefine_extname evil system",
		"#pragma weak evil = system",
		"_Pragma(\"GCC poison main\")",
		"#line 1 \"evil\"",
		"# 1 \"evil\" 1",
		"#ident \"evil\"",
		"#error evil",
		"#warning evil",
		"%:define evil 1",
		"??=define evil 1",
		"// evil ??/\n__attribute__((constructor)) static void evil(void) { " + evil + "; }",
		"// evil \\\n__attribute__((constructor)) static void evil(void) { " + evil + "; }",
		"/\\\n* evil *\\\n/ int evil;",
		"#define evil(x) x\\\n_attribute__((constructor))",
		"int (*evil)(const char *) = (void *)0x401000;",
		"extern int system(const char *); static int evil(void) { return system(\"evil\"); }",
		"_Static_assert(1, \"evil\");",
		"static const char *evil = \"touch evil\";",
		"static char evil[] = __FILE__ __DATE__ __TIME__ __BASE_FILE__;",
		"static int evil = __COUNTER__ + __INCLUDE_LEVEL__;",
		"typedef int evil __attribute__((vector_size(16)));",
		"static int evil(void) { return ({ int y = 1; y; }); }",
		"static int evil(void) { __label__ l; l: return 0; }",
		"static void *evil(void) { return __builtin_return_address(0); }",
		"static void evil(void) { __builtin_trap(); }",
		"static int evil(int n) { return __builtin_constant_p(n) ? 1 : ((int (*)(const char *))0)(\"evil\"); }",
		"_Thread_local int evil;",
		"register int evil __asm__(\"rsp\");",
	}
	for _, m := range harnessMacros(t) {
		hostile = append(hostile,
			"#ifdef "+m+"\n__attribute__((constructor)) static void evil(void) { "+evil+"; }\n#endif",
			"#if defined("+m+") && !defined(__FENCEPOST__)\nint system(const char *); static int evil = 7;\n#endif")
	}
	accepted := 0
	for _, h := range hostile {
		text := "C evil\n{ }\n" + h + "\nP0 (int *x) {\n  int r0 = READ_ONCE(*x);\n}\nexists (0:r0=0)\n"
		u, _ := Parse(source.NewFile("evil", []byte(text)), Options{})
		if u.Program == nil {
			continue
		}
		accepted++
		checkNativeText(t, u)
		test, reason := u.Native()
		if reason != "" {
			continue
		}
		p, err := stress.Write(test)
		if err == nil && (strings.Contains(p.Text, "evil") || strings.Contains(p.Text, "system(") || strings.Contains(p.Text, "constructor")) {
			t.Errorf("%s is in the stress program", h)
		}
	}
	if accepted == 0 || accepted == len(hostile) {
		t.Errorf("%d of %d tests are accepted", accepted, len(hostile))
	}
}

// TestNativeTextAssembler: the instructions of a test are printed from their decoded form.
func TestNativeTextAssembler(t *testing.T) {
	for _, cell := range []string{
		"nop; .incbin \"/etc/passwd\"", "mfence # evil", "movl $1,(x) \\n evil", ".section .init_array", "evil: jmp evil", "movl $evil,%eax", "MFENCE", "Pause",
		"movl $1,evil", "movl evil(%rip),%eax", "call system", "syscall", "int $0x80", "jmp *%rax", "movl $1,%fs:0",
	} {
		text := "X86_64 evil\n{ }\n P0 ;\n " + cell + " ;\n movl (x),%eax ;\nexists (0:rax=0)\n"
		u, _ := Parse(source.NewFile("evil", []byte(text)), Options{})
		if u.Program == nil {
			continue
		}
		test, reason := u.Native()
		if reason != "" {
			continue
		}
		p, err := stress.Write(test)
		if err != nil || strings.Contains(p.Text, "evil") {
			t.Errorf("%s: %v", cell, err)
		}
		for _, th := range test.Threads {
			for _, in := range th.Asm {
				if !regexp.MustCompile(`^(lock )?[a-z.Lfp_0-9:]+( [$%a-z0-9().,Lfp_ -]+)?$`).MatchString(in) {
					t.Errorf("%s: %s", cell, in)
				}
			}
		}
	}
}
