package mover_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/engine/mover"
	"fencepost/internal/engine/robust"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/property"
	"fencepost/internal/solver/smt"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
	"fencepost/verdict"

	"fencepost/internal/engine"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/frontend/trencher"
	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
)

var needed = regexp.MustCompile(`(?m)^// paper: RA (\d+)$`)

// [BEMT18 Table 1], column RA: the programs of the table are proved with at
// most as many read abstractions, and every one of them is sound.
func TestTable1Proofs(t *testing.T) {
	needsSolver(t)
	files, err := filepath.Glob("testdata/*.fp")
	if err != nil || len(files) != 13 {
		t.Fatalf("%d programs, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := needed.FindSubmatch(text)
			if m == nil {
				t.Fatal("the program does not say how many abstractions the paper needs")
			}
			most, _ := strconv.Atoi(string(m[1]))
			flat, props := parse(t, string(text))
			out, err := mover.Prove(context.Background(), flat, props, mover.Options{})
			if err != nil {
				t.Fatal(err)
			}
			used := len(out.Proof.Abstractions)
			t.Logf("%s, %d abstractions, %d obligations", out.Verdict, used, out.Proof.Obligations)
			switch {
			case out.Verdict != verdict.ValueRobust && out.Verdict != verdict.Abstracted:
				t.Errorf("not proved: %s", out.Reason)
			case used > most:
				t.Errorf("%d abstractions, the paper needs %d", used, most)
			case (used == 0) != (out.Verdict == verdict.ValueRobust):
				t.Errorf("%s with %d abstractions", out.Verdict, used)
			}
			for _, a := range out.Proof.Abstractions {
				if !a.Sound || !a.Found {
					t.Errorf("abstraction %q: sound %v, found %v", a.Cond, a.Sound, a.Found)
				}
			}
			if len(out.Warnings) > 0 {
				t.Errorf("warnings: %v", out.Warnings)
			}
		})
	}
}

// The MCS lock for any number of threads, each with a node of its own.
func TestAnyNumberOfNodes(t *testing.T) {
	text, err := os.ReadFile("testdata/any/mcs-lock.fp")
	if err != nil {
		t.Fatal(err)
	}
	out := prove(t, string(text), mover.Options{})
	if out.Verdict != verdict.Abstracted || len(out.Proof.Abstractions) != 2 {
		t.Errorf("%s, %s, %+v", out.Verdict, out.Reason, out.Proof.Abstractions)
	}
	// Two threads with the same node would be in each other's way.
	wrong := strings.Replace(string(text), "mem[2 * i + 2] = 1;", "mem[2] = 1;", 1)
	if out := prove(t, wrong, mover.Options{NoAbstraction: true}); out.Verdict != verdict.Unknown {
		t.Errorf("one node for all: %s", out.Verdict)
	}
}

// A cell that belongs to a thread by its number is thread-private.
func TestPrivateCells(t *testing.T) {
	const text = "var x; thread w[i] * n { reg r, s; mem[i] = 1; r = mem[i]; assert r == 1; s = x; mem[INDEX] = 2; r = mem[i]; assert r == 2; x = s; }"
	for index, want := range map[string]int{"i": 0, "i + 1": 2} {
		if out := prove(t, strings.Replace(text, "INDEX", index, 1), mover.Options{NoAbstraction: true}); out.Proof.Open() != want {
			t.Errorf("%s: %s, %+v", index, out.Verdict, out.Proof.Checks)
		}
	}
}

// The FIFO queue without the caller's fence: one abstraction does it, and none
// does not.
func TestQueueWithoutFence(t *testing.T) {
	text, err := os.ReadFile("testdata/fifo-iwsq.fp")
	if err != nil {
		t.Fatal(err)
	}
	bareText := strings.Replace(string(text), "fence;", "", 1)
	if out := prove(t, bareText, mover.Options{NoAbstraction: true}); out.Verdict != verdict.Unknown {
		t.Errorf("without abstraction: %s", out.Verdict)
	}
	out := prove(t, bareText, mover.Options{})
	if out.Verdict != verdict.Abstracted || len(out.Proof.Abstractions) != 1 {
		t.Errorf("%s with %+v", out.Verdict, out.Proof.Abstractions)
	}
}

// [BEMT18 §2]: with havoc(h, h <= H) in it the deque is value-robust as it stands,
// and what stands in it allows all that the plain load does.
func TestChaseLevWithHavoc(t *testing.T) {
	text, err := os.ReadFile("testdata/chase-lev.fp")
	if err != nil {
		t.Fatal(err)
	}
	abstract := strings.Replace(string(text), "      h = H;\n", "      havoc(h, h >= 0 && h <= H);\n", 1)
	if abstract == string(text) {
		t.Fatal("no load to abstract")
	}
	out := prove(t, abstract, mover.Options{NoAbstraction: true})
	if out.Verdict != verdict.ValueRobust {
		t.Fatalf("%s: %s", out.Verdict, out.Reason)
	}
	if len(out.Proof.Abstractions) != 1 || out.Proof.Abstractions[0].Found {
		t.Errorf("abstractions: %+v", out.Proof.Abstractions)
	}
	for _, a := range prove(t, string(text), mover.Options{}).Proof.Abstractions {
		if a.Cond != "0 <= h && h <= H" || !a.Sound {
			t.Errorf("found: %+v", a)
		}
	}
}

