package testkit

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/transform"
)

// Programs in which an operation of one thread depends on stores of two others that may both be pending, or on two
// stores of one: where one delaying thread may not be enough to show that a program is not robust.

// waitingObjects are the variables of such programs. Operations depend on x, y and z are messages, w has no meaning, and
// m is a lock.
var waitingObjects = []string{"x", "y", "z", "w", "m"}

// WaitingProgram returns a random program of two threads that store and one or two whose operations wait or depend on
// what they read. They have constructs that C has: threads that return or exit with stores pending, that are
// started and joined; locks that are released by a store, release stores, compare-exchanges, sections. The seed
// determines the program.
func WaitingProgram(seed uint64) (*ir.Program, string) {
	g := &waitingGenerator{r: rand.New(rand.NewPCG(seed, 2))}
	text := g.program()
	p, diags := irtext.Parse("waiting.ir", []byte(text))
	if diags.HasErrors() {
		panic(fmt.Sprintf("BUG: %v\n%s", diags.All, text))
	}
	flat, err := transform.Run(p, transform.Options{}, nil)
	if err != nil {
		panic(fmt.Sprintf("BUG: %v\n%s", err, text))
	}
	return flat, text
}

type waitingGenerator struct{ r *rand.Rand }

// pick returns one of the texts.
func (g *waitingGenerator) pick(texts ...string) string { return texts[g.r.IntN(len(texts))] }

// once is true once in n times.
func (g *waitingGenerator) once(n int) bool { return g.r.IntN(n) == 0 }

func (g *waitingGenerator) program() string {
	bodies := g.bodies()
	spawned := g.once(4)
	if spawned {
		bodies = append([][]string{g.starter(len(bodies))}, bodies...)
	}
	var text strings.Builder
	text.WriteString("program p structured\n")
	for _, name := range waitingObjects {
		text.WriteString("object " + name + " size 8\n")
	}
	name := func(i int) string {
		if spawned {
			return fmt.Sprintf("t%d", i)
		}
		return fmt.Sprintf("t%d", i+1)
	}
	for i, ops := range bodies {
		text.WriteString("func " + name(i) + "() {\n reg r\n reg s\n reg h\n " + chain(ops) + "\n}\n")
	}
	for i := range bodies {
		if !spawned || i == 0 {
			text.WriteString("thread " + name(i) + " = " + name(i) + "()\n")
		}
	}
	return text.String()
}

// chain makes a body of operations in a row. In an operation of several edges, %[1]s is where it begins and %[2]s
// where the next one does; other locations begin with %[1]s.
func chain(ops []string) string {
	var out []string
	for i, op := range ops {
		from, to := fmt.Sprintf("l%d", i), fmt.Sprintf("l%d", i+1)
		if strings.Contains(op, "%[2]s") {
			out = append(out, fmt.Sprintf(op, from, to))
		} else {
			out = append(out, from+" -> "+to+": "+op)
		}
	}
	return strings.ReplaceAll(strings.Join(out, "; "), "; ", "\n ")
}

// starter is a thread that starts the others, may wait for one of them, and looks at what they did.
func (g *waitingGenerator) starter(threads int) []string {
	var ops []string
	joined := 1 + g.r.IntN(threads)
	for i := 1; i <= threads; i++ {
		spawn := fmt.Sprintf("spawn t%d()", i)
		if i == joined {
			spawn = "h = " + spawn
		}
		ops = append(ops, spawn)
	}
	if g.once(2) {
		ops = append(ops, g.pick("join h", "join h", g.depends()))
	}
	if g.once(2) {
		ops = append(ops, g.pick("r = load [&x]", "store [&w] = 1", g.depends()))
	}
	return ops
}

func (g *waitingGenerator) bodies() [][]string {
	if g.once(3) { // both messages have come before the last operation
		last := []string{"await [&y] when (seen == 1)", "await [&z] when (seen == 1)"}
		return [][]string{
			append([]string{g.partOfX(1 + g.r.IntN(2))}, g.message("y")...),
			append([]string{g.partOfX(1 + g.r.IntN(2))}, g.message("z")...),
			g.ends(append(last, g.depends())),
		}
	}
	var out [][]string
	for t := range 2 {
		out = append(out, g.storer(string("yz"[t]), string("zy"[t])))
	}
	ops := []string{g.arrived()}
	if g.once(2) {
		ops = append(ops, g.arrived())
	}
	out = append(out, g.ends(append(ops, g.depends())))
	if g.once(4) {
		out = append(out, []string{g.depends()})
	}
	return out
}

// storer is a thread that stores to what others depend on, and then passes a message.
func (g *waitingGenerator) storer(flag, other string) []string {
	var ops []string
	locked := g.once(6)
	switch {
	case locked:
		ops = append(ops, g.pick("rmw.add.u32 [&m], 1 seq_cst when (seen == 0)", tryLock))
	case g.once(4):
		ops = append(ops, g.pick("rmw.add [&x], 1 seq_cst when (seen == 0)", "r = load [&"+other+"]", "s = load.u8 [&x]", leaveIf("load [&"+other+"]")))
	}
	for range 1 + g.r.IntN(2) {
		ops = append(ops, g.pick(g.partOfX(g.r.IntN(3)), g.partOfX(g.r.IntN(3)), g.partOfX(g.r.IntN(3)), fmt.Sprintf("store [&w] = %d", g.r.IntN(3))))
	}
	if locked {
		return append(append(ops, releaseLock...), g.message(flag)...)
	}
	if g.once(6) {
		ops = append(ops, g.pick("fence.ss", "fence.full", leaveIf("load.u8 [&w]")))
	}
	return append(ops, g.message(flag)...)
}

