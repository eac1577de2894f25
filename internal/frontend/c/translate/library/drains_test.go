package library_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// Which library calls drain the store buffer: testdata/drains.txt has every call with each of its results, and the
// programs below are made from it.

// drainCall is a record of drains.txt.
type drainCall map[string]string

func (c drainCall) name() string {
	if c["result"] == "" {
		return c["call"]
	}
	return c["call"] + ": " + c["result"]
}

// drainCalls returns the records of library calls.
func drainCalls(t *testing.T) []drainCall {
	t.Helper()
	return drainRecords(t, "drains.txt")
}

// kernelWords returns the records of words of the Linux kernel.
func kernelWords(t *testing.T) []drainCall {
	t.Helper()
	all := drainRecords(t, "drains_kernel.txt")
	for _, c := range all {
		c["kernel"] = "yes"
	}
	return all
}

// drainRecords returns the records of a file.
func drainRecords(t *testing.T, name string) []drainCall {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []drainCall
	fresh := true
	for in := bufio.NewScanner(file); in.Scan(); {
		line := in.Text()
		key, value, ok := strings.Cut(line, ":")
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			fresh = true
		case !ok:
			t.Fatalf("%s: %q", name, line)
		default:
			if fresh {
				out, fresh = append(out, drainCall{}), false
			}
			out[len(out)-1][key] = strings.TrimSpace(value)
		}
	}
	return out
}

// shape is a litmus test with a call between the two accesses of each thread. A round ends with the values of a and b.
type shape struct {
	name          string
	first, second [2]string // the accesses of thread 1 and of thread 2
	a, b          string    // what is observed after both
}

var shapes = []shape{
	{"SB", [2]string{"X = 1;", "R = Y;"}, [2]string{"Y = 1;", "S = X;"}, "R", "S"},
	{"R", [2]string{"X = 1;", "Y = 1;"}, [2]string{"Y = 2;", "S = X;"}, "Y", "S"},
	{"2+2W", [2]string{"X = 1;", "Y = 2;"}, [2]string{"Y = 1;", "X = 2;"}, "X", "Y"},
}

// values is the number of values that can be observed.
const values = 3

// thread returns what one thread does in one round.
func (c drainCall) thread(accesses [2]string) string {
	text := "    " + c["before"] + "\n    " + accesses[0] + "\n    int v = 0; (void)v; " + c["do"] + "\n    " + accesses[1] + "\n"
	if c["want"] != "" {
		text += "    if (!(" + c["want"] + ")) other_result();\n"
	}
	return text + "    " + c["after"] + "\n"
}

// drainHead is the beginning of all programs.
const drainHead = `#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

struct pair { long low, high; };
static void work(void) {}
static void *nothing(void *arg) { return arg; }
static int nothing11(void *arg) { return 0; }
static void *dies(void *arg) { pthread_mutex_lock(arg); return 0; }
`

// kernelHead is the beginning of programs with words of the kernel.
const kernelHead = `#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <fencepost/linux.h>
static void released(struct kref *k) {}
static void called(struct rcu_head *h) {}
static int runs(void *arg) { return 0; }
`

// head returns the beginning of a program.
func (c drainCall) head() string {
	if c["kernel"] != "" {
		return kernelHead
	}
	return drainHead
}

