package pipeline

import (
	"strings"
	"testing"
)

func TestExport(t *testing.T) {
	opt := ExportOptions{Options: Defaults(), Format: ExportPromela, Model: "tso"}
	in := Input{Name: "test.fp", Text: []byte(dekker)}
	text, diags, err := Export(in, opt)
	if err != nil || len(diags) > 0 || !strings.Contains(text, "active proctype flush_t1") {
		t.Errorf("%v %v\n%s", err, diags, text)
	}
	for _, c := range []struct{ model, text, code, pos string }{
		{"pso", dekker, "FP0951", "test.fp"},
		{"tso", "var x;\nthread t { x = 0x100000000; }\nnever x == 1;", "FP0950", "test.fp:2:12"},
		{"tso", "var x;\nthread t * n { x = 1; }\ngoal t[0]:l;\nthread u { l: skip; }", "FP0203", "test.fp:3:11"},
		{"tso", "var x;\nthread t * n { l: x = 1; }\ngoal t[0]:l;", "FP0902", "test.fp:2:8"},
	} {
		opt.Model = c.model
		text, diags, err := Export(Input{Name: "test.fp", Text: []byte(c.text)}, opt)
		if err != nil || text != "" || len(diags) == 0 {
			t.Errorf("%s: %v %v %q", c.code, err, diags, text)
			continue
		}
		if d := diags[len(diags)-1]; d.Code != c.code || d.Pos.String() != c.pos {
			t.Errorf("want %s at %s, got %s at %s: %s", c.code, c.pos, d.Code, d.Pos, d.Message)
		}
	}
}
