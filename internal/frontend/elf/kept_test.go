package elf_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"fencepost/query"
)

// TestKeptInLoops: what clang keeps in a register outside of a loop is known where it is used: the address of a function
// of the library, and that of the table of a switch, also of one with an index that clang knows to be impossible.
func TestKeptInLoops(t *testing.T) {
	compiler, err := exec.LookPath("clang")
	if err != nil {
		t.Skip("there is no clang here: what it keeps in registers is not tried")
	}
	for _, c := range []struct{ name, text string }{
		{"a system call", `#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int state, data;
static void lock(void) { while (__atomic_exchange_n(&state, 2, __ATOMIC_ACQUIRE)) syscall(202, &state, 128, 2, 0); }
static void unlock(void) { if (__atomic_exchange_n(&state, 0, __ATOMIC_RELEASE) == 2) syscall(202, &state, WAKE, 1); }
static void *work(void *p) { lock(); data++; unlock(); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); work(0); pthread_join(t, 0); assert(data == 2); }
`},
		{"two tables", `#include <assert.h>
#include <pthread.h>
static unsigned char st;
static int v;
__attribute__((noinline)) static int get(void) {
  for (;;) {
    unsigned char e = 0;
    if (__atomic_compare_exchange_n(&st, &e, 1, 0, 2, 2)) { v = 7; __atomic_store_n(&st, WAKE == 129 ? 2 : 4, 3); return v; }
    switch (e) {
    case 0: continue;
    case 1:
      while ((e = __atomic_load_n(&st, 2)) == 1) __builtin_ia32_pause();
      switch (e) { case 0: continue; case 2: return v; case 3: assert(0); case 4: return 9; case 5: return 11; default: __builtin_unreachable(); }
    case 2: return v;
    case 3: assert(0);
    case 4: return 12;
    case 5: return 17;
    default: __builtin_unreachable();
    }
  }
}
static void *work(void *p) { assert(get() == 7); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); work(0); pthread_join(t, 0); }
`},
	} {
		dir := t.TempDir()
		src, out := filepath.Join(dir, "a.c"), filepath.Join(dir, "a.o")
		if err := os.WriteFile(src, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		for want, wake := range map[string]string{"safe": "-DWAKE=129", "unsafe": "-DWAKE=128"} { // 128 waits
			if msg, err := exec.Command(compiler, "-O2", "-fPIC", "-fno-plt", wake, "-c", "-o", out, src).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, msg)
			}
			object, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if got, why := ask(t, query.Input{Name: "a.o", Text: object}, "tso", 0); got != want {
				t.Errorf("%s, %s: %s (%s), want %s", c.name, wake, got, why, want)
			}
		}
	}
}
