package library_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The calls of drains.txt on the processor, between the accesses of three litmus tests: what the processor shows must be
// allowed by the model.

var (
	nativeRounds = flag.Int("fp.native", 0, "rounds of every library call on the processor; 0: it is not asked")
	nativeCall   = flag.String("fp.call", "", "only library calls with this in their names and results are run on the processor")
)

// perRound is how many calls a thread makes in a round, for calls that are fast.
const perRound = 2000

// native returns a program that prints how often a round ended with each pair of values.
func (c drainCall) native(s shape) string {
	times := perRound
	if c["times"] != "" {
		fmt.Sscan(c["times"], &times)
	}
	rename := strings.NewReplacer("X", "xs[i].v", "Y", "ys[i].v", "R", "rs[i].v", "S", "ss[i].v")
	object := func(n int) string {
		switch {
		case c["share"] != "":
			return "&objects[0][0]"
		case c["fresh"] != "":
			return fmt.Sprintf("&objects[%d][i]", n)
		}
		return fmt.Sprintf("&objects[%d][0]", n)
	}
	side := func(n int, accesses [2]string) string {
		body := strings.NewReplacer(accesses[0], rename.Replace(accesses[0]), accesses[1], rename.Replace(accesses[1])).Replace(c.thread(accesses))
		text := fmt.Sprintf("static void *side%d(void *arg) {\n  { int i = 0; (void)i; struct object *o = %s; (void)o; %s }\n  for (int round = 0; round < rounds; round++) {\n", n, object(n), c["begin"])
		if n == 0 {
			text += "    for (int i = 0; i < N; i++) xs[i].v = ys[i].v = rs[i].v = ss[i].v = 0;\n    clean();\n"
		}
		text += fmt.Sprintf("    meet();\n    for (int i = 0; i < N; i++) {\n    struct object *o = %s; (void)o;\n%s    }\n    meet();\n", object(n), body)
		if n == 0 {
			text += fmt.Sprintf("    for (int i = 0; i < N; i++) seen[%s][%s]++;\n", rename.Replace(s.a), rename.Replace(s.b))
		}
		return text + "    meet();\n  }\n  return 0;\n}\n"
	}
	helps := ""
	if c["helper"] != "" {
		helps = fmt.Sprintf("  while (!done) {\n    for (int k = 0; k < 2; k++) { struct object *o = &objects[k][0]; %s }\n  }\n", c["helper"])
	}
	clean := ""
	if c["fresh"] != "" {
		clean = "  memset(objects, 0, sizeof objects);\n"
	}
	return drainHead + fmt.Sprintf(`#include <string.h>
enum { N = %d };
struct object { _Alignas(64) struct { %s }; };
static struct object objects[2][N];
static struct { _Alignas(64) volatile int v; } xs[N], ys[N], rs[N], ss[N];
static long seen[%d][%d], others;
static int rounds;
static atomic_int arrived;
static volatile int done;
static void other_result(void) { __atomic_fetch_add(&others, 1, __ATOMIC_RELAXED); }
static void clean(void) {
%s}
static void meet(void) {
  int mine = atomic_fetch_add(&arrived, 1) / 2;
  while (atomic_load(&arrived) < 2 * (mine + 1)) ;
}
%s%sstatic void *helps(void *arg) {
%s  return 0;
}
int main(int argc, char **argv) {
  pthread_t p, q, h;
  rounds = atoi(argv[1]);
  for (int k = 0; k < 2; k++) { struct object *o = &objects[k][0]; (void)o; %s }
  pthread_create(&h, 0, helps, 0);
  pthread_create(&p, 0, side0, 0);
  pthread_create(&q, 0, side1, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
  done = 1;
  pthread_join(h, 0);
  for (int a = 0; a < %d; a++)
    for (int b = 0; b < %d; b++)
      if (seen[a][b]) printf("%%d %%d %%ld\n", a, b, seen[a][b]);
  if (others) printf("other %%ld\n", others);
  return 0;
}
`, times, c["object"], values, values, clean, side(0, s.first), side(1, s.second), helps, c["init"], values, values)
}

// relaxed is the outcome of each shape that needs a store to be delayed, and is the reason why the shape is tried.
var relaxed = map[string][2]int{"SB": {0, 0}, "R": {2, 0}, "2+2W": {1, 1}}

// TestNativeCalls: what the processor shows across each call is allowed by the model.
func TestNativeCalls(t *testing.T) {
	if *nativeRounds == 0 {
		t.Skip("the processor is asked by make native, with -fp.native")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here")
	}
	total, shown := 0, 0
	for _, c := range drainCalls(t) {
		if !strings.Contains(c.name(), *nativeCall) {
			continue
		}
		line := fmt.Sprintf("%-70s drains: %-4s", c.name(), c["drains"])
		for _, s := range shapes {
			dir := t.TempDir()
			source, program := filepath.Join(dir, "call.c"), filepath.Join(dir, "call")
			if err := os.WriteFile(source, []byte(c.native(s)), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(gcc, "-O1", "-w", "-pthread", source, "-o", program, "-latomic").CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", c.name(), err, out)
			}
			out, err := exec.Command(program, fmt.Sprint(*nativeRounds)).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", c.name(), err, out)
			}
			weak := 0
			for _, l := range strings.Split(strings.TrimSpace(string(out)), "\n") {
				var a, b, n int
				if _, err := fmt.Sscan(l, &a, &b, &n); err != nil {
					t.Errorf("%s, %s: the call has another result: %s", c.name(), s.name, l)
					continue
				}
				total += n
				if relaxed[s.name] == [2]int{a, b} {
					weak = n
				}
				if !c.allows(t, s, a, b) {
					t.Errorf("%s, %s: %s = %d and %s = %d was seen %d times, and the model does not allow it", c.name(), s.name, s.a, a, s.b, b, n)
				}
			}
			if weak > 0 {
				shown++
			}
			line += fmt.Sprintf("  %s %d", s.name, weak)
		}
		t.Log(line)
	}
	t.Logf("%d outcomes; %d programs showed the one that needs a delayed store", total, shown)
}
