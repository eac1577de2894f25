package bmc_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/export"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

var (
	sequentials    = flag.Int("bmc.sequential", 24, "random programs to run sequentialized, per model")
	sequentialSeed = flag.Uint64("bmc.sequential.seed", 1, "seed of the first of them")
)

// sequentialText returns a program as sequential C with the bounds of bmc, or why not.
func sequentialText(t *testing.T, prog *ir.Program, props *property.Set, m memory.Model, opt bmc.Options) (string, string) {
	t.Helper()
	plan, err := bmc.NewPlan(context.Background(), &engine.Task{Program: prog, Props: props, Model: m}, opt)
	if err != nil {
		return "", err.Error()
	}
	in := export.Sequence{Program: plan.Program, Props: plan.Props, Model: m.String(), Rounds: plan.Rounds, Times: plan.Clock, Kept: plan.Queue, Order: plan.Order, Stops: plan.Stops}
	for _, c := range plan.Cells {
		in.Cells = append(in.Cells, export.SequenceCell(c))
	}
	text, refusals := export.Sequential(in)
	if len(refusals) > 0 {
		return "", refusals[0].Reason
	}
	return text, ""
}

// runAll compiles a sequential program and runs it with all choices. known is false if there are too many.
func runAll(t *testing.T, gcc, text, most string) (said string, found, known bool) {
	t.Helper()
	dir := t.TempDir()
	file, program := filepath.Join(dir, "s.c"), filepath.Join(dir, "s")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), gcc, "-Wall", "-Wextra", "-Werror", "-O1", "-DRUN", file, "-o", program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	out, err := exec.CommandContext(t.Context(), program, "all", most).Output()
	exit := (*exec.ExitError)(nil)
	switch {
	case err == nil:
		return string(out), false, true
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return string(out), true, true
	case errors.As(err, &exit) && exit.ExitCode() == 2:
		return string(out), false, false
	}
	t.Fatalf("%v\n%s\n%s", err, out, text)
	return "", false, false
}

// TestSequentialRandom: some choices make the sequential program of a random program fail exactly if bmc says unsafe with
// the same bounds.
func TestSequentialRandom(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here: nothing is run")
	}
	profiles := append([]testkit.Profile{}, testkit.Profiles...)
	for _, m := range testkit.Models {
		var compared, found, large int
		reasons := map[string]int{}
		for i := range *sequentials {
			s := *sequentialSeed + uint64(i)
			pr := profiles[s%uint64(len(profiles))]
			pr.Heap, pr.Waits = false, false
			prog, props := testkit.Generate(s, pr).Flat()
			props = &property.Set{Checks: true, Final: props.Final, Goals: props.Goals}
			opt := bmc.Options{Unroll: 1, Rounds: 2, Clock: 2 + int(s%2), Queue: 2 + int(s/2%2), Encoding: bmc.Rounds}
			text, why := sequentialText(t, prog, props, m, opt)
			if why == "" && strings.Count(text, "any_number()") > 0 {
				why = "values without bounds"
			}
			if why != "" {
				reasons[why]++
				continue
			}
			said, fails, known := runAll(t, gcc, text, "300000")
			if !known {
				large++
				continue
			}
			e := bmc.New(opt)
			want, err := testkit.Ask(&e, prog, props, m, testkit.How{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if violated := len(want.Checks)+len(want.Goals) > 0 || want.Final; violated != fails {
				t.Fatalf("seed %d under %s with %+v: bmc says %v, the sequential program %v: %s\n%s\n%s", s, m, opt, violated, fails, said, ir.Print(prog), text)
			}
			compared++
			if fails {
				found++
			}
		}
		t.Logf("%s: %d answers compared, %d of them violations, %d with too many choices; refused: %v", m, compared, found, large, reasons)
		if *sequentials >= 24 && (found == 0 || found == compared) {
			t.Error("the random programs do not distinguish right from wrong")
		}
	}
}
