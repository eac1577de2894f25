package text_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/render/text"
	"fencepost/verdict"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// run builds a witness step by step.
type run struct {
	w     verdict.Witness
	addrs map[string]uint64
}

func threads(names ...string) *run {
	return &run{w: verdict.Witness{Threads: names}, addrs: make(map[string]uint64)}
}

func (r *run) add(thread int, kind verdict.StepKind, line int, source, location string, value int64) *verdict.Step {
	s := verdict.Step{Thread: thread, Kind: kind, Edge: len(r.w.Steps), Of: -1, Instruction: verdict.Instruction{Text: source}, Location: location, Data: verdict.Data{Value: value}}
	if line > 0 {
		s.Pos = &verdict.Pos{File: "dir/prog.fp", Line: line, Col: 3}
	}
	if location != "" {
		if r.addrs[location] == 0 {
			r.addrs[location] = uint64(8 * (1 + len(r.addrs)))
		}
		s.Addr, s.Size = r.addrs[location], 8
	}
	r.w.Steps = append(r.w.Steps, s)
	return &r.w.Steps[len(r.w.Steps)-1]
}

func (r *run) store(thread, line int, source, location string, value int64) int {
	r.add(thread, verdict.StepStore, line, source, location, value).Buffered = true
	return len(r.w.Steps) - 1
}

func (r *run) flush(of int) {
	s := r.w.Steps[of]
	f := r.add(s.Thread, verdict.StepFlush, 0, "", s.Location, s.Value)
	f.Of, f.Edge = of, -1
}

func (r *run) load(thread, line int, source, location string, value int64) *verdict.Step {
	return r.add(thread, verdict.StepLoad, line, source, location, value)
}

func (r *run) fail(thread, line int, source, note string) {
	r.add(thread, verdict.StepFail, line, source, "", 0).Note = note
}

func unsafe(model, reason string, line int, r *run) *verdict.Result {
	return &verdict.Result{
		Program: "dir/prog.fp", Question: "assertions", Model: model, Verdict: verdict.Unsafe, Reason: reason,
		Pos: &verdict.Pos{File: "dir/prog.fp", Line: line, Col: 3}, Engine: "explicit",
		Stats: verdict.Stats{States: 1204, Transitions: 3410, Seconds: 0.0123}, Witness: &r.w,
	}
}

func storeBuffering() *run {
	r := threads("t1", "t2")
	x := r.store(0, 5, "x = 1;", "x", 1)
	r.load(0, 6, "r1 = y;", "y", 0)
	y := r.store(1, 10, "y = 1;", "y", 1)
	r.load(1, 11, "r2 = x;", "x", 0)
	r.flush(y)
	r.flush(x)
	return r
}

func messagePassing() *run {
	r := threads("writer", "reader")
	r.store(0, 4, "data = 1;", "data", 1)
	flag := r.store(0, 5, "flag = 1;", "flag", 1)
	inner := &verdict.Pos{File: "dir/prog.fp", Line: 9, Col: 10, EndLine: 9, EndCol: 14}
	outer := &verdict.Pos{File: "dir/prog.fp", Line: 9, Col: 3, EndLine: 9, EndCol: 20}
	for edge := range 2 { // the second time round it is a new statement
		r.load(1, 9, "flag", "flag", int64(edge)).Pos = inner
		r.add(1, verdict.StepExec, 9, "while (flag == 0)", "", 0).Pos = outer
		for i := range 2 {
			r.w.Steps[len(r.w.Steps)-1-i].Edge = 100 + i
		}
		if edge == 0 {
			r.flush(flag)
		}
	}
	r.load(1, 10, "r = data;", "data", 0)
	r.fail(1, 11, "assert r == 1;", "assertion failed: r == 1")
	return r
}

func forwarding() *run {
	r := threads("t1", "t2")
	x := r.store(0, 5, "x = 1;", "x", 1)
	r.load(0, 6, "r1 = x;", "x", 1).From = x + 1
	r.add(0, verdict.StepExec, 7, "r3 = r1 + 1;", "", 0)
	r.add(0, verdict.StepExec, 8, "r4 = 2;", "", 0)
	r.add(0, verdict.StepExec, 8, "r5 = 3;", "", 0).Pos.Col = 12
	r.load(0, 9, "r2 = y;", "y", 0)
	y := r.store(1, 12, "y = 1;", "y", 1)
	r.flush(y)
	r.add(1, verdict.StepFence, 13, "fence;", "", 0)
	r.load(1, 14, "s = x;", "x", 0)
	r.fail(1, 15, "assert s == 1 || done;", "")
	return r
}