// A lock as spin locks in C have it: it is taken by a read-modify-write and released by a store.
const tryLock = "%[1]s -> %[1]sa: r = rmw.cas.u32 [&m], 0, 1 seq_cst fail seq_cst; %[1]sa -> %[2]s: assume (r == 0); %[1]sa -> %[1]sb: assume (r != 0); %[1]sb -> %[1]sc: return"

var releaseLock = []string{"fence.ss", "store.u32 [&m] = 0 release"}

// leaveIf ends the thread early, with its stores pending, if a load reads 0.
func leaveIf(load string) string {
	return "%[1]s -> %[1]sa: s = " + load + "; %[1]sa -> %[2]s: assume (s != 0); %[1]sa -> %[1]sb: assume (s == 0); %[1]sb -> %[1]sc: return"
}

// ends lets a thread return or exit after its last operation, or not.
func (g *waitingGenerator) ends(ops []string) []string {
	if end := g.pick("", "", "return", "threadexit"); end != "" {
		ops = append(ops, end)
	}
	return ops
}

// message returns the operations of a thread after its stores.
func (g *waitingGenerator) message(flag string) []string {
	store := "store [&" + flag + "] = 1"
	switch g.r.IntN(12) {
	case 0:
		return g.ends([]string{"fence.ss", store + " release"})
	case 1, 2:
		return g.ends([]string{"r = load [&" + flag + "]"})
	case 3:
		return g.ends([]string{"store [&w] = 2"})
	case 4:
		return g.ends([]string{leaveIf("load [&" + flag + "]"), store})
	case 5:
		return []string{"rmw.xchg [&" + flag + "], 1 seq_cst", g.partOfX(1)}
	default:
		return g.ends([]string{store})
	}
}

// partOfX is a store to some bytes of x.
func (g *waitingGenerator) partOfX(value int) string {
	return fmt.Sprintf(g.pick("store.u8 [&x] = %d", "store.u8 [(&x + 1)] = %d", "store.u16 [&x] = %d", "store [&x] = %d"), value)
}

// arrived is an operation that may notice a message.
func (g *waitingGenerator) arrived() string {
	return g.pick("await [&y] when (seen == 1)", "await [&z] when (seen == 1)", "r = load [&y]", "r = load [&z]", "r = load.u8 [(&x + 2)]", "store [&z] = 2", "store [&y] = 2",
		leaveIf("load [&y]"), leaveIf("load [&z]"))
}

// depends is an operation that waits, or does other things for other values, mostly of x.
func (g *waitingGenerator) depends() string {
	locked := "%[1]s -> %[1]sa: rmw.add.u32 [&m], 1 seq_cst when (seen == 0); %[1]sa -> %[1]sb: " + g.pick("s = load [&x]", "store [&x] = 2", "s = load [&w]") +
		"; %[1]sb -> %[1]sc: fence.ss; %[1]sc -> %[2]s: store.u32 [&m] = 0 release"
	exchange := "%[1]s -> %[1]sa: r = rmw.cas.u32 [&x], 0, 117901063 seq_cst fail seq_cst; %[1]sa -> %[1]sb: assume (r == 0); %[1]sa -> %[2]s: assume (r != 0); %[1]sb -> %[2]s: " +
		g.pick("store [&w] = 1", "s = load [&w]", "s = load [&y]")
	return g.pick("await [&x] when (seen == 0)", "await.u16 [&x] when (seen == 0)", "await.u8 [&x] when (seen == 1)", "rmw.add [&x], 1 seq_cst when (seen == 0)",
		"rmw.cas.u32 [&x], 0, 117901063 seq_cst fail seq_cst", "rmw.cas.u16 [(&x + 1)], 0, 7 seq_cst fail seq_cst", "s = load [&x]",
		exchange, locked, g.section(), g.section(), g.section())
}

// section is an atomic section that goes different ways for different values.
func (g *waitingGenerator) section() string {
	does := func() string {
		return g.pick("store [&w] = 1", "s = load [&w]", "s = load.u8 [(&x + 1)]", "store [&y] = 2", "store.u8 [&x] = 2", "r = rmw.cas.u16 [&x], 0, 3 seq_cst fail seq_cst")
	}
	first := "%[1]s -> %[1]sa: atomicbegin; %[1]sa -> %[1]sb: s = " + g.pick("load.u8 [&x]", "load.u16 [&x]", "load [&x]", "rmw.add.u8 [&x], 1 seq_cst") + "; "
	switch g.r.IntN(4) {
	case 0: // it waits
		return first + "%[1]sb -> %[1]sc: assume (s == 0); %[1]sc -> %[1]sd: " + does() + "; %[1]sd -> %[2]s: atomicend"
	case 1: // two branches
		return first + "%[1]sb -> %[1]sc: assume (s == 0); %[1]sb -> %[1]sd: assume (s != 0); %[1]sc -> %[1]se: " + does() + "; %[1]sd -> %[1]se: " + does() + "; %[1]se -> %[2]s: atomicend"
	default:
		return first + "%[1]sb -> %[1]sc: assume (s == 0); %[1]sb -> %[1]sd: assume (s != 0); %[1]sc -> %[1]sd: " + does() + "; %[1]sd -> %[2]s: atomicend"
	}
}
