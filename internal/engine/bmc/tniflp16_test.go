package bmc_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine/bmc"
	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// bounds are the parameters of [TNIFLP16 Table I]: unwind, rounds, maxclock, qsize.
type bounds struct{ unroll, rounds, clock, queue int }

func (b bounds) options() query.CheckOptions {
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Timeout = 0
	opt.Engines, opt.Unroll = query.Engines{"bmc"}, b.unroll
	opt.BMC = bmc.Options{Rounds: b.rounds, Clock: b.clock, Queue: b.queue}
	return opt
}

func ask(t *testing.T, in query.Input, model string, opt query.CheckOptions) verdict.Result {
	t.Helper()
	answer, err := check.Run(context.Background(), in, opt.Under(query.Model(model)))
	if err != nil {
		t.Fatalf("%s under %s: %v", in.Name, model, err)
	}
	if answer.HasErrors() {
		t.Fatalf("%s: %v", in.Name, answer.Diagnostics)
	}
	return answer.Results[0]
}

func fp(text string) query.Input {
	return query.Input{Name: "test.fp", Text: []byte("program test\n" + text)}
}

// TestParameters: each bound means what it says. One less misses what the stated
// value finds.
func TestParameters(t *testing.T) {
	const plenty = 6
	cases := []struct {
		name     string
		text     string
		few, due bounds
	}{
		// The body of the loop has to run three times.
		{"unroll", `
			var x, most = 3;
			thread a { reg n, m; m = most; assert x == 0; while (n < m) { n = n + 1; x = n; } assert x != 3; }`,
			bounds{2, plenty, plenty, plenty}, bounds{3, plenty, plenty, plenty}},
		// b can go on only after a has, which waits for b in between.
		{"rounds", `
			var x, y;
			thread a { x = 1; assert x >= 1; await y == 1; x = 2; }
			thread b { await x == 1; y = 1; await x == 2; assert 0 == 1; }`,
			bounds{1, 1, plenty, plenty}, bounds{1, 2, plenty, plenty}},
		// With one time, every store reaches memory at once [TNIFLP16 §VI].
		{"clock 1 is SC", `
			var x, y;
			thread a { reg r; x = 1; r = y; }
			thread b { reg s; y = 1; s = x; }
			never a:r == 0 && b:s == 0;`,
			bounds{1, plenty, 1, plenty}, bounds{1, plenty, 2, plenty}},
		// Both stores of a wait when it reads z, and reach memory at two times after that.
		{"clock", `
			var x, y, z;
			thread a { reg r; x = 1; y = 1; r = z; }
			thread b { reg s, t, u; z = 1; fence; s = x; t = x; u = y; }
			never a:r == 0 && b:s == 0 && b:t == 1 && b:u == 0;`,
			bounds{1, plenty, 2, plenty}, bounds{1, plenty, 3, plenty}},
		// Two stores to x wait at once: N = 3 keeps them beside what memory holds.
		{"queue", `
			var x, y;
			thread a { reg r; x = 1; x = 2; r = y; }
			thread b { reg s; y = 1; fence; s = x; }
			never a:r == 0 && b:s == 0;`,
			bounds{1, plenty, plenty, 2}, bounds{1, plenty, plenty, 3}},
	}
	for _, c := range cases {
		for _, model := range []string{"tso", "pso"} {
			if got := ask(t, fp(c.text), model, c.few.options()); got.Verdict != verdict.Safe || got.Coverage.Exhaustive {
				t.Errorf("%s under %s with %+v: %s (%s), exhaustive %v; want safe within bounds",
					c.name, model, c.few, got.Verdict, got.Reason, got.Coverage.Exhaustive)
			}
			if got := ask(t, fp(c.text), model, c.due.options()); got.Verdict != verdict.Unsafe {
				t.Errorf("%s under %s with %+v: %s (%s), want unsafe", c.name, model, c.due, got.Verdict, got.Reason)
			}
		}
	}
}

