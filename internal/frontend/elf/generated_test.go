package elf_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

var (
	generatedPrograms = flag.Int("fp.generated", 6, "how many generated programs are compiled and compared; one in four has threads")
	generatedBuilds   = flag.Int("fp.builds", 2, "in how many ways each of them is compiled")
	generatedSeed     = flag.Uint64("fp.generatedseed", 1, "the seed of the first one")
)

// build is a way to compile a program.
type build struct{ cc, level, form string }

func (b build) String() string { return b.cc + " " + b.level + " " + b.form }

// builds are all ways, in a random order.
func builds(r *rand.Rand) []build {
	var out []build
	for _, cc := range []string{"gcc", "clang"} {
		if _, err := exec.LookPath(cc); err != nil {
			continue
		}
		for _, level := range []string{"-O0", "-Og", "-O1", "-O2", "-O3", "-Os"} {
			for _, form := range []string{"-c", "-fPIE -pie", "-fno-pie -no-pie", "-static"} {
				out = append(out, build{cc, level, form})
			}
		}
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// TestGenerated: whole C programs are in machine code what they are on the processor, and with threads they have the
// final states of the source. What is not supported is counted.
func TestGenerated(t *testing.T) {
	x := &generatedComparison{T: t, unknown: map[string]int{}, values: map[string]string{}, sources: map[string]verdict.Result{}}
	for seed := *generatedSeed; seed < *generatedSeed+uint64(*generatedPrograms); seed++ {
		r := rand.New(rand.NewPCG(seed, 42))
		g := &generation{Rand: r, p: &generated{}}
		compare, program := x.sequential, g.program
		if seed%4 == 0 {
			compare, program = x.threads, g.concurrent
		}
		p := program()
		list := builds(r)
		for _, b := range list[:min(*generatedBuilds, len(list))] {
			if why := compare(p, b, true); why != "" {
				small := shrinkGenerated(p, func(q *generated) bool { return compare(q, b, false) != "" })
				t.Errorf("program %d, %s: %s\nsmaller: %s\n%s", seed, b, why, compare(small, b, false), small.text(""))
				break
			}
		}
	}
	t.Logf("%d answers are right, %d are unknown, %d builds are not compared; of programs with races, %d have final states that the source does not have",
		x.right, x.open, x.refused, x.more)
	unsupported := 0 // what took too long does not count: it depends on the machine
	for _, why := range slices.Sorted(maps.Keys(x.unknown)) {
		t.Logf("  %4d %s", x.unknown[why], why)
		if strings.HasSuffix(why, "[X]") {
			unsupported += x.unknown[why]
		}
	}
	if 2*unsupported > x.right+x.open {
		t.Error("too few programs are supported")
	}
}

type generatedComparison struct {
	*testing.T
	right, open, refused int
	more                 int // machine code with final states that the source does not have, because of a race
	unknown              map[string]int
	values               map[string]string         // what programs print, by their texts
	sources              map[string]verdict.Result // the answers about sources, by model and text
}

// shrinkGenerated leaves out functions and statements as long as the program is still wrong.
func shrinkGenerated(p *generated, wrong func(*generated) bool) *generated {
	try := func(q *generated) bool {
		if wrong(q) {
			p = q
			return true
		}
		return false
	}
	for again := true; again; {
		again = false
		for i := len(p.units) - 1; i >= 0 && p.threads == 0 && len(p.units) > 1; i-- {
			q := *p
			q.units = slices.Delete(slices.Clone(p.units), i, i+1)
			again = try(&q) || again
		}
		for i := range p.units {
			for j := len(p.units[i].body) - 1; j >= 0; j-- {
				q := *p
				q.units = slices.Clone(p.units)
				q.units[i].body = slices.Delete(slices.Clone(p.units[i].body), j, j+1)
				again = try(&q) || again
			}
		}
	}
	return p
}

// native compiles and runs a program, and returns what it prints.
func (x *generatedComparison) native(b build, text string) (printed string, ran bool) {
	flags := append(strings.Fields(b.form), b.level, "-fwrapv", "-fno-strict-aliasing", "-pthread")
	binary, ok := compileWith(x, b.cc, "a.c", []byte(text), slices.DeleteFunc(flags, func(f string) bool { return f == "-c" })...)
	if !ok {
		return "", false
	}
	path := filepath.Join(x.TempDir(), "a.out")
	if err := os.WriteFile(path, binary, 0o755); err != nil {
		x.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path).Output()
	return string(out), err == nil
}

// ask asks about the machine code of a program.
func (x *generatedComparison) ask(b build, text, model string, finals bool) (verdict.Result, bool) {
	in := query.Input{Name: "a.c", Text: []byte(text)}
	if b.cc != "" {
		flags := append(strings.Fields(b.form), b.level, "-fwrapv", "-fno-strict-aliasing", "-pthread")
		binary, ok := compileWith(x, b.cc, "a.c", []byte(text), flags...)
		if !ok {
			return verdict.Result{}, false
		}
		in = query.Input{Name: "a.o", Text: binary}
	}
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Workers, opt.Timeout, opt.Finals, opt.C.Uninitialised = 1, 10*time.Second, finals, query.UninitialisedZero
	a, err := check.Run(context.Background(), in, opt.Under(query.Model(model)))
	if err != nil {
		x.Errorf("%s: %v\n%s", b, err, text)
		return verdict.Result{}, false
	}
	if a.HasErrors() {
		return verdict.Result{Verdict: verdict.Unknown, Reason: "error: " + a.Diagnostics[0].Message}, true
	}
	return a.Results[0], true
}

var detail = regexp.MustCompile(`a\.o:\d+:\d+:?|0x[0-9a-f]+|\(bytes[^)]*\)|a\.c:\d+:?|\d+`)

// count notes an answer that is not known.
func (x *generatedComparison) count(why string) {
	x.open++
	x.unknown[strings.TrimSpace(detail.ReplaceAllString(strings.TrimPrefix(why, "an execution reaches a construct that is not supported: "), ""))]++
}

// sequential compares a program with one thread: its assertion, that the processor's value is another one, must fail. It
// returns what is wrong.
func (x *generatedComparison) sequential(p *generated, b build, counts bool) string {
	print := p.text("  printf(\"%lu\", sum);\n")
	value, ok := x.values[print]
	if !ok {
		value, ok = x.native(build{"gcc", "-O1", ""}, print)
		x.values[print] = value
	}
	if !ok || value == "" {
		if counts {
			x.refused++
		}
		return ""
	}
	text := p.text(fmt.Sprintf("  assert(sum != %sul);\n", value))
	res, ok := x.ask(b, text, "sc", false)
	switch {
	case !ok:
		if counts {
			x.refused++
		}
		return ""
	case res.Verdict == verdict.Unknown:
		if counts {
			x.count(res.Reason)
		}
		return ""
	case res.Verdict == verdict.Unsafe && strings.Contains(res.Reason, "assert(sum"):
		if counts {
			x.right++
		}
		return ""
	}
	if _, ran := x.native(b, text); ran {
		x.Logf("%s differs from gcc -O1 on the processor\n%s", b, text)
		return ""
	}
	return fmt.Sprintf("%s (%s), want a failing assertion", res.Verdict, res.Reason)
}

const generatedOutcome = "  out = (got[0] * 1009 + got[1]) * 1009 + got[2]; out = out * 8 + A; out = out * 8 + B; out = out * 64 + C[0] * 8 + C[1]; out = out * 64 + P; out = out * 64 + Q[0] + Q[2];\n"

var outValue = regexp.MustCompile(`\bout(?:\[0\])?=(-?\d+)`) // clang's debug information has no type for it

// outcomes returns the values of out in final states. Without its type, it has a sign.
func outcomes(states []string) map[string]bool {
	out := map[string]bool{}
	for _, s := range states {
		if m := outValue.FindStringSubmatch(s); m != nil {
			v, err := strconv.ParseUint(m[1], 10, 64)
			if signed, bad := strconv.ParseInt(m[1], 10, 64); bad == nil {
				v, err = uint64(signed), nil
			}
			if err == nil {
				out[fmt.Sprint(v)] = true
			}
		}
	}
	return out
}

// threads compares a program with threads: its machine code has the final states of its source, unless the program has a
// data race, and what the processor shows is one of them.
func (x *generatedComparison) threads(p *generated, b build, counts bool) string {
	text := p.text(generatedOutcome)
	for _, model := range []string{"sc", "tso"} {
		source, ok := x.sources[model+text]
		if !ok {
			source, _ = x.ask(build{}, text, model, true)
			x.sources[model+text] = source
		}
		machine, ok := x.ask(b, text, model, true)
		switch {
		case !ok || source.Verdict != verdict.Safe:
			if counts {
				x.refused++
			}
			return ""
		case machine.Verdict == verdict.Unknown:
			if counts {
				x.count(machine.Reason)
			}
			return ""
		case machine.Verdict != verdict.Safe:
			return fmt.Sprintf("under %s: %s (%s), want safe", model, machine.Verdict, machine.Reason)
		}
		want, got := outcomes(source.FinalStates), outcomes(machine.FinalStates)
		switch {
		case p.racy && len(got) > 0: // the compiler may do what it likes
			for v := range got {
				if !want[v] && counts {
					x.more++
					break
				}
			}
		case !maps.Equal(want, got) || len(want) == 0:
			return fmt.Sprintf("under %s: final states %v, want %v", model, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
		if model == "tso" && counts {
			printed, ran := x.native(b, p.text(generatedOutcome+"  printf(\"%lu\", out);\n"))
			if ran && !got[printed] {
				return fmt.Sprintf("the processor shows %s, which is no final state: %v", printed, slices.Sorted(maps.Keys(got)))
			}
		}
	}
	if counts {
		x.right++
	}
	return ""
}
