package svg_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"fencepost/internal/render/relation"
	"fencepost/internal/render/svg"
	"fencepost/verdict"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// stored reads the executions of results that no change of an engine changes.
func stored(t testing.TB, name string) []verdict.Execution {
	t.Helper()
	text, err := os.ReadFile("../html/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var report verdict.Report
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	return report.Results[0].Executions()
}

// long is an execution with more accesses than anyone wants to see, and a cycle.
func long() *verdict.Execution {
	w := &verdict.Witness{Threads: []string{"a", "b"}}
	add := func(thread int, kind verdict.StepKind, cell string, addr uint64) {
		w.Steps = append(w.Steps, verdict.Step{Thread: thread, Kind: kind, Of: -1, Addr: addr, Size: 8, Location: cell, Buffered: kind == verdict.StepStore})
	}
	add(0, verdict.StepStore, "x", 8)
	for i := range 70 {
		add(0, verdict.StepLoad, fmt.Sprintf("z%d", i), uint64(100+8*i))
	}
	add(0, verdict.StepLoad, "y", 16)
	add(1, verdict.StepStore, "y", 16)
	add(1, verdict.StepLoad, "x", 8)
	return &verdict.Execution{Name: "long", Witness: w}
}

func TestGolden(t *testing.T) {
	evil := &verdict.Execution{Name: "evil", Reason: `</svg><script>"&'` + "\x1b", Witness: &verdict.Witness{Threads: []string{"<t>"}, Steps: []verdict.Step{
		{Kind: verdict.StepStore, Of: -1, Location: `"><x y='`, Addr: 8, Size: 8}}}}
	for name, list := range map[string][]verdict.Execution{
		"violations.svg": stored(t, "dekker.json"),
		"attacks.svg":    stored(t, "dekker-robust.json"),
		"long.svg":       {*long()},
		"evil.svg":       {*evil, {Name: "nothing", Witness: &verdict.Witness{}}},
		"none.svg":       nil,
	} {
		var out bytes.Buffer
		if err := svg.File(&out, "title", list, relation.HerdNames); err != nil {
			t.Fatal(err)
		}
		for dec := xml.NewDecoder(bytes.NewReader(out.Bytes())); ; {
			tok, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if el, ok := tok.(xml.StartElement); ok && (el.Name.Local == "script" || el.Name.Local == "x") {
				t.Errorf("%s: text has become an element", name)
			}
		}
		path := "testdata/" + name
		if *update {
			if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, out.Bytes(), 0o644)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), want) {
			t.Errorf("%s differs (run with -update to accept)", name)
		}
	}
}

// Of many accesses only the cycle is drawn, and the rest is counted.
func TestLong(t *testing.T) {
	drawing := svg.Inline(long(), "p")
	if n := strings.Count(drawing, `class="nd c`); n != 4 || strings.Count(drawing, `class="nd`) != 4 {
		t.Errorf("%d nodes on the cycle", n)
	}
	if !strings.Contains(drawing, "70 accesses that are not on the cycle are left out") {
		t.Error("what is left out is not said")
	}
}

// Without a cycle, the last of many accesses are drawn.
func TestLongWithoutCycle(t *testing.T) {
	e := long()
	e.Witness.Steps = e.Witness.Steps[:70]
	drawing := svg.Inline(e, "p")
	if n := strings.Count(drawing, `class="nd`); n != 40 || !strings.Contains(drawing, "30 earlier accesses are left out") {
		t.Errorf("%d nodes", n)
	}
}

// Relations have herd's names, or those of the papers.
func TestNames(t *testing.T) {
	for names, want := range map[relation.Names]string{relation.HerdNames: ">fr</text>", relation.PaperNames: ">cf</text>"} {
		var out bytes.Buffer
		if err := svg.File(&out, "", stored(t, "dekker.json")[:1], names); err != nil || strings.Count(out.String(), want) != 2 {
			t.Errorf("%d times %s: %v", strings.Count(out.String(), want), want, err)
		}
	}
}

type brokenWriter struct{}

var errBroken = errors.New("disk full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorIsReported(t *testing.T) {
	if err := svg.File(brokenWriter{}, "", nil, relation.HerdNames); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want %v", err, errBroken)
	}
}

func BenchmarkFile(b *testing.B) {
	list := stored(b, "dekker-robust.json")
	for b.Loop() {
		if err := svg.File(io.Discard, "title", list, relation.HerdNames); err != nil {
			b.Fatal(err)
		}
	}
}
