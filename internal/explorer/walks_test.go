package explorer_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"fencepost"
	"fencepost/internal/explorer"
	"fencepost/query"
	"fencepost/verdict"
)

var (
	walks     = flag.Int("fp.walks", 25, "random programs with a random walk each in the browser")
	firstWalk = flag.Int("fp.walk", 0, "number of the first of them")
)

// randomProgram returns a small program with every kind of statement that a state can show.
func randomProgram(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("var x, y;\n")
	cells := []string{"x", "y"}
	cell := func() string { return cells[rng.IntN(len(cells))] }
	for t := range 2 + rng.IntN(2) {
		fmt.Fprintf(&b, "thread t%d {\n  reg r, s;\n", t+1)
		for range 1 + rng.IntN(4) {
			switch rng.IntN(8) {
			case 0, 1, 2:
				fmt.Fprintf(&b, "  %s = %d;\n", cell(), 1+rng.IntN(3))
			case 3, 4:
				fmt.Fprintf(&b, "  r = %s;\n", cell())
			case 5:
				fmt.Fprintf(&b, "  s = cas(%s, 0, %d);\n", cell(), 1+rng.IntN(3))
			case 6:
				b.WriteString("  fence;\n")
			default:
				fmt.Fprintf(&b, "  if (r == 0) { %s = 5; } else { %s = r + 1; }\n", cell(), cell())
			}
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// shown is a state as the page shows it, read from its elements.
type shown struct {
	Run     []string   `json:"run"`
	Memory  []string   `json:"memory"`
	Regs    [][]string `json:"regs"`
	Buffers [][]string `json:"buffers"` // newest first, of a thread the queues one after the other
	Steps   []string   `json:"steps"`
	Blocked int        `json:"blocked"`
	Cyclic  bool       `json:"cyclic"`
}

const walkScript = `(async (programs, first) => {
  const texts = (list, f) => [...list].map(f);
  const read = () => ({
    run: fp.now.run,
    memory: texts(document.querySelectorAll("#machine .memory .cell"), (c) => c.dataset.cell + "=" + c.querySelector("b").textContent),
    regs: texts(document.querySelectorAll("#machine .thread"), (t) => texts(t.querySelectorAll(".reg"), (r) => r.textContent)),
    buffers: texts(document.querySelectorAll("#machine .thread"), (t) => texts(t.querySelectorAll(".chip"), (c) => c.firstChild.textContent)),
    steps: texts(document.querySelectorAll("#steps button.step"), (s) => s.dataset.name).sort(),
    blocked: document.querySelectorAll("#steps .blocked").length,
    cyclic: document.body.classList.contains("cyclic") && !document.getElementById("cause").hidden,
  });
  const out = [];
  let seed = first + 1; // the same walks every time
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (const p of programs) {
    await fp.app.load(() => ({ change: { name: "p.fp", text: p.text, model: p.model }, request: { run: [] } }));
    const states = [read()];
    for (let i = 0; i < 12; i++) {
      // Stores that wait long show more.
      const list = fp.machine.order(fp.now.answer), own = list.filter((n) => n.step.kind !== "flush").length;
      const among = own && random() < 0.8 ? own : list.length;
      if (!among || !(await fp.app.take(list[Math.floor(random() * among)].name))) break;
      states.push(read());
    }
    out.push(states);
  }
  return JSON.stringify(out);
})`

// TestWalks: on random walks through random programs, the page shows the state that the run leads to. Explore has
// compared that state with package replay.
func TestWalks(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		states, cycles := 0, 0
		for done := *firstWalk; done < *firstWalk+*walks; {
			type program struct {
				Text  string `json:"text"`
				Model string `json:"model"`
			}
			var list []program
			for ; done < *firstWalk+*walks && len(list) < 25; done++ {
				text := randomProgram(rand.New(rand.NewPCG(uint64(done), 2)))
				if done%4 == 0 { // few random programs have a cycle
					text = explorer.Examples()[0].Text
				}
				list = append(list, program{text, []string{"tso", "pso", "sc"}[done%3]})
			}
			input, err := json.Marshal(list)
			if err != nil {
				t.Fatal(err)
			}
			text, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](fmt.Sprintf("%s(%s, %d)", walkScript, input, done), chromedp.EvalAwaitPromise))
			if err != nil {
				t.Fatal(err)
			}
			var all [][]shown
			if err := json.Unmarshal([]byte(text), &all); err != nil {
				t.Fatal(err)
			}
			for i, walk := range all {
				for _, got := range walk {
					a, err := fencepost.Explore(context.Background(), query.Input{Name: "p.fp", Text: []byte(list[i].Text)}, query.ExploreOptions{Model: query.Model(list[i].Model), Run: got.Run})
					if err != nil {
						t.Fatalf("%s\n%v: %v", list[i].Text, got.Run, err)
					}
					if want := expected(a.State); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
						t.Fatalf("%s under %s, run %v:\nshown %+v\n want %+v", list[i].Text, list[i].Model, got.Run, got, want)
					}
					states++
					if got.Cyclic {
						cycles++
					}
				}
			}
		}
		if cycles == 0 || states < 3**walks {
			t.Errorf("%d states, %d with a cycle: the test shows little", states, cycles)
		}
		t.Logf("%d programs, %d states, %d with a cycle", *walks, states, cycles)
	})
}

