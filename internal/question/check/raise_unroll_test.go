package check

import (
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

// TestMoreRounds: a loop that goes round more often than the default bound allows gets an answer that covers all
// executions, unless the user set the bound. Rounds whose number constants decide, and rounds before another thread
// starts, count against no bound.
func TestMoreRounds(t *testing.T) {
	const searching = `
var a[14] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
thread search { reg i, v; i = 13; do { v = a[i]; i = i - 1; } while (v != 0); assert i >= -1; }
thread clear { a[6] = 0; }
`
	const counted = `
var x, y;
thread a { reg r, i; while (i < 20) { i = i + 1; } x = i; r = y; assert r <= 1; }
thread b { reg s; y = 1; s = x; assert s == 0 || s == 20; }
`
	for _, c := range []struct {
		name, text string
		engine     query.Engine
		portfolio  bool
		unroll     int
		want       verdict.Verdict
		exhaustive bool
	}{
		{"a loop over shared cells", searching, "smc", true, 0, verdict.Safe, true},
		{"with a bound", searching, "smc", true, 8, verdict.Safe, false},
		{"a counted loop", counted, "bmc", false, 0, verdict.Safe, true},
		{"a counted loop, with a bound", counted, "bmc", false, 2, verdict.Safe, true},
	} {
		opt := query.CheckOptions{Options: query.Defaults()}
		opt.Workers, opt.Unroll = 1, c.unroll
		if opt.Engines = (query.Engines{c.engine}); c.portfolio {
			opt.Engines = query.Engines{c.engine, "rf"} // an engine that is asked alone keeps its bound
		}
		r := ask1(t, c.text, opt, "tso").Results[0]
		if r.Verdict != c.want || r.Coverage.Exhaustive != c.exhaustive {
			t.Errorf("%s: %s, %+v", c.name, r.Verdict, r.Coverage)
		}
	}
}