// model returns a program that fails if a round can end with a and b.
func (c drainCall) model(s shape, a, b int) string {
	second := "o2"
	if c["share"] != "" {
		second = "o1"
	}
	rename := strings.NewReplacer("X", "x", "Y", "y", "R", "r", "S", "s")
	side := func(name, object string, accesses [2]string) string {
		body := strings.NewReplacer(accesses[0], rename.Replace(accesses[0]), accesses[1], rename.Replace(accesses[1])).Replace(c.thread(accesses))
		return fmt.Sprintf("static void *%s(void *arg) {\n  struct object *o = &%s; (void)o;\n  %s\n  {\n%s  }\n  return 0;\n}\n", name, object, c["begin"], body)
	}
	init := func(object string) string {
		return fmt.Sprintf("  { struct object *o = &%s; (void)o; %s }\n", object, c["init"])
	}
	text := c.head() + "void __VERIFIER_assume(int);\nstatic void other_result(void) { __VERIFIER_assume(0); }\n" +
		"struct object { " + c["object"] + " };\nstatic struct object o1, o2;\nstatic int x, y, r, s;\n" +
		side("one", "o1", s.first) + side("two", second, s.second) +
		c.waiter() + "int main(void) {\n  pthread_t p, q;\n" + init("o1")
	if c["share"] == "" {
		text += init("o2")
	}
	if c["waiter"] != "" {
		text += "  pthread_create(&p, 0, waits, &o1);\n  pthread_create(&p, 0, waits, &o2);\n"
	}
	return text + fmt.Sprintf("  pthread_create(&p, 0, one, 0);\n  pthread_create(&q, 0, two, 0);\n  pthread_join(p, 0);\n  pthread_join(q, 0);\n  assert(!(%s == %d && %s == %d));\n  return 0;\n}\n",
		rename.Replace(s.a), a, rename.Replace(s.b), b)
}

// waiter returns the function of the threads that wait at the objects, one at each.
func (c drainCall) waiter() string {
	if c["waiter"] == "" {
		return ""
	}
	return fmt.Sprintf("static void *waits(void *arg) {\n  struct object *o = arg;\n  %s\n  return 0;\n}\n", c["waiter"])
}

// allows reports whether the model allows a round to end with a and b.
func (c drainCall) allows(t *testing.T, s shape, a, b int) bool {
	t.Helper()
	if c["model"] == "none" { // it must be as the record says
		return c["drains"] == "no" || relaxed[s.name] != [2]int{a, b}
	}
	text := c.model(s, a, b)
	opt := query.CheckOptions{KeepGoing: true}
	opt.Workers, opt.Models = 1, []query.Model{query.TSO}
	answer, err := check.Run(context.Background(), query.Input{Name: "call.c", Text: []byte(text)}, opt)
	if err != nil || answer.HasErrors() || answer.Results[0].Verdict == verdict.Unknown {
		t.Fatalf("%v %+v\n%s", err, answer, text)
	}
	found := strings.Contains(answer.Results[0].Reason, "assertion fails")
	for _, v := range answer.Results[0].Others {
		found = found || strings.Contains(v.Reason, "assertion fails")
	}
	return found
}

// TestDrains: a call that is said to drain has no store buffering across it, and one that is said not to drain has.
func TestDrains(t *testing.T) {
	calls := drainCalls(t)
	if len(calls) < 100 {
		t.Errorf("only %d calls", len(calls))
	}
	words := kernelWords(t)
	if len(words) < 130 {
		t.Errorf("only %d words of the kernel", len(words))
	}
	for _, c := range append(calls, words...) {
		if c["model"] == "none" {
			continue
		}
		t.Run(c.name(), func(t *testing.T) {
			t.Parallel()
			if got := c.allows(t, shapes[0], 0, 0); got == (c["drains"] == "yes") {
				t.Errorf("store buffering across it is possible: %v; drains.txt says that it drains: %s", got, c["drains"])
			}
		})
	}
}

