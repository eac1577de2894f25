package testkit_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/smc"
	"fencepost/internal/frontend/c"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var finalPrograms = flag.Int("fp.finals", 6, "random C programs whose final states are compared")

func compileFinals(text string) (*ir.Program, *property.Set, error) {
	unit, diags := c.Parse([]*source.File{source.NewFile("final.c", []byte(text))}, testkit.ZeroedC())
	if diags.HasErrors() {
		return nil, nil, fmt.Errorf("refused: %v", diags.All)
	}
	flat, err := transform.Run(unit.Program, transform.Options{Unroll: 3}, nil)
	return flat, unit.Props, err
}

// sameFinals compares the final states that two engines find with the enumerator.
func sameFinals(flat *ir.Program, props *property.Set, m memory.Model) (finals []string, problem string, err error) {
	want, err := testkit.Oracle(flat, props, m)
	if err != nil {
		return nil, "", err
	}
	for _, how := range []testkit.How{{}, {NoReduction: true}, {Workers: 2}} {
		got, err := testkit.Ask(&explicit.Engine, flat, props, m, how)
		if err != nil {
			return nil, fmt.Sprintf("explicit %+v: %v", how, err), nil
		}
		if !slices.Equal(got.Finals, want.Finals) {
			return nil, fmt.Sprintf("final states %q, explicit %+v has %q", want.Finals, how, got.Finals), nil
		}
	}
	got, err := testkit.Ask(&smc.Engine, flat, props, m, testkit.How{})
	if err != nil {
		return nil, fmt.Sprintf("smc: %v", err), nil
	}
	if !slices.Equal(got.Finals, want.Finals) {
		return nil, fmt.Sprintf("final states %q, smc has %q", want.Finals, got.Finals), nil
	}
	return want.Finals, "", nil
}

