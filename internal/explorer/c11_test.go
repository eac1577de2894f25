package explorer

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestC11: the page asks check, robust and outcomes under C11's own model. Executions are graphs, and no steps are taken.
func TestC11(t *testing.T) {
	r := example(t, "mp.fp")
	r.Model = "c11"
	found := ask[*SearchAnswer](t, "check", r)
	if len(found.Findings) != 1 || found.Findings[0].Verdict == "unknown" || found.Findings[0].Witness != nil {
		t.Errorf("check: %+v", found)
	}
	found = ask[*SearchAnswer](t, "robust", r)
	if f := found.Findings[0]; f.Graph == nil || f.Graph.Graph == nil || f.Witness != nil || !strings.Contains(f.Title, "not robust") {
		t.Errorf("robust: %+v", found)
	}
	ends := ask[*OutcomesAnswer](t, "outcomes", r)
	weak := 0
	for _, o := range ends.Outcomes {
		if o.Cells[1].Reached && !o.Cells[0].Reached {
			weak++
		}
		if o.Cells[1].Reached && (o.Cells[1].Witness == nil || o.Cells[1].Witness.Graph == nil) {
			t.Errorf("%s has no graph", o.State)
		}
	}
	if len(ends.Models) != 2 || ends.Models[1].Model != "c11" || weak != 1 {
		t.Errorf("outcomes: %d that SC does not have: %+v", weak, ends)
	}
	for _, kind := range []string{"state", "compare", "insert", "share", "graph", "fences"} {
		body, _ := json.Marshal(r)
		_, err := Ask(t.Context(), kind, body, Limits{Workers: 1}, nil)
		if failed := (*Failure)(nil); !errors.As(err, &failed) || failed.Kind != BadRequest || !strings.Contains(failed.Message, "no "+kind+" under C11") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
