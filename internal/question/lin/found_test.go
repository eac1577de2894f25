package lin_test

import (
	"slices"
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

// TestFound: what is asked about is told once, before the first client, as the answer says it.
func TestFound(t *testing.T) {
	const text = "#include <stdatomic.h>\nstruct c { atomic_int n; };\nvoid c_init(struct c *c) { c->n = 0; }\n" +
		"//@ op thread one\nint c_add(struct c *c) { return c->n++; }\n//@ op\nint c_get(struct c *c) { return c->n; }\n"
	var found []*verdict.Linearizability
	searched := false
	opt := query.LinOptions{Models: query.Models{query.SC, query.TSO}, Calls: 2, Mutate: true}
	opt.Found = func(l *verdict.Linearizability) {
		if searched {
			t.Error("told after the search had begun")
		}
		found = append(found, l)
	}
	opt.Progress = func(query.Progress) { searched = true }
	answer := askAll(t, text, opt)
	if len(found) != 1 || !searched {
		t.Fatalf("told %d times, clients were searched: %v", len(found), searched)
	}
	for _, r := range answer.Results {
		l := r.Linearizability
		if !slices.Equal(l.Operations, found[0].Operations) || l.Init != "c_init" || found[0].Init != l.Init || found[0].Object != l.Object {
			t.Errorf("told %+v, the answer says %+v", found[0], l)
		}
	}
	if got := found[0].Operations[0]; got != "c_add(object) by thread one" {
		t.Errorf("the first operation is %q", got)
	}
}
