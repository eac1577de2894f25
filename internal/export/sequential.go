package export

// A flat program as a sequential program in C: lazy sequentialization with a shared memory abstraction [TNIFLP16]. Each
// thread is a function that goes on where it stopped, and stops again at a point that is chosen freely; run calls the
// threads in turn, for a number of rounds. All accesses to memory are calls of a small runtime, which is SC, TSO or PSO.
// Whatever is free is a call of choose.
//
// The program is the one that engine bmc encodes, with the same bounds: unrolled, so that a thread comes to a location at
// most once, and with the same cells of memory. An operation that would have to wait excludes the execution, because its
// thread could have stopped before it. An assumption that does not hold, and a bound, stop their thread for ever.

import (
	"fmt"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Sequence is a program whose rounds are planned.
type Sequence struct {
	Program *ir.Program
	Props   *property.Set
	Model   string // sc, tso or pso
	Rounds  int    // the main thread has one turn more
	Times   int    // times at which stores can reach memory
	Kept    int    // writes to a cell that are kept, one of them in memory
	Cells   []SequenceCell
	Order   [][]ir.Loc        // by thread: the locations that it can reach
	Stops   []map[ir.Loc]bool // by thread: where it can be stopped
}

// SequenceCell is a piece of memory that is kept as one word.
type SequenceCell struct {
	Addr uint64
	Size int
	User ir.ThreadID // the only thread that accesses it, or NoThread
}

// sequential writes one program.
type sequential struct {
	refuser
	Sequence
	names   namer
	threads []*sequentialThread
	regs    []string // declarations of registers
	inits   []string // initial values of registers
}

// Sequential returns a program as sequential C. If there are refusals, the text is empty.
func Sequential(in Sequence) (string, []Refusal) {
	w := &sequential{Sequence: in, names: newNamer(cWords + " run store load put arrivals tick stop rest fail state start choose final_value find private_load")}
	if w.refuseAlways(in.Program, "sequential C") {
		return "", w.refusals
	}
	if in.Props.Deadlock {
		w.refuse(in.Program.Threads[0].Pos, "a question about deadlocks cannot be exported to sequential C")
	}
	for t := range in.Program.Threads {
		w.addThread(ir.ThreadID(t))
	}
	var body strings.Builder
	for _, t := range w.threads {
		t.write(&body)
	}
	w.run(&body)
	if len(w.refusals) > 0 {
		return "", w.refusals
	}
	var out strings.Builder
	w.header(&out)
	out.WriteString(body.String())
	out.WriteString(sequentialMain)
	return out.String(), nil
}

const sequentialHeader = `/*
 * %s under %s, as a sequential program in C; written by fencepost.
 *
 * Threads run in rounds, lazily sequentialized, on an abstraction of shared memory.
 * For verifiers (CBMC, ESBMC and others): as it is; a failing assertion is a violation.
 * To run it: gcc -DRUN FILE.c -o a.out
 *   ./a.out all        all choices in turn; exit code 1 as soon as something fails
 *   ./a.out all N      at most N runs; exit code 2 if these are not all
 *   ./a.out seed N     choices at random
 *   ./a.out file F     choices from a file of numbers
 */
#include <assert.h>
#include <stdint.h>
#ifdef RUN
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

#define UNUSED __attribute__((unused))

enum { THREADS = %d, CELLS = %d, ROUNDS = %d, TIMES = %d, KEPT = %d };

`

const sequentialChoices = `#ifdef RUN
static jmp_buf excluded;
static int mode; /* 0: all, 1: at random, 2: from a file */
static FILE *numbers;
static int choice[1 << 16], choices[1 << 16], depth, known;

static void __VERIFIER_assume(int c) {
  if (!c)
    longjmp(excluded, 1);
}

/* A number from 0 to n-1. */
static int choose(int n) {
  int v = 0;
  __VERIFIER_assume(n > 0);
  if (n == 1)
    return 0;
  if (mode == 1)
    return rand() % n;
  if (mode == 2) {
    __VERIFIER_assume(fscanf(numbers, "%d", &v) == 1 && v >= 0 && v < n);
    return v;
  }
  if (depth == known) {
    __VERIFIER_assume(known < 1 << 16);
    choice[known] = 0;
    choices[known++] = n;
  }
  return choice[depth++];
}

static int64_t UNUSED any_number(void) { return choose(8) - 1; }

static void fail(const char *what) {
  printf("violation: %s\n", what);
  printf("choices:");
  for (int i = 0; mode == 0 && i < depth; i++)
    printf(" %d", choice[i]);
  printf("\n");
  exit(1);
}
#else
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
extern void __VERIFIER_assume(int);

static int choose(int n) {
  int v = __VERIFIER_nondet_int();
  __VERIFIER_assume(v >= 0 && v < n);
  return v;
}

static int64_t UNUSED any_number(void) { return __VERIFIER_nondet_long(); }

static void fail(const char *what) {
  (void)what;
  assert(0);
  __VERIFIER_assume(0);
}
#endif

`

const sequentialMain = `
#ifdef RUN
int main(int argc, char **argv) {
  volatile long runs = 0, most = -1;
  if (argc == 3 && strcmp(argv[1], "seed") == 0) {
    mode = 1;
    srand((unsigned)atoi(argv[2]));
  } else if (argc == 3 && strcmp(argv[1], "file") == 0) {
    mode = 2;
    numbers = fopen(argv[2], "r");
    if (!numbers) {
      perror(argv[2]);
      return 3;
    }
  } else if (argc == 3 && strcmp(argv[1], "all") == 0) {
    most = atol(argv[2]);
  } else if (argc != 2 || strcmp(argv[1], "all") != 0) {
    fprintf(stderr, "usage: %s all [N] | seed N | file F\n", argv[0]);
    return 3;
  }
  do {
    if (runs == most) {
      printf("stopped after %ld runs\n", runs);
      return 2;
    }
    s = start;
    depth = 0;
    runs++;
    if (!setjmp(excluded))
      run();
    known = depth;
    while (known > 0 && choice[known - 1] + 1 >= choices[known - 1])
      known--;
    if (known > 0)
      choice[known - 1]++;
  } while (mode == 0 && known > 0);
  printf("no violation in %ld runs\n", runs);
  return 0;
}
#else
int main(void) {
  s = start;
  run();
  return 0;
}
#endif
`

const sequentialSC = `/* The runtime: sequential consistency. Every cell is one word. */

static UNUSED void tick(void) {}
static UNUSED void drained(int t) { (void)t; }
static UNUSED void store_fence(int t) { (void)t; }
static UNUSED uint64_t memory(int c) { return s.memory[c]; }
static UNUSED uint64_t load(int t, int c) {
  (void)t;
  return s.memory[c];
}
static UNUSED void put(int c, uint64_t value, uint64_t mask) {
  s.memory[c] = (s.memory[c] & ~mask) | (value & mask);
}
static UNUSED void store(int t, int c, uint64_t value, uint64_t mask) {
  (void)t;
  put(c, value, mask);
}
static UNUSED uint64_t final_value(int c) { return s.memory[c]; }

`

const sequentialBuffers = `/* The runtime: %s. A store gets the time at which it reaches memory when it is made, and a
   clock moves on; the stores to a cell wait in the order of their times. */

/* Stores whose time has come reach memory. */
static void arrivals(int c) {
  while (s.count[c] > 0 && s.waiting[c][0].time <= s.now) {
    struct write *w = s.waiting[c];
    s.memory[c] = (s.memory[c] & ~w->mask) | (w->value & w->mask);
    for (int i = 1; i < s.count[c]; i++)
      w[i - 1] = w[i];
    s.count[c]--;
  }
}

/* Time passes. */
static UNUSED void tick(void) { s.now += choose(TIMES - s.now); }

/* All stores of a thread are in memory. */
static UNUSED void drained(int t) { __VERIFIER_assume(s.latest[t] <= s.now); }

static UNUSED void store_fence(int t) { s.floor[t] = s.latest[t]; }

static UNUSED uint64_t memory(int c) {
  arrivals(c);
  return s.memory[c];
}

/* Each byte comes from the newest store of the thread to it, if that waits, or from memory. */
static UNUSED uint64_t load(int t, int c) {
  uint64_t v = memory(c);
  for (int i = 0; i < 8; i++) {
    uint64_t byte = (uint64_t)255 << (8 * i);
    if (s.newest_time[t][c][i] > s.now)
      v = (v & ~byte) | (s.newest[t][c] & byte);
  }
  return v;
}

/* A write with a time, after all with the same time. */
static void put_at(int c, uint64_t value, uint64_t mask, int time) {
  int i;
  arrivals(c);
  __VERIFIER_assume(s.count[c] < KEPT - 1);
  for (i = s.count[c]; i > 0 && s.waiting[c][i - 1].time > time; i--)
    s.waiting[c][i] = s.waiting[c][i - 1];
  s.waiting[c][i].value = value;
  s.waiting[c][i].mask = mask;
  s.waiting[c][i].time = time;
  s.count[c]++;
}

static UNUSED void put(int c, uint64_t value, uint64_t mask) { put_at(c, value, mask, s.now); }

static UNUSED void store(int t, int c, uint64_t value, uint64_t mask) {
  int least, time;
  arrivals(c);
  if (s.count[c] == KEPT - 1)
    tick(); /* to make room */
  least = s.now;
%s  time = least + choose(TIMES - least);
  put_at(c, value, mask, time);
  for (int i = 0; i < 8; i++)
    if (mask >> (8 * i) & 1)
      s.newest_time[t][c][i] = time;
  s.newest[t][c] = (s.newest[t][c] & ~mask) | (value & mask);
  if (time > s.latest[t])
    s.latest[t] = time;
}

static UNUSED uint64_t final_value(int c) {
  s.now = TIMES;
  return memory(c);
}

`

const (
	sequentialTSO = `  if (s.latest[t] > least) /* the stores of a thread keep their order */
    least = s.latest[t];
`
	sequentialPSO = `  if (s.floor[t] > least)
    least = s.floor[t];
  for (int i = 0; i < 8; i++) /* the stores of a thread to a byte keep their order */
    if ((mask >> (8 * i) & 1) && s.newest_time[t][c][i] > least)
      least = s.newest_time[t][c][i];
`
)

// header writes everything before the threads.
func (w *sequential) header(out *strings.Builder) {
	p := w.Program
	fmt.Fprintf(out, sequentialHeader, comment(p.Name), strings.ToUpper(w.Model), len(p.Threads), max(1, len(w.Cells)), w.Rounds, w.Times, w.Kept)
	out.WriteString(sequentialChoices)
	if divides(p) {
		out.WriteString(strings.ReplaceAll(cDivision, "static inline", "static UNUSED") + "\n")
	}
	if w.Model != "sc" {
		out.WriteString("struct write {\n  uint64_t value, mask;\n  int time;\n};\n\n")
	}
	out.WriteString("static struct state {\n  int pc[THREADS]; /* where a thread goes on; -1: nowhere */\n  int at[THREADS]; /* where it rests */\n")
	out.WriteString("  int started[THREADS], ended[THREADS], joined[THREADS];\n  int64_t result[THREADS];\n  uint64_t memory[CELLS];\n")
	if w.Model != "sc" {
		out.WriteString("  struct write waiting[CELLS][KEPT - 1]; /* stores that have not reached memory */\n  int count[CELLS];\n")
		out.WriteString("  int now, latest[THREADS], floor[THREADS];\n  uint64_t newest[THREADS][CELLS];\n  int newest_time[THREADS][CELLS][8];\n")
	}
	for _, r := range w.regs {
		fmt.Fprintf(out, "  %s\n", r)
	}
	out.WriteString("} s;\n\nstatic const struct state start = {\n")
	w.initial(out)
	out.WriteString("};\n\n")
	for i, c := range w.Cells {
		fmt.Fprintf(out, "/* cell %d is %s */\n", i, comment(p.LocationName(c.Addr, c.Size)))
	}
	out.WriteByte('\n')
	switch w.Model {
	case "sc":
		out.WriteString(sequentialSC)
	case "tso":
		fmt.Fprintf(out, sequentialBuffers, "TSO", sequentialTSO)
	case "pso":
		fmt.Fprintf(out, sequentialBuffers, "PSO", sequentialPSO)
	default:
		panic("BUG: unknown model " + w.Model)
	}
	w.table(out)
	out.WriteString("/* A thread stops at a location, or goes on. */\nstatic UNUSED int stop(int t, int at) {\n  s.pc[t] = s.at[t] = at;\n  return choose(2);\n}\n\n")
	out.WriteString("/* A thread stays at a location for ever. */\nstatic UNUSED void rest(int t, int at) {\n  s.pc[t] = -1;\n  s.at[t] = at;\n}\n\n")
}

// table writes the cells, for addresses that are computed.
func (w *sequential) table(out *strings.Builder) {
	if len(w.Cells) == 0 {
		return
	}
	out.WriteString("static const struct {\n  uint64_t address;\n  int size;\n} cells[CELLS] UNUSED = {\n")
	for _, c := range w.Cells {
		fmt.Fprintf(out, "  {%dU, %d},\n", c.Addr, c.Size)
	}
	out.WriteString("};\n\nstatic UNUSED int find(uint64_t address, int size) {\n  for (int c = 0; c < CELLS; c++)\n    if (address >= cells[c].address && address + (uint64_t)size <= cells[c].address + (uint64_t)cells[c].size)\n      return c;\n  return -1;\n}\n\n")
}

// initial writes the first state.
func (w *sequential) initial(out *strings.Builder) {
	list := func(name string, value func(i int) string, n int) {
		var vals []string
		for i := range n {
			vals = append(vals, value(i))
		}
		fmt.Fprintf(out, "  .%s = {%s},\n", name, strings.Join(vals, ", "))
	}
	p := w.Program
	list("pc", func(i int) string { return fmt.Sprint(p.Funcs[p.Threads[i].Func].Entry) }, len(p.Threads))
	list("at", func(int) string { return "-1" }, len(p.Threads))
	list("started", func(i int) string { return fmt.Sprint(truth(p.Threads[i].Start)) }, len(p.Threads))
	if len(w.Cells) > 0 {
		list("memory", func(i int) string {
			return fmt.Sprintf("%dU", uint64(initialValue(p, w.Cells[i].Addr, ir.Type{Bits: uint8(8 * w.Cells[i].Size)})))
		}, len(w.Cells))
	}
	for _, r := range w.inits {
		fmt.Fprintf(out, "  %s\n", r)
	}
}

// run writes the rounds and the questions about the last state.
func (w *sequential) run(out *strings.Builder) {
	out.WriteString("static void run(void) {\n  for (int round = 0; round < ROUNDS; round++) {\n")
	call := func(t *sequentialThread, indent string) {
		fmt.Fprintf(out, "%sif (s.started[%d])\n%s  %s();\n", indent, t.id, indent, t.name)
	}
	for _, t := range w.threads {
		call(t, "    ")
	}
	out.WriteString("  }\n")
	if m := w.Program.Main; m != ir.NoThread {
		call(w.threads[m], "  ")
	}
	for i := range w.Props.Goals {
		g := &w.Props.Goals[i]
		var at []string
		for _, a := range g.At {
			var here []string
			for _, l := range a.Locs {
				here = append(here, fmt.Sprintf("s.at[%d] == %d", a.Thread, l))
				if w.threads[a.Thread].inside[l] {
					w.refuse(g.Pos, "a goal inside an atomic section cannot be exported to sequential C")
				}
			}
			at = append(at, "("+strings.Join(here, " || ")+")")
		}
		if g.With != nil {
			at = append(at, w.cond(g.With).operand())
		}
		fmt.Fprintf(out, "  if (%s)\n    fail(%s);\n", strings.Join(at, " && "), cString("goal "+g.Name))
	}
	if f := w.Props.Final; f != nil {
		var all []string
		for _, t := range w.threads {
			all = append(all, fmt.Sprintf("(!s.started[%d] || %s)", t.id, t.hasEnded()))
		}
		cond := w.cond(f.Cond)
		if f.Quantifier == property.Forall {
			cond = cExpr{"!" + cond.operand(), true}
		}
		fmt.Fprintf(out, "  if (%s && %s)\n    fail(%s);\n", strings.Join(all, " && "), cond.operand(), cString(fmt.Sprintf("%s %s", f.Quantifier, f.Cond.Text)))
	}
	out.WriteString("}\n")
}

// cond returns a condition on the last state.
func (w *sequential) cond(c *property.Cond) cExpr {
	in := cNames{}
	for _, v := range c.Vars {
		if !v.IsMemory() {
			in.regs = append(in.regs, w.threads[v.Thread].names.regs[v.Reg])
			continue
		}
		id, shift, ok := w.cell(v.Addr, v.Type.Size())
		if !ok {
			panic("BUG: a condition about memory that is not tracked")
		}
		in.regs = append(in.regs, cExpr{fmt.Sprintf("final_value(%d) >> %d", id, shift), false}.cast(v.Type).text)
	}
	return in.expr(c.Expr)
}

// cell returns the cell that has some bytes, and the number of the first bit.
func (w *sequential) cell(addr uint64, size int) (id, shift int, ok bool) {
	for i, c := range w.Cells {
		if addr >= c.Addr && addr+uint64(size) <= c.Addr+uint64(c.Size) {
			return i, 8 * int(addr-c.Addr), true
		}
	}
	return 0, 0, false
}
