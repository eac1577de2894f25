package json_test

import (
	"bytes"
	stdjson "encoding/json"
	"reflect"
	"testing"

	"fencepost/internal/render/json"
	"fencepost/verdict"
)

func TestLitmus(t *testing.T) {
	r := full()[0]
	r.Litmus = &verdict.Litmus{Name: "SB", Kind: "Allowed", Verdict: "Ok", Observation: "Sometimes", Positive: 1, Negative: 3,
		Condition: "exists (x=1)", Hash: "h", Notes: []string{"n"},
		Outcomes: []verdict.LitmusOutcome{{State: "[x]=1;", Holds: true, SC: verdict.SCForbids, Witness: r.Witness}}}
	tests := []*verdict.LitmusTest{
		{File: "a", Results: []verdict.Result{r}, Diagnostics: []verdict.Diagnostic{{Severity: verdict.SeverityWarning, Code: "LT0501"}}},
		{File: "b", Failure: "broken"},
		{File: "c", Results: []verdict.Result{r, r}},
	}
	sum := verdict.LitmusSummary{Tests: 3, Runs: 3, Failed: 1, Compared: true, Differences: []verdict.LitmusDifference{{File: "a", Model: "sc", Message: "m"}}}
	var out bytes.Buffer
	if err := json.Litmus(&out, tests, &sum); err != nil {
		t.Fatal(err)
	}
	var back struct {
		verdict.Report
		Diagnostics []verdict.Diagnostic
		Failures    []string
		Summary     verdict.LitmusSummary
	}
	if err := stdjson.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Schema != verdict.Schema || !reflect.DeepEqual(back.Results, []verdict.Result{r, r, r}) || !reflect.DeepEqual(back.Summary, sum) ||
		len(back.Diagnostics) != 1 || len(back.Failures) != 1 {
		t.Errorf("read back %+v", back)
	}
	out.Reset()
	if err := json.Litmus(&out, nil, &verdict.LitmusSummary{}); err != nil || !bytes.Contains(out.Bytes(), []byte(`"results": []`)) {
		t.Errorf("%v\n%s", err, out.Bytes())
	}
	if err := json.Litmus(brokenWriter{}, nil, &sum); err == nil {
		t.Error("an error of the writer is lost")
	}
}
