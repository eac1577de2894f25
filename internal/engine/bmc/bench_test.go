package bmc_test

import (
	"context"
	"fmt"
	"testing"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/internal/solver/sat"
	"fencepost/verdict"
)

// solversHere are the embedded solver and, where it is installed, CaDiCaL.
func solversHere() []string {
	if _, err := sat.NewProcess("cadical"); err != nil {
		return []string{""}
	}
	return []string{"", "cadical"}
}

func measure(b *testing.B, in pipeline.Input, model string, opt check.Options, want verdict.Verdict) {
	for _, solver := range solversHere() {
		opt.BMC.Solver = solver
		b.Run(fmt.Sprintf("%s/%s", model, map[string]string{"": "embedded"}[solver]+solver), func(b *testing.B) {
			for b.Loop() {
				answer, err := check.Run(context.Background(), in, []string{model}, opt)
				if err != nil || answer.HasErrors() {
					b.Fatal(err, answer.Diagnostics)
				}
				res := &answer.Results[0]
				if res.Verdict != want {
					b.Fatalf("%s (%s), want %s", res.Verdict, res.Reason, want)
				}
				b.ReportMetric(float64(res.Stats.Clauses), "clauses")
				b.ReportMetric(res.Stats.SolverSeconds, "solver-s")
			}
		})
	}
}

// BenchmarkTable1 is [TNIFLP16 Table I].
func BenchmarkTable1(b *testing.B) {
	for _, c := range table {
		opt := c.options()
		opt.C.Defines = c.defines
		in := load(b, c.name)
		name := c.name
		for _, d := range c.defines {
			name += "," + d
		}
		b.Run(name, func(b *testing.B) {
			measure(b, in, "tso", opt, c.tso)
			measure(b, in, "pso", opt, c.pso)
		})
	}
}

// BenchmarkSafestack is [TNIFLP16 Table II], and the same with fewer loop iterations.
func BenchmarkSafestack(b *testing.B) {
	in := load(b, "safestack.c")
	for _, c := range table2 {
		b.Run(fmt.Sprintf("unroll=%d", c.unroll), func(b *testing.B) { measure(b, in, c.model, c.options(), verdict.Unsafe) })
	}
}