func readModifyWrite() *run {
	r := threads("t1", "t2")
	lock := r.add(0, verdict.StepRMW, 4, "r = xchg(lock, 1);", "lock", 0)
	lock.Wrote, lock.Written = true, 1
	r.add(1, verdict.StepRMW, 8, "s = cas(lock, 0, 1);", "lock", 1)
	x := r.store(0, 5, "x = x_long_name_that_goes_on + 1234567;", "x", -3)
	r.flush(x)
	r.load(1, 9, "q = x;", "x", -3)
	r.fail(1, 10, "assert q == 0;", "q is -3")
	return r
}

func underSC() *run {
	r := threads("a", "b")
	r.load(0, 3, "r = n;", "n", 0)
	r.load(1, 7, "s = n;", "n", 0)
	r.add(0, verdict.StepStore, 4, "n = r + 1;", "n", 1)
	r.add(1, verdict.StepStore, 8, "n = s + 1;", "n", 1)
	return r
}

func fiveThreads() *run {
	r := threads("w[0]", "w[1]", "w[2]", "w[3]", "main")
	for i := range 4 {
		r.store(i, 4, "a[i] = 1;", "a["+string(rune('0'+i))+"]", 1)
	}
	r.load(4, 9, "r = a[0];", "a[0]", 0)
	r.load(0, 5, "s = b;", "b", 0)
	r.fail(4, 10, "assert r == 1;", "r is 0")
	r.w.Steps[len(r.w.Steps)-1].Stack = []string{"main", "check"}
	return r
}

func deadlock() *run {
	r := threads("t1", "t2")
	for i, name := range []string{"m1", "m2"} {
		s := r.add(i, verdict.StepRMW, 4+4*i, "lock("+name+");", name, 0)
		s.Wrote, s.Written = true, 1
	}
	return r
}

func harmlessDelay() *run {
	r := threads("t1", "t2")
	x := r.store(0, 5, "x = 1;", "x", 1)
	r.load(0, 6, "r1 = z;", "z", 0)
	r.flush(x)
	r.load(1, 9, "r2 = x;", "x", 1)
	r.fail(1, 10, "assert r2 == 0;", "r2 is 1")
	return r
}

func manyBuffered() *run {
	r := threads("left", "right", "third", "fourth")
	for i := range 4 {
		for k := range 3 {
			r.store(i, 4+k, "cell[k] = k;", "cell["+string(rune('0'+k))+"]", int64(k))
		}
	}
	r.add(2, verdict.StepFlush, 0, "", "cell[0]", 0).Of = 6
	r.add(3, verdict.StepWake, 0, "", "", 0)
	free := r.add(0, verdict.StepStore, 12, "free(p);", "p", 0)
	free.Buffered, free.Free = true, true
	return r
}

func goldenCases() map[string]*verdict.Result {
	pos := &verdict.Pos{File: "f.fp", Line: 3, Col: 5}
	final := unsafe("tso", "final condition violated: never t1:r1 == 0 && t2:r2 == 0", 14, storeBuffering())
	observed := unsafe("tso", "exists t1:r1 == 0 && t2:r2 == 0", 14, storeBuffering())
	observed.Verdict, observed.FinalStates = verdict.Observed, []string{"t1:r1=0 t2:r2=0", "t1:r1=0 t2:r2=1"}
	observed.Coverage.Exhaustive = true
	keepGoing := unsafe("pso", "assertion failed: r == 1", 11, messagePassing())
	keepGoing.Others = []verdict.Violation{{Question: "assertions", Reason: "assertion failed", Pos: pos, Witness: &forwarding().w}}
	warned := &verdict.Result{
		Program: "f.fp", Model: "tso", Verdict: verdict.Safe, Engine: "explicit", Stats: verdict.Stats{States: 1, Seconds: 75},
		Coverage: verdict.Coverage{Bounds: []verdict.Bound{{Name: "buffer", Value: 8, Hit: true, Pos: pos}, {Name: "unroll", Value: 1}}},
		Warnings: []verdict.Warning{{Code: "FP0701", Message: "this assertion is never reached", Pos: pos}},
	}
	narrow := unsafe("tso", "assertion failed", 11, manyBuffered())
	return map[string]*verdict.Result{
		"sb-tso-final":  final,
		"sb-observed":   observed,
		"mp-pso":        unsafe("pso", "assertion failed: r == 1", 11, messagePassing()),
		"forwarding":    unsafe("tso", "assertion failed", 15, forwarding()),
		"rmw":           unsafe("tso", "assertion failed: q == 0", 10, readModifyWrite()),
		"sc":            unsafe("sc", "final condition violated: forall n == 2", 10, underSC()),
		"five-threads":  unsafe("tso", "assertion failed: r == 1", 10, fiveThreads()),
		"deadlock":      unsafe("tso", "deadlock: t1 waits for m2, t2 waits for m1", 5, deadlock()),
		"harmless":      unsafe("tso", "assertion failed: r2 == 0", 10, harmlessDelay()),
		"many-buffered": narrow,
		"keep-going":    keepGoing,
		"no-steps":      unsafe("tso", "goal reached", 2, threads("t1")),
		"bounded":       warned,
		"safe": {Program: "f.fp", Model: "sc", Verdict: verdict.Safe, Engine: "explicit",
			Coverage: verdict.Coverage{Exhaustive: true, Bounds: []verdict.Bound{{Name: "buffer", Value: 8}}}, Stats: verdict.Stats{States: 1204567, Seconds: 2.345}},
		"explored": {Program: "f.fp", Model: "sc", Question: "final states", Verdict: verdict.Safe, Engine: "explicit",
			Coverage: verdict.Coverage{Exhaustive: true}, Stats: verdict.Stats{States: 9}, Details: verdict.Details{FinalStates: []string{"x=1"}}},
		"not-observed": {Program: "f.fp", Model: "pso", Verdict: verdict.NotObserved, Engine: "explicit", Coverage: verdict.Coverage{Exhaustive: true}},
		"unknown": {Program: "f.fp", Model: "tso", Verdict: verdict.Unknown, Reason: "time limit of 60s reached after 1234567 states", Engine: "explicit",
			Coverage: verdict.Coverage{Bounds: []verdict.Bound{{Name: "buffer", Value: 1, Hit: true}, {Name: "rounds", Value: 3}}},
			Stats:    verdict.Stats{States: 1234567, Transitions: 2, Seconds: 60}, Details: verdict.Details{FinalStates: []string{"x=1"}}},
	}
}

