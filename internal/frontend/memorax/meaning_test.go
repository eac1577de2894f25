package memorax_test

import (
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/frontend/memorax"
	"fencepost/internal/memory"
	"fencepost/internal/testkit"
)

func TestMeaning(t *testing.T) {
	sb := func(write string) string {
		return "forbidden C C data x = 0 y = 0 process text " + write + "x := 1; read: y = 0; C: nop process text " + write + "y := 1; read: x = 0; C: nop"
	}
	one := func(data, registers, text string) string {
		if registers != "" {
			registers = " registers " + registers
		}
		return "forbidden A data " + data + " process" + registers + " text " + text + "; A: nop"
	}
	testkit.CheckMeanings(t, memorax.Parse, map[string]testkit.Meaning{
		"store buffering": {sb("write: "), "", "0"},
		"locked write":    {sb("locked write: "), "", ""},
		"syncwr":          {sb("syncwr: "), "", ""},
		"locked block":    {strings.NewReplacer("L x := 1", "locked { write: x := 1; nop; nop }", "L y := 1", "locked { write: y := 1; nop; nop }").Replace(sb("L ")), "", ""},
		"fence":           {strings.ReplaceAll(sb("write: "), "; read", "; fence; read"), "", ""},
		"cas drains":      {strings.ReplaceAll(strings.Replace(sb("write: "), "y = 0 process", "y = 0 z = 0 process", 1), "; read", "; cas(z, 0, 0); read"), "", ""},

		"write outside":   {one("x = 0 : [0:1]", "$r = 2", "write: x := $r"), "", ""},
		"write inside":    {one("x = 0 : [0:1]", "$r = 1", "write: x := $r"), "0", "0"},
		"assign outside":  {one("x = 0", "$r = 1 : [0:1]", "$r := $r + 1"), "", ""},
		"read outside":    {one("x = 2", "$r = 1 : [0:1]", "read: $r := x"), "", ""},
		"read inside":     {one("x = 2", "$r = 1 : [0:2]", "read: $r := x; assume: $r = 2"), "0", "0"},
		"cas outside":     {one("x = 0 : [0:1]", "$r = 2", "cas(x, 0, $r)"), "", ""},
		"cas differs":     {one("x = 0", "", "cas(x, 1, 0)"), "", ""},
		"cas":             {one("x = 0", "", "cas(x, 0, 5); read: x = 5"), "0", "0"},
		"wait":            {one("x = 0", "", "read: x = 1"), "", ""},
		"pointer":         {one("x = 0 y = 4", "$p = 1 $r = 0", "read: $r := [$p]; assume: $r = 4; write: [$p - 1] := 6; read: x = 6"), "0", "0"},
		"pointer outside": {one("x = 0 y = 4", "$p = 2", "write: [$p] := 0"), "", ""},
		"branches":        {one("x = 0", "$r = 0 : [0:2]", "either { $r := 1 or $r := 2 }; while $r > 1 do $r := $r - 1; assume: $r = 1"), "0", "0"},

		"any variable":         {one("x = * : [3:4]", "", "read: x = 4"), "0", "0"},
		"any variable outside": {one("x = * : [3:4]", "", "read: x = 0"), "", ""},
		"any register":         {one("x = 0", "$r = * : [3:4]", "assume: $r = 4"), "0", "0"},
		"any register outside": {one("x = 0", "$r = * : [3:4]", "assume: $r < 3 || $r > 4"), "", ""},
		"one choice for all":   {"forbidden A A data x = * : [0:1] process text read: x = 0; A: nop process text read: x = 1; A: nop", "", ""},

		"neighbours": {
			"forbidden A A A process data f = 1 text read: f[my] = 1; read: f[0] = 2; read: f[1] = 3; A: nop " +
				"process data f = 2 text read: f[my] = 2; read: f[0] = 1; read: f[1] = 3; A: nop " +
				"process data f = 3 text read: f[my] = 3; read: f[0] = 1; read: f[1] = 2; A: nop", "0", "0",
		},
		"copies": {"forbidden A * B; A A A; * * B data x = 0 process(2) data own = 0 text cas(x, 0, 1); A: write: own[my] := 1; nop " +
			"process text read: own[0] = 1; A: read: own[1] = 1; B: nop", "", ""},
		// A branch of a locked block that blocks is not taken, and what it wrote is
		// never seen.
		"blocked branch": {
			"forbidden A A; * B data x = 0 y = 0 process text locked { write: y := 1; write: x := 2; read: x = 0 or read: x = 0; write: x := 1; write: x := 3 }; A: nop " +
				"process text read: x = 3; A: read: y = 1; B: nop", "0", "0",
		},
		"macros": {
			"forbidden A A macro p(v, w) process text write: v := inc(1); read: w = (inc(inc(1)) - 1); A: nop endmacro " +
				"macro inc(n) n + 1 endmacro data x = 0 y = 0 p(x, y) p(y, x)", "0", "0",
		},
	})
}

// TestPublished: every published input translates.
func TestPublished(t *testing.T) { testkit.AllPublished(t, memorax.Parse, 4, "rmm/*.rmm") }

// TestPublishedAnswers reproduces the answers of Memorax on its own examples.
func TestPublishedAnswers(t *testing.T) {
	dir := testkit.Shared(t, "bench", "rmm")
	for name, tso := range map[string]bool{"dekker": true, "peterson": true, "dijkstra": true, "clh": false} {
		t.Run(name, func(t *testing.T) {
			u := testkit.Published(t, filepath.Join(dir, name+".rmm"), memorax.Parse)
			testkit.CompareReached(t, u, memory.SC, false)
			testkit.CompareReached(t, u, memory.TSO, tso)
		})
	}
}
