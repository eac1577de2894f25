package memorax

import (
	"flag"
	"strings"
	"testing"

	"fencepost/internal/frontend/statement"
	"fencepost/internal/frontend/statement/statementtest"
)

var update = flag.Bool("update", false, "rewrite the expected automata")

func TestExamples(t *testing.T) { statementtest.Examples(t, "memorax", *update, Parse) }

func TestManual(t *testing.T) { statementtest.Manual(t, "memorax", Parse) }

// TestLimits: texts that are too large are refused, and quickly.
func TestLimits(t *testing.T) {
	deep := strings.Repeat
	process := "forbidden A process registers $r = 0 text A: "
	statementtest.Limits(t, Parse, map[string]statementtest.Limit{
		"minus":      {process + "$r := " + deep("-", 1<<20), statement.CodeDepth},
		"sum":        {process + "$r := 1" + deep("+1", 1<<20), statement.CodeDepth},
		"not":        {process + "assume: " + deep("not ", 1<<20), statement.CodeDepth},
		"groups":     {process + "assume: " + deep("[", 1<<20), statement.CodeDepth},
		"blocks":     {process + deep("{", 1<<20), statement.CodeDepth},
		"ifs":        {process + deep("if true then ", 1<<20), statement.CodeDepth},
		"statements": {process + deep("nop;", 1<<21), statement.CodeTooLarge},
		"processes":  {"forbidden A process(64) text A: nop" + deep(";nop", 1<<14), statement.CodeTooLarge},
		"doubling":   {"macro m0() nop; endmacro " + doubling(40) + process + "m40()", statement.CodeTooLarge},
		"recursion":  {"macro m() m() endmacro " + process + "m()", codeMRecursive},
		"argument":   {"macro m(a) a endmacro " + process + deep("m(", 1<<16), codeMMacro},
	})
}

// doubling is macros that each call the one before twice.
func doubling(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		call := "m" + string(rune('0'+(i-1)/10)) + string(rune('0'+(i-1)%10)) + "() "
		b.WriteString("macro m" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + "() " + call + call + "endmacro ")
	}
	return strings.ReplaceAll(b.String(), "m00()", "m0()")
}

// TestNoise: megabytes of nonsense end with few diagnostics.
func TestNoise(t *testing.T) {
	statementtest.Noise(t, Parse, "forbidden|A|process|data|registers|text|$r|x|:=|=|:|;|{|}|[|]|(|)|1|*|if|then|while|do|read|write|locked|or|macro|endmacro|m|,|cas")
}

// TestByteOrderMark: the mark that some editors write is no part of the program.
func TestByteOrderMark(t *testing.T) {
	statementtest.ByteOrderMark(t, Parse, "forbidden A data x = 0 process text A: nop")
}

// FuzzParse: see statementtest.FuzzParse.
func FuzzParse(f *testing.F) { statementtest.FuzzParse(f, "testdata/memorax.txt", Parse) }

// FuzzFences: see statementtest.FuzzFences.
func FuzzFences(f *testing.F) { statementtest.FuzzFences(f, "testdata/memorax.txt", Parse) }
