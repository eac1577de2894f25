package bench_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"fencepost"
	"fencepost/verdict"
)

var writeLazy = flag.Bool("lazy.write", false, "write lazy.md and lazy.svg from what BenchmarkLazyFamilies measures")

// point is one measurement.
type point struct {
	family, engine string
	n              int
	questions      int // to SC
	states         int64
	seconds        float64
	verdict        verdict.Verdict
}

// lazyRuns are the members that are measured. Explicit search is asked as long as it
// answers within the limit.
var lazyRuns = []struct {
	family string
	sizes  []int
}{
	{"diamond", []int{10, 30, 100, 300, 1000}},
	{"countdown", []int{2, 5, 10, 20, 50, 100, 200}},
	{"lamport", []int{2, 3, 4, 5}},
}

// BenchmarkLazyFamilies measures the engines lazy and explicit on the families of
// [BCDM15 §5.1].
func BenchmarkLazyFamilies(b *testing.B) {
	for range b.N {
		var all []point
		for _, run := range lazyRuns {
			for _, engine := range []string{"lazy", "explicit"} {
				for _, n := range run.sizes {
					p := measureLazy(b, run.family, engine, n)
					all = append(all, p)
					b.Logf("%-10s %4d %-8s %-8s %d question(s), %d states, %.3f s", p.family, p.n, p.engine, p.verdict, p.questions, p.states, p.seconds)
					if p.verdict == verdict.Unknown {
						break
					}
				}
			}
		}
		if *writeLazy {
			for name, text := range map[string]string{"lazy.md": lazyTable(all), "lazy.svg": lazyPlot(all)} {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

func measureLazy(b *testing.B, family, engine string, n int) point {
	text, err := fencepost.Generate(family, n)
	if err != nil {
		b.Fatal(err)
	}
	opt := fencepost.CheckOptions{Options: fencepost.Defaults()}
	opt.Engines, opt.Timeout, opt.Memory, opt.Workers = []fencepost.Engine{fencepost.Engine(engine)}, 2*time.Minute, 4<<30, 1
	opt.Buffer = 3*n + 1 // countdown needs two rounds of stores
	p := point{family: family, engine: engine, n: n}
	opt.Log = func(line string) {
		if strings.Contains(line, "states under SC") {
			p.questions++
		}
	}
	start := time.Now()
	a, err := fencepost.Check(context.Background(), fencepost.Input{Name: family + ".fp", Text: []byte(text)}, opt)
	if err != nil || len(a.Results) != 1 {
		b.Fatalf("no answer: %v %+v", err, a)
	}
	r := &a.Results[0]
	p.seconds, p.states, p.verdict = time.Since(start).Seconds(), r.Stats.States, r.Verdict
	if p.verdict == verdict.Safe {
		b.Fatalf("%s %d is not safe", family, n)
	}
	return p
}

func lazyTable(all []point) string {
	var t strings.Builder
	t.WriteString("# lazy and explicit on the families of [BCDM15 §5.1]\n\n")
	t.WriteString("`go test ./bench -run '^$' -bench LazyFamilies -benchtime 1x -timeout 60m -lazy.write` writes this page and\n")
	t.WriteString("[lazy.svg](lazy.svg). One worker, 2 minutes, 4 GiB. All members violate their goal under TSO. Times are of one run on a shared machine:\n")
	t.WriteString("compare them with each other only.\n\n")
	t.WriteString("| family | N | engine | answer | SC questions | states | seconds |\n|---|---:|---|---|---:|---:|---:|\n")
	for _, p := range all {
		questions := ""
		if p.engine == "lazy" {
			questions = fmt.Sprint(p.questions)
		}
		fmt.Fprintf(&t, "| %s | %d | %s | %s | %s | %d | %.3f |\n", p.family, p.n, p.engine, p.verdict, questions, p.states, p.seconds)
	}
	return t.String()
}

// lazyPlot draws time against N, both logarithmic, a panel per family.
func lazyPlot(all []point) string {
	const w, h, pad = 300, 260, 45
	colours := map[string]string{"lazy": "#1f77b4", "explicit": "#d62728"}
	var s strings.Builder
	fmt.Fprintf(&s, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n", w*len(lazyRuns), h)
	for i, run := range lazyRuns {
		lo, hi := float64(run.sizes[0]), float64(run.sizes[len(run.sizes)-1])
		x := func(n int) float64 {
			return float64(i*w+pad) + (w-pad-15)*math.Log(float64(n)/lo)/math.Log(hi/lo)
		}
		y := func(sec float64) float64 { // 1 ms to 1000 s
			return h - pad - (h-pad-30)*(math.Log10(math.Max(sec, 0.001))+3)/6
		}
		fmt.Fprintf(&s, "<text x=\"%d\" y=\"16\" font-weight=\"bold\">%s</text>\n", i*w+pad, run.family)
		for e := -3; e <= 3; e++ {
			at := y(math.Pow10(e))
			fmt.Fprintf(&s, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%gs</text>\n",
				i*w+pad, (i+1)*w-15, at, at, i*w+pad-4, at+4, math.Pow10(e))
		}
		for _, n := range run.sizes {
			fmt.Fprintf(&s, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", x(n), h-pad+16, n)
		}
		for k, engine := range []string{"lazy", "explicit"} {
			var line []string
			for _, p := range all {
				if p.family == run.family && p.engine == engine && p.verdict != verdict.Unknown {
					line = append(line, fmt.Sprintf("%.1f,%.1f", x(p.n), y(p.seconds)))
				}
			}
			fmt.Fprintf(&s, "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", strings.Join(line, " "), colours[engine])
			fmt.Fprintf(&s, "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", i*w+pad+80*k, h-8, colours[engine], engine)
		}
	}
	s.WriteString("</svg>\n")
	return s.String()
}
