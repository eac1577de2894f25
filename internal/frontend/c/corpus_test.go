package c_test

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/testkit"
	"fencepost/verdict"
)

var update = flag.Bool("update", false, "write the computed answers into the programs")

// TestPrograms: programs that use what not every engine takes (blocks, conditions,
// barriers) get the verdicts their files expect under every model; the others are in
// the corpus that all engines share.
func TestPrograms(t *testing.T) {
	for _, c := range testkit.LoadCorpus(t, filepath.Join("testdata", "corpus")) {
		t.Run(strings.TrimSuffix(filepath.Base(c.Path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			results, err := c.Check(c.Options)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if !c.Meets(&r) {
					t.Errorf("%s: want %s, got %s (%s)", r.Model, c.Expect[r.Model], r.Verdict, r.Reason)
				}
			}
			if !*update && !testkit.InPart(t, c.Name(), 6) {
				return
			}
			all := c.Options
			all.Finals = true
			if results, err = c.Check(all); err != nil {
				t.Fatal(err)
			}
			c.CompareStored(t, results, *update)
		})
	}
}

// TestUnreduced: without reduction, and thereby with every store in its buffer, the
// verdicts are the same, as far as a search of moderate size can tell.
func TestUnreduced(t *testing.T) {
	decided, enough := 0, 10
	if testkit.Slow() {
		enough = 30
	}
	for _, c := range testkit.PartOf(t, testkit.LoadCorpus(t, filepath.Join("testdata", "corpus")), 4) {
		opt := c.Options
		opt.NoReduction, opt.Memory = true, 4<<20
		results, err := c.Check(opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.Verdict == verdict.Unknown {
				continue
			}
			decided++
			if !c.Meets(&r) {
				t.Errorf("%s under %s: want %s, got %s", c.Path, r.Model, c.Expect[r.Model], r.Verdict)
			}
		}
	}
	if decided < enough {
		t.Errorf("only %d verdicts", decided)
	}
}
