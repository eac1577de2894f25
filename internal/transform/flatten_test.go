package transform_test

import (
	"strings"
	"testing"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

func flatten(t *testing.T, text string, unroll int) *ir.Program {
	t.Helper()
	p, diags := irtext.Parse("test.ir", []byte(text))
	if diags.HasErrors() {
		t.Fatalf("%+v", diags.All)
	}
	if errs := ir.Verify(p); len(errs) > 0 {
		t.Fatal(errs)
	}
	before := irtext.Print(p)
	flat, err := transform.Run(p, transform.Options{Unroll: unroll, Observed: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if irtext.Print(p) != before {
		t.Error("the pass changed its argument")
	}
	return flat
}

// finals runs the flat program and returns the final values of the named
// registers of thread 0 and of the objects.
func finals(t *testing.T, p *ir.Program, m memory.Model) testkit.Answers {
	t.Helper()
	props := &property.Set{Checks: true, Deadlock: true}
	for r, reg := range p.Funcs[p.Threads[0].Func].Regs {
		if !strings.Contains(reg.Name, ".") {
			props.Observe = append(props.Observe, property.Var{Name: reg.Name, Thread: 0, Reg: ir.Reg(r)})
		}
	}
	for _, o := range p.Objects {
		props.Observe = append(props.Observe, property.Var{Name: o.Name, Thread: ir.NoThread, Addr: o.Addr, Type: ir.S64})
	}
	got, err := testkit.Ask(&explicit.Engine, p, props, m, testkit.How{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := testkit.Oracle(p, props, m)
	if err != nil {
		t.Fatal(err)
	}
	if d := testkit.Difference(want, got); d != "" {
		t.Fatal(d)
	}
	return got
}

func wantFinals(t *testing.T, got testkit.Answers, want ...string) {
	t.Helper()
	if strings.Join(got.Finals, "; ") != strings.Join(want, "; ") {
		t.Errorf("final states %q, want %q", got.Finals, want)
	}
}

func TestCallsAndResults(t *testing.T) {
	p := flatten(t, `
program calls structured
func add(a, b) {
  reg s
  l0 -> l1: s = a + b
  l1 -> l2: return s
}
func twice(v) {
  reg q
  l0 -> l1: q = call add(v, v)
  l1 -> l2: return q
}
func main() {
  reg x, y
  l0 -> l1: x = call twice(3)
  l1 -> l2: y = call twice(x)
}
thread main = main()
`, 8)
	for _, e := range p.Funcs[0].Edges {
		if e.Op.Kind == ir.Call {
			t.Error("a call is left")
		}
		if e.Op.Kind == ir.Assign && len(e.Stack) == 2 && (e.Stack[0].Func != "twice" || e.Stack[1].Func != "add") {
			t.Errorf("stack %+v", e.Stack)
		}
	}
	wantFinals(t, finals(t, p, memory.SC), "x=6 y=12")
}

// TestRegistersStartAfresh: the registers of a callee have their initial values in every activation, also in a loop.
func TestRegistersStartAfresh(t *testing.T) {
	p := flatten(t, `
program fresh structured
func count() {
  reg n = 5
  l0 -> l1: n = n + 1
  l1 -> l2: return n
}
func main() {
  reg i, x
  l0 -> l1: x = call count()
  l1 -> l2: i = i + 1
  l2 -> l0: assume i < 3
  l2 -> l3: assume i >= 3
}
thread main = main()
`, 8)
	wantFinals(t, finals(t, p, memory.SC), "i=3 x=6")
}

func TestRecursionBound(t *testing.T) {
	const text = `
program fact structured
func fact(n) {
  reg r, m
  l0 -> l1: assume n <= 1
  l1 -> l2: return 1
  l0 -> l3: assume n > 1
  l3 -> l4: m = n - 1
  l4 -> l5: r = call fact(m)
  l5 -> l6: r = r * n
  l6 -> l7: return r
}
func main() {
  reg x
  l0 -> l1: x = call fact(4)
}
thread main = main()
`
	wantFinals(t, finals(t, flatten(t, text, 8), memory.SC), "x=24")
	deep := flatten(t, text, 2)
	wantFinals(t, finals(t, deep, memory.SC))
	bound := false
	for _, e := range deep.Funcs[0].Edges {
		bound = bound || e.Op.Kind == ir.Bound && e.Op.Report.Msg == "recursion" && e.Op.Val.Value == 2
	}
	if !bound {
		t.Error("no bound where the recursion was cut")
	}
}

func TestIndirectCall(t *testing.T) {
	const text = `
program indirect structured
func one() pointer {
  l0 -> l1: return 1
}
func two() pointer {
  l0 -> l1: return 2
}
func other(a) pointer {
  l0 -> l1: return 3
}
func main() {
  reg f, x
  l0 -> l1: f = &&one
  l0 -> l1: f = &&two
  l0 -> l1: f = %s
  l1 -> l2: x = call [f]()
}
thread main = main()
`
	good := finals(t, flatten(t, strings.Replace(text, "%s", "&&two", 1), 8), memory.SC)
	if len(good.Finals) != 2 || len(good.Checks) != 0 {
		t.Errorf("%+v", good)
	}
	for _, bad := range []string{"0", "&&other"} {
		if got := finals(t, flatten(t, strings.Replace(text, "%s", bad, 1), 8), memory.SC); len(got.Checks) != 1 {
			t.Errorf("a call through %s is not noticed: %+v", bad, got)
		}
	}
}

const spawning = `
program spawns structured
object x size 8
func worker(v) {
  reg old
  l0 -> l1: old = rmw.add [&x], v seq_cst
  l1 -> l2: return old
}
func main() {
  reg i, h, r
  l0 -> l1: assume i < 2
  l1 -> l2: h = spawn worker(i + 1)
  l2 -> l0: i = i + 1
  l0 -> l3: assume i >= 2
  l3 -> l4: r = join h
}
thread main = main()
main main
`

// TestSpawnInLoop: constants say that the loop starts two threads, whatever the bound is.
func TestSpawnInLoop(t *testing.T) {
	for _, bound := range []int{1, 3} {
		p := flatten(t, spawning, bound)
		if len(p.Threads) != 3 {
			t.Errorf("bound %d: %d threads, want main and a pool of two", bound, len(p.Threads))
		}
		wantFinals(t, finals(t, p, memory.TSO), "i=2 h=2 r=0 x=3", "i=2 h=2 r=1 x=3")
	}
}

// TestSpawnInLoopOfAnyLength: a loop whose rounds an input decides gets as many threads as
// the bound allows, and executions that need more are cut off.
func TestSpawnInLoopOfAnyLength(t *testing.T) {
	input := strings.Replace(spawning, "reg i, h, r\n", "reg i, h, r\n  l -> l0: i = havoc range -1..1\n  entry l\n", 1)
	p := flatten(t, input, 3)
	if len(p.Threads) != 4 {
		t.Errorf("%d threads, want main and a pool of three", len(p.Threads))
	}
	if all := finals(t, p, memory.TSO); len(all.Finals) == 0 {
		t.Errorf("no execution ends: %+v", all)
	}
	some, all := finals(t, flatten(t, input, 1), memory.TSO), finals(t, p, memory.TSO)
	if len(some.Finals) == 0 || len(some.Finals) >= len(all.Finals) {
		t.Errorf("a pool of one: %d final states of %d, want some", len(some.Finals), len(all.Finals))
	}
}

// TestSpawnRecursion: a thread that spawns itself is cut off at the bound.
func TestSpawnRecursion(t *testing.T) {
	p := flatten(t, `
program again structured
func f() {
  l0 -> l1: spawn f()
}
thread t = f()
`, 3)
	if len(p.Threads) < 3 || len(p.Threads) > 5 {
		t.Errorf("%d threads", len(p.Threads))
	}
}

// TestIdsAreKept: the registers and locations of the thread's function keep their ids.
func TestIdsAreKept(t *testing.T) {
	p := flatten(t, spawning, 2)
	src, _ := irtext.Parse("test.ir", []byte(spawning))
	root := src.Funcs[src.Threads[0].Func]
	flat := p.Funcs[p.Threads[0].Func]
	for i, l := range root.Locs {
		if flat.Locs[i].Name != l.Name {
			t.Errorf("location %d is %s, was %s", i, flat.Locs[i].Name, l.Name)
		}
	}
	for i, r := range root.Regs {
		if flat.Regs[i].Name != r.Name {
			t.Errorf("register %d is %s, was %s", i, flat.Regs[i].Name, r.Name)
		}
	}
	for _, e := range flat.Edges {
		if e.Pass == "" && e.ID != e.Origin {
			t.Errorf("edge %d of the program became %d", e.Origin, e.ID)
		}
	}
}
