package dot_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"fencepost/internal/render/dot"
	"fencepost/internal/render/relation"
	"fencepost/verdict"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// attack has a cycle whose first edge skips a node, and names that need quotes.
func attack() *verdict.Attack {
	return &verdict.Attack{
		Thread: `t"1`, StoreText: "x = 1", LoadText: "y", StoreStep: 0, LoadStep: 2, Witness: &verdict.Witness{Threads: []string{`t"1`, "t2\n"}},
		Nodes: []verdict.TraceNode{{Text: `t"1 st x`}, {Text: `t"1 ld z\`, Step: 1}, {Text: `t"1 ld y`, Step: 2},
			{Thread: 1, Text: "t2 rmw y", Step: 3}, {Thread: 1, Text: "t2 ld x", Step: 4}},
		Edges: []verdict.TraceEdge{{From: 0, To: 1, Kind: "po"}, {From: 1, To: 2, Kind: "po"}, {From: 2, To: 3, Kind: "cf"},
			{From: 3, To: 4, Kind: "po"}, {From: 4, To: 0, Kind: "cf"}},
		Cycle: []verdict.TraceEdge{{From: 0, To: 2, Kind: "po"}, {From: 2, To: 3, Kind: "cf"}, {From: 3, To: 4, Kind: "po"}, {From: 4, To: 0, Kind: "cf"}},
	}
}

func TestAttack(t *testing.T) {
	var out bytes.Buffer
	dot.Attack(&out, attack(), relation.PaperNames)
	path := filepath.Join("testdata", "attack.dot")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("got\n%s\nwant\n%s", out.Bytes(), want)
	}
}

// Graphviz reads it, where there is one.
func TestGraphviz(t *testing.T) {
	path, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("no Graphviz here")
	}
	var out bytes.Buffer
	dot.Attack(&out, attack(), relation.PaperNames)
	cmd := exec.Command(path, "-Tcanon")
	cmd.Stdin = &out
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, text)
	}
}

// Executions of other questions are drawn the same way.
func TestExecution(t *testing.T) {
	w := &verdict.Witness{Threads: []string{"t1", "t2"}, Steps: []verdict.Step{
		{Kind: verdict.StepStore, Buffered: true, Of: -1, Addr: 8, Size: 8, Location: "x", Data: verdict.Data{Value: 1}},
		{Kind: verdict.StepLoad, Of: -1, Addr: 16, Size: 8, Location: "y"},
		{Thread: 1, Kind: verdict.StepStore, Buffered: true, Of: -1, Addr: 16, Size: 8, Location: "y", Data: verdict.Data{Value: 1}},
		{Thread: 1, Kind: verdict.StepLoad, Of: -1, Addr: 8, Size: 8, Location: "x"},
	}}
	var out bytes.Buffer
	dot.Execution(&out, &verdict.Execution{Name: "violation", Reason: "assertion fails", Witness: w}, relation.HerdNames)
	for _, want := range []string{`label="violation: assertion fails"`, `n3 -> n0 [label="fr", color=red`, `n0 [label="t1 st x", color=red, style=filled`} {
		if !bytes.Contains(out.Bytes(), []byte(want)) {
			t.Errorf("no %s in\n%s", want, out.Bytes())
		}
	}
	a := attack()
	var one, other bytes.Buffer
	dot.Attack(&one, a, relation.PaperNames)
	dot.Execution(&other, &verdict.Execution{Witness: a.Witness, Attack: a}, relation.PaperNames)
	if one.String() != other.String() {
		t.Errorf("an attack is drawn in two ways:\n%s\n%s", one.String(), other.String())
	}
}