// TestWidth: a result that does not fit cuts an execution off, and the answer says so;
// nothing is made up.
func TestWidth(t *testing.T) {
	for _, text := range []string{`
		var x;
		thread a { reg n in 0..7, m; havoc n; m = n + n; x = m; assert m != 14; assert m >= 0; }`, `
		var x;
		thread a { reg n in 0..7, m; havoc n; x = n + n; m = x; assert m != 14; assert m >= 0; }`, `
		var x;
		thread a { reg n in 0..7, m; havoc n; x = n; m = fetch_add(x, n); m = x; assert m != 14; assert m >= 0; }`} {
		in, opt := fp(text), bounds{1, 1, 1, 2}.options()
		for _, c := range []struct {
			width int
			want  verdict.Verdict
			hit   bool
		}{{4, verdict.Safe, true}, {5, verdict.Unsafe, false}, {0, verdict.Unsafe, false}} {
			opt.BMC.Width = c.width
			got := ask(t, in, "sc", opt)
			hit := false
			for _, b := range got.Coverage.Bounds {
				hit = hit || b.Name == "width" && b.Hit
			}
			if got.Verdict != c.want || hit != c.hit {
				t.Errorf("%s\nwidth %d: %s, bound hit %v; want %s, %v", text, c.width, got.Verdict, hit, c.want, c.hit)
			}
		}
	}
}

// TestInputs: an input of a thousand million values is as good as any other, and the
// execution found replays with the one value that does it.
func TestInputs(t *testing.T) {
	in := fp(`
		var x, y;
		thread a { reg v in 0..1000000000; havoc v; assume v % 7 == 3 && v > 1000; x = v * 3 + 1; y = 1; }
		thread b { reg r, s; s = y; r = x; assert r != WANT || s == 0; }`)
	for want, verdictOf := range map[string]verdict.Verdict{"300037": verdict.Unsafe, "300028": verdict.Safe} {
		in := in
		in.Text = []byte(strings.Replace(string(in.Text), "WANT", want, 1))
		if got := ask(t, in, "tso", bounds{1, 3, 3, 3}.options()); got.Verdict != verdictOf {
			t.Errorf("%s: %s (%s), want %s", want, got.Verdict, got.Reason, verdictOf)
		}
	}
}

// TestUnrollNotTheReason: a bound of unrolling that stops no thread is not hit, and with large
// enough other bounds the answer covers everything.
func TestUnrollNotTheReason(t *testing.T) {
	in := fp(`
		var x, most = 2;
		thread a { reg n, m; m = most; assert x == 0; while (n < m) { n = n + 1; x = n; } assert x != 3; }`)
	got := ask(t, in, "tso", bounds{2, 8, 8, 8}.options())
	if got.Verdict != verdict.Safe || !got.Coverage.Exhaustive {
		t.Errorf("%s, %+v; want safe for all executions", got.Verdict, got.Coverage)
	}
	got = ask(t, in, "tso", bounds{1, 8, 8, 8}.options())
	if got.Verdict != verdict.Safe || got.Coverage.Exhaustive {
		t.Errorf("%s, %+v; want safe with a bound hit", got.Verdict, got.Coverage)
	}
}

// TestAuto: bounds are raised until there is an answer that leaves nothing out. With the order of
// events only unrolling is raised.
func TestAuto(t *testing.T) {
	in := fp(`
		var x, y, z, most = 2;
		thread a { reg r, n, m; m = most; while (n < m) { n = n + 1; } x = 1; y = 1; r = z; }
		thread b { reg s, t, u; z = 1; fence; s = x; t = x; u = y; }
		never a:r == 0 && b:s == 0 && b:t == 1 && b:u == 0;`)
	for _, encoding := range []query.Encoding{"", bmc.Order, bmc.Rounds} {
		opt := bounds{}.options()
		opt.BMC.Auto, opt.BMC.Encoding = true, encoding
		var steps []string
		opt.BMC.Report = func(text string) { steps = append(steps, text) }
		got := ask(t, in, "tso", opt)
		if got.Verdict != verdict.Unsafe || len(steps) < 2 {
			t.Errorf("%q: %s after %q; want unsafe after more than one step", encoding, got.Verdict, steps)
		}
		if rounds := strings.Contains(strings.Join(steps, "\n"), "rounds"); rounds != (encoding == bmc.Rounds) {
			t.Errorf("%q: %q", encoding, steps)
		}
		if got := ask(t, in, "sc", opt); got.Verdict != verdict.Safe || !got.Coverage.Exhaustive {
			t.Errorf("%q: %s, %+v; want safe for all executions", encoding, got.Verdict, got.Coverage)
		}
	}
}

