package explorer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"fencepost/verdict"
)

func ask[T any](t *testing.T, kind string, r Request) T {
	t.Helper()
	body, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := Ask(t.Context(), kind, body, Limits{Workers: 1}, func(Progress) {})
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	out, ok := answer.(T)
	if !ok {
		t.Fatalf("%s: %T", kind, answer)
	}
	return out
}

func example(t *testing.T, name string) Request {
	t.Helper()
	for _, p := range Examples() {
		if p.Name == name {
			return Request{Name: p.Name, Text: p.Text, Model: "tso"}
		}
	}
	t.Fatalf("no example %s", name)
	return Request{}
}

// TestExamples: every program that the page offers runs, and its outcomes under the models are ordered as the models are.
func TestExamples(t *testing.T) {
	for _, p := range Examples() {
		r := Request{Name: p.Name, Text: p.Text}
		if s := ask[*StateAnswer](t, "state", r); s.State == nil || len(s.State.Next) == 0 || len(s.Effects) != len(s.State.Next) {
			t.Errorf("%s: %+v", p.Name, s)
		}
		o := ask[*OutcomesAnswer](t, "outcomes", r)
		if len(o.Models) != 3 || len(o.Outcomes) == 0 {
			t.Errorf("%s: %+v", p.Name, o)
		}
		for _, row := range o.Outcomes {
			for k := range row.Cells[1:] {
				if row.Cells[k].Reached && !row.Cells[k+1].Reached {
					t.Errorf("%s: %s has %s, and a weaker model has not", p.Name, o.Models[k].Model, row.State)
				}
			}
		}
	}
}

// TestOutcomesReplay: the execution of every row leads to the final state of the row, under the model of its column.
func TestOutcomesReplay(t *testing.T) {
	replayed := 0
	for _, p := range Examples() {
		r := Request{Name: p.Name, Text: p.Text}
		o := ask[*OutcomesAnswer](t, "outcomes", r)
		for _, row := range o.Outcomes {
			for k, cell := range row.Cells {
				if !cell.Reached {
					continue
				}
				r.Model, r.Witness = o.Models[k].Model, cell.Witness
				if s := ask[*StateAnswer](t, "state", r).State; s.Final != row.State {
					t.Errorf("%s under %s: %q, want %q", p.Name, r.Model, s.Final, row.State)
				}
				replayed++
			}
		}
	}
	if replayed < 40 {
		t.Errorf("only %d rows", replayed)
	}
}

// TestState: the time line and the graph of store buffering.
func TestState(t *testing.T) {
	r := example(t, "sb.fp")
	r.Run = strings.Fields("0 0 1 1")
	s := ask[*StateAnswer](t, "state", r)
	var got []string
	for _, row := range s.Rows {
		got = append(got, fmt.Sprint(row.Thread, ":", row.Text, "/", row.Effect))
	}
	want := "0:x = 1/x = 1 buffered|0:r1 = y/y -> 0 from memory|1:y = 1/y = 1 buffered|1:r2 = x/x -> 0 from memory"
	if strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
	if !strings.Contains(s.Graph, "delayed") || s.State.Cause == nil || strings.Join(s.Effects, "|") != "x = 1 reaches memory (step 1)|y = 1 reaches memory (step 3)" {
		t.Errorf("%q %s", s.Effects, s.Graph)
	}
	c := ask[*CompareAnswer](t, "compare", with(r, func(r *Request) { r.Other = "sc" }))
	if c.State == nil || len(c.Matches) != 4 || c.Matches[3].Instead != "1" {
		t.Errorf("%+v", c)
	}
	if g := ask[*GraphAnswer](t, "graph", r).Graph; g == nil || !g.Complete || !g.Compared {
		t.Errorf("%+v", g)
	}
	r.Text = "var x; thread t { x = ; }"
	if s := ask[*StateAnswer](t, "state", r); s.State != nil || len(s.Diagnostics) == 0 || s.Diagnostics[0].Pos.Line != 1 {
		t.Errorf("%+v", s)
	}
}

