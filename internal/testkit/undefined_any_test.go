package testkit_test

import (
	"context"
	"fmt"
	"maps"
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
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// Any value for what was never written (transform/undefined_any.go), held against brute force: the same program with
// numbers in place of what is undefined, once for every choice of numbers. An assertion can fail with any value if it can
// fail for one of the choices.

// anyLimit is the largest of the values that are tried, which begin with 0.
const anyLimit = 1

// anyProgram is a random program with slots for values that were never written.
type anyProgram struct {
	lines []string // with @ for a slot, and # after an allocation
	slots []anySlot
}

// anySlot is a slot in a line.
type anySlot struct {
	line     int
	any      string
	concrete string // with %d for the value
}

// text returns the program with any value, or with numbers if there are some.
func (p *anyProgram) text(values []int) string {
	lines := append([]string(nil), p.lines...)
	for i, at := range p.slots {
		with := at.any
		if values != nil {
			with = fmt.Sprintf(at.concrete, values[i])
		}
		lines[at.line] = strings.Replace(lines[at.line], "@", with, 1)
	}
	undef := ".undef"
	if values != nil {
		undef = ""
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "#", undef) + "\n"
}

// line adds a line that has a slot for a value if it contains @.
func (p *anyProgram) line(text, any, concrete string) {
	if strings.Contains(text, "@") {
		p.slots = append(p.slots, anySlot{len(p.lines), any, concrete})
	}
	p.lines = append(p.lines, text)
}

// newAnyProgram returns a random program of two threads. Bytes are the only type in memory that is shared or undefined.
func newAnyProgram(seed uint64) *anyProgram {
	p := &anyProgram{}
	w := &undefinedWriter{r: rand.New(rand.NewPCG(seed, 29))}
	p.line("program random structured\nobject x size 1\nobject y size 1\nobject l0 size 1\nobject l1 size 1", "", "")
	for t := range 2 {
		local := fmt.Sprintf("l%d", t)
		p.line(fmt.Sprintf("func t%d() {", t), "", "")
		for _, r := range []string{"a", "b", "c"} {
			if typ := w.pick("", "", "s32", "u8"); typ != "" && len(p.slots) < 3 {
				p.line(fmt.Sprintf("  reg %s = @", r), "undef:"+typ, "%d")
			} else {
				p.line("  reg "+r, "", "")
			}
		}
		p.line("  reg p", "", "")
		at := 0
		step := func(text, any, concrete string) {
			p.line(fmt.Sprintf("  %d -> %d: %s", at, at+1, text), any, concrete)
			at++
		}
		block := false
		for range 2 + w.r.IntN(5) {
			reg := w.pick("a", "b", "c")
			switch k := w.r.IntN(14); {
			case k == 0 && len(p.slots) < 3:
				step(reg+" = @", "undef:u8", "%d")
			case k == 1 && len(p.slots) < 3:
				step("@", "nop.undef in "+local, "store.u8 [&"+local+"] = %d in "+local)
			case k == 2 && len(p.slots) < 3 && !block:
				step("p = alloc# 1", "", "")
				step("@", "nop", "store.u8 [p] = %d")
				block = true
			case k <= 3 && block:
				step(fmt.Sprintf("store.u8 [p] = %s", w.pick("a", "b", "1")), "", "")
			case k <= 5 && block:
				step(reg+" = load.u8 [p]", "", "")
			case k <= 4:
				step(fmt.Sprintf("store.u8 [&%s] = %s in %[1]s", local, w.pick("a", "b", "1")), "", "")
			case k <= 6:
				step(fmt.Sprintf("%s = load.u8 [&%s] in %[2]s", reg, local), "", "")
			case k <= 8:
				step(fmt.Sprintf("store.u8 [&%s] = %s", w.pick("x", "y"), w.pick("a", "b", "c", "1")), "", "")
			case k <= 10:
				step(fmt.Sprintf("%s = load.u8 [&%s]", reg, w.pick("x", "y")), "", "")
			case k == 11:
				step(fmt.Sprintf("%s = rmw.%s.u8 [&%s], %s", reg, w.pick("add", "xchg"), w.pick("x", "y"), w.pick("a", "1")), "", "")
			default:
				step(fmt.Sprintf("%s = %s", reg, w.expr(2)), "", "")
			}
		}
		step(fmt.Sprintf("assert (%s) != %d", w.pick("a", "b", "c", "a + b", "a ^ b", "b & c", "a - a"), w.r.IntN(anyLimit+1)), "", "")
		p.line("}", "", "")
	}
	p.line("thread t0\nthread t1", "", "")
	return p
}

// failing returns the assertions that can fail, by their edges.
func failing(e *engine.Engine, text string, m memory.Model, any bool) (map[ir.EdgeID]bool, error) {
	prog, diags := irtext.Parse("random.ir", []byte(text))
	if diags.HasErrors() {
		return nil, fmt.Errorf("it does not parse: %v", diags)
	}
	flat, err := transform.Run(prog, transform.Options{Unroll: 2, Any: any, Range: []int64{0, anyLimit}}, nil)
	if err != nil {
		return nil, err
	}
	out, err := e.Run(context.Background(), &engine.Task{
		Program: flat, Props: &property.Set{Checks: true}, Model: m, KeepGoing: true, Limits: engine.Limits{Buffer: 8, Unroll: 4, Workers: 1},
	})
	if err != nil || out.Unknown != "" {
		return nil, fmt.Errorf("unknown: %v %s", err, out.Unknown)
	}
	fails := map[ir.EdgeID]bool{}
	for i := range out.Violations {
		_, edge, _ := flat.EdgeByID(out.Violations[i].Edge)
		fails[edge.Origin] = true
	}
	return fails, nil
}

// eachChoice calls f on all ways to choose n values.
func eachChoice(n int, f func([]int)) {
	values := make([]int, n)
	for {
		f(values)
		i := 0
		for ; i < n && values[i] == anyLimit; i++ {
			values[i] = 0
		}
		if i == n {
			return
		}
		values[i]++
	}
}

func TestAnyAgainstBruteForce(t *testing.T) {
	n := uint64(40)
	if testkit.Slow() {
		n = 2000
	}
	smcEngine := smc.New(smc.Options{})
	engines := []*engine.Engine{&explicit.Engine, &smcEngine, &rf.Engine}
	fail, hold := 0, 0
	for seed := range n {
		p := newAnyProgram(seed)
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			want := map[ir.EdgeID]bool{}
			eachChoice(len(p.slots), func(values []int) {
				fails, err := failing(&explicit.Engine, p.text(values), m, false)
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, p.text(values))
				}
				maps.Copy(want, fails)
			})
			fail, hold = fail+len(want), hold+2-len(want)
			for _, e := range engines {
				got, err := failing(e, p.text(nil), m, true)
				if err != nil {
					t.Errorf("seed %d: %s: %v\n%s", seed, e.Name, err, p.text(nil))
				} else if !maps.Equal(got, want) {
					t.Errorf("seed %d: %s under %s: %v fail, by brute force %v\n%s", seed, e.Name, m, got, want, p.text(nil))
				}
			}
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%d programs; %d assertions fail and %d hold", n, fail, hold)
	if fail < int(n)/2 || hold < int(n)/2 {
		t.Error("the generator is lopsided")
	}
}
