package elf_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/query"
)

// TestOutside: what no file defines is not supported where it is used, at every level and through every kind of word,
// and an address that is only kept does no harm.
func TestOutside(t *testing.T) {
	for _, c := range outside {
		for _, flags := range []string{"-c -O0", "-c -O1", "-c -O2 -fno-pie", "-c -O1 -fPIC -ftls-model=initial-exec"} {
			got, why := program(t, c.text, flags, "tso", query.COptions{})
			if got != c.want || !strings.Contains(why, c.why) {
				t.Errorf("%s, %s: %s (%s), want %s (%s)", c.name, flags, got, why, c.want, c.why)
			}
		}
	}
}

// TestCopied: the value of a variable of a dynamic library that is not known is not supported where the program reaches
// it, directly, through a pointer and beside a variable of its own, and does no harm elsewhere.
func TestCopied(t *testing.T) {
	const text = `#include <assert.h>
extern char *tzname[2]; static int mine[4]; char **volatile p = tzname; volatile int n = 1, never;
int main(void) { for (int i = 0; i < 4; i++) mine[(i + n) & 3] = i; %s assert(mine[0] == 3); return 0; }
`
	for _, flags := range []string{"-O0", "-O1 -fPIE -pie", "-O1 -no-pie -fno-pie", "-O2 -no-pie -fno-pie", "-O2 -fPIC"} {
		for code, want := range map[string]string{
			"if (tzname[0] == 0) n = 2;": "unknown", "if (*p == 0) n = 2;": "unknown", "tzname[n] = 0;": "unknown", "if (never) *p = 0;": "safe", "if (p == 0) mine[0] = 5;": "safe",
		} {
			got, why := program(t, fmt.Sprintf(text, code), flags, "tso", query.COptions{})
			if got != want || want == "unknown" && !strings.Contains(why, "tzname") {
				t.Errorf("%s, %s: %s (%s), want %s", flags, code, got, why, want)
			}
		}
	}
}

// TestOutsideLinked: the same of a variable of a dynamic library.
func TestOutsideLinked(t *testing.T) {
	text := "extern char **environ; char ***where = &environ; int main(void) { return **where != 0; }\n"
	for _, flags := range []string{"-O0", "-O1 -fPIC", "-O1 -no-pie"} {
		got, why := program(t, text, flags, "tso", query.COptions{})
		if got != "unknown" || !strings.Contains(why, "environ") {
			t.Errorf("%s: %s (%s)", flags, got, why)
		}
	}
}

const twoTexts = `__asm__(".section .rodata\n .type texts, @object\n .size texts, 8\n texts: .long one-texts\n .long two-texts\n"
  " .type one, @object\n .size one, 2\n one: .string \"1\"\n .type two, @object\n .size two, 2\n two: .string \"2\"\n .text");
extern const int texts[]; volatile int i = 1;
`

const linkerSet = `int mine[3] __attribute__((section("set"))) = {1, 2, 3}; extern int __start_set[], __stop_set[];
`

const shortAddress = `__asm__(".data\n .globl low\n .type low, @object\n .size low, 8\n low: .long 1\n .long other\n .text");
extern int low[]; int other; volatile int i;
`

