package mover_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/engine/mover"
	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// joinsC makes a C program in which main starts up to three threads of two functions and joins them, with assertions before
// and after that are right or wrong: about a lock, a count, a ticket, or what a thread leaves in memory.
func joinsC(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	work := func() string {
		return pick("x = x + 1;", "__sync_fetch_and_add(&n, 1);", "x = 1;", "x = 1; y = 1;", "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
			"while (__sync_lock_test_and_set(&l, 1)) ; x++; __sync_lock_release(&l);", "if (__sync_lock_test_and_set(&l, 1)) return 0; x++;",
			"t = __sync_fetch_and_add(&n, 1); while (__atomic_load_n(&s, __ATOMIC_ACQUIRE) != t) ; x++; t = s; __atomic_store_n(&s, t + 1, __ATOMIC_RELEASE);",
			"t = __sync_fetch_and_add(&n, 1); if (t == 0) { x = 1; s = 1; }", "pthread_mutex_lock(&m); y = y + 1;", "if (x) { y = 2; return 0; } x = 2;")
	}
	var b strings.Builder
	b.WriteString("#include <assert.h>\n#include <pthread.h>\nunsigned l, n, s;\nint x, y;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n")
	for _, name := range []string{"v", "w"} {
		fmt.Fprintf(&b, "void *%s(void *p) {\n  unsigned t = 0;\n  %s\n  return 0;\n}\n", name, work())
	}
	b.WriteString("int main(void) {\n  pthread_t h[3];\n")
	assertion := func() {
		fmt.Fprintf(&b, "  %s\n", pick("", "", "", "", "assert(x == 0);", "assert(x == 1);", "assert(x == 2);", "assert(x <= 2);", "assert(n == s);", "assert(n == 1);", "assert(n == 2);", "assert(s == 0);",
			"assert(l == 0);", "assert(y == 1 || x != 1);", "x = 0;", "s = 0;", "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);", "if (n == 3) assert(0);"))
	}
	joins := func(i int) { fmt.Fprintf(&b, "  pthread_join(h[%d], 0);\n", i) }
	threads, joined := 1+r.IntN(3), 0
	for i := range threads {
		fmt.Fprintf(&b, "  pthread_create(&h[%d], 0, %s, 0);\n", i, pick("v", "w"))
		if r.IntN(3) == 0 {
			joins(i)
			joined++
			assertion()
		} else if i == 0 {
			assertion()
		}
	}
	if joined == 0 {
		for i := range threads {
			joins(i)
			assertion()
		}
	}
	assertion()
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

// TestProofsOfJoins: what is proved of threads that main starts and joins holds under TSO, and the invariants hold in all
// states.
func TestProofsOfJoins(t *testing.T) {
	needsSolver(t)
	defer mover.LimitQuestions(300_000)()
	var c campaign
	for i := range *inC {
		s := *seed + 10 + uint64(i) // so that a few programs differ in what happens to them
		text := joinsC(rand.New(rand.NewPCG(s, 0x101)))
		flat, props, private := parseC(t, text)
		props.Deadlock = false
		c.try(t, trial{
			name: fmt.Sprintf("seed %d\n%s", s, text), prog: flat, props: props, sizes: []int{1},
			opt:      mover.Options{Arithmetic: encode.BitVectors, Private: private, NoAbstraction: i%5 != 0, Reach: reach([]int64{20, 1000, 5000}[i%3]), PSO: i%4 == 3},
			instance: func(int) (*ir.Program, *property.Set) { return flat, props },
			how:      testkit.How{Buffer: 4},
		})
		c.tell(t, i)
	}
	c.end(t)
}
