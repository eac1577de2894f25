package mover_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// blocksC makes a C program whose threads allocate nodes, fill them, publish them, read what others have published, and
// free: each part is right, or has a mistake that people make.
func blocksC(r *rand.Rand, threads int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	acquire, release := "", ""
	if r.IntN(2) == 0 {
		acquire, release = "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"
	}
	fill := pick("p->v = 1;", "p->v = 1;", "p->v = 1;", "p->v = 1; p->next = top;", "p->v = x; p->v = 1;", "")
	publish := pick("top = p;", "top = p;", "if (!top) top = p;", "__sync_bool_compare_and_swap(&top, 0, p);", "while (!__sync_bool_compare_and_swap(&top, p->next, p)) p->next = top;", "", "")
	read := pick("q = top; if (q) assert(q->v == 1);", "q = top; if (q) assert(q->v == 1);", "q = top; assert(q->v == 1);", "q = top; if (q && q->next) assert(q->next->v == 1);", "assert(p->v == 1);", "k = p->v; x = 1; assert(k == 1);", "k = x;")
	free := pick("", "", "free(p);", "free(p);", "free(q);", "free(p); free(q);", "if (q != p) free(p);", "q = __sync_lock_test_and_set(&top, 0); free(q);")
	parts := []string{"p = " + pick("malloc(sizeof *p);", "malloc(sizeof *p);", "calloc(1, sizeof *p);"), fill, publish, read, free}
	if r.IntN(5) == 0 { // published too early
		parts[1], parts[2] = parts[2], parts[1]
	}
	if r.IntN(6) == 0 { // freed too early
		parts[3], parts[4] = parts[4], parts[3]
	}
	if r.IntN(6) == 0 { // a reader first
		parts[0], parts[3] = parts[3], parts[0]
	}
	at := 1 + r.IntN(3)
	parts[at] = acquire + " " + parts[at] + " " + release
	if r.IntN(4) == 0 {
		parts[1] += " x = 1; if (x != 1) return 0;"
	}
	var b strings.Builder
	b.WriteString("#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nstruct node { struct node *volatile next; volatile long v; };\nstruct node *volatile top;\nvolatile long x;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n")
	fmt.Fprintf(&b, "void *w(void *arg) {\n  struct node *p = 0, *q = 0;\n  long k = 0;\n  %s\n  return 0;\n}\nint main(void) {\n  pthread_t h[4];\n", strings.Join(parts, "\n  "))
	for i := range threads {
		fmt.Fprintf(&b, "  pthread_create(&h[%d], 0, w, 0);\n", i)
	}
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

// listC makes a C program whose threads put nodes into a shared variable or a list, look at them, take them out and free them,
// again and again and in a lock. Each part is right, or has a mistake that people make.
func listC(r *rand.Rand, threads int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	acquire, release := "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"
	switch r.IntN(6) {
	case 0:
		acquire, release = "while (__sync_lock_test_and_set(&l, 1)) ;", pick("l = 0;", "__sync_lock_release(&l);")
	case 1:
		acquire, release = "do { while (l) ; } while (!__sync_bool_compare_and_swap(&l, 0, 1));", "l = 0;"
	case 2:
		acquire, release = "t = __sync_fetch_and_add(&n, 1); while (s != t) ;", pick("s = t + 1;", "s = s + 1;")
	}
	put := pick("p = malloc(sizeof *p); p->v = 1;", "p = malloc(sizeof *p); p->v = 1;", "p = calloc(1, sizeof *p); p->v = 1;", "p = malloc(sizeof *p);")
	operations := []string{
		"if (!top) { " + put + " top = p; }",
		put + " q = top; top = p; if (q) free(q);",
		put + " p->next = top; top = p;",
		"p = malloc(sizeof *p); p->v = 2; x = 1; assert(p->v == 2); free(p); x = 0;",
		pick("q = top; if (q) { assert(q->v == 1); top = 0; free(q); }", "q = top; if (q) { top = 0; free(q); }", "q = top; if (q) { free(q); assert(q->v == 1); top = 0; }", "q = top; if (q) free(q);"),
		pick("if (top) assert(top->v == 1);", "assert(!top || top->v == 1);", "assert(top->v == 1);"),
		pick("for (q = top; q; q = q->next) assert(q->v == 1);", "for (q = top; q; q = q->next) k++;"),
		pick("q = top; if (q) { top = q->next; free(q); }", "q = top; if (q) { free(q); top = q->next; }"),
		pick("assert(x == 0); x = 1; x = 0;", "for (k = 0; k < 2; k++) x = k; assert(x == 1); x = 0;"),
	}
	var parts []string
	for range 1 + r.IntN(2) {
		part := operations[r.IntN(len(operations))]
		switch r.IntN(10) {
		case 0: // without the lock
		case 1: // released too early
			part = acquire + " " + release + " " + part
		default:
			part = acquire + " " + part + " " + release
		}
		parts = append(parts, part)
	}
	body := strings.Join(parts, "\n  ")
	if r.IntN(3) == 0 { // in an order that PSO keeps
		body = strings.NewReplacer("top = p;", "__atomic_store_n(&top, p, __ATOMIC_RELEASE);", "x = 0;", "__atomic_store_n(&x, 0, __ATOMIC_RELEASE);", "x = 1;", "__atomic_store_n(&x, 1, __ATOMIC_RELEASE);").Replace(body)
	}
	switch r.IntN(4) {
	case 0, 1:
		body = "for (;;) {\n  " + body + "\n  }"
	case 2:
		body = "for (int i = 0; i < 2; i++) {\n  " + body + "\n  }"
	}
	var b strings.Builder
	b.WriteString("#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nstruct node { struct node *volatile next; volatile long v; };\nstruct node *volatile top;\nvolatile long x;\nvolatile unsigned l, n, s;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n")
	fmt.Fprintf(&b, "void *w(void *arg) {\n  struct node *p = 0, *q = 0;\n  long k = 0;\n  unsigned t = 0;\n  %s\n  return 0;\n}\nint main(void) {\n  pthread_t h[4];\n", body)
	for i := range threads {
		fmt.Fprintf(&b, "  pthread_create(&h[%d], 0, w, 0);\n", i)
	}
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

// TestProofsOfLists: likewise with loops, locks and blocks that one thread makes and another one frees.
func TestProofsOfLists(t *testing.T) { proofsInC(t, listC, *inC) }

// TestProofsOfBlocks: a C program with allocation that is proved for any number of threads fails with none of one to four.
func TestProofsOfBlocks(t *testing.T) { proofsInC(t, blocksC, 3**inC) }