// attackOn is the attack that storeBuffering shows: the first thread's store is
// delayed.
func attackOn(r *run) verdict.Attack {
	return verdict.Attack{
		Thread: r.w.Threads[0], Store: r.w.Steps[0].Pos, StoreText: "x = 1", Load: r.w.Steps[1].Pos, LoadText: "y",
		Witness: &r.w, StoreStep: 0, LoadStep: 1,
		Nodes: []verdict.TraceNode{{Thread: 0, Text: "t1 st x", Step: 0}, {Thread: 0, Text: "t1 ld y", Step: 1},
			{Thread: 1, Text: "t2 st y", Step: 2}, {Thread: 1, Text: "t2 ld x", Step: 3}},
		Cycle: []verdict.TraceEdge{{From: 0, To: 1, Kind: "po"}, {From: 1, To: 2, Kind: "cf"}, {From: 2, To: 3, Kind: "po"}, {From: 3, To: 0, Kind: "cf"}},
	}
}

func robustCases() map[string]*verdict.Result {
	answer := func(v verdict.Verdict, attacks ...verdict.Attack) *verdict.Result {
		r := &verdict.Result{
			Program: "dir/prog.fp", Question: "robustness", Model: "tso", Verdict: v, Engine: "robust",
			Coverage: verdict.Coverage{Exhaustive: v == verdict.Safe}, Stats: verdict.Stats{States: 1150, Transitions: 2000, Seconds: 0.01}, Details: verdict.Details{Attacks: attacks},
		}
		if len(attacks) > 0 {
			r.Reason, r.Pos = attacks[0].String(), attacks[0].Store
		}
		return r
	}
	unknown := answer(verdict.Unknown)
	unknown.Reason = "time limit reached or interrupted after 1150 states"
	all := answer(verdict.Unsafe, attackOn(storeBuffering()), attackOn(storeBuffering()))
	all.Warnings = []verdict.Warning{{Code: "FP0908", Message: "there may be further attacks: out of time"}}
	return map[string]*verdict.Result{
		"robust":         answer(verdict.Safe),
		"robust-not":     answer(verdict.Unsafe, attackOn(storeBuffering())),
		"robust-all":     all,
		"robust-unknown": unknown,
	}
}

func TestRobust(t *testing.T) {
	for name, r := range robustCases() {
		var out bytes.Buffer
		text.Result(&out, r, text.Options{})
		golden(t, name+".txt", out.Bytes())
		if line, _, _ := strings.Cut(out.String(), "\n"); line != text.Headline(r) {
			t.Errorf("%s: the headline is %q", name, text.Headline(r))
		}
	}
	// A narrow terminal breaks the cycle between nodes; colours mark the row.
	var out bytes.Buffer
	text.Result(&out, robustCases()["robust-not"], text.Options{Width: 50, Color: true})
	golden(t, "robust-narrow.txt", bytes.ReplaceAll(out.Bytes(), []byte("\x1b"), []byte("ESC")))
	if got := text.Headline(&verdict.Result{Program: "f.fp", Model: "sc", Verdict: verdict.Safe, Coverage: verdict.Coverage{Exhaustive: true}}); got != "f.fp: safe under SC: all executions" {
		t.Errorf("headline %q", got)
	}
}

