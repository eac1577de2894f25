package elf_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// states returns the number of states of a complete exploration under TSO; ok is false if it does not end in time, or
// ends with a violation.
func states(t testing.TB, in query.Input) (n int64, ok bool) {
	t.Helper()
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.C.Uninitialised = query.UninitialisedZero // as machine code is read
	opt.Workers, opt.Timeout, opt.Engines, opt.Buffer = 1, *limit, query.Engines{"explicit"}, query.DefaultBuffer
	a, err := check.Run(context.Background(), in, opt.Under("tso"))
	if err != nil {
		t.Fatal(err)
	}
	if a.HasErrors() || len(a.Results) != 1 || a.Results[0].Verdict != verdict.Safe {
		return 0, false
	}
	return a.Results[0].Stats.States, true
}

// BenchmarkStates compares the number of states of machine code with that of its source, for the examples and the corpus
// in C: go test ./internal/frontend/elf -run '^$' -bench States -benchtime 1x -v.
func BenchmarkStates(b *testing.B) {
	var programs []query.Input
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "*.c"))
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		programs = append(programs, query.Input{Name: filepath.Base(path), Text: text})
	}
	for _, c := range testkit.LoadCorpus(b, filepath.Join("..", "..", "..", "testdata", "corpus")) {
		if strings.HasSuffix(c.Input.Name, ".c") && c.Verdict("tso") == verdict.Safe.String() {
			programs = append(programs, c.Input)
		}
	}
	for b.Loop() {
		ratios, worst := map[string][]float64{}, map[string]string{}
		for _, in := range programs {
			source, ok := states(b, in)
			if !ok || source == 0 {
				continue
			}
			for _, level := range levels {
				object, ok := compile(b, in.Name, in.Text, "-c", level)
				if !ok {
					continue
				}
				machine, ok := states(b, query.Input{Name: strings.TrimSuffix(in.Name, ".c") + ".o", Text: object})
				if !ok {
					continue
				}
				r := float64(machine) / float64(source)
				if list := ratios[level]; len(list) == 0 || r > list[len(list)-1] {
					worst[level] = fmt.Sprintf("%s: %d states, source %d", in.Name, machine, source)
				}
				ratios[level] = append(ratios[level], r)
				sort.Float64s(ratios[level])
			}
		}
		for _, level := range levels {
			list, product, few := ratios[level], 0.0, 0
			for _, r := range list {
				product += math.Log(r)
				if r <= 3 {
					few++
				}
			}
			n := float64(len(list))
			b.Logf("%s: %d programs, %d with at most three times the states of the source; the most: %s", level, len(list), few, worst[level])
			b.ReportMetric(math.Exp(product/n), "states/source"+level)
			b.ReportMetric(float64(few)/n, "at-most-3x"+level)
		}
	}
}