// TestAutoStraight: the rounds, times and lists that a small program needs come right after the first step. Those of a
// large one are doubled, and none gets larger than what is needed.
func TestAutoStraight(t *testing.T) {
	const small = `
		var x, y;
		thread a { reg r; x = 1; x = 2; fence; r = y; }
		thread b { reg s; y = 1; y = 2; fence; s = x; }
		never a:r == 0 && b:s == 0;`
	large := "var x[8], y;\nthread a { reg r; " + strings.Repeat("x[y % 8] = y; ", 8) + "fence; r = y; }\n" +
		"thread b { reg s; " + strings.Repeat("y = x[y % 8] % 4; ", 8) + "fence; s = y; }\nnever a:r == 77;"
	for _, c := range []struct {
		text  string
		model string
		most  int // steps
		want  []string
	}{
		{small, "tso", 2, []string{"rounds 2, clock 2, queue 2", "rounds 5, clock 5, queue 3"}},
		{small, "sc", 2, nil},
		{large, "tso", 0, []string{"rounds 2, clock 2, queue 2", "rounds 4, clock 4, queue 4"}},
	} {
		opt := bounds{}.options()
		opt.BMC.Auto, opt.BMC.Encoding = true, bmc.Rounds
		ctx, stop := context.WithCancel(context.Background())
		var steps []string
		opt.BMC.Report = func(text string) {
			if steps = append(steps, text); c.most == 0 && len(steps) == len(c.want) {
				stop() // the rest takes long
			}
		}
		_, err := check.Run(ctx, fp(c.text), opt.Under(query.Model(c.model)))
		stop()
		if err != nil {
			t.Fatal(err)
		}
		if c.most > 0 && len(steps) != c.most || len(steps) < len(c.want) {
			t.Errorf("%s: %q, want %q", c.model, steps, c.want)
			continue
		}
		for i, w := range c.want {
			if !strings.Contains(steps[i], w) {
				t.Errorf("%s: %q, want %q", c.model, steps, c.want)
			}
		}
	}
}

// TestNotOrdered: where the order of events is not encoded, rounds are, unless the user wants the
// order.
func TestNotOrdered(t *testing.T) {
	many := `
		var x;
		thread a * 6 { reg n; while (n < 30) { x = n; n = n + 1; } }
		thread b { reg r, n; while (n < 40) { r = x; n = n + 1; } assert r < 30; }`
	opt := bounds{unroll: 41}.options()
	opt.BMC.Encoding = bmc.Order
	got := ask(t, fp(many), "sc", opt)
	if got.Verdict != verdict.Unknown || !strings.Contains(got.Reason, "the order of events is not encoded for") {
		t.Errorf("%s: %s; want a reason", got.Verdict, got.Reason)
	}
	opt.BMC.Encoding = ""
	got = ask(t, fp(many), "sc", opt)
	if got.Verdict != verdict.Unknown || !slices.ContainsFunc(got.Coverage.Bounds, func(b verdict.Bound) bool { return b.Name == "rounds" }) {
		t.Errorf("%s: %s, %+v; want the bound of rounds", got.Verdict, got.Reason, got.Coverage)
	}
}

