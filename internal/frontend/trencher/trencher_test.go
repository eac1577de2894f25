package trencher

import (
	"flag"
	"strings"
	"testing"

	"fencepost/internal/frontend/statement"
	"fencepost/internal/frontend/statement/statementtest"
)

var update = flag.Bool("update", false, "rewrite the expected automata")

func TestExamples(t *testing.T) { statementtest.Examples(t, "trencher", *update, Parse) }

func TestManual(t *testing.T) { statementtest.Manual(t, "trencher", Parse) }

// TestLimits: texts that are too large are refused, and quickly.
func TestLimits(t *testing.T) {
	deep := strings.Repeat
	statementtest.Limits(t, Parse, map[string]statementtest.Limit{
		"signs":       {"thread t\ninitial a\ntransition a a check " + deep("! ", 1<<20), statement.CodeDepth},
		"words":       {deep("thread ", 1<<20), codeTUnclosed},
		"registers":   {"thread t\ninitial a\n" + deep("transition a a check + 1 1\n", 1<<20), statement.CodeTooLarge},
		"noise":       {deep("\xff\n", 1<<20), codeTSyntax},
		"long number": {"memory_size " + deep("9", 1<<20), codeTNumber},
	})
}

// TestNoise: megabytes of nonsense end with few diagnostics.
func TestNoise(t *testing.T) {
	statementtest.Noise(t, Parse, "thread|t|end|\nend\n|initial|\ntransition|q0|q1|read|write|lock|1|-1|+|==|#|\n|\nthread")
}

// TestByteOrderMark: the mark that some editors write is no part of the program.
func TestByteOrderMark(t *testing.T) {
	statementtest.ByteOrderMark(t, Parse, "memory_size 1\nthread t\ninitial a\ntransition a b noop\nend\n")
}

// FuzzParse: see statementtest.FuzzParse.
func FuzzParse(f *testing.F) { statementtest.FuzzParse(f, "testdata/trencher.txt", Parse) }

// FuzzFences: see statementtest.FuzzFences.
func FuzzFences(f *testing.F) { statementtest.FuzzFences(f, "testdata/trencher.txt", Parse) }
