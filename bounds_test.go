package fencepost_test

import (
	"context"
	"testing"

	"fencepost"
	"fencepost/query"
	"fencepost/verdict"
)

// TestBoundsOfTheAPI: bounds that Options leaves at 0 are defaults, and a search that meets
// one is Unknown; a bound that is set makes the answer Safe within it.
func TestBoundsOfTheAPI(t *testing.T) {
	in := query.Input{Name: "ahead.fp", Text: []byte(`
var x, y, go;
thread a { reg r; while (go == 0) { x = 1; } r = y; }
thread b { reg s; go = 1; y = 1; s = x; assert s != 2; }
`)}
	for _, c := range []struct {
		buffer, unroll int
		want           verdict.Verdict
		bound          string
	}{
		{0, 0, verdict.Unknown, "buffer"},
		{query.DefaultBuffer, 0, verdict.Safe, "buffer"},
		{3, 0, verdict.Safe, "buffer"},
		{0, 2, verdict.Safe, "unroll"},
	} {
		opt := query.CheckOptions{Options: query.Defaults(), Models: []query.Model{query.PSO}}
		opt.Buffer, opt.Unroll = c.buffer, c.unroll
		a, err := fencepost.Check(context.Background(), in, opt)
		if err != nil || len(a.Results) != 1 {
			t.Fatal(err, a.Diagnostics)
		}
		r := &a.Results[0]
		if r.Verdict != c.want || r.BoundedOnly != (c.want == verdict.Unknown) {
			t.Errorf("buffer %d, unroll %d: %s %q, want %s", c.buffer, c.unroll, r.Verdict, r.Reason, c.want)
		}
		if met := r.Coverage.Met(); len(met) != 1 || met[0].Name != c.bound || met[0].Given != (c.want == verdict.Safe) {
			t.Errorf("buffer %d, unroll %d: met %+v", c.buffer, c.unroll, met)
		}
	}
}
