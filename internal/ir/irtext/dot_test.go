package irtext

import (
	"testing"

	"fencepost/internal/ir"
)

func TestDot(t *testing.T) {
	p := parseText(t, `program "a \"b\"" flat
object x
func f {
  reg r
  l0 -> l1: r = load [&x]
  l1 -> l2: assert r, "say \"hi\" \\ bye"
}
func unused {
  m -> m: nop
}
thread t1 = f
thread t2 = f
`)
	const want = `digraph "a \"b\"" {
  node [shape=ellipse];
  subgraph cluster_0 {
    label="t1, t2";
    f0_0 [label="l0", style=bold];
    f0_1 [label="l1"];
    f0_2 [label="l2", peripheries=2];
    f0_0 -> f0_1 [label="r = load [&x]"];
    f0_1 -> f0_2 [label="assert r, \"say \\\"hi\\\" \\\\ bye\""];
  }
}
`
	if got := Dot(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p.Form = ir.Structured
	const structured = `digraph "a \"b\"" {
  node [shape=ellipse];
  subgraph cluster_0 {
    label="f";
    f0_0 [label="l0", style=bold];
    f0_1 [label="l1"];
    f0_2 [label="l2", peripheries=2];
    f0_0 -> f0_1 [label="r = load [&x]"];
    f0_1 -> f0_2 [label="assert r, \"say \\\"hi\\\" \\\\ bye\""];
  }
  subgraph cluster_1 {
    label="unused";
    f1_0 [label="m", style=bold];
    f1_0 -> f1_0 [label="nop"];
  }
}
`
	if got := Dot(p); got != structured {
		t.Errorf("got\n%s\nwant\n%s", got, structured)
	}
}