var outside = []struct {
	name, want, why string
	text            string
}{
	{"read", "unknown", "ext is not defined in the given files", "extern int ext; int main(void) { return ext; }\n"},
	{"written", "unknown", "ext is not defined in the given files", "extern int ext; int main(void) { ext = 1; return 0; }\n"},
	{"thread-local", "unknown", "ext is not defined in the given files", "extern __thread int ext; int main(void) { return ext; }\n"},
	{"read through a word", "unknown", "[rax]: ext is not defined in the given files; a refers to it", "extern int ext; int *p = &ext; int main(void) { return *p; }\n"},
	{"written through a word", "unknown", "ext is not defined in the given files; a refers to it", "extern int ext; int *p = &ext; int main(void) { *p = 1; return 0; }\n"},
	{"with an offset", "unknown", "ext is not defined in the given files; a refers to it", "extern int ext[]; int *p = ext + 10; int main(void) { return *p; }\n"},
	{"below", "unknown", "ext is not defined in the given files; a refers to it", "extern int ext[]; int *p = ext - 10; int main(void) { return *p; }\n"},
	{"of two", "unknown", "two is not defined in the given files; a refers to it", "extern int one, two; int *p[] = {&one, &two}; volatile int i = 1; int main(void) { return *p[i]; }\n"},
	{"in the library", "unknown", "call pthread_mutex_lock: m is not defined in the given files; a refers to it", "#include <pthread.h>\nextern pthread_mutex_t m; pthread_mutex_t *p = &m; int main(void) { pthread_mutex_lock(p); return 0; }\n"},
	{"copied by the library", "unknown", "ext is not defined in the given files; a refers to it", "#include <string.h>\nextern char ext[]; char to[200]; char *p = ext; volatile int n = 100; int main(void) { memcpy(to, p, n); return 0; }\n"},
	{"called", "unknown", "f is not defined in the given files; a refers to it", "void f(void); void (*p)(void) = f; int main(void) { p(); return 0; }\n"},
	{"a thread", "unknown", "f is not defined in the given files", "#include <pthread.h>\nvoid *f(void *); void *(*p)(void *) = f; int main(void) { pthread_t t; pthread_create(&t, 0, p, 0); return 0; }\n"},
	{"with the name of a function", "unknown", "index is not defined in the given files", "extern volatile int index; int main(void) { return index == 3; }\n"},
	{"a word with the name of a function", "unknown", "daemon is not defined in the given files", "extern int daemon; int *volatile p = &daemon; int main(void) { return *p == 3; }\n"},
	{"a variable of Rust", "unknown", "HOOK is not defined in the given files", "extern volatile long _RNvNtCsjrHSEGnQ3l9_3std9panicking4HOOK; int main(void) { return _RNvNtCsjrHSEGnQ3l9_3std9panicking4HOOK == 3; }\n"},
	{"the count of panics", "safe", "", "#include <assert.h>\nextern volatile long _RNvNtNtCsjrHSEGnQ3l9_3std9panicking11panic_count18GLOBAL_PANIC_COUNT; int main(void) { assert(!(_RNvNtNtCsjrHSEGnQ3l9_3std9panicking11panic_count18GLOBAL_PANIC_COUNT << 1)); return 0; }\n"},
	{"kept", "safe", "", "#include <assert.h>\nextern int ext; int *p = &ext, *q; int main(void) { q = p; assert(q); assert(q != (int *)&p); return 0; }\n"},
	{"not reached", "safe", "", "extern int ext; int *p = &ext; volatile int never; int main(void) { if (never) return *p; return 0; }\n"},
	{"the end of a section", "unknown", "__stop_set is not defined in the given files", "#include <assert.h>\n" + linkerSet + "int main(void) { long n = __stop_set - __start_set; assert(n == 3); return 0; }\n"},
	{"the end of a section in a word", "unknown", "_set is not defined in the given files", "#include <assert.h>\n" + linkerSet + "int *ends[] = {__start_set, __stop_set}; volatile int i; int main(void) { assert(ends[i + 1] - ends[i] == 3); return 0; }\n"},
	{"a weak end of a section", "unknown", "_set is not defined in the given files", "#include <assert.h>\n" + linkerSet + "extern int __start_set[] __attribute__((weak)); int main(void) { assert(!__start_set); return 0; }\n"},
	{"the end of no section", "safe", "", "#include <assert.h>\nextern int __start_none[] __attribute__((weak)); int main(void) { assert(!__start_none); return 0; }\n"},
	{"distances", "safe", "", "#include <assert.h>\n" + twoTexts + "int main(void) { assert(((const char *)texts + texts[i])[0] == '2'); return 0; }\n"},
	{"wrong distances", "unsafe", "", "#include <assert.h>\n" + twoTexts + "int main(void) { assert(((const char *)texts + texts[i])[0] == '1'); return 0; }\n"},
	{"a short address", "unknown", "the relocation R_X86_64_32 in low is not supported", shortAddress + "int main(void) { return low[i + 1]; }\n"},
	{"a short address at once", "unknown", "the relocation R_X86_64_32 in low is not supported", shortAddress + "int main(void) { return low[1]; }\n"},
	{"beside a short address", "safe", "", "#include <assert.h>\n" + shortAddress + "int main(void) { assert(low[i] == 1); assert(low[0] == 1); return 0; }\n"},
	{"an address in the code", "unknown", "a word of w holds an address that is not known", "extern void (*w)(void); int main(void) { __asm__ volatile(\".Lx: nop\\n .pushsection .data\\n .globl w\\n w: .quad .Lx\\n .popsection\"); w(); return 0; }\n"},
}
