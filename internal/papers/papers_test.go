package papers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTables: every row of every table is complete, no row stands twice, and the figures are numbers.
func TestTables(t *testing.T) {
	kinds := []string{"family", "corpus", "bmc", "mover", "papers"}
	answers := map[Ask][]string{
		Fences: {"robust", "not robust"}, Check: {"safe", "unsafe"}, Traces: {""}, Prove: {"value-robust", "abstracted"},
	}
	for _, table := range All() {
		if found, ok := Find(table.Name); !ok || found.Paper != table.Paper {
			t.Errorf("%s is not found", table.Name)
		}
		if (table.Ask == Check) != (table.Engine != "") || table.Doc == "" || table.Count == "" || table.Theirs == "" {
			t.Errorf("%s: %+v", table.Name, table)
		}
		seen := map[string]bool{}
		for _, r := range table.Rows {
			key := fmt.Sprint(r.Source, r.N, r.Model, r.Options)
			kind, name, _ := strings.Cut(r.Source, "/")
			switch {
			case seen[key]:
				t.Errorf("%s: %s stands twice: %s", table.Name, r.Program, key)
			case r.Program == "" || name == "" || !slices.Contains(kinds, kind):
				t.Errorf("%s: %+v has no program", table.Name, r)
			case (kind == "family") != (r.N > 0):
				t.Errorf("%s: %s has size %d", table.Name, r.Program, r.N)
			case !slices.Contains([]string{"sc", "tso", "pso"}, r.Model) || !slices.Contains(answers[table.Ask], r.Answer):
				t.Errorf("%s: %s is %q under %q", table.Name, r.Program, r.Answer, r.Model)
			}
			seen[key] = true
			for _, figure := range []string{r.Count, r.Seconds} {
				if _, err := strconv.ParseFloat(figure, 64); figure != "" && err != nil {
					t.Errorf("%s: %s: %v", table.Name, r.Program, err)
				}
			}
		}
	}
	if _, ok := Find("none"); ok {
		t.Error("found a table that does not exist")
	}
}

// TestWholeTables: the tables have the programs of the papers, each as often as the paper has rows for it.
func TestWholeTables(t *testing.T) {
	for name, want := range map[string]int{
		"trencher": 16,     // Table 2 of [BDM13]
		"nidhugg":  28 * 3, // Table 1 of [AAAJLS15]: 28 rows, three models
		"movers":   13,     // Table 1 of [BEMT18]
	} {
		table, ok := Find(name)
		if !ok || len(table.Rows) != want {
			t.Errorf("%s has %d rows, want %d", name, len(table.Rows), want)
		}
	}
}

// TestRead: a line that does not fit is an error with its number.
func TestRead(t *testing.T) {
	head := strings.Repeat("h\t", columns-1) + "h\n"
	rows, err := read(head + "sb\tfamily/sbn\t3\ttso\t--unroll 5 -D N\tsafe\t8\t0.1\n")
	if err != nil || len(rows) != 1 || rows[0].N != 3 || !slices.Equal(rows[0].Options, []string{"--unroll", "5", "-D", "N"}) || rows[0].Seconds != "0.1" {
		t.Errorf("%+v, %v", rows, err)
	}
	for text, want := range map[string]string{
		head + "sb\tfamily/sbn\n":            "line 2 has 2 columns",
		head + "sb\tf\tthree\ttso\t\t\t\t\n": "line 2: ",
	} {
		if _, err := read(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