// quietCalls access nothing that other threads have, beyond what the program gives them, or end the program.
var quietCalls = strings.Fields(`
	_Exit _exit abort exit thrd_exit pthread_exit reach_error alloca arc4random getenv secure_getenv rand random lrand48 mrand48 srand srand48 srandom
	clock clock_gettime clock_nanosleep gettimeofday nanosleep sleep usleep time timespec_get thrd_sleep poll ppoll
	copysign copysignf fabs fabsf nan nanf memcmp memcpy memmove memset strcmp strcpy strlen strncmp
	scanf fscanf fgets read getchar getc fgetc
	dprintf fflush fprintf fputc fputs fwrite perror printf putc putchar puts setvbuf syslog vfprintf vprintf warn warnx
	gettid pthread_self pthread_equal thrd_current thrd_equal pthread_yield sched_yield thrd_yield pthread_testcancel
	madvise posix_madvise mlock mlockall munlock munlockall prctl setpriority
	sched_setaffinity sched_setparam sched_setscheduler
	pthread_setaffinity_np pthread_setcancelstate pthread_setcanceltype pthread_setconcurrency pthread_setname_np pthread_setschedparam
	pthread_attr_destroy pthread_attr_init pthread_attr_setaffinity_np pthread_attr_setdetachstate pthread_attr_setguardsize pthread_attr_setinheritsched
	pthread_attr_setschedparam pthread_attr_setschedpolicy pthread_attr_setscope pthread_attr_setstack pthread_attr_setstacksize
	pthread_mutexattr_destroy pthread_mutexattr_gettype pthread_mutexattr_init pthread_mutexattr_setpshared pthread_mutexattr_settype
	pthread_condattr_destroy pthread_condattr_init pthread_condattr_setclock pthread_condattr_setpshared
	pthread_barrierattr_destroy pthread_barrierattr_init pthread_barrierattr_setpshared
	pthread_rwlockattr_destroy pthread_rwlockattr_init pthread_rwlockattr_setpshared
	__fp_abs __fp_all __fp_any __fp_assert __fp_bits __fp_block_size __fp_clock __fp_destroy __fp_format_unknown __fp_format_unsupported __fp_futex_full __fp_futex_pi __fp_g
	__fp_global_fence __fp_order_fence __fp_init __fp_inv __fp_loads_begin __fp_loads_end __fp_no_system_call __fp_number __fp_pages __fp_ptr __fp_fetch_add __fp_fetch_sub __fp_sqrt __fp_sqrtf
	__fp_varargs __assert_fail`)

// TestDrainsComplete: every function of the library has a record, or is known to access nothing.
func TestDrainsComplete(t *testing.T) {
	known := map[string]bool{}
	for _, name := range quietCalls {
		known[name] = true
	}
	for _, c := range drainCalls(t) {
		known[c["call"]] = true
	}
	functions := library.New().Functions
	for name := range functions {
		switch {
		case strings.HasPrefix(name, "__atomic_"), strings.HasPrefix(name, "__sync_"): // by their order, see docs/models.md
		case known[strings.TrimPrefix(name, "__builtin_")], strings.HasPrefix(name, "__VERIFIER_"), strings.HasPrefix(name, "__CPROVER_"):
		case strings.HasPrefix(name, "__builtin_") && functions[strings.TrimPrefix(name, "__builtin_")].Lower == nil: // computes
		default:
			t.Errorf("%s has no record in testdata/drains.txt: does it drain the store buffer, and in which results?", name)
		}
	}
}

var update = flag.Bool("update", false, "rewrite the table of calls in docs/models.md")

// TestDrainsInDocs: docs/models.md has a row for every call and result, and for every word of the kernel.
func TestDrainsInDocs(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "..", "docs", "models.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := withTable(t, string(page), "calls", drainCalls(t), []string{"call", "result", "drains", "why", "seen"})
	want = withTable(t, want, "kernel words", kernelWords(t), []string{"word", "result", "drains", "why"})
	if want == string(page) {
		return
	}
	if !*update {
		t.Error("the tables of calls in docs/models.md are not those of testdata/drains*.txt; make update writes them")
		return
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// withTable returns a page with a table of records between two marks.
func withTable(t *testing.T, page, mark string, calls []drainCall, columns []string) string {
	t.Helper()
	begin, end := "<!-- "+mark+" -->\n", "<!-- end of "+mark+" -->\n"
	before, rest, ok1 := strings.Cut(page, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("no place for the table of %s", mark)
	}
	var table strings.Builder
	table.WriteString("| " + strings.Join(columns, " | ") + " |\n" + strings.Repeat("|---", len(columns)) + "|\n")
	for _, c := range calls {
		cells := []string{c["shown"]}
		if cells[0] == "" {
			cells[0] = "`" + c["call"] + "`"
		}
		for _, column := range columns[1:] {
			cells = append(cells, c[column])
		}
		table.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return before + begin + table.String() + end + after
}
