package explorer_test

import (
	"encoding/json"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/explorer"
)

var rowPrograms = flag.Int("fp.rows", 60, "random programs of which every outcome is replayed")

// TestEveryRow: in the tables of random programs and of litmus tests, the execution of every cell leads to the final
// state of its row under the model of its column, and a state that a model has is one of every weaker model.
func TestEveryRow(t *testing.T) {
	type program struct{ name, text string }
	var list []program
	for i := range *rowPrograms {
		list = append(list, program{"p.fp", randomProgram(rand.New(rand.NewPCG(uint64(i), 3)))})
	}
	root := filepath.Join("..", "..", "testdata", "litmus")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".litmus" {
			return err
		}
		text, err := os.ReadFile(path)
		list = append(list, program{filepath.Base(path), string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, cells, weak := 0, 0, 0
	for _, p := range list {
		r := explorer.Request{Name: p.name, Text: p.text}
		table := asked[*explorer.OutcomesAnswer](t, "outcomes", r)
		if len(table.Models) != 3 {
			t.Errorf("%s: %+v", p.name, table.Diagnostics)
			continue
		}
		for _, row := range table.Outcomes {
			rows++
			if table.Models[0].Complete && !row.Cells[0].Reached {
				weak++
			}
			for k, cell := range row.Cells {
				if k > 0 && row.Cells[k-1].Reached && !cell.Reached && table.Models[k].Complete {
					t.Errorf("%s\n%s: %s is not an outcome of %s", p.name, p.text, row.State, table.Models[k].Model)
				}
				if !cell.Reached {
					continue
				}
				cells++
				if cell.Witness == nil {
					t.Errorf("%s under %s: %s has no execution", p.name, table.Models[k].Model, row.State)
					continue
				}
				r.Model, r.Witness = table.Models[k].Model, cell.Witness
				s := asked[*explorer.StateAnswer](t, "state", r).State
				if s.Final != row.State || s.Model != r.Model {
					t.Errorf("%s under %s: %q, want %q\n%s", p.name, r.Model, s.Final, row.State, p.text)
				}
				// The same run again by the names of its steps, as in a link.
				again := asked[*explorer.StateAnswer](t, "state", explorer.Request{Name: p.name, Text: p.text, Model: r.Model, Run: s.Run}).State
				if again.Final != row.State {
					t.Errorf("%s under %s, run %s: %q, want %q", p.name, r.Model, strings.Join(s.Run, ","), again.Final, row.State)
				}
			}
		}
	}
	t.Logf("%d programs, %d rows, %d executions, %d rows that SC does not have", len(list), rows, cells, weak)
	if weak == 0 || cells < 3*len(list) {
		t.Error("the test shows little")
	}
}

// asked returns the answer to a request.
func asked[T any](t *testing.T, kind string, r explorer.Request) T {
	t.Helper()
	body, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := explorer.Ask(t.Context(), kind, body, explorer.Limits{Workers: 1}, nil)
	if err != nil {
		t.Fatalf("%s of %s: %v\n%s", kind, r.Name, err, r.Text)
	}
	return answer.(T)
}
