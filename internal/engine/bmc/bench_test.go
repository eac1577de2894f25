package bmc_test

import (
	"context"
	"fmt"
	"testing"

	"fencepost/internal/engine/bmc"
	"fencepost/internal/question/check"
	"fencepost/internal/solver/sat"
	"fencepost/query"
	"fencepost/verdict"
)

// solversHere are the embedded solver and, where it is installed, CaDiCaL.
func solversHere() []string {
	if _, err := sat.NewProcess("cadical"); err != nil {
		return []string{""}
	}
	return []string{"", "cadical"}
}

func measure(b *testing.B, in query.Input, model string, opt query.CheckOptions, want verdict.Verdict) {
	for _, solver := range solversHere() {
		opt.BMC.Solver = solver
		b.Run(fmt.Sprintf("%s/%s", model, map[string]string{"": "embedded"}[solver]+solver), func(b *testing.B) {
			for b.Loop() {
				answer, err := check.Run(context.Background(), in, opt.Under(query.Model(model)))
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

// families are programs of growing size, and how far each has to be unrolled for all executions.
var families = []struct {
	name, text string
	unroll     int
}{
	{"fib5", `
		var x = 1, y = 1;
		thread a { reg p, q, k; while (k < 5) { p = x; q = y; x = p + q; k = k + 1; } }
		thread b { reg p, q, k; while (k < 5) { p = y; q = x; y = p + q; k = k + 1; } }
		forall x <= 144 && y <= 144;`, 5},
	{"sb4", `
		var x, y, z, w;
		thread a { reg r; x = 1; r = y; }
		thread b { reg r; y = 1; r = z; }
		thread c { reg r; z = 1; r = w; }
		thread d { reg r; w = 1; fence; r = x; }
		never a:r == 0 && b:r == 0 && c:r == 0 && d:r == 0 && x == 2;`, 1},
	{"mp3", `
		var x, y, z;
		thread a { x = 1; y = 1; }
		thread b { reg r, s; r = y; s = x; if (s == 1) { z = r; } }
		thread c { reg r, s; r = z; s = x; assert r <= s; }`, 1},
	{"count5", `
		var x;
		thread a { reg r; r = fetch_add(x, 1); }
		thread b { reg r; r = fetch_add(x, 1); }
		thread c { reg r; r = fetch_add(x, 1); }
		thread d { reg r; r = fetch_add(x, 1); }
		thread e { reg r; r = fetch_add(x, 1); }
		forall x == 5;`, 1},
}

// BenchmarkEncodings is the size of the formulas of both encodings and the time to solve them, for
// bounds that leave nothing out.
func BenchmarkEncodings(b *testing.B) {
	for _, f := range families {
		for _, encoding := range []query.Encoding{bmc.Order, bmc.Rounds} {
			b.Run(f.name+"/"+string(encoding), func(b *testing.B) {
				opt := bounds{unroll: f.unroll}.options()
				opt.BMC.Encoding = encoding
				if encoding == bmc.Rounds {
					opt.BMC.Rounds, opt.BMC.Clock, opt.BMC.Queue = 12, 12, 12
				}
				for b.Loop() {
					answer, err := check.Run(context.Background(), fp(f.text), opt.Under("tso"))
					if err != nil || answer.HasErrors() {
						b.Fatal(err, answer.Diagnostics)
					}
					res := &answer.Results[0]
					if res.Verdict != verdict.Safe || !res.Coverage.Exhaustive {
						b.Fatalf("%s (%s), %+v", res.Verdict, res.Reason, res.Coverage)
					}
					b.ReportMetric(float64(res.Stats.Clauses), "clauses")
					b.ReportMetric(res.Stats.SolverSeconds, "solver-s")
				}
			})
		}
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
