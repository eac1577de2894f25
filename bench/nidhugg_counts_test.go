package bench_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost"
	"fencepost/query"
)

var nidhuggLitmus = flag.String("fp.nidhugg", "", "folder tests/litmus of Nidhugg's sources, whose counts of reads-from classes are compared")

// TestNidhuggCounts compares the number of reads-from classes under SC of every litmus test of Nidhugg with what its
// authors recorded: a read whose value is not used, such as that of an exchange as which a compiler writes a seq_cst
// store, tells no classes apart (make weak-traces).
func TestNidhuggCounts(t *testing.T) {
	if *nidhuggLitmus == "" {
		t.Skip("Nidhugg's litmus tests: their folder is not there (make weak-traces)")
	}
	list, err := os.Open(filepath.Join(*nidhuggLitmus, "reference.results.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	equal, differ := 0, 0
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		row := strings.Fields(lines.Text()) // NAME Forbid : COUNT
		if len(row) != 4 || row[0] == "#" {
			continue
		}
		path := filepath.Join(*nidhuggLitmus, "C-tests", row[0]+".c")
		got, err := countClasses(path)
		if want := row[1] + " : " + row[3]; err != nil || got != want {
			t.Errorf("%s: %q, they have %q (%v)", row[0], got, want, err)
			differ++
		} else {
			equal++
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if t.Logf("%d counts are equal, %d differ", equal, differ); equal == 0 {
		t.Error("no count was compared")
	}
}

// countClasses counts the reads-from classes of a program under SC, and says whether a check fails in one.
func countClasses(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	opt := query.TraceOptions{Model: query.SC, By: query.ByReadsFrom}
	opt.Workers = 1
	a, err := fencepost.Traces(context.Background(), query.Input{Name: path, Text: text}, opt)
	if err != nil {
		return "", err
	}
	if a.HasErrors() || a.Set.Reason != "" {
		return "", fmt.Errorf("%v %s", a.Diagnostics, a.Set.Reason)
	}
	found := "Forbid"
	if a.Set.Failing > 0 {
		found = "Allow"
	}
	return fmt.Sprintf("%s : %d", found, a.Set.Total), nil
}
