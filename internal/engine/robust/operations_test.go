package robust_test

import (
	"context"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/robust"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/transform"
)

// flatten returns a flat program with objects x, y, z, w, m, c, b and one thread per body.
// A body is a list of edges.
func flatten(t *testing.T, bodies ...string) *ir.Program {
	t.Helper()
	var text strings.Builder
	text.WriteString("program p structured\n")
	for _, name := range []string{"x", "y", "z", "w", "m", "c"} {
		text.WriteString("object " + name + " size 8\n")
	}
	text.WriteString("object b size 8 init 02\n")
	for i, body := range bodies {
		name := string(rune('p' + i))
		text.WriteString("func " + name + "() {\n reg r\n reg s\n reg h\n " + strings.ReplaceAll(body, "; ", "\n ") + "\n}\n")
	}
	for i := range bodies {
		name := string(rune('p' + i))
		if !strings.Contains(bodies[0], "spawn "+name) {
			text.WriteString("thread " + name + " = " + name + "()\n")
		}
	}
	p, diags := irtext.Parse("test.ir", []byte(text.String()))
	if diags.HasErrors() {
		t.Fatalf("%v\n%s", diags.All, text.String())
	}
	flat, err := transform.Run(p, transform.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return flat
}

// Beginnings of threads.
const (
	waitForSignal = "a -> b: lock [&m]; b -> d: condwait [&c] mutex [&m]; "
	lockRecursive = "0 -> 1: lock.recursive [&m]; "
)

// operationCases has one rule of an operation per case. The expectations are by hand, and
// TestOperations compares them with the definition.
var operationCases = []struct {
	name   string
	robust bool
	bodies []string
}{
	{"a signal overtakes a store", false, []string{"a -> b: store [&x] = 1; b -> d: signal [&c]", waitForSignal + "d -> e: s = load [&x]"}},
	{"a fence keeps the signal after the store", true, []string{"a -> b: store [&x] = 1; b -> d: fence.full; d -> e: signal [&c]", waitForSignal + "d -> e: s = load [&x]"}},
	{"a broadcast overtakes a store", false, []string{"a -> b: store [&x] = 1; b -> d: broadcast [&c]", waitForSignal + "d -> e: s = load [&x]"}},
	{"a signal that no thread waits for", false, []string{"a -> b: store [&x] = 1; b -> d: signal [&c]", "e -> a: s = load [&x]; " + waitForSignal + "d -> f: s = load [&x]"}},
	{"a mutex orders all", true, []string{
		"a -> b: lock [&m]; b -> d: store [&x] = 1; d -> e: r = load [&y]; e -> f: unlock [&m]",
		"a -> b: lock [&m]; b -> d: store [&y] = 1; d -> e: r = load [&x]; e -> f: unlock [&m]"}},
	{"a failed trylock drains", true, []string{
		"a -> b: store [&x] = 1; b -> d: trylock [&m]; d -> e: r = load [&y]",
		"a -> b: store [&y] = 1; b -> d: trylock [&m]; d -> e: s = load [&x]"}},
	{"locking again does not drain", false, []string{
		lockRecursive + "1 -> b: store [&x] = 1; b -> d: lock.recursive [&m]; d -> e: r = load [&y]",
		"a -> b: store [&y] = 1; b -> d: fence.full; d -> e: s = load [&x]"}},
	{"locking again can be observed", false, []string{
		lockRecursive + "1 -> b: store [&x] = 1; b -> d: lock.recursive [&m]",
		"a -> b: trylock.recursive [&m]; b -> d: s = load [&x]"}},
	{"a barrier drains and orders", true, []string{
		"a -> b: store [&x] = 1; b -> d: barrier [&b]; d -> e: r = load [&y]",
		"a -> b: store [&y] = 1; b -> d: barrier [&b]; d -> e: s = load [&x]"}},
	{"a helper's barrier releases the other thread", false, []string{
		"a -> b: store [&x] = 1; b -> d: r = load [&y]",
		"a -> b: rmw.xchg [&y], 1 seq_cst; b -> d: barrier [&b]",
		"a -> b: barrier [&b]; b -> d: s = load [&x]"}},
	{"without the barrier there is no cycle", true, []string{
		"a -> b: store [&x] = 1; b -> d: r = load [&y]",
		"a -> b: rmw.xchg [&y], 1 seq_cst",
		"a -> b: s = load [&x]"}},
	{"a helper's child is ordered after the load", false, []string{
		"0 -> a: h = spawn q(); a -> b: store [&x] = 1; b -> d: r = load [&y]",
		"a -> b: rmw.xchg [&y], 1 seq_cst; b -> d: spawn r()",
		"a -> b: s = load [&x]"}},
	{"a join is ordered after the load", false, []string{
		"0 -> a: h = spawn q(); a -> b: store [&w] = h; b -> f: fence.full; f -> d: store [&x] = 1; d -> e: r = load [&y]",
		"a -> b: rmw.xchg [&y], 1 seq_cst",
		"a -> b: h = await [&w] when (seen != 0); b -> d: join h; d -> e: s = load [&x]"}},
	{"no thread joins the attacker", true, []string{
		"0 -> a: h = spawn q(); a -> b: join h; b -> d: s = load [&x]; d -> e: store [&y] = 1",
		"a -> b: store [&x] = 1; b -> d: r = load [&y]"}},
	{"an allocation that reuses a block overtakes a store", false, []string{
		"a -> b: store [&x] = 1; b -> d: r = alloc 8",
		"a -> b: r = alloc 8; b -> d: free [r]; d -> e: s = load [r]; e -> f: s = load [&x]"}},
	{"a free is delayed", false, []string{
		"a -> b: r = alloc 8; b -> 1: store [&w] = r; 1 -> 2: fence.full; 2 -> d: free [r]; d -> e: s = load [&y]",
		"0 -> a: r = load [&w]; a -> b: store [&y] = 1; b -> d: fence.full; d -> e: s = load [r]"}},
	{"a fenced free", true, []string{
		"a -> b: r = alloc 8; b -> 1: store [&w] = r; 1 -> 2: fence.full; 2 -> d: free [r]; d -> f: fence.full; f -> e: s = load [&y]",
		"0 -> a: r = load [&w]; a -> b: store [&y] = 1; b -> d: fence.full; d -> e: s = load [r]"}},
	{"a store into a block that another thread frees", false, []string{
		"a -> b: r = alloc 8; b -> 1: store [&w] = r; 1 -> 2: fence.full; 2 -> d: store [r] = 1; d -> e: s = load [&y]",
		"0 -> a: r = load [&w]; a -> b: store [&y] = 1; b -> d: fence.full; d -> e: free [r]"}},
	{"a free that is cancelled", true, []string{
		"a -> b: r = alloc 8; b -> d: free [r]; d -> e: s = alloc 8; e -> f: r = load [&y]",
		"a -> b: store [&y] = 1"}},
	{"an await is a load", false, []string{
		"a -> b: store [&x] = 1; b -> d: await [&y] when (seen == 0)",
		"a -> b: store [&y] = 1; b -> d: await [&x] when (seen == 0)"}},
	{"an await that cannot be satisfied", true, []string{
		"a -> b: store [&x] = 1; b -> d: await [&y] when (seen == 1)",
		"a -> b: store [&y] = 1; b -> d: await [&x] when (seen == 1)"}},
	{"a load in part from memory forwards and does not wait", false, []string{
		"a -> b: store.s8 [&x] = 1; b -> d: r = load [&x]; d -> e: r = load [&y]",
		"a -> b: store [&y] = 1; b -> f: fence.full; f -> d: s = load [&x]"}},
	{"a load that forwards", false, []string{
		"a -> b: store.s8 [&x] = 1; b -> d: r = load.s8 [&x]; d -> e: r = load [&y]",
		"a -> b: store [&y] = 1; b -> f: fence.full; f -> d: s = load [&x]"}},
	{"a load in part from memory ends the delay", false, []string{
		"a -> b: store.u8 [&x] = 1; b -> d: r = load.u16 [&x]",
		"a -> b: store.u16 [&x] = 514"}},
	{"a byte that is forwarded does not end the delay", true, []string{
		"a -> b: store.u8 [&x] = 2",
		"a -> b: store.u8 [&x] = 1; b -> d: r = load.u16 [&x]"}},
	{"a load put together from two stores reads no memory", true, []string{
		"a -> b: store.u8 [&x] = 1; b -> d: store.u8 [(&x + 1)] = 1; d -> e: r = load.u16 [&x]",
		"a -> b: store.u8 [&x] = 2"}},
	{"a load of two stores of which one has reached memory", false, []string{
		"a -> b: store [&y] = 1; b -> d: store.u8 [&x] = 1; d -> e: store.u8 [(&x + 1)] = 1; e -> f: r = load.u16 [&x]",
		"a -> b: store.u16 [&x] = 514; b -> d: fence.full; d -> e: s = load [&y]"}},
	{"neighbouring bytes", true, []string{
		"a -> b: store.s8 [&x] = 1; b -> d: r = load [&y]",
		"a -> b: store [&y] = 1; b -> f: fence.full; f -> d: s = load.s8 [(&x + 1)]"}},
	{"an assertion only stops its thread", false, []string{
		"a -> b: store [&x] = 1; b -> d: r = load [&y]",
		"a -> b: store [&y] = 1; b -> d: s = load [&x]",
		"a -> b: assert 0, \"no\""}},
	{"an atomic section that is never left", false, []string{
		"a -> b: store [&x] = 1; b -> d: r = load [&y]",
		"a -> b: atomicbegin; b -> d: store [&y] = 1; d -> e: s = load [&x]; e -> f: assume (s == 7); f -> g: atomicend"}},
	{"an atomic section that is not reached", true, []string{
		"a -> b: store [&x] = 1; b -> d: r = load [&y]",
		"a -> b: atomicbegin; b -> d: store [&y] = 1; d -> e: s = load [&z]; e -> f: assume (s == 7); f -> h: s = load [&x]; h -> g: atomicend"}},
}

// TestOperations: for each operation, the engine finds an attack exactly if some execution
// has a cycle, with all settings, and every attack replays.
func TestOperations(t *testing.T) {
	for _, c := range operationCases {
		t.Run(c.name, func(t *testing.T) { compareDefinition(t, memory.TSO, c.robust, c.bodies) })
	}
}

// compareDefinition compares the engine with the definition and with an expectation.
func compareDefinition(t *testing.T, model memory.Model, want bool, bodies []string) {
	flat := flatten(t, bodies...)
	cyclic, ok := cyclicExecution(flat, model)
	if !ok || cyclic == want {
		t.Errorf("a cyclic execution exists: %v (%v), want %v", cyclic, ok, !want)
	}
	compareSettings(t, flat, model, want)
}

// compareSettings compares the engine, with all settings, with an expectation.
func compareSettings(t *testing.T, flat *ir.Program, model memory.Model, want bool) {
	for _, how := range []engine.Task{{}, {NoReduction: true}, {KeepGoing: true}} {
		how.Program, how.Props, how.Model, how.Limits.Workers = flat, &property.Set{}, model, 1
		out, err := robust.Run(context.Background(), &how)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(out.Violations) == 0; got != want || out.Unknown != "" && !how.NoReduction {
			t.Errorf("robust %v (%s), want %v (filters %+v)", got, out.Unknown, want, out.Stats.Filters)
		}
		for i := range out.Violations {
			if err := replays(flat, model, &out.Violations[i]); err != nil {
				t.Error(err)
			}
		}
	}
}

// psoCases has one rule of PSO per case. Objects are as in operationCases.
var psoCases = []struct {
	name   string
	robust bool
	bodies []string
}{
	{"a store overtakes a store", false, []string{"a -> b: store [&x] = 1; b -> d: store [&y] = 1", readMessage}},
	{"a store-store fence keeps the order", true, []string{"a -> b: store [&x] = 1; b -> d: fence.ss; d -> e: store [&y] = 1", readMessage}},
	{"a store-store fence holds back every later store", true, []string{
		"a -> b: store [&x] = 1; b -> d: fence.ss; d -> e: store [&z] = 1; e -> f: store [&y] = 1", readMessage}},
	{"a store-store fence before both", false, []string{"a -> b: fence.ss; b -> d: store [&x] = 1; d -> e: store [&y] = 1", readMessage}},
	{"a store-store fence does not hold back loads", false, []string{
		"a -> b: store [&x] = 1; b -> d: fence.ss; d -> e: r = load [&y]",
		"a -> b: store [&y] = 1; b -> d: fence.full; d -> e: s = load [&x]"}},
	{"stores that share bytes keep their order", true, []string{
		"a -> b: store.u16 [&x] = 257; b -> d: store.u8 [(&x + 1)] = 2",
		"a -> b: r = load.u8 [(&x + 1)]; b -> d: s = load.u8 [&x]"}},
	{"neighbouring stores do not", false, []string{
		"a -> b: store.u8 [&x] = 1; b -> d: store.u8 [(&x + 1)] = 2",
		"a -> b: r = load.u8 [(&x + 1)]; b -> d: s = load.u8 [&x]"}},
	{"a load after a store that is held back", false, []string{
		"a -> b: store.u16 [&x] = 257; b -> d: store.u16 [(&x + 1)] = 514; d -> e: s = load [&y]",
		"a -> b: store [&y] = 1; b -> d: fence.full; d -> e: s = load.u8 [&x]"}},
	{"a store that is held back does not end the delay", true, []string{
		"a -> b: store.u16 [&x] = 257; b -> d: store.u16 [(&x + 1)] = 514",
		"a -> b: s = load.u8 [(&x + 2)]; b -> d: r = load.u8 [&x]"}},
	{"a store that is held back by one that is held back", true, []string{
		"a -> b: store.u16 [&x] = 257; b -> d: store.u16 [(&x + 1)] = 514; d -> e: store.u16 [(&x + 2)] = 771",
		"a -> b: s = load.u8 [(&x + 3)]; b -> d: r = load.u8 [&x]"}},
	{"a store that joins a helper by its value", false, []string{
		"a -> b: store [&x] = 1; b -> d: store [&y] = 1", "a -> b: store [&y] = 2; b -> f: fence.full; f -> d: s = load [&x]"}},
	{"a free comes after older stores", true, []string{
		"a -> b: r = alloc 8; b -> 1: store [&w] = r; 1 -> 2: fence.full; 2 -> d: store [&x] = 1; d -> e: free [r]",
		"0 -> a: r = alloc 8; a -> b: s = load [&x]"}},
	{"a free may come after younger stores", false, []string{
		"a -> b: r = alloc 8; b -> 1: store [&w] = r; 1 -> 2: fence.full; 2 -> d: free [r]; d -> e: store [&y] = 1",
		"0 -> a: r = load [&w]; a -> b: s = load [&y]; b -> d: s = load [r]"}},
	{"a free holds back what comes after it", true, []string{
		"a -> b: r = alloc 8; b -> 2: store [&x] = 1; 2 -> d: free [r]; d -> e: store [&y] = 1",
		"a -> b: s = load [&y]; b -> d: s = load [&x]"}},
	{"a free of nothing does not", false, []string{
		"a -> b: store [&x] = 1; b -> d: free [0]; d -> e: store [&y] = 1", readMessage}},
	{"a free that is cancelled leaves its fence", true, []string{
		"a -> b: r = alloc 8; b -> 2: store [&x] = 1; 2 -> d: free [r]; d -> 3: s = alloc 8; 3 -> e: store [&y] = 1",
		"a -> b: s = load [&y]; b -> d: s = load [&x]"}},
	{"a read-modify-write drains", true, []string{"a -> b: store [&x] = 1; b -> d: rmw.xchg [&y], 1 seq_cst", readMessage}},
	{"a mutex drains", true, []string{
		"a -> b: lock [&m]; b -> d: store [&x] = 1; d -> e: unlock [&m]; e -> f: store [&y] = 1", readMessage}},
	{"a store overtakes a store inside a mutex", false, []string{
		"a -> b: lock [&m]; b -> d: store [&x] = 1; d -> e: store [&y] = 1; e -> f: unlock [&m]", readMessage}},
	{"a section of a helper", false, []string{
		"a -> b: store [&x] = 1; b -> d: store [&y] = 1", "a -> b: atomicbegin; b -> d: s = load [&x]; d -> e: r = load [&y]; e -> f: atomicend"}},
	{"a message through a third thread", false, []string{
		"a -> b: store [&x] = 1; b -> d: store [&y] = 1", "a -> b: await [&y] when (seen == 1); b -> d: store [&z] = 1", "a -> b: s = load [&z]; b -> d: s = load [&x]"}},
	{"an await that two stores of one thread would keep waiting", false, []string{
		"a -> b: store.u8 [&x] = 1; b -> d: store.u8 [(&x + 1)] = 1; d -> e: store [&y] = 1",
		"a -> b: await [&y] when (seen == 1); b -> d: await.u16 [&x] when (seen == 0)"}},
	{"a section that two stores of one thread would lead another way", false, []string{
		"a -> b: store [&x] = 1; b -> d: store [&y] = 1; d -> e: r = load [&w]",
		"a -> b: atomicbegin; b -> c: s = load [&y]; c -> i: assume (s != 0); c -> d: assume (s == 0); d -> e: s = load [&x]; " +
			"e -> i: assume (s != 0); e -> f: assume (s == 0); f -> i: store [&w] = 1; i -> h: atomicend"}},
	{"a compare-exchange that two stores of one thread would let fail", false, []string{
		"a -> b: store.u8 [&x] = 1; b -> d: store.u8 [(&x + 1)] = 1; d -> e: r = load.u8 [(&x + 2)]",
		"a -> e: rmw.cas.u32 [&x], 0, 117901063 seq_cst fail seq_cst"}},
	{"an await of three bytes of one thread", false, []string{
		"a -> b: store.u8 [&x] = 1; b -> d: store.u8 [(&x + 1)] = 1; d -> f: store.u8 [(&x + 2)] = 1; f -> e: r = load [&y]",
		"a -> b: store [&y] = 1; b -> c: fence.full; c -> d: await.u32 [&x] when (seen == 0)"}},
	{"a store that is held back holds back the next to the same byte", true, []string{
		"a -> b: store.u8 [&x] = 1; b -> d: store.u8 [(&x + 1)] = 1; d -> e: store.u16 [(&x + 1)] = 257",
		"a -> b: await.u8 [(&x + 2)] when (seen == 1); b -> d: await.u16 [&x] when (seen == 1)"}},
	{"two stores that never reach memory", true, []string{
		"a -> b: store [&x] = 1", "a -> b: store.u8 [(&x + 1)] = 1; b -> d: store [&z] = 1",
		"a -> b: await [&z] when (seen == 1); b -> d: atomicbegin; d -> e: s = load.u8 [&x]; e -> f: assume (s == 7); f -> g: atomicend"}},
	{"two stores of which one reaches memory", false, []string{
		"a -> b: store [&x] = 1", "a -> b: store.u8 [(&x + 1)] = 1; b -> d: store [&z] = 1",
		"a -> b: await [&z] when (seen == 1); b -> d: atomicbegin; d -> e: s = load.u8 [&x]; e -> f: assume (s == 0); f -> g: atomicend"}},
	{"nothing started yet", true, []string{
		"a -> b: store [&x] = 1; b -> d: store [&y] = 1; d -> e: h = spawn q()", readMessage}},
	{"started before", false, []string{
		"d -> a: h = spawn q(); a -> b: store [&x] = 1; b -> e: store [&y] = 1", readMessage}},
}

// readMessage receives what a store to x and one to y pass.
const readMessage = "a -> b: r = load [&y]; b -> d: s = load [&x]"

// TestPSO: the rules of PSO by hand and by the definition.
func TestPSO(t *testing.T) {
	for _, c := range psoCases {
		t.Run(c.name, func(t *testing.T) { compareDefinition(t, memory.PSO, c.robust, c.bodies) })
	}
}

// oneAttackerCases are programs in which two threads delay a store past something that a third
// depends on, and an action depends on both being delayed: no single attacker shows it.
var oneAttackerCases = []struct {
	name   string
	model  memory.Model
	bodies []string
}{
	{"recursive locks", memory.TSO, []string{
		"0 -> a: lock.recursive [&m]; a -> b: store [&x] = 1; b -> d: lock.recursive [&m]",
		"0 -> a: lock.recursive [&z]; a -> b: store [&x] = 2; b -> d: lock.recursive [&z]",
		"a -> b: await [&m] when (seen == 4294967297); b -> d: await [&z] when (seen == 4294967298); d -> e: await [&x] when (seen == 0)"}},
	{"an await", memory.PSO, []string{
		"a -> b: store [&x] = 1; b -> d: store [&y] = 1", "a -> b: store [&x] = 2; b -> d: store [&z] = 1",
		bothArrived + "d -> e: await [&x] when (seen == 0)"}},
	{"an await of two bytes", memory.PSO, []string{
		"a -> b: store.u8 [&x] = 1; b -> d: store [&y] = 1", "a -> b: store.u8 [(&x + 1)] = 1; b -> d: store [&z] = 1",
		bothArrived + "d -> e: await.u16 [&x] when (seen == 0)"}},
	{"an await of a constant that two threads store", memory.PSO, []string{
		"a -> b: store [&x] = 1; b -> d: store [&y] = 1", "a -> b: store [&x] = 1; b -> d: store [&z] = 1",
		bothArrived + "d -> e: await [&x] when (seen == 0)"}},
	{"a compare-exchange that writes more bytes than it finds changed", memory.PSO, []string{
		"a -> b: store.u8 [&x] = 1; b -> d: store [&y] = 1", "a -> b: store.u8 [(&x + 1)] = 1; b -> d: store [&z] = 1",
		bothArrived + "d -> e: r = load.u8 [(&x + 2)]", "a -> b: rmw.cas.u32 [&x], 0, 117901063 seq_cst fail seq_cst"}},
	{"a section that decides by what it reads", memory.PSO, []string{
		"a -> b: store [&x] = 1; b -> d: store [&y] = 1", "a -> b: store [&x] = 2; b -> d: store [&z] = 1",
		bothArrived + "d -> e: r = load [&w]",
		"a -> b: atomicbegin; b -> d: s = load [&x]; d -> e: assume (s == 0); e -> f: store [&w] = 1; f -> h: atomicend; d -> g: assume (s != 0); g -> i: atomicend"}},
	{"a block that two threads free", memory.PSO, []string{
		"0 -> 1: r = alloc 8; 1 -> 2: store [&w] = r; 2 -> a: fence.full; a -> b: free [r]; b -> d: store [&y] = 1",
		"0 -> a: r = await [&w] when (seen != 0); a -> b: free [r]; b -> d: store [&z] = 1",
		"0 -> a: s = await [&w] when (seen != 0); " + bothArrived + "d -> e: r = load [s]"}},
}

// bothArrived waits for y and z.
const bothArrived = "a -> b: await [&y] when (seen == 1); b -> d: await [&z] when (seen == 1); "

// TestOneAttackerIsNotEnough: such programs are not robust, no attack is found, and the answer is
// unknown.
func TestOneAttackerIsNotEnough(t *testing.T) {
	for _, c := range oneAttackerCases {
		t.Run(c.name, func(t *testing.T) {
			flat := flatten(t, c.bodies...)
			if cyclic, ok := cyclicAmong(flat, c.model, 100_000); !cyclic || !ok {
				t.Errorf("no cyclic execution (%v)", ok)
			}
			out, err := robust.Run(context.Background(), &engine.Task{Program: flat, Props: &property.Set{}, Model: c.model, Limits: engine.Limits{Workers: 1}})
			if err != nil {
				t.Fatal(err)
			}
			if len(out.Violations) > 0 || !strings.Contains(out.Unknown, "one delaying thread may not be enough") {
				t.Errorf("%d attacks, unknown %q", len(out.Violations), out.Unknown)
			}
		})
	}
}

// TestOneAttackerIsEnough: locks whose unlocking stores are plain, and other programs that resemble
// those above, get an answer.
func TestOneAttackerIsEnough(t *testing.T) {
	const spin = "a -> b: rmw.add [&m], 1 seq_cst when (seen == 0); b -> d: r = load [&x]; d -> e: store [&x] = (r + 1); e -> f: fence.ss; f -> g: store [&m] = 0; g -> h: store [&z] = 1"
	const neverSeven = "0 -> 1: r = load [&y]; 1 -> a: assume (r == 7); "
	for _, c := range []struct {
		name   string
		robust bool
		bodies []string
	}{
		{"a spin lock", true, []string{spin, spin, "0 -> a: s = load [&z]; " + spin}},
		{"a spin lock without its fence", false, []string{
			strings.Replace(spin, "fence.ss", "nop", 1), strings.Replace(spin, "fence.ss", "nop", 1), spin}},
		{"a compare-exchange of the bytes that are stored", true, []string{
			"a -> b: store [&x] = 1; b -> d: store [&y] = 1", "a -> b: store [&x] = 2; b -> d: store [&z] = 1",
			neverSeven + "a -> b: rmw.cas [&x], 0, 3 seq_cst fail seq_cst"}},
		{"a section that always accesses the same", true, []string{
			"a -> b: store [&x] = 1; b -> d: store [&y] = 1", "a -> b: store [&x] = 2; b -> d: store [&z] = 1",
			neverSeven + "a -> b: atomicbegin; b -> d: s = load [&x]; d -> e: store [&w] = s; e -> f: atomicend"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			flat := flatten(t, c.bodies...)
			compareSettings(t, flat, memory.PSO, c.robust)
			if out, err := robust.Run(context.Background(), &engine.Task{Program: flat, Props: &property.Set{}, Model: memory.PSO, Limits: engine.Limits{Workers: 1}}); err != nil || out.Stats.States == 0 {
				t.Errorf("no search was needed (%v)", err)
			}
		})
	}
}

// TestDoubt: a step that reads the store's bytes and writes the load's may do so only
// while the store is in the buffer. Such programs are not robust, and are not called free
// of triangular races.
func TestDoubt(t *testing.T) {
	for _, bodies := range [][]string{
		{"a -> b: store.u8 [(&x + 1)] = 1; b -> d: r = load.u16 [(&x + 1)]", "a -> b: r = rmw.cas.u32 [&x], 0, 1"},
		{"a -> b: store [&x] = 1; b -> d: r = load [&y]",
			"a -> b: atomicbegin; b -> d: s = load [&x]; d -> e: assume (s == 0); e -> f: store [&y] = 1; f -> h: atomicend; d -> g: assume (s != 0); g -> i: atomicend"},
	} {
		flat := flatten(t, bodies...)
		if len(attacks(t, flat, memory.TSO, false)) == 0 {
			t.Errorf("%q is robust", bodies)
		}
		out, err := robust.TRF.Run(context.Background(), &engine.Task{Program: flat, Props: &property.Set{}, Limits: engine.Limits{Workers: 1}})
		if err != nil || out.Unknown == "" || len(out.Violations) > 0 {
			t.Errorf("%q: %+v, %v", bodies, out, err)
		}
	}
}