// table is [TNIFLP16 Table I] in our own versions, with its parameters.
var table = []struct {
	name    string // in the corpus, or a file beside it
	defines []string
	bounds
	sc, tso, pso verdict.Verdict // unset: not asked
	slow         bool            // only with -fp.slow
}{
	{name: "dekker", bounds: bounds{1, 2, 2, 2}, sc: verdict.Safe, tso: verdict.Unsafe, pso: verdict.Unsafe},
	{name: "lamport-fast", bounds: bounds{1, 2, 2, 2}, sc: verdict.Safe, tso: verdict.Unsafe, pso: verdict.Unsafe},
	{name: "peterson", bounds: bounds{1, 2, 2, 3}, sc: verdict.Safe, tso: verdict.Unsafe, pso: verdict.Unsafe},
	{name: "szymanski", bounds: bounds{1, 2, 3, 3}, sc: verdict.Safe, tso: verdict.Unsafe, pso: verdict.Unsafe},
	{name: "parker.fp", bounds: bounds{1, 2, 3, 2}, sc: verdict.Safe, tso: verdict.Unsafe, pso: verdict.Unsafe},
	{name: "stack.c", bounds: bounds{2, 2, 2, 2}, tso: verdict.Unsafe, pso: verdict.Unsafe},
	{name: "fib.c", defines: []string{"N=3", "LIMIT=21"}, bounds: bounds{3, 3, 2, 2}, tso: verdict.Unsafe, pso: verdict.Unsafe},
	{name: "fib.c", defines: []string{"N=3", "LIMIT=22"}, bounds: bounds{3, 3, 2, 2}, tso: verdict.Safe, pso: verdict.Safe},
	{name: "fib.c", bounds: bounds{6, 6, 2, 2}, tso: verdict.Unsafe, pso: verdict.Unsafe, slow: true},
	{name: "fib.c", defines: []string{"LIMIT=378"}, bounds: bounds{6, 6, 2, 2}, tso: verdict.Safe, pso: verdict.Safe, slow: true},
}

// table2 is Safestack [TNIFLP16 Table II]: under SC four rounds, fewer with buffers.
var table2 = []struct {
	bounds
	model string
}{
	{bounds{1, 4, 1, 2}, "sc"},
	{bounds{3, 4, 1, 2}, "sc"},
	{bounds{1, 3, 3, 3}, "pso"},
	{bounds{3, 3, 3, 3}, "pso"},
	{bounds{3, 3, 3, 3}, "tso"}, // one iteration is not enough here
}

// TestSafestack: two threads come to hold the same element.
func TestSafestack(t *testing.T) {
	if !testkit.Slow() {
		t.Skip("takes long: -fp.slow")
	}
	in := load(t, "safestack.c")
	for _, c := range table2 {
		if c.model != "sc" && c.unroll > 1 {
			continue // for the benchmark
		}
		got := ask(t, in, c.model, c.options())
		t.Logf("%s with %+v: %s, %.1fs, %d clauses", c.model, c.bounds, got.Verdict, got.Stats.Seconds, got.Stats.Clauses)
		if got.Verdict != verdict.Unsafe {
			t.Errorf("%s with %+v: %s (%s), want unsafe", c.model, c.bounds, got.Verdict, got.Reason)
		}
	}
}

// load reads a program of the table.
func load(t testing.TB, name string) query.Input {
	root := filepath.Join("..", "..", "..", "testdata")
	if filepath.Ext(name) != "" {
		text, err := os.ReadFile(filepath.Join(root, "bmc", name))
		if err != nil {
			t.Fatal(err)
		}
		return query.Input{Name: name, Text: text}
	}
	for _, c := range testkit.LoadCorpus(t, filepath.Join(root, "corpus")) {
		if filepath.Base(c.Path) == name+".txtar" {
			return c.Input
		}
	}
	t.Fatalf("no program %s", name)
	return query.Input{}
}

// TestTable1: the programs of [TNIFLP16 Table I] have the verdicts it has for them,
// with the same parameters. A smaller member of fib is not in the table.
func TestTable1(t *testing.T) {
	for _, c := range table {
		in := load(t, c.name)
		for model, want := range map[string]verdict.Verdict{"sc": c.sc, "tso": c.tso, "pso": c.pso} {
			opt := c.options()
			opt.C.Defines = c.defines
			if want == verdict.Unset || c.slow && !testkit.Slow() {
				continue
			}
			got := ask(t, in, model, opt)
			t.Logf("%s %v under %s: %s, %.2fs, %d clauses", c.name, c.defines, model, got.Verdict, got.Stats.Seconds, got.Stats.Clauses)
			if got.Verdict != want {
				t.Errorf("%s %v under %s: %s (%s), want %s", c.name, c.defines, model, got.Verdict, got.Reason, want)
			}
		}
	}
}
