package testkit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// Undefined values: what engines say about random programs with masks is held against the definition by brute force
// (replay.ReachesUndefined), which gets the program before the pass that adds masks and checks.

// undefinedWriter writes a random program as text.
type undefinedWriter struct {
	r     *rand.Rand
	out   strings.Builder
	line  int
	local string // the automatic variable of the thread
}

func (w *undefinedWriter) pick(list ...string) string { return list[w.r.IntN(len(list))] }

// expr writes a random expression over the registers.
func (w *undefinedWriter) expr(depth int) string {
	if depth == 0 || w.r.IntN(4) == 0 {
		return w.pick("a", "a", "b", "b", "c", fmt.Sprint(w.r.IntN(4)), fmt.Sprint(w.r.IntN(300)-20))
	}
	t := w.pick("", "s32", "u32", "u8", "s8", "u64")
	switch w.r.IntN(8) {
	case 0:
		return fmt.Sprintf("(%s)%s", w.pick("u8", "s8", "u16", "s32", "u32"), w.expr(depth-1))
	case 1:
		return fmt.Sprintf("%s%s (%s)", w.pick("-", "~", "!"), t, w.expr(depth-1))
	case 2:
		return fmt.Sprintf("(%s ? %s : %s)", w.expr(depth-1), w.expr(depth-1), w.expr(depth-1))
	}
	op := w.pick("+", "-", "*", "&", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "/", "%")
	if op == "&&" || op == "||" {
		t = ""
	}
	x, y := w.expr(depth-1), w.expr(depth-1)
	if strings.ContainsAny(op, "<=>") && len(op) < 3 && op != "<<" && op != ">>" && t != "" { // operands of comparisons have their type
		x, y = fmt.Sprintf("(%s)%s", t, x), fmt.Sprintf("(%s)%s", t, y)
	}
	return fmt.Sprintf("(%s %s%s %s)", x, op, t, y)
}

// step writes an edge to the next location.
func (w *undefinedWriter) step(format string, args ...any) {
	fmt.Fprintf(&w.out, "  %d -> %d: %s\n", w.line, w.line+1, fmt.Sprintf(format, args...))
	w.line++
}

// access returns a type and an address of one of the shared variables.
func (w *undefinedWriter) access() (string, string) {
	size := []int{1, 2, 4, 8}[w.r.IntN(4)]
	t := []string{"u", "s"}[w.r.IntN(2)] + fmt.Sprint(8*size)
	return t, fmt.Sprintf("&%s+%d", w.pick("x", "y"), size*w.r.IntN(8/size))
}

// statement writes a random statement. A pointer is used only after its allocation.
func (w *undefinedWriter) statement(block *bool) {
	reg := w.pick("a", "b", "c")
	t, addr := w.access()
	switch k := w.r.IntN(16); {
	case k == 0:
		w.step("%s = undef:%s", reg, w.pick("u8", "s8", "s32", "u16", "s64"))
	case k <= 2:
		w.step("%s = %s", reg, w.expr(2))
	case k <= 4:
		w.step("store.%s [%s] = %s", t, addr, w.pick("a", "b", "c", "1", "0"))
	case k <= 6:
		w.step("%s = load.%s [%s]", reg, t, addr)
	case k == 7:
		w.step("%s = rmw.xchg.%s [%s], %s", reg, t, addr, w.pick("a", "1"))
	case k == 8:
		w.step("%s = rmw.%s.%s [%s], %d", reg, w.pick("add", "or", "and"), t, addr, w.r.IntN(3))
	case k == 9:
		w.step("%s = rmw.cas.%s [%s], %d, %s", reg, t, addr, w.r.IntN(2), w.pick("b", "2"))
	case k == 10 && !*block:
		w.step("p = alloc%s.undef 8", w.pick("", ".stack"))
		*block = true
	case k <= 13 && *block:
		w.inBlock(reg)
	case k == 11, k == 12:
		w.inLocal(reg)
	case k == 14:
		from, to := w.line, w.line+2
		cond := w.expr(1)
		w.step("assume %s", cond)
		w.step("%s = %s", reg, w.expr(1))
		fmt.Fprintf(&w.out, "  %d -> %d: assume !(%s)\n", from, to, cond)
	default:
		w.step("%s", w.pick("nop", "fence.full", "fence.ss"))
	}
}