// The program of [BEMT18 §6] that the paper's method is too weak for, as published:
// its reader's values are not used, and dead registers do not count.
func TestNonBlockingWrite(t *testing.T) {
	needsSolver(t)
	out, err := mover.Prove(context.Background(), finite(t, "trencher", "nbw-w-lr-rl.txt"), &property.Set{}, mover.Options{NoAbstraction: true})
	if err != nil || out.Verdict != verdict.ValueRobust {
		t.Errorf("%+v, %v", out, err)
	}
}

// The same with the step put in that the published instance lacks, and with a reader
// that stores what it read. It takes an abstraction of the exchange that tries to take the
// spin lock: an exchange that fails may move after the release.
func TestNonBlockingWriteWhole(t *testing.T) {
	if !testkit.Slow() {
		t.Skip("make fuzz runs it: it takes seconds; TestTable1Proofs finds abstractions")
	}
	needsSolver(t)
	name := testkit.Shared(t, "bench", "trencher", "nbw-w-lr-rl.txt")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.ReplaceAll(string(text), "transition\tr2\tr3\t", "transition\tr2\tr4\t")
	used := regexp.MustCompile(`(?m)^(transition\tr5\tr6\t.*)$`).ReplaceAllString(whole, "$1\ntransition\tr6\tr7\twrite\tvalue\t4")
	if whole == string(text) || used == whole {
		t.Fatal("nothing to put in")
	}
	for _, arith := range []encode.Arithmetic{encode.Integers, encode.BitVectors} {
		p := parseTrencher(t, name, []byte(used))
		if out, err := mover.Prove(context.Background(), p, &property.Set{}, mover.Options{NoAbstraction: true, Arithmetic: arith}); err != nil || out.Verdict != verdict.Unknown {
			t.Errorf("without abstraction: %+v, %v", out, err)
		}
		out, err := mover.Prove(context.Background(), p, &property.Set{}, mover.Options{Arithmetic: arith})
		if err != nil || out.Verdict != verdict.Abstracted || len(out.Proof.Abstractions) != 2 {
			t.Fatalf("%+v, %v", out, err)
		}
		if a := out.Proof.Abstractions; a[0].Fails == a[1].Fails {
			t.Errorf("one exchange and one load: %+v", a)
		}
		// The abstracted program reaches under SC what the program reaches under TSO.
		if arith == encode.Integers {
			tso := sharedStates(t, p, memory.TSO)
			sc := sharedStates(t, boundChoices(out.Program), memory.SC)
			for s := range tso {
				if !sc[s] {
					t.Errorf("only under TSO: %q", s)
				}
			}
		}
	}
}

// boundChoices lets abstract loads and failures choose small numbers only, which is
// less than they may.
func boundChoices(p *ir.Program) *ir.Program {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Kind == ir.Havoc || op.Kind == ir.AbstractLoad {
				op.Range = ir.Range{Bounded: true, Lo: -3, Hi: 2}
			}
		}
	}
	return p
}

// finite reads one of the finite instances.
func finite(t *testing.T, path ...string) *ir.Program {
	t.Helper()
	name := testkit.Shared(t, append([]string{"bench"}, path...)...)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return parseTrencher(t, name, text)
}