func TestGolden(t *testing.T) {
	for name, r := range goldenCases() {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			text.Result(&out, r, text.Options{})
			golden(t, name+".txt", out.Bytes())
			for _, c := range out.Bytes() {
				if c >= 0x80 || c == 0x1b {
					t.Fatalf("plain output holds byte %#x", c)
				}
			}
		})
	}
	t.Run("color", func(t *testing.T) {
		var out bytes.Buffer
		text.Result(&out, goldenCases()["rmw"], text.Options{Color: true, Width: 90})
		golden(t, "color.txt", bytes.ReplaceAll(out.Bytes(), []byte("\x1b"), []byte("ESC")))
	})
	t.Run("comparison", func(t *testing.T) {
		safe := verdict.Result{Program: "dir/sb.fp", Question: "never", Model: "sc", Verdict: verdict.Safe, Engine: "explicit", Coverage: verdict.Coverage{Exhaustive: true}}
		unsafe := *goldenCases()["sb-tso-final"]
		unsafe.Program = safe.Program
		results := []verdict.Result{safe, unsafe}
		if !text.Comparable(results) {
			t.Fatal("the results are of one program under two models")
		}
		if text.Comparable(results[:1]) || text.Comparable([]verdict.Result{safe, safe}) {
			t.Error("one model is nothing to compare")
		}
		var out bytes.Buffer
		text.Comparison(&out, results, text.Options{})
		golden(t, "comparison.txt", out.Bytes())
	})
	t.Run("narrow", func(t *testing.T) {
		var out bytes.Buffer
		text.Result(&out, goldenCases()["sb-tso-final"], text.Options{Width: 70})
		golden(t, "narrow.txt", out.Bytes())
	})
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (run with -update to accept):\n%s\nwant:\n%s", name, got, want)
	}
}

func TestTableWidth(t *testing.T) {
	for name, r := range goldenCases() {
		if r.Witness == nil {
			continue
		}
		for _, width := range []int{80, 100, 120} {
			var out bytes.Buffer
			text.Result(&out, r, text.Options{Width: width})
			for _, line := range strings.Split(out.String(), "\n") {
				isTable := strings.HasPrefix(line, "  ")
				if isTable && len([]rune(line)) > width {
					t.Errorf("%s at %d columns: line of %d: %s", name, width, len(line), line)
				}
			}
		}
	}
}

func TestControlCharactersAreNotPrinted(t *testing.T) {
	r := threads("t1")
	r.store(0, 5, "x\x1b[2J =\n\t 1;", "x\a", 1)
	res := unsafe("tso", "bad\x1b[31m", 5, r)
	var out bytes.Buffer
	text.Result(&out, res, text.Options{})
	if strings.ContainsAny(out.String(), "\x1b\a\t") {
		t.Errorf("control characters got through: %q", out.String())
	}
	if !strings.Contains(out.String(), "x.[2J = 1;") {
		t.Errorf("the text is not folded into one line: %q", out.String())
	}
}

func TestDiagnostic(t *testing.T) {
	var out bytes.Buffer
	for _, d := range []verdict.Diagnostic{
		{Severity: verdict.SeverityError, Code: "FP0103", Pos: verdict.Pos{File: "f.fp", Line: 3, Col: 2}, Message: "unknown name \"y\"",
			Notes: []string{"did you mean x?"}, Excerpt: "\ty = 1;\n\t^"},
		{Severity: verdict.SeverityWarning, Code: "FP0200", Pos: verdict.Pos{File: "f.fp"}, Message: "no position"},
		{Severity: verdict.SeverityError, Message: "nothing at all"},
	} {
		text.Diagnostic(&out, d, text.Options{})
	}
	golden(t, "diagnostics.txt", out.Bytes())
}

func TestUnknownReason(t *testing.T) {
	for reason, want := range map[string]string{
		"interrupted after 12345 states": "interrupted after 12,345 states",
		"nothing was checked":            "nothing was checked",
	} {
		var out bytes.Buffer
		text.Result(&out, &verdict.Result{Program: "f.fp", Model: "pso", Verdict: verdict.Unknown, Reason: reason,
			Stats: verdict.Stats{States: 12345}}, text.Options{})
		if line, _, _ := strings.Cut(out.String(), "\n"); line != "f.fp: unknown under PSO: "+want {
			t.Errorf("%s: %s", reason, line)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 100000: "100,000"} {
		if got := text.Count(n); got != want {
			t.Errorf("Count(%d) = %s, want %s", n, got, want)
		}
	}
}