// TestFinalStatesOfC: final states show all memory that a program can read, and names of
// blocks instead of addresses.
func TestFinalStatesOfC(t *testing.T) {
	for _, tc := range []struct{ name, globals, main, want string }{
		{"members", "struct { int a; struct { char b; long c; } in; } s;", "s.a = 1; s.in.c = -2;", "s.a=1 s.in.b=0 s.in.c=-2"},
		{"a union", "union { int w; unsigned char b[4]; } u;", "u.b[1] = 1;", "u.w=256 u.b[0]=0 u.b[1]=1 u.b[2]=0 u.b[3]=0"},
		{"bit-fields", "struct { unsigned a : 3, b : 5; char c; } s;", "s.a = 1; s.b = 2; s.c = 3;", "s.c=3 s.bytes[0]=17"},
		{"rows", "int a[2][2];", "a[1][0] = 7;", "a[0][0]=0 a[0][1]=0 a[1][0]=7 a[1][1]=0"},
		{"a long array", "int a[20];", "a[18] = 7;", "a[18]=7"},
		{"pointers", "int x, *p, *n; struct { int *q; } s;", "x = 1; p = &x; n = 0; s.q = p;", "x=1 p=&x n=null s.q=&x"},
		{"a static variable", "void f(void) { static int n; n++; }", "f(); f();", "f.n=2"},
		{"a locked mutex", "pthread_mutex_t m;", "pthread_mutex_lock(&m);", "m=1"},
		{"an unlocked mutex", "pthread_mutex_t m; int x;", "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);", "x=1"},
		{"a semaphore", "sem_t s;", "sem_init(&s, 0, 2); sem_post(&s);", "s=3"},
		{"a block", "int *p;", "p = malloc(sizeof(int)); *p = 4;", "p=&malloc@final.c:6 malloc@final.c:6=4"},
		{"a lost block", "", "int *p = malloc(4); *p = 4;", "malloc@final.c:6=4"},
		{"a zero block", "", "malloc(4);", "malloc@final.c:6=zero"},
		{"a freed block", "int *p;", "p = malloc(4); *p = 4; free(p);", "p=&freed"},
		{"a pointer into a block", "int *p, *end;", "p = malloc(2 * sizeof(int)); p[0] = 1; p[1] = 2; end = p + 2; p++;",
			"p=&malloc@final.c:6+4 end=&malloc@final.c:6+8 malloc@final.c:6[0]=1 malloc@final.c:6[1]=2"},
		{"an address as a number", "long n;", "n = (long)malloc(4);", "n=&malloc@final.c:6 malloc@final.c:6=zero"},
		{"a list", "struct node { struct node *next; int v; } *list;",
			"for (int i = 1; i < 3; i++) { struct node *n = malloc(sizeof *n); n->v = i; n->next = list; list = n; }",
			"list=&malloc@final.c:6#2 malloc@final.c:6.next=null malloc@final.c:6.v=1 malloc@final.c:6#2.next=&malloc@final.c:6 malloc@final.c:6#2.v=2"},
		{"which address a block gets does not matter", "int *p;", "int *a = malloc(4), *b = malloc(4); free(a); free(b); p = malloc(4); *p = 1;", "p=&malloc@final.c:6/3 malloc@final.c:6/3=1"},
		{"the order of blocks, not of addresses", "int *p[2];",
			"int *old[2]; for (int i = 0; i < 2; i++) old[i] = malloc(4);\n for (int i = 0; i < 2; i++) free(old[i]); for (int i = 0; i < 2; i++) p[i] = calloc(1, 4); *p[0] = 1;",
			"p[0]=&calloc@final.c:7 p[1]=&calloc@final.c:7#2 calloc@final.c:7=1 calloc@final.c:7#2=zero"},
		{"a local variable", "int *p;", "int x = 1; int *volatile q = &x; p = 0; (void)q;", "p=null"},
		{"a thread-local variable", "_Thread_local int n; int x;", "n = 3; x = 1;", "x=1"},
	} {
		text := fmt.Sprintf("#include <pthread.h>\n#include <semaphore.h>\n#include <stdlib.h>\n%s\nint main(void) {\n%s\nreturn 0; }\n", tc.globals, tc.main)
		flat, props, err := compileFinals(text)
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		for _, m := range testkit.Models {
			finals, problem, err := sameFinals(flat, props, m)
			if err != nil || problem != "" {
				t.Fatalf("%s under %s: %v %s", tc.name, m, err, problem)
			}
			if len(finals) != 1 || strings.TrimSpace(finals[0]) != tc.want {
				t.Errorf("%s under %s: %q, want %q", tc.name, m, finals, tc.want)
			}
		}
	}
}

// TestFinalStatesResults: the results of threads are part of final states.
func TestFinalStatesResults(t *testing.T) {
	flat, props, err := compileFinals(`#include <pthread.h>
#include <stdlib.h>
int x, y;
void *a(void *arg) { x = 1; return (void *)(long)y; }
void *b(void *arg) { y = 1; int *p = malloc(sizeof *p); *p = x; return p; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0); return 3; }
`)
	if err != nil {
		t.Fatal(err)
	}
	const memory, results = "x=1 y=1 malloc@final.c:5=", " main:result=3"
	sc := []string{memory + "0" + results + " a:result=1 b:result=&malloc@final.c:5", memory + "1" + results + " a:result=1 b:result=&malloc@final.c:5", memory + "1" + results + " b:result=&malloc@final.c:5"}
	weak := append([]string{memory + "0" + results + " b:result=&malloc@final.c:5"}, sc...)
	slices.Sort(weak)
	for i, m := range testkit.Models {
		want := sc
		if i > 0 {
			want = weak
		}
		finals, problem, err := sameFinals(flat, props, m)
		if err != nil || problem != "" || !slices.Equal(finals, want) {
			t.Errorf("%s: %v %s\ngot  %q\nwant %q", m, err, problem, finals, want)
		}
	}
}