// inLocal writes a statement about the automatic variable of the thread, by its name or through a pointer.
func (w *undefinedWriter) inLocal(reg string) {
	size := []int{1, 2, 4, 8}[w.r.IntN(4)]
	t, off := fmt.Sprintf("%s%d", w.pick("u", "s"), 8*size), size*w.r.IntN(8/size)
	switch w.r.IntN(11) {
	case 9, 10:
		w.fill(reg)
	case 0:
		w.step("nop.undef in %s", w.local)
	case 1, 2:
		w.step("store.%s [&%s+%d] = %s in %s", t, w.local, off, w.pick("a", "b", "1", "7"), w.local)
	case 3, 4:
		w.step("%s = load.%s [&%s+%d] in %s", reg, t, w.local, off, w.local)
	case 5:
		w.step("o = &%s", w.local)
	case 6:
		w.step("store [&%s] = %d in %s", w.local, w.r.IntN(9), w.local)
	case 7:
		w.step("o = &%s", w.local)
		w.step("store.%s [o + %d] = %s", t, off, w.pick("a", "b", "c", "3"))
	case 8:
		w.step("o = &%s", w.local)
		w.step("%s = load.%s [o + %d]", reg, t, off)
	}
}

// fill writes a loop that stores to parts of the automatic variable, or loads from them, one after the other.
func (w *undefinedWriter) fill(reg string) {
	size := []int{1, 2, 4}[w.r.IntN(3)]
	t, step := fmt.Sprintf("%s%d", w.pick("u", "s"), 8*size), size*(1+w.r.IntN(2))
	rounds := 8/step - w.r.IntN(2)
	w.step("i = 0")
	head := w.line
	w.step("assume i < %d", rounds)
	if at := fmt.Sprintf("[&%s + i * %d] ", w.local, step); w.r.IntN(3) > 0 {
		w.step("store.%s %s = %s in %s", t, at, w.pick("a", "1", "7", "9"), w.local)
	} else {
		w.step("%s = load.%s %s in %s", reg, t, at, w.local)
	}
	fmt.Fprintf(&w.out, "  %d -> %d: i = i + 1\n  %d -> %d: assume !(i < %d)\n", w.line, head, head, w.line+1, rounds)
	w.line++
}

// inBlock writes a statement about the block.
func (w *undefinedWriter) inBlock(reg string) {
	size := []int{1, 2, 4, 8}[w.r.IntN(4)]
	t, off := fmt.Sprintf("%s%d", w.pick("u", "s"), 8*size), size*w.r.IntN(8/size)
	switch w.r.IntN(7) {
	case 0, 1:
		w.step("store.%s [p + %d] = %s", t, off, w.pick("a", "b", "1", "7"))
	case 2, 3, 4:
		w.step("%s = load.%s [p + %d]", reg, t, off)
	case 5:
		if strings.Contains(w.out.String()[strings.LastIndex(w.out.String(), "p = alloc"):], "alloc.stack") {
			return // it ends with the thread
		}
		w.step("free [p]")
		w.step("p = alloc.undef 8")
	case 6:
		w.step("%s = lock [p]", reg)
	}
}

