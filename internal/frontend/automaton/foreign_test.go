package automaton

import (
	"math/rand"
	"os"
	"regexp"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

type language func(*source.File, Options) (*Unit, *diag.List)

// account is everything a translation says: diagnostics, and the automata if it
// succeeded.
func account(t *testing.T, parse language, name, text string) string {
	t.Helper()
	f := source.NewFile(name, []byte(text))
	u, list := parse(f, Options{})
	var b strings.Builder
	for _, d := range list.All {
		b.WriteString(d.Severity.String() + " " + d.Code + " " + strings.TrimPrefix(d.Span.Pos.String(), name+":") + ": " + d.Message + "\n")
		for _, n := range d.Notes {
			b.WriteString("  " + strings.ReplaceAll(n, name+":", "") + "\n")
		}
	}
	if list.HasErrors() != (u.Program == nil) || list.HasErrors() != (u.Props == nil) {
		t.Error("a program beside errors, or neither")
	}
	if u.Program != nil {
		for _, err := range ir.Verify(u.Program) {
			t.Error(err)
		}
		b.WriteString(describe(f, u))
	}
	return b.String()
}

// foreign holds a language against its file of examples, where every code of the
// language must occur.
func foreign(t *testing.T, name string, parse language) {
	t.Helper()
	seen := map[string]bool{}
	golden(t, "testdata/"+name+".txt", func(t *testing.T, section, text string) string {
		got := account(t, parse, section, text)
		for _, code := range regexp.MustCompile(`FP\d{4}`).FindAllString(got, -1) {
			seen[code] = true
		}
		return got
	})
	checkCodes(t, name+"_codes.go", name+".md", seen)
}

func TestTrencher(t *testing.T) { foreign(t, "trencher", ParseTrencher) }
func TestMemorax(t *testing.T)  { foreign(t, "memorax", ParseMemorax) }

// TestForeignExamples: the examples of the manuals translate.
func TestForeignExamples(t *testing.T) {
	for name, parse := range map[string]language{"trencher": ParseTrencher, "memorax": ParseMemorax} {
		manual, err := os.ReadFile("../../../docs/languages/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(string(manual), "```\n")
		if len(parts) < 3 {
			t.Fatalf("the manual of %s has no example", name)
		}
		for i := 1; i < len(parts); i += 2 {
			u, list := parse(source.NewFile(name, []byte(parts[i])), Options{})
			if len(list.All) > 0 || u.Expect == "" || len(u.Props.Goals) == 0 {
				t.Errorf("%s, example %d: %+v, expects %q", name, (i+1)/2, list.All, u.Expect)
			}
		}
	}
}

// TestForeignLimits: what is too large is refused, and quickly.
func TestForeignLimits(t *testing.T) {
	deep := strings.Repeat
	process := "forbidden A process registers $r = 0 text A: "
	for name, c := range map[string]struct {
		parse      language
		text, code string
	}{
		"signs":       {ParseTrencher, "thread t\ninitial a\ntransition a a check " + deep("! ", 1<<20), codeDepth},
		"words":       {ParseTrencher, deep("thread ", 1<<20), codeTUnclosed},
		"registers":   {ParseTrencher, "thread t\ninitial a\n" + deep("transition a a check + 1 1\n", 1<<20), codeTooLarge},
		"noise":       {ParseTrencher, deep("\xff\n", 1<<20), codeTSyntax},
		"long number": {ParseTrencher, "memory_size " + deep("9", 1<<20), codeTNumber},
		"minus":       {ParseMemorax, process + "$r := " + deep("-", 1<<20), codeDepth},
		"sum":         {ParseMemorax, process + "$r := 1" + deep("+1", 1<<20), codeDepth},
		"not":         {ParseMemorax, process + "assume: " + deep("not ", 1<<20), codeDepth},
		"groups":      {ParseMemorax, process + "assume: " + deep("[", 1<<20), codeDepth},
		"blocks":      {ParseMemorax, process + deep("{", 1<<20), codeDepth},
		"ifs":         {ParseMemorax, process + deep("if true then ", 1<<20), codeDepth},
		"statements":  {ParseMemorax, process + deep("nop;", 1<<21), codeTooLarge},
		"processes":   {ParseMemorax, "forbidden A process(64) text A: nop" + deep(";nop", 1<<14), codeTooLarge},
		"doubling":    {ParseMemorax, "macro m0() nop; endmacro " + doubling(40) + process + "m40()", codeTooLarge},
		"recursion":   {ParseMemorax, "macro m() m() endmacro " + process + "m()", codeMRecursive},
		"argument":    {ParseMemorax, "macro m(a) a endmacro " + process + deep("m(", 1<<16), codeMMacro},
	} {
		_, list := c.parse(source.NewFile("l", []byte(c.text)), Options{})
		if !has(list, c.code) {
			t.Errorf("%s: %d diagnostics without %s", name, len(list.All), c.code)
		}
		for _, d := range list.All {
			if len(d.Message) > 300 {
				t.Errorf("%s: a message of %d bytes", name, len(d.Message))
			}
		}
	}
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

// TestForeignNoise: megabytes of nonsense end with few diagnostics.
func TestForeignNoise(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, c := range []struct {
		parse  language
		pieces string
	}{
		{ParseTrencher, "thread|t|end|\nend\n|initial|\ntransition|q0|q1|read|write|lock|1|-1|+|==|#|\n|\nthread"},
		{ParseMemorax, "forbidden|A|process|data|registers|text|$r|x|:=|=|:|;|{|}|[|]|(|)|1|*|if|then|while|do|read|write|locked|or|macro|endmacro|m|,|cas"},
	} {
		pieces := strings.Split(c.pieces, "|")
		var b strings.Builder
		for b.Len() < 4<<20 {
			b.WriteString(pieces[r.Intn(len(pieces))] + " ")
		}
		if _, list := c.parse(source.NewFile("noise", []byte(b.String())), Options{}); !list.HasErrors() || len(list.All) > 60 {
			t.Errorf("%d diagnostics", len(list.All))
		}
	}
}
