package lin_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"fencepost/internal/question/lin"
	"fencepost/query"
	"fencepost/verdict"
)

// cpu returns the seconds of CPU that the process has used.
func cpu(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// structure asks about a structure of the corpus with one worker.
func structure(b *testing.B, file string, opt query.LinOptions) *verdict.Result {
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		b.Fatal(err)
	}
	opt.Workers = 1
	answer, err := lin.Run(b.Context(), query.Input{Name: file, Text: text}, opt)
	if err != nil || answer.HasErrors() {
		b.Fatalf("%v %+v", err, answer.Diagnostics)
	}
	return &answer.Results[0]
}

// BenchmarkSixCalls measures all clients with six calls, four of them concurrent, under TSO.
func BenchmarkSixCalls(b *testing.B) {
	for _, file := range []string{"treiber_tags.h", "ms_queue.h", "chase_lev.h"} {
		b.Run(file, func(b *testing.B) {
			before := cpu(b)
			for range b.N {
				r := structure(b, file, query.LinOptions{Models: query.Models{"tso"}, Calls: 4})
				if r.Verdict != verdict.Safe {
					b.Fatalf("%s %s", r.Verdict, r.Reason)
				}
				b.ReportMetric(float64(r.Linearizability.Clients), "clients")
			}
			b.ReportMetric((cpu(b)-before)/float64(b.N), "cpu-s/op")
		})
	}
}

// BenchmarkMutants measures how soon clients with at most three concurrent calls notice weaker code.
func BenchmarkMutants(b *testing.B) {
	for _, c := range []struct {
		file  string
		model query.Model
		calls int
	}{
		{"treiber_tags.h", "tso", 3}, {"chase_lev.h", "tso", 3}, {"elimination.h", "tso", 3}, {"ticket_lock.h", "tso", 4},
		{"spsc.h", "c11", 3}, {"ticket_lock.h", "c11", 4}, {"chase_lev.h", "c11", 3},
	} {
		b.Run(c.file+"/"+string(c.model), func(b *testing.B) {
			before := cpu(b)
			for range b.N {
				r := structure(b, c.file, query.LinOptions{Models: query.Models{c.model}, Calls: c.calls, Mutate: true})
				if r.Verdict != verdict.Safe {
					b.Skipf("a measurement without an answer: %s %s", r.Verdict, r.Reason)
				}
				n := map[verdict.Fate]int{}
				for _, m := range r.Linearizability.Mutants {
					n[m.Fate]++
				}
				b.ReportMetric(float64(n[verdict.MutantNoticed]), "noticed")
				b.ReportMetric(float64(n[verdict.MutantUnnoticed]), "unnoticed")
				b.ReportMetric(float64(n[verdict.MutantUnknown]), "unknown")
			}
			b.ReportMetric((cpu(b)-before)/float64(b.N), "cpu-s/op")
		})
	}
}