// undefinedProgram returns the text of a random program of two threads. In every fourth one, the first starts the second
// and takes its result.
func undefinedProgram(seed uint64) string {
	w := &undefinedWriter{r: rand.New(rand.NewPCG(seed, 17))}
	joins := seed%4 == 3
	w.out.WriteString("program random structured\nobject x size 8\nobject y size 8\nobject h size 8\nobject l0 size 8\nobject l1 size 8\n")
	for t := range 2 {
		w.local = fmt.Sprintf("l%d", t)
		fmt.Fprintf(&w.out, "\nfunc t%d() {\n", t)
		for _, r := range []string{"a", "b", "c"} {
			fmt.Fprintf(&w.out, "  reg %s%s\n", r, w.pick("", "", " = undef:s32", " = undef:u8"))
		}
		w.out.WriteString("  reg p\n  reg o\n  reg i\n")
		w.line = 0
		if joins && t == 0 {
			w.step("i = spawn t1()")
			w.step("store [&h] = i")
		}
		if w.r.IntN(2) == 0 {
			w.step("nop.undef in %s", w.local)
		}
		block := false
		for range 2 + w.r.IntN(5) {
			w.statement(&block)
		}
		if joins && t == 0 {
			w.step("i = load [&h]")
			w.step("c = join i")
		}
		if w.r.IntN(3) > 0 {
			w.step("assert (%s) == (%s)", w.expr(1), w.expr(1))
		}
		switch {
		case joins && t == 1:
			w.step("%s %s", w.pick("return", "return", "threadexit"), w.pick("a", "b", "undef:s64", "b & 7"))
		case w.line == 0:
			w.step("nop")
		}
		w.out.WriteString("}\n")
	}
	w.out.WriteString("\nthread t0\n")
	if !joins {
		w.out.WriteString("thread t1\n")
	}
	return w.out.String()
}

// uninitialised asks an engine whether an undefined value decides something.
func uninitialised(e *engine.Engine, p *ir.Program, m memory.Model) (found bool, out *engine.Outcome, err error) {
	task := &engine.Task{Program: p, Props: &property.Set{Checks: true}, Model: m, KeepGoing: true, Limits: engine.Limits{Buffer: 8, Unroll: 4, Workers: 1}}
	if err := e.Supports(task); err != nil {
		return false, nil, err
	}
	out, err = e.Run(context.Background(), task)
	if err != nil {
		return false, nil, err
	}
	for i := range out.Violations {
		found = found || out.Violations[i].Class == ir.Uninitialised
	}
	return found, out, nil
}

// checkUndefined returns what is wrong with the answers of the engines about a program.
func checkUndefined(text string) (problem string, found bool) {
	prog, diags := irtext.Parse("random.ir", []byte(text))
	if diags.HasErrors() {
		return fmt.Sprintf("it does not parse: %v", diags), false
	}
	var before *ir.Program
	flat, err := transform.Run(prog, transform.Options{Unroll: 2}, func(stage string, p *ir.Program) {
		if stage == "localize" {
			before = p
		}
	})
	if err != nil {
		return err.Error(), false
	}
	smcEngine := smc.New(smc.Options{})
	engines := []*engine.Engine{&explicit.Engine, &smcEngine, &rf.Engine}
	for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
		rm, _ := replay.ParseModel(m.String())
		want, all, err := replay.ReachesUndefined(before, rm, replay.Limits{States: 20000})
		if err != nil || !all {
			continue
		}
		found = found || want
		for _, e := range engines {
			got, out, err := uninitialised(e, flat, m)
			if err != nil || out.Unknown != "" {
				continue // rf does not take every program
			}
			if got != want {
				return fmt.Sprintf("%s under %s: found %t, by brute force %t\n%s", e.Name, m, got, want, irtext.Print(flat)), found
			}
			for i := range out.Violations {
				v := &out.Violations[i]
				err := replay.Replay(flat, &property.Set{Checks: true}, rm, v.Witness, replay.Expect{Target: replay.TargetCheck, Class: v.Class, Edge: v.Edge})
				if err != nil {
					return fmt.Sprintf("%s under %s: %v\n%s", e.Name, m, err, irtext.Print(flat)), found
				}
			}
		}
	}
	return "", found
}

func TestUndefinedAgainstBruteForce(t *testing.T) {
	n := 200
	if testkit.Slow() {
		n = 5000
	}
	bad, errors := 0, 0
	for seed := range uint64(n) {
		text := undefinedProgram(seed)
		problem, found := checkUndefined(text)
		if found {
			errors++
		}
		if problem != "" {
			t.Errorf("seed %d: %s\n%s", seed, problem, text)
			if bad++; bad == 3 {
				t.FailNow()
			}
		}
	}
	t.Logf("%d programs, %d of them with an error", n, errors)
	if errors < n/10 || errors > n*9/10 {
		t.Errorf("%d of %d programs have an error: the generator is lopsided", errors, n)
	}
}
