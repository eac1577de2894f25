package render_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"fencepost"
	"fencepost/query"
	"fencepost/render"
	"fencepost/verdict"
)

const buffering = "var x, y;\nthread p { reg r; x = 1; r = y; }\nthread q { reg r; y = 1; r = x; }\nnever p:r == 0 && q:r == 0;\n"

func results(t *testing.T, models ...query.Model) []verdict.Result {
	t.Helper()
	opt := query.CheckOptions{Options: query.Defaults(), Models: models}
	opt.Workers = 1
	a, err := fencepost.Check(context.Background(), query.Input{Name: "sb.fp", Text: []byte(buffering)}, opt)
	if err != nil || a.HasErrors() {
		t.Fatalf("%v %+v", err, a.Diagnostics)
	}
	return a.Results
}

// broken is a writer that takes nothing.
type broken struct{}

var errFull = errors.New("full")

func (broken) Write([]byte) (int, error) { return 0, errFull }

// TestText: one program under several models is a table, results about one model follow each other.
func TestText(t *testing.T) {
	var table, list bytes.Buffer
	both := results(t, query.SC, query.TSO)
	if err := render.Text(&table, both, render.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	for i, r := range both {
		if i > 0 {
			list.WriteString("\n")
		}
		if err := render.Text(&list, []verdict.Result{r}, render.TextOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := list.String(); !strings.Contains(got, "sb.fp: safe under SC") || !strings.Contains(got, "sb.fp: unsafe under TSO") {
		t.Errorf("one after the other:\n%s", got)
	}
	if got := table.String(); got == list.String() || !strings.Contains(got, "SC") || !strings.Contains(got, "unsafe") {
		t.Errorf("as a table:\n%s", got)
	}
	if strings.Contains(table.String(), "\x1b[") {
		t.Error("colours without being asked")
	}
	var coloured bytes.Buffer
	if err := render.Text(&coloured, both[1:], render.TextOptions{Color: true}); err != nil || !strings.Contains(coloured.String(), "\x1b[") {
		t.Errorf("no colours (%v)", err)
	}
}

// TestStored: results that were stored as JSON render as they would have at once.
func TestStored(t *testing.T) {
	both := results(t, query.SC, query.TSO)
	var stored, direct, later bytes.Buffer
	if err := render.JSON(&stored, both, nil); err != nil {
		t.Fatal(err)
	}
	read, err := render.ReadJSON(stored.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := render.Text(&direct, both, render.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := render.Text(&later, read, render.TextOptions{}); err != nil || direct.String() != later.String() {
		t.Errorf("at once:\n%s\nlater:\n%s\n%v", &direct, &later, err)
	}
}

// TestFailedWriter: the error of the writer is returned by every renderer.
func TestFailedWriter(t *testing.T) {
	both := results(t, query.TSO)
	for name, write := range map[string]func(io.Writer) error{
		"text": func(w io.Writer) error { return render.Text(w, both, render.TextOptions{}) },
		"json": func(w io.Writer) error { return render.JSON(w, both, nil) },
		"html": func(w io.Writer) error { return render.HTML(w, both) },
		"diagnostics": func(w io.Writer) error {
			return render.Diagnostics(w, []verdict.Diagnostic{{Code: "FP0001", Message: "m"}}, render.TextOptions{})
		},
	} {
		if err := write(broken{}); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
		var out bytes.Buffer
		if err := write(&out); err != nil || out.Len() == 0 {
			t.Errorf("%s: %d bytes, %v", name, out.Len(), err)
		}
	}
}

// TestFixes: SARIF has the patch of a repair as edits of lines, which lead to the text of the patch.
func TestFixes(t *testing.T) {
	a, err := fencepost.Fences(t.Context(), query.Input{Name: "sb.fp", Text: []byte(buffering)}, query.FenceOptions{})
	if err != nil || a.HasErrors() || len(a.Results) != 1 || len(a.Results[0].Repair.Patches) != 1 {
		t.Fatalf("%v %+v", err, a)
	}
	var out bytes.Buffer
	if err := render.SARIF(&out, a.Results, nil, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct{ Version string }
			}
			Results []struct {
				Fixes []struct {
					ArtifactChanges []struct {
						Replacements []struct {
							DeletedRegion   struct{ StartLine, StartColumn, EndLine, EndColumn int }
							InsertedContent struct{ Text string }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if len(log.Runs) != 1 || log.Runs[0].Tool.Driver.Version != "1.2.3" {
		t.Fatalf("%s", &out)
	}
	found := 0
	for _, r := range log.Runs[0].Results {
		for _, f := range r.Fixes {
			for _, c := range f.ArtifactChanges {
				lines := strings.SplitAfter(buffering, "\n")
				for i := len(c.Replacements) - 1; i >= 0; i-- { // from the last one, so that lines stay where they are
					found++
					one := c.Replacements[i]
					d := one.DeletedRegion
					if d.StartColumn != 1 || d.EndColumn != 1 || d.StartLine == 1 {
						t.Errorf("it replaces %+v", d)
					}
					lines = append(append(slices.Clone(lines[:d.StartLine-1]), one.InsertedContent.Text), lines[d.EndLine-1:]...)
				}
				if got := strings.Join(lines, ""); got != a.Results[0].Repair.Patches[0].Text {
					t.Errorf("the fix leads to %q", got)
				}
			}
		}
	}
	if found == 0 {
		t.Errorf("no fix in\n%s", &out)
	}
}