// TestFinalStatesAgainstEnumerator compares the final states of random C programs, with
// structs, unions, pointers, blocks and results, with the enumerator of replay.
func TestFinalStatesAgainstEnumerator(t *testing.T) {
	var tooBig, finals, differ atomic.Int64
	inParallel(*finalPrograms, func(i int) {
		seed := *firstSeed + uint64(i)
		text := generateFinals(seed)
		fail := func(problem string) {
			t.Errorf("seed %d: %s\nreproduce: go test ./internal/testkit -run TestFinalStatesAgainstEnumerator -fp.finals=1 -fp.seed=%d\n%s", seed, problem, seed, numbered(text))
		}
		flat, props, err := compileFinals(text)
		if err != nil {
			fail(err.Error())
			return
		}
		var sc []string
		for _, m := range testkit.Models {
			got, problem, err := sameFinals(flat, props, m)
			switch {
			case errors.Is(err, testkit.ErrTooBig):
				tooBig.Add(1)
				return
			case err != nil:
				fail(err.Error())
				return
			case problem != "":
				fail(fmt.Sprintf("%s: %s", m, problem))
				return
			}
			finals.Add(int64(len(got)))
			switch {
			case sc == nil:
				sc = got
			case !testkit.Subset(sc, got):
				fail(fmt.Sprintf("SC has final states that %s lacks", m))
			case len(got) > len(sc):
				differ.Add(1)
			}
		}
	})
	t.Logf("%d programs, 3 models each: %d final states, %d times other ones than SC; %d programs too big for the oracle", *finalPrograms, finals.Load(), differ.Load(), tooBig.Load())
	if tooBig.Load()*3 > int64(*finalPrograms) || differ.Load()*50 < int64(*finalPrograms) {
		t.Error("the generator is of little use")
	}
}

// generateFinals returns a program with two threads that write memory of all kinds.
func generateFinals(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 20))
	pick := func(words string) string {
		list := strings.Split(words, "|")
		return list[r.IntN(len(list))]
	}
	fresh := 0
	value := func() string { return pick("1|2|x|y|s.a|s.b[1]|u.w|a[1][0]|x|y") }
	statement := func() string {
		fresh++
		q := fmt.Sprintf("q%d", fresh)
		switch r.IntN(9) {
		case 0, 1, 2, 3:
			return fmt.Sprintf("%s = %s;", pick("x|y|s.a|s.b[1]|u.w|u.c[1]|a[1][0]"), value())
		case 4:
			return fmt.Sprintf("p = %s;", pick("&x|&y|&a[0][1]|0"))
		case 5:
			return fmt.Sprintf("int *%s = malloc(sizeof(int)); *%s = %s; p = %s;", q, q, value(), q)
		case 6:
			return fmt.Sprintf("struct node *%s = malloc(sizeof(struct node)); %s->v = %s; %s->next = list; list = %s;", q, q, value(), q, q)
		case 7:
			return fmt.Sprintf("int *%s = malloc(sizeof(int)); *%s = %s; free(%s);", q, q, value(), q)
		default:
			return "word = (long)malloc(8);"
		}
	}
	var out strings.Builder
	out.WriteString("#include <pthread.h>\n#include <stdlib.h>\nint x, y;\nstruct { int a; short b[2]; } s;\nunion { int w; signed char c[4]; } u;\nint a[2][2], *p;\nstruct node { struct node *next; int v; } *list;\nlong word;\n")
	for t := range 2 {
		fmt.Fprintf(&out, "void *t%d(void *arg) {\n", t)
		buffering := r.IntN(2) == 0 // store, then load the variable that the other thread stores
		if buffering {
			fmt.Fprintf(&out, "%c = 1;\n", "xy"[t])
		}
		for range 1 + r.IntN(2) {
			fmt.Fprintln(&out, statement())
		}
		if buffering {
			fmt.Fprintf(&out, "%s = %c;\n", pick([]string{"s.a|u.c[0]|a[0][0]", "s.b[0]|u.c[1]|a[1][1]"}[t]), "yx"[t])
		}
		fmt.Fprintf(&out, "return (void *)%s;\n}\n", pick("0|0|(long)"+value()+"|(long)"+value()+"|&x"))
	}
	out.WriteString("int main(void) {\npthread_t h, k;\npthread_create(&h, 0, t0, 0);\npthread_create(&k, 0, t1, 0);\n")
	if r.IntN(2) == 0 {
		out.WriteString("pthread_join(h, 0);\n")
	}
	fmt.Fprintf(&out, "return %s;\n}\n", pick("0|0|x"))
	return out.String()
}
