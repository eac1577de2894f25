package suite

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"fencepost/internal/inputfile"
	"fencepost/verdict"
)

// Suite is a list of litmus tests to run.
type Suite struct {
	Tests    []Test
	Models   []string
	Expected *Expected // nil: nothing to compare with
	Workers  int       // tests side by side, 0: one per core

	// Run answers a test under all models.
	Run func(ctx context.Context, name string, text []byte) (verdict.LitmusTest, error)
	// Done takes the tests in their order, each as soon as those before it are done.
	Done func(*verdict.LitmusTest)
	// Progress is told how many tests are done, from one goroutine, if not nil.
	Progress func(done, total int)
}

// RunAll runs the tests. After the context's end no further test begins.
func (s *Suite) RunAll(ctx context.Context) verdict.LitmusSummary {
	start := time.Now()
	sum := verdict.LitmusSummary{Models: s.Models}
	var against *comparison
	if s.Expected != nil {
		against = &comparison{expected: s.Expected, models: s.Models, sum: &sum, matched: map[string]bool{}}
	}
	inOrder(len(s.Tests), s.workers(), func(i int) *verdict.LitmusTest {
		if ctx.Err() != nil {
			return nil
		}
		return s.one(ctx, s.Tests[i])
	}, func(done int) {
		if s.Progress != nil {
			s.Progress(done, len(s.Tests))
		}
	}, func(i int, t *verdict.LitmusTest) {
		if t == nil {
			sum.NotRun++
			return
		}
		count(&sum, t)
		if against != nil {
			against.test(s.Tests[i], t)
		} else {
			compareStated(&sum, t)
		}
		s.Done(t)
	})
	if against != nil && sum.NotRun == 0 {
		against.rest(s.Tests)
	}
	sum.Seconds = time.Since(start).Seconds()
	return sum
}

func (s *Suite) workers() int {
	if s.Workers > 0 {
		return s.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// one runs a test. A file that cannot be read is a refused test.
func (s *Suite) one(ctx context.Context, t Test) *verdict.LitmusTest {
	text := t.Text
	if text == nil {
		var err error
		if text, err = inputfile.Read(t.Path); err != nil {
			return &verdict.LitmusTest{File: t.Path, Name: t.Name, Diagnostics: []verdict.Diagnostic{Unreadable(t.Path, err)}}
		}
	}
	res, err := s.Run(ctx, t.Path, text)
	res.File, res.Name, res.Stated = t.Path, t.Name, stated(text)
	if err != nil {
		res.Failure = err.Error()
	}
	return &res
}

// Unreadable is the message about a file that cannot be read.
func Unreadable(path string, err error) verdict.Diagnostic {
	return verdict.Diagnostic{Severity: verdict.SeverityError, Code: "FP0917", Pos: verdict.Pos{File: path}, Message: fmt.Sprintf("cannot be read: %v", reason(err))}
}

// inOrder does n things on several goroutines. finished hears how many are done so
// far, and emit sees the results in order; both run one at a time.
func inOrder[T any](n, workers int, do func(int) T, finished func(done int), emit func(int, T)) {
	results := make([]T, n)
	ready := make([]bool, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	var mu sync.Mutex
	done, emitted := 0, 0
	for range min(workers, n) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				i := int(next.Add(1) - 1)
				if i >= n {
					return
				}
				t := do(i)
				mu.Lock()
				done++
				finished(done)
				results[i], ready[i] = t, true
				for emitted < n && ready[emitted] {
					emit(emitted, results[emitted])
					var gone T
					results[emitted] = gone // it may be large
					emitted++
				}
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
}

// count adds a test to the summary.
func count(sum *verdict.LitmusSummary, t *verdict.LitmusTest) {
	sum.Tests++
	switch {
	case t.Failure != "":
		sum.Failed++
	case t.Refused():
		sum.Refused++
	}
	for i := range t.Results {
		r := &t.Results[i]
		sum.Runs++
		switch r.Litmus.Verdict {
		case "Ok":
			sum.Ok++
		case "No":
			sum.No++
		default:
			sum.Unknown++
		}
		switch r.Litmus.Observation {
		case "Sometimes":
			sum.Sometimes++
		case "Always":
			sum.Always++
		case "Never":
			sum.Never++
		}
		if len(r.Coverage.Bounds) > 0 {
			sum.Bounded++
		}
	}
}
