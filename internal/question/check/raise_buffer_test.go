package check

import (
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

// TestLongerBuffers: a thread that stores eleven times needs longer buffers than the default, and the
// answer covers all executions. Where the user sets the bound, it is not raised; where no bound is
// enough, the default is reported.
func TestLongerBuffers(t *testing.T) {
	const eleven = `
var x, y, z;
thread a { reg r, i; while (i < 2) { z = 1; z = 2; z = 3; z = 4; z = 5; i = i + 1; } x = 1; r = y; assert r <= 1; }
thread b { reg s; y = 1; s = x; s = z; assert s <= 5; }
`
	r := ask1(t, eleven, query.CheckOptions{Options: query.Defaults()}, "tso").Results[0]
	if r.Verdict != verdict.Safe || !r.Coverage.Exhaustive {
		t.Errorf("%s, %+v", r.Verdict, r.Coverage)
	}
	given := query.CheckOptions{Options: query.Defaults()}
	given.Buffer = 4
	r = ask1(t, eleven, given, "tso").Results[0]
	if met := r.Coverage.Met(); r.Verdict != verdict.Safe || len(met) == 0 || met[0].Value != 4 {
		t.Errorf("with a bound: %s, %+v", r.Verdict, r.Coverage)
	}
	const endless = `
var x, y, z, go;
thread a { reg r; while (go == 0) { z = 1; } x = 1; r = y; assert r <= 1; }
thread b { reg s; y = 1; go = 1; s = x; s = z; assert s <= 1; }
`
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Engines = query.Engines{"explicit", "smc"}
	r = ask1(t, endless, opt, "pso").Results[0]
	if met := r.Coverage.Met(); r.Verdict != verdict.Unknown || len(met) == 0 || met[0].Value != 8 {
		t.Errorf("without end: %s, %+v", r.Verdict, r.Coverage)
	}
}
