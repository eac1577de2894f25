package prove_test

import (
	"strings"
	"testing"

	"fencepost/query"
)

// TestMissingCondition: an open check comes with a condition that would prove it, and with the step and the state
// that keep this condition from being an invariant. With a condition that excludes the state, it is proved.
func TestMissingCondition(t *testing.T) {
	text := "var a, b;\n//\nthread t * n { reg r; atomic { a = a + 1; b = b + 7; } atomic { r = b - a * 7; } assert r == 0; }\n"
	r := proof(t, "sums.fp", text, nil)
	c := r.Proof.Checks[0]
	if c.Proved || len(c.Missing) != 1 {
		t.Fatalf("%s, the check %+v", r.Verdict, c)
	}
	m := c.Missing[0]
	if !m.Proves || m.Cond != "r == 0" || m.Step == nil || m.Step.Text != "atomic section" || len(m.State) == 0 || !strings.Contains(m.Fails, "line 3") {
		t.Errorf("missing: %+v", m)
	}
	stated := strings.Replace(text, "//", "invariant b == 7 * a;", 1)
	if r := proof(t, "sums.fp", stated, nil); r.Proof.Open() > 0 {
		t.Errorf("with the condition: %+v", r.Proof.Checks)
	}
	// Nothing is proposed, so nothing is missing.
	r = proof(t, "sums.fp", text, func(o *query.ProveOptions) { o.NoInference = true })
	if c := r.Proof.Checks[0]; c.Proved || c.Missing != nil {
		t.Errorf("without inference: %+v", c)
	}
}