// expected returns a state as the page should show it.
func expected(s *verdict.State) shown {
	out := shown{Run: s.Run, Memory: []string{}, Regs: [][]string{}, Buffers: [][]string{}, Steps: []string{}, Blocked: len(s.Blocked), Cyclic: s.Cause != nil}
	for _, c := range s.Memory {
		out.Memory = append(out.Memory, c.Name+"="+c.Value)
	}
	for _, t := range s.Threads {
		regs, chips := []string{}, []string{}
		for _, r := range t.Regs {
			regs = append(regs, r.Name+" "+r.Value)
		}
		var cells []string // in the order of their oldest entries
		queue := map[string][]string{}
		for _, e := range t.Buffer {
			cell := e.Cell
			if s.Model != "pso" {
				cell = ""
			}
			if queue[cell] == nil {
				cells = append(cells, cell)
			}
			queue[cell] = append([]string{e.Cell + " = " + e.Value}, queue[cell]...)
		}
		for _, c := range cells {
			chips = append(chips, queue[c]...)
		}
		out.Regs, out.Buffers = append(out.Regs, regs), append(out.Buffers, chips)
	}
	for _, n := range s.Next {
		out.Steps = append(out.Steps, n.Name)
	}
	slices.Sort(out.Steps)
	return out
}

// BenchmarkFirstPaint measures the time from the request for the page to its first paint with content, and to the first
// state, when steps can be taken. `make paint` runs it.
func BenchmarkFirstPaint(b *testing.B) {
	page := newTab(b, server(b, explorer.Start{}), "")
	paint, usable := 0.0, 0.0
	for range b.N {
		page.open("")
		paint += eval[float64](page, firstPaint)
		usable += eval[float64](page, `fp.shown`)
	}
	b.ReportMetric(paint/float64(b.N), "ms/paint")
	b.ReportMetric(usable/float64(b.N), "ms/usable")
}

// firstPaint is the time of the first paint with content, in ms from the navigation.
const firstPaint = `performance.getEntriesByName("first-contentful-paint")[0].startTime`

// BenchmarkPlayground measures the playground from the disk: the time until the first state is there, and then that of
// the answers about store buffering.
func BenchmarkPlayground(b *testing.B) {
	if *site == "" {
		b.Skip("give -fp.site, or run make site-test")
	}
	dir, err := filepath.Abs(*site)
	if err != nil {
		b.Fatal(err)
	}
	page := newTab(b, (&url.URL{Scheme: "file", Path: filepath.Join(dir, "index.html")}).String(), (&url.URL{Scheme: "file", Path: dir}).String())
	kinds := []string{"state", "outcomes", "check", "robust", "fences"}
	total := map[string]float64{}
	for range b.N {
		page.open("")
		total["paint"] += eval[float64](page, firstPaint)
		total["usable"] += eval[float64](page, `fp.shown`)
		for _, kind := range kinds {
			ms, err := chromedp.Run(page.Ctx, chromedp.Evaluate[float64](fmt.Sprintf(`(async () => { const begun = performance.now(); await fp.ask(%q, fp.program()); return performance.now() - begun; })()`, kind), chromedp.EvalAwaitPromise))
			if err != nil {
				b.Fatal(err)
			}
			total[kind] += ms
		}
	}
	for kind, ms := range total {
		b.ReportMetric(ms/float64(b.N), "ms/"+kind)
	}
}