// TestSearches: check, robust and fences, with an execution that can be shown and a patch.
func TestSearches(t *testing.T) {
	r := example(t, "sb.fp")
	for _, kind := range []string{"check", "robust", "fences"} {
		found := ask[*SearchAnswer](t, kind, r).Findings
		if len(found) != 1 || found[0].Witness == nil || found[0].Title == "" || found[0].Model != "tso" {
			t.Fatalf("%s: %+v", kind, found)
		}
		if patched := found[0].Patched; (kind == "fences") != (strings.Count(patched, "fence;") == 2) {
			t.Errorf("%s: %s", kind, patched)
		}
	}
	r.Run = strings.Fields("0 0 1 1")
	if got := ask[*InsertAnswer](t, "insert", r); !strings.Contains(got.Text, "x = 1;\n  fence;") {
		t.Error(got.Text)
	}
	if s := ask[*ShareAnswer](t, "share", with(r, func(r *Request) { r.Format = "svg" })); !strings.HasPrefix(s.Text, "<svg") {
		t.Error(s.Text)
	}
	if s := ask[*ShareAnswer](t, "share", with(r, func(r *Request) { r.Format = "markdown" })); !strings.Contains(s.Text, "| 2 | `r1 = y` |  | y -> 0 from memory |\n") {
		t.Error(s.Text)
	}
	for format, want := range map[string]string{"litmus": "X86_64 sb\n", "c": "pthread_create("} {
		if s := ask[*ShareAnswer](t, "share", with(r, func(r *Request) { r.Format = format })); !strings.Contains(s.Text, want) {
			t.Error(s.Text)
		}
	}
	body, err := json.Marshal(Request{Name: "goal.fp", Text: "var x;\nthread t { l: x = 1; }\ngoal t:l;\n", Format: "litmus"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Ask(t.Context(), "share", body, Limits{}, nil); err == nil || !strings.HasPrefix(err.Error(), "goal.fp:3:1: a goal is about states on the way") {
		t.Errorf("a goal as a litmus test: %v", err)
	}
}

// TestInsertLanguages: in every language that the page offers, the fence is written into the program, and the run is not
// possible any more.
func TestInsertLanguages(t *testing.T) {
	for name, want := range map[string]string{"sb.fp": "fence;", "sb.litmus": "MFENCE", "dekker.c": "atomic_thread_fence(memory_order_seq_cst);"} {
		r := example(t, name)
		found := ask[*SearchAnswer](t, "robust", r).Findings
		if len(found) != 1 || found[0].Witness == nil {
			t.Fatalf("%s: %+v", name, found)
		}
		before := ask[*StateAnswer](t, "state", with(r, func(r *Request) { r.Witness = found[0].Witness })).State
		r.Run = before.Run
		text := ask[*InsertAnswer](t, "insert", r).Text
		if strings.Count(text, want) != strings.Count(r.Text, want)+1 {
			t.Errorf("%s: %s", name, text)
		}
		after := ask[*StateAnswer](t, "state", with(r, func(r *Request) { r.Text, r.Lenient = text, true })).State
		if before.Cause == nil || after == nil || len(after.Left) == 0 || after.Cause != nil && after.Cause.Thread == before.Cause.Thread {
			t.Errorf("%s: before %+v, after %+v", name, before.Cause, after)
		}
	}
}

// TestComparePairs: a run under each model beside each other one.
func TestComparePairs(t *testing.T) {
	for _, model := range []string{"sc", "tso", "pso"} {
		for _, other := range []string{"sc", "tso", "pso"} {
			r := example(t, "mp.fp")
			r.Model = model
			o := ask[*OutcomesAnswer](t, "outcomes", r)
			for _, row := range o.Outcomes {
				for k, cell := range row.Cells {
					if o.Models[k].Model != model || !cell.Reached {
						continue
					}
					s := ask[*StateAnswer](t, "state", with(r, func(r *Request) { r.Witness = cell.Witness })).State
					c := ask[*CompareAnswer](t, "compare", with(r, func(r *Request) { r.Run, r.Other = s.Run, other }))
					same := true
					for _, m := range c.Matches {
						same = same && m.Possible && m.Instead == ""
					}
					// A stronger model follows the run exactly if it has the outcome; a weaker one always does.
					has := false
					for j, there := range row.Cells {
						has = has || o.Models[j].Model == other && there.Reached
					}
					if c.State == nil || c.State.Model != other || len(c.Matches) != len(s.Run) || same && !has {
						t.Errorf("%s beside %s, %s: the same %v, possible there %v", model, other, row.State, same, has)
					}
					if weaker := strings.Index("sc tso pso", model) <= strings.Index("sc tso pso", other); weaker && !same {
						t.Errorf("%s beside %s, %s: %+v", model, other, row.State, c.Matches)
					}
				}
			}
		}
	}
}

func with(r Request, change func(*Request)) Request {
	change(&r)
	return r
}

// TestRefused: what is wrong with a request is said, and nothing of it is answered.
func TestRefused(t *testing.T) {
	sb := example(t, "sb.fp")
	forged := &verdict.Witness{Threads: []string{"t1", "t2"}, Steps: []verdict.Step{{Thread: 0, Kind: verdict.StepFlush, Edge: -1, Of: 0}}}
	for _, c := range []struct {
		kind string
		body Request
		want FailureKind
		text string
	}{
		{"state", with(sb, func(r *Request) { r.Run = []string{"f0"} }), BadRun, "step 1 of the run (f0) is not possible"},
		{"state", with(sb, func(r *Request) { r.Witness = forged }), BadRun, "not one of this program"},
		{"state", with(sb, func(r *Request) { r.Model = "arm" }), BadRequest, "arm"},
		{"share", with(sb, func(r *Request) { r.Run, r.Format = []string{"9"}, "svg" }), BadRun, "step 1"},
		{"share", with(sb, func(r *Request) { r.Format = "png" }), BadRequest, "png"},
		{"insert", sb, NoFence, "no cycle"},
		{"robust", with(sb, func(r *Request) { r.Model = "sc" }), BadRequest, "SC"},
		{"fences", with(sb, func(r *Request) { r.Model = "sc" }), BadRequest, "SC"},
		{"state", with(sb, func(r *Request) { r.Text = strings.Repeat(" ", maxText+1) }), BadRequest, "KiB"},
		{"rm", sb, BadRequest, "there is no request"},
	} {
		body, _ := json.Marshal(c.body)
		_, err := Ask(t.Context(), c.kind, body, Limits{}, nil)
		failed := (*Failure)(nil)
		if !errors.As(err, &failed) || failed.Kind != c.want || !strings.Contains(failed.Message, c.text) {
			t.Errorf("%s: %v", c.kind, err)
		}
	}
	for _, body := range []string{"", "[]", `{"nmae":"x"}`, `{"run":7}`, strings.Repeat(" ", MaxRequest+1)} {
		if _, err := Ask(t.Context(), "state", []byte(body), Limits{}, nil); err == nil || err.(*Failure).Kind != BadRequest {
			t.Errorf("%.20q: %v", body, err)
		}
	}
}

// TestNoFiles: a program cannot read files by their names.
func TestNoFiles(t *testing.T) {
	r := Request{Name: "../../../etc/passwd.c", Text: "#include \"explorer_test.go\"\nint main(void) { return 0; }\n"}
	s := ask[*StateAnswer](t, "state", r)
	if s.State != nil || len(s.Diagnostics) == 0 || !strings.Contains(s.Diagnostics[0].Message, "explorer_test.go") || s.Diagnostics[0].Pos.File != "passwd.c" {
		t.Errorf("%+v", s)
	}
}

// TestCanceled: a search whose client went away ends.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	body, _ := json.Marshal(example(t, "peterson.fp"))
	for _, kind := range []string{"check", "outcomes", "graph"} {
		_, err := Ask(ctx, kind, body, Limits{Workers: 1}, nil)
		if failed := (*Failure)(nil); !errors.As(err, &failed) || failed.Kind != Canceled {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestPage: the page names only files that there are, has every script, and no text of a program ends its start.
func TestPage(t *testing.T) {
	page, err := Index(Start{Program: &Program{Text: "</script><script>alert(1)</script>"}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(page), "alert(1)</script>") || strings.Contains(string(page), startMark) {
		t.Error("the text of the program is not escaped")
	}
	for _, a := range Assets() {
		if !strings.Contains(string(page), `"`+a.Name+`"`) && !strings.HasPrefix(a.Name, "worker") {
			t.Errorf("the page does not load %s", a.Name)
		}
		if strings.Contains(string(a.Text), "http://") && !strings.Contains(string(a.Text), "http://www.w3.org/") {
			t.Errorf("%s names an address elsewhere", a.Name)
		}
	}
}
