package cli

import (
	"fmt"
	"strings"
)

// limitCases has, for each stage, a command and a program that is too large for it. The first word of a name is
// the package or the command.
var limitCases = []limitCase{
	{stage: "explicit search", args: "check --engine explicit --workers 1 FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }, memory: "1MiB"},
	{stage: "explicit final states", args: "check --final-states --workers 1 FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }, memory: "1MiB"},
	{stage: "explicit keep going", args: "check --keep-going --workers 1 FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }},
	{stage: "lazy search", args: "check --engine lazy --workers 1 FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }, memory: "1MiB"},
	{stage: "smc search", args: "check --engine smc --workers 1 FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }},
	{stage: "rf search", args: "check --engine rf --workers 1 FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }},
	{stage: "smc races", args: "check --races --workers 1 FILE", file: "p.c", text: func() string { return atomics(8, 8) }},
	{stage: "smc robustness", args: "check --robustness --model sc --workers 1 FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }},
	{stage: "bmc value flow", args: "check --engine bmc FILE", file: "p.fp", text: func() string { return copyChain(2000) }, memory: "4MiB"},
	{stage: "bmc encoding", args: "check --engine bmc FILE", file: "p.fp", text: func() string { return sameExpression(10000) }},
	{stage: "bmc solving", args: "check --engine bmc FILE", file: "p.fp", text: factors},
	{stage: "bmc cadical", args: "check --engine bmc --solver cadical FILE", file: "p.fp", text: factors, needs: "cadical"},
	{stage: "bmc minisat", args: "check --engine bmc --solver minisat FILE", file: "p.fp", text: factors, needs: "minisat"},
	{stage: "check portfolio", args: "check --workers 1 FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }},
	{stage: "check cross-check", args: "check --workers 1 --cross-check FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }},
	{stage: "check three models", args: "check --workers 1 --model sc,tso,pso FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }},
	{stage: "robust search", args: "robust --workers 1 FILE", file: "p.fp", text: func() string { return unlikelyAttack(8, 8) }, memory: "1MiB"},
	{stage: "robust planning", args: "robust --workers 1 FILE", file: "p.fp", text: func() string { return storesAndLoads(2, 1600) }},
	{stage: "robust instrument", args: "robust --method instrument --workers 1 FILE", file: "p.fp", text: func() string { return unlikelyAttack(6, 8) }, memory: "1MiB"},
	{stage: "robust instrument many attacks", args: "robust --method instrument --workers 1 FILE", file: "p.fp", text: func() string { return unlikelyAttacks(2, 2, 200) }},
	{stage: "robust trf", args: "robust --criterion trf --workers 1 FILE", file: "p.fp", text: func() string { return unlikelyAttack(8, 8) }, memory: "1MiB"},
	{stage: "robust state", args: "robust --criterion state --workers 1 FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }, memory: "1MiB"},
	{stage: "fences robustness", args: "fences --workers 1 FILE", file: "p.fp", text: func() string { return unlikelyAttack(8, 8) }, memory: "1MiB"},
	{stage: "fences loop", args: "fences --workers 1 FILE", file: "p.fp", text: func() string { return storeBuffers(80) }},
	{stage: "fences assertions", args: "fences --for assertions --workers 1 FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }, memory: "1MiB",
		says: "under SC, too, is not known: time limit reached after "},
	{stage: "fences remove", args: "fences --remove --workers 1 FILE", file: "p.fp", text: func() string { return fencedStores(8, 8) }},
	{stage: "traces", args: "traces FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }},
	{stage: "traces count", args: "traces --count FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }},
	{stage: "param search", args: "robust --param --workers 1 FILE", file: "p.fp", text: func() string { return locked(12) }},
	{stage: "prove", args: "prove FILE", file: "p.fp", text: func() string { return template(60) }, needs: "z3"},
	{stage: "litmus", args: "litmus --workers 1 FILE", file: "p.litmus", text: func() string { return litmusTest(8, 8) }, memory: "1MiB"},
	{stage: "stress", args: "stress --seconds 0.01 FILE", file: "p.litmus", text: func() string { return litmusTest(8, 8) }, needs: "gcc"},
	{stage: "test", args: "test --workers 1 FILE", file: "p.fp", text: func() string { return "// expect: tso=safe\n" + storesAndLoads(8, 8) }},
	{stage: "liveness", args: "check --liveness spin --workers 1 FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }},
	{stage: "front end macros", args: "check --workers 1 FILE", file: "p.c", text: func() string { return macroTree(30) }, memory: "4MiB"},
	{stage: "front end macros for fences", args: "fences --workers 1 FILE", file: "p.c", text: func() string { return macroTree(30) }},
	{stage: "front end macros for traces", args: "traces FILE", file: "p.c", text: func() string { return macroTree(30) }},
	{stage: "front end macros for prove", args: "prove FILE", file: "p.c", text: func() string { return macroTree(30) }, needs: "z3"},
	{stage: "front end macros for show", args: "show FILE", file: "p.c", text: func() string { return macroTree(30) }},
	{stage: "front end macros for export", args: "export --promela FILE", file: "p.c", text: func() string { return macroTree(30) }},
	{stage: "verify-trace answer", args: "verify-trace RESULT FILE", file: "p.fp", text: func() string { return storesAndLoads(8, 8) }, small: func() string { return storesAndLoads(2, 2) }},
	{stage: "verify-trace front end", args: "verify-trace RESULT FILE", file: "p.c", text: func() string { return macroTree(30) }, small: func() string { return "int main(void) { return 0; }\n" }},
	// These stages do a bounded amount of work, or work in proportion to an execution that was found in time
	// or is stored: unrolling and inlining stop at a number of instructions, the Petri net at a size, and
	// replay at the end of the stored execution. The formula would take gigabytes before it takes a minute.
	{stage: "bmc unrolling", args: "check --engine bmc FILE", file: "p.fp", text: func() string { return nestedLoops(4) }, memory: "4MiB", bounded: true},
	{stage: "bmc formula", args: "check --engine bmc --rounds 20 --clock 20 --queue 20 FILE", file: "p.fp", text: func() string { return storesAndLoads(20, 40) }, memory: "4MiB", bounded: true},
	{stage: "param net", args: "robust --param --workers 1 FILE", file: "p.fp", text: func() string { return locked(20) }, memory: "1MiB", bounded: true},
	{stage: "passes inlining", args: "check --workers 1 FILE", file: "p.c", text: func() string { return callTree(18) }, memory: "4MiB", bounded: true},
	{stage: "shorten", args: "check --workers 1 --engine explicit FILE", file: "p.fp", text: func() string { return takeTurns(3000) }, bounded: true},
	{stage: "render html", args: "check --workers 1 --engine explicit --html FILE.html FILE", file: "p.fp", text: func() string { return takeTurns(1000) }, bounded: true},
	{stage: "render svg", args: "check --workers 1 --engine explicit --svg FILE.svg --json FILE", file: "p.fp", text: func() string { return takeTurns(1000) }, bounded: true},
	{stage: "replay", args: "verify-trace RESULT FILE", file: "p.fp", text: func() string { return takeTurns(1000) }, small: func() string { return takeTurns(1000) }, bounded: true},
}

// storesAndLoads is threads that store and load cells of an array. No engine sees that its final
// condition holds before it has seen all executions.
func storesAndLoads(threads, accesses int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "var x[%d];\n", threads)
	for t := range threads {
		fmt.Fprintf(&b, "thread t%d {\n  reg r;\n", t)
		for i := range accesses {
			fmt.Fprintf(&b, "  x[%d] = %d;\n  r = x[%d];\n", t, i+1, (t+i+1)%threads)
		}
		b.WriteString("}\n")
	}
	fmt.Fprintf(&b, "never t0:r == %d;\n", accesses+1)
	return b.String()
}

// fencedStores is storesAndLoads with a fence after each store.
func fencedStores(threads, accesses int) string {
	return strings.ReplaceAll(storesAndLoads(threads, accesses), ";\n  r = ", ";\n  fence;\n  r = ")
}

// unlikelyAttack is fencedStores with accesses that can be reordered, after a test that never holds.
func unlikelyAttack(threads, accesses int) string { return unlikelyAttacks(threads, accesses, 1) }

// unlikelyAttacks has several such accesses in each thread.
func unlikelyAttacks(threads, accesses, attacks int) string {
	text := fencedStores(threads, accesses)
	for t := range threads {
		old := fmt.Sprintf("thread t%d {\n  reg r;\n", t)
		at := strings.Index(text, old) + len(old)
		end := at + strings.Index(text[at:], "}\n")
		delayed := strings.Repeat(fmt.Sprintf(" x[%d] = 0; r = x[%d];", t, (t+1)%threads), attacks)
		text = text[:end] + fmt.Sprintf("  if (r == %d) {%s }\n", accesses+1, delayed) + text[end:]
	}
	return text
}

// atomics is threads of C that store and load atomic variables.
func atomics(threads, accesses int) string {
	var b, main strings.Builder
	fmt.Fprintf(&b, "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x[%d];\n", threads)
	for t := range threads {
		fmt.Fprintf(&b, "void *f%d(void *p) {\n  int r = 0;\n", t)
		for i := range accesses {
			fmt.Fprintf(&b, "  atomic_store(&x[%d], %d);\n  r += atomic_load(&x[%d]);\n", t, i+1, (t+i+1)%threads)
		}
		b.WriteString("  assert(r < 100000);\n  return p;\n}\n")
		fmt.Fprintf(&main, "  pthread_create(&t, 0, f%d, 0);\n", t)
	}
	fmt.Fprintf(&b, "int main(void) {\n  pthread_t t;\n%s  return 0;\n}\n", main.String())
	return b.String()
}

// copyChain copies each cell of an array to the next one, the last first: a value needs as many
// rounds of an analysis as there are cells.
func copyChain(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "var x[%d];\nthread t {\n  reg r;\n  x[0] = 1;\n", n+1)
	for i := range n {
		fmt.Fprintf(&b, "  x[%d] = x[%d];\n", i+1, i)
	}
	fmt.Fprintf(&b, "}\nthread u { x[0] = 2; }\nnever x[%d] == 3;\n", n)
	return b.String()
}

// sameExpression computes an expression of many gates again and again, which have their numbers after the first time:
// encoding it takes time and no memory.
func sameExpression(times int) string {
	return "var x;\nthread t {\n  reg a, b, r;\n  havoc a in 2..4294967295;\n  havoc b in 2..4294967295;\n" +
		strings.Repeat("  r = r ^ (a * b / a % b * a / b % a);\n", times) + "  x = r;\n}\nthread u { x = 1; }\nnever x == 12345;\n"
}

// factors asks for the factors of a prime, 2^62 - 57.
func factors() string {
	return "var x;\nthread t {\n  reg a, b;\n  havoc a in 2..4294967295;\n  havoc b in 2..4294967295;\n  x = 1;\n  assert a * b != 4611686018427387847;\n}\n"
}

// nestedLoops has loops inside loops.
func nestedLoops(depth int) string {
	var b strings.Builder
	b.WriteString("var x;\nthread t[i] * 60 {\n  reg r;\n")
	b.WriteString(strings.Repeat("  while (x != 7) {\n", depth))
	b.WriteString(strings.Repeat("  r = x; x = r + 1;\n", 14))
	b.WriteString(strings.Repeat("  }\n", depth))
	b.WriteString("}\nthread u { x = 7; }\nnever x == 100;\n")
	return b.String()
}

// template is a program of any number of threads.
func template(accesses int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "var x[%d];\nthread t * n {\n  reg r;\n", accesses)
	for i := range accesses {
		fmt.Fprintf(&b, "  x[%d] = %d;\n  r = x[%d];\n", i, i%3+1, (i*7+3)%accesses)
	}
	b.WriteString("  a: skip;\n}\ngoal t[0]:a, t[1]:a;\n")
	return b.String()
}

// locked is a template whose threads flip bits under a lock, which are all in the net of the program.
func locked(bits int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "var l, x[%d];\nthread t * n {\n  reg r, s;\n  while (1 == 1) {\n    do { r = xchg(l, 1); } while (r == 1);\n", bits)
	for i := range bits {
		fmt.Fprintf(&b, "    s = x[%d]; x[%d] = 1 - s;\n", i, i)
	}
	b.WriteString("    cs: skip;\n    l = 0;\n  }\n}\ngoal t[0]:cs, t[1]:cs;\n")
	return b.String()
}

// storeBuffers has two threads that need a fence after each of many stores.
func storeBuffers(n int) string {
	var t, u strings.Builder
	for i := range n {
		fmt.Fprintf(&t, "  x[%d] = 1; r = y[%d];\n", i, i)
		fmt.Fprintf(&u, "  y[%d] = 1; r = x[%d];\n", i, i)
	}
	return fmt.Sprintf("var x[%d], y[%d];\nthread t {\n  reg r;\n%s}\nthread u {\n  reg r;\n%s}\n", n, n, t.String(), u.String())
}

// litmusTest is a litmus test with large columns.
func litmusTest(threads, rows int) string {
	var b strings.Builder
	b.WriteString("X86 big\n{ }\n")
	line := func(cell func(t int) string) {
		for t := range threads {
			if t > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(cell(t))
		}
		b.WriteString(" ;\n")
	}
	line(func(t int) string { return fmt.Sprintf("P%d", t) })
	for i := range rows {
		line(func(t int) string { return fmt.Sprintf("MOV [x%d],$%d", t, i+1) })
		line(func(t int) string { return fmt.Sprintf("MOV EAX,[x%d]", (t+i+1)%threads) })
	}
	b.WriteString("exists (0:EAX=99)\n")
	return b.String()
}

// callTree has functions that call the next one twice.
func callTree(depth int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#include <assert.h>\nint x;\nvoid f%d(void) { x++; }\n", depth)
	for i := depth - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "void f%d(void) { f%d(); f%d(); }\n", i, i+1, i+1)
	}
	b.WriteString("int main(void) { f0(); assert(x > 0); return 0; }\n")
	return b.String()
}

// macroTree has macros that stand for the next one twice.
func macroTree(depth int) string {
	var b strings.Builder
	b.WriteString("#include <assert.h>\n#define M0 x++;\n")
	for i := 1; i <= depth; i++ {
		fmt.Fprintf(&b, "#define M%d M%d M%d\n", i, i-1, i-1)
	}
	fmt.Fprintf(&b, "int x;\nint main(void) { M%d assert(x > 0); return 0; }\n", depth)
	return b.String()
}

// takeTurns fails after a long execution in which two threads take turns, and a store is delayed at the end.
func takeTurns(n int) string {
	return fmt.Sprintf(`var x, y, z;
thread t {
  reg i, r;
  while (i < %d) { await z == 2*i; z = 2*i+1; i = i + 1; }
  fence;
  x = 1; r = y;
}
thread u {
  reg i, r;
  while (i < %d) { await z == 2*i+1; z = 2*i+2; i = i + 1; }
  fence;
  y = 1; r = x;
}
never t:r == 0 && u:r == 0;
`, n, n)
}