func parseTrencher(t *testing.T, name string, text []byte) *ir.Program {
	t.Helper()
	unit, diags := trencher.Parse(source.NewFile(filepath.Base(name), text), statement.Options{})
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	flat, err := transform.Run(unit.Program, transform.Options{Unroll: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return flat
}

// [BEMT18 Table 1], columns SR and SV, on the finite instances. The instance of
// inline_pgsql is robust, against the table: one token goes round, so that no thread
// sets a worker's flag while the worker holds it. SV is compared for the instances
// whose states are few enough; the queues count up to 10,000.
func TestTable1Instances(t *testing.T) {
	for _, row := range []struct {
		path   []string
		robust bool // SR
		states bool // compare SV
	}{
		{[]string{"mover", "chase-lev-wsq.txt"}, false, false},
		{[]string{"mover", "FIFO-iWSQ.txt"}, false, false},
		{[]string{"mover", "LIFO-iWSQ.txt"}, false, false},
		{[]string{"mover", "Anchor-iWSQ.txt"}, false, false},
		{[]string{"mover", "r+detour.txt"}, false, true},
		{[]string{"mover", "r+detours.txt"}, false, true},
		{[]string{"mover", "sb+detours.txt"}, false, true},
		{[]string{"mover", "sb+detours+coherence.txt"}, false, true},
		{[]string{"mover", "write+r.txt"}, false, true},
		{[]string{"mover", "write+r+coherence.txt"}, false, true},
		{[]string{"mover", "dc_locking.txt"}, true, false},
		{[]string{"mover", "inline_pgsql.txt"}, true, true},
		{[]string{"trencher", "mcs-lock.txt"}, true, true},
	} {
		t.Run(row.path[1], func(t *testing.T) {
			p := finite(t, row.path...)
			task := &engine.Task{Program: p, Props: &property.Set{}, Model: memory.TSO, Limits: engine.Limits{Workers: 1}}
			out, err := robust.Engine.Run(context.Background(), task)
			if err != nil || out.Unknown != "" {
				t.Fatalf("%v, %s", err, out.Unknown)
			}
			if got := len(out.Violations) == 0; got != row.robust {
				t.Errorf("robust: %v, want %v", got, row.robust)
			}
			if !row.states || !testkit.InPart(t, "", 4) {
				return
			}
			sc, tso := sharedStates(t, p, memory.SC), sharedStates(t, p, memory.TSO)
			t.Logf("%d shared states", len(sc))
			for s := range tso {
				if !sc[s] {
					t.Errorf("only under TSO: %q", s)
				}
			}
			if len(sc) < 2 || len(sc) > len(tso) {
				t.Errorf("%d shared states under SC, %d under TSO", len(sc), len(tso))
			}
		})
	}
}

// sharedStates returns what memory can hold while all buffers are empty. Buffers
// hold one entry, which is enough for litmus tests, and threads with the same
// code count once.
func sharedStates(t *testing.T, p *ir.Program, m memory.Model) map[string]bool {
	t.Helper()
	y := memory.New(p, m, memory.Options{Buffer: 1})
	codec := reduce.NewSymmetry(y, equalThreads(p))
	s := y.NewState()
	found, visited := map[string]bool{}, map[string]bool{}
	work := []string{string(codec.Encode(s, nil))}
	visited[work[0]] = true
	for len(work) > 0 {
		key := work[len(work)-1]
		work = work[:len(work)-1]
		codec.Decode(s, []byte(key))
		if s.Drained() {
			found[contents(y, s)] = true
		}
		for _, st := range y.Enabled(s, nil) {
			codec.Decode(s, []byte(key))
			y.Apply(s, st)
			if next := string(codec.Encode(s, nil)); !visited[next] {
				visited[next] = true
				work = append(work, next)
			}
		}
		if len(visited) > 1_000_000 {
			t.Fatalf("more than a million states under %s", m)
		}
	}
	return found
}

// equalThreads groups the threads with the same code.
func equalThreads(p *ir.Program) [][]ir.ThreadID {
	same := func(f, g *ir.Func) bool {
		return slices.EqualFunc(f.Edges, g.Edges, func(d, e ir.Edge) bool {
			return d.From == e.From && d.To == e.To && reflect.DeepEqual(d.Op, e.Op)
		})
	}
	var groups [][]ir.ThreadID
next:
	for t := range p.Threads {
		id := ir.ThreadID(t)
		for i, g := range groups {
			if same(p.ThreadFunc(g[0]), p.ThreadFunc(id)) {
				groups[i] = append(g, id)
				continue next
			}
		}
		groups = append(groups, []ir.ThreadID{id})
	}
	return slices.DeleteFunc(groups, func(g []ir.ThreadID) bool { return len(g) < 2 })
}

func contents(y *memory.System, s *memory.State) string {
	var b []byte
	for i := range y.Prog.Objects {
		o := &y.Prog.Objects[i]
		for off := int64(0); off < o.Size; off += int64(o.Unit) {
			b = strconv.AppendInt(b, y.Read(s, o.Addr+uint64(off), o.Type), 10)
			b = append(b, ' ')
		}
	}
	return string(b)
}

// BenchmarkTable1 measures the programs of [BEMT18 Table 1]: PO is proof obligations,
// the time is VT, solver included.
func BenchmarkTable1(b *testing.B) {
	if !smt.Available() {
		b.Skipf("notice: %v", smt.ErrMissing)
	}
	files, err := filepath.Glob("testdata/*.fp")
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		b.Run(strings.TrimSuffix(filepath.Base(file), ".fp"), func(b *testing.B) {
			text, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			flat, props := parse(b, string(text))
			obligations := 0
			for range b.N {
				out, err := mover.Prove(context.Background(), flat, props, mover.Options{Quick: true})
				if err != nil || out.Verdict == verdict.Unknown {
					b.Fatalf("%+v, %v", out, err)
				}
				obligations = out.Proof.Obligations
			}
			b.ReportMetric(float64(obligations), "PO")
		})
	}
}
