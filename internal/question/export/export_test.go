package export

import (
	"fencepost/query"
	"strings"
	"testing"
)

const dekker = `
var x, y;
thread t1 { reg r; x = 1; r = y; }
thread t2 { reg r; y = 1; r = x; }
never t1:r == 0 && t2:r == 0;
`

func TestExport(t *testing.T) {
	opt := query.ExportOptions{Options: query.Defaults(), Format: query.ExportPromela, Model: "tso"}
	in := query.Input{Name: "test.fp", Text: []byte(dekker)}
	a, err := Run(t.Context(), in, opt)
	text, diags := a.Text, a.Diagnostics
	if err != nil || len(diags) > 0 || !strings.Contains(text, "active proctype flush_t1") {
		t.Errorf("%v %v\n%s", err, diags, text)
	}
	for _, c := range []struct{ model, text, code, pos string }{
		{"pso", dekker, "FP0951", "test.fp"},
		{"tso", "var x;\nthread t { x = 0x100000000; }\nnever x == 1;", "FP0950", "test.fp:2:12"},
		{"tso", "var x;\nthread t * n { x = 1; }\ngoal t[0]:l;\nthread u { l: skip; }", "FP0203", "test.fp:3:11"},
		{"tso", "var x;\nthread t * n { l: x = 1; }\ngoal t[0]:l;", "FP0902", "test.fp:2:8"},
	} {
		opt.Model = query.Model(c.model)
		a, err := Run(t.Context(), query.Input{Name: "test.fp", Text: []byte(c.text)}, opt)
		text, diags := a.Text, a.Diagnostics
		if err != nil || text != "" || len(diags) == 0 {
			t.Errorf("%s: %v %v %q", c.code, err, diags, text)
			continue
		}
		if d := diags[len(diags)-1]; d.Code != c.code || d.Pos.String() != c.pos {
			t.Errorf("want %s at %s, got %s at %s: %s", c.code, c.pos, d.Code, d.Pos, d.Message)
		}
	}
}

func TestShow(t *testing.T) {
	for form, want := range map[query.Form]string{
		query.FormStructured: "structured", query.FormFlat: "flat", query.FormDot: "digraph",
	} {
		a, err := Show(t.Context(), query.Input{Name: "test.fp", Text: []byte(dekker)}, query.ShowOptions{Options: query.Defaults(), Form: form})
		text, diags := a.Text, a.Diagnostics
		if err != nil || len(diags) > 0 || !strings.Contains(text, want) {
			t.Errorf("form %s: %v %v\n%s", form, err, diags, text)
		}
	}
}
