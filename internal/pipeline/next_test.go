package pipeline

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"fencepost/verdict"
)

func TestNext(t *testing.T) {
	at := &verdict.Pos{File: "f.c", Line: 6}
	met := func(bounds ...verdict.Bound) verdict.Coverage { return verdict.Coverage{Bounds: bounds} }
	unroll := verdict.Bound{Name: "unroll", Value: 8, Hit: true, Pos: at}
	const smaller = ", or ask about less: fewer threads, fewer rounds of loops"
	tests := []struct {
		name    string
		result  verdict.Result
		options map[string]any
		want    []string
	}{
		{"safe", verdict.Result{Verdict: verdict.Safe}, nil, nil},
		{"a default bound", verdict.Result{BoundedOnly: true, Coverage: met(unroll)}, nil,
			[]string{"to get an answer up to these bounds, set them: --unroll 8", "to search further: --unroll 16"}},
		{"one bound of two is given", verdict.Result{BoundedOnly: true, Coverage: met(unroll, verdict.Bound{Name: "buffer", Value: 3, Hit: true, Given: true})}, nil,
			[]string{"to get an answer up to these bounds, set them: --unroll 8", "to search further: --unroll 16 --buffer 6"}},
		{"a bound before any assertion", verdict.Result{Reason: "no execution comes to an assertion or its end within the bounds", Coverage: met(unroll)}, nil,
			[]string{"to search further than the bound that was met at f.c:6: --unroll 16",
				"to see whether threads wait for each other, ask with --deadlock; check that assumptions and inputs can hold"}},
		{"a bound without an option", verdict.Result{Coverage: met(verdict.Bound{Name: "section", Value: 2, Hit: true})}, nil,
			[]string{"to see how far each engine comes, ask with -v; a smaller program (fewer threads, fewer rounds) may be decided"}},
		{"an instruction", verdict.Result{Coverage: verdict.Coverage{Unsupported: &verdict.Unsupported{Code: "X0201", Message: "fsin is not supported"}}}, nil,
			[]string{"to get past it, see `fencepost explain X0201`"}},
		{"a function that reads input", verdict.Result{Coverage: verdict.Coverage{Unsupported: &verdict.Unsupported{Code: "C0301", Message: "scanf has no body, and what it does is not known"}}}, nil,
			[]string{"for a number that can be any, write `__VERIFIER_nondet_int()` instead of a call of scanf", "or say what it does, see `fencepost explain C0301`"}},
		{"a function outside machine code", verdict.Result{Coverage: verdict.Coverage{Unsupported: &verdict.Unsupported{Code: "X0202", Message: "g is not defined in the given files, and what it does is not known"}}}, nil,
			[]string{"give the file that defines g, too: `fencepost check FILE.o OTHER.o`", "or say what it does, with --extern-pure or --extern-fence: see `fencepost explain X0202`"}},
		{"time", verdict.Result{Reason: "explicit: time limit reached after 12 states"}, map[string]any{"timeout": time.Minute},
			[]string{"give more time, --timeout 10m" + smaller}},
		{"time, stored", verdict.Result{Reason: "time limit reached after 12 states"}, map[string]any{"timeout": 1.5e9},
			[]string{"give more time, --timeout 15s" + smaller}},
		{"time of one engine", verdict.Result{Reason: "time limit reached"}, map[string]any{"timeout": 6 * time.Minute, "engine": "bmc"},
			[]string{"give more time, --timeout 1h" + smaller, "without --engine, all engines are asked"}},
		{"memory", verdict.Result{Reason: "memory limit of 64 MiB reached after 12 states"}, nil,
			[]string{"give more memory with --memory, or ask --engine smc, which stores no states" + smaller}},
		{"memory of smc", verdict.Result{Reason: "memory limit of 64 MiB reached after 12 executions"}, map[string]any{"engine": "smc"},
			[]string{"give more memory with --memory" + smaller, "without --engine, all engines are asked"}},
		{"interrupted", verdict.Result{Reason: "interrupted after 12 states"}, nil,
			[]string{"the search was interrupted; --timeout ends it after a given time"}},
		{"nothing was checked", verdict.Result{Reason: "no execution reaches an assertion or its end: nothing was checked"}, nil,
			[]string{"to see whether threads wait for each other, ask with --deadlock; check that assumptions and inputs can hold"}},
		{"nothing was checked, deadlock was asked", verdict.Result{Reason: "no execution comes to its end"}, map[string]any{"deadlock": true},
			[]string{"to see how far each engine comes, ask with -v; a smaller program (fewer threads, fewer rounds) may be decided"}},
		{"no execution ends, and there are loops", verdict.Result{Reason: "no execution comes to its end", Coverage: verdict.Coverage{Checked: &verdict.Checked{Loops: true}}},
			map[string]any{"deadlock": true}, []string{"to see which loops go on for ever, ask with --liveness fair"}},
		{"no execution ends, loops were asked about", verdict.Result{Question: "assertions, non-termination", Reason: "no execution comes to its end"}, map[string]any{"deadlock": true},
			[]string{"to see which loops go on for ever, ask with --liveness fair; with --liveness off, only the rest is asked"}},
		{"no execution ends, all loops were asked about", verdict.Result{Question: "assertions, non-termination", Reason: "no execution comes to its end"},
			map[string]any{"deadlock": true, "endless": map[string]any{"liveness": "fair"}},
			[]string{"to see how far each engine comes, ask with -v; a smaller program (fewer threads, fewer rounds) may be decided"}},
		{"one delaying thread", verdict.Result{Engine: "robust", Model: "pso", Reason: "x: one delaying thread may not be enough to show a violation; and y"}, nil,
			[]string{"to explore the traces up to more rounds of loops: `fencepost check --robustness --model pso --engine smc --unroll 16`"}},
		{"a proof that lacks an order of stores", verdict.Result{Model: "pso", Details: verdict.Details{Proof: &verdict.Proof{Stores: []verdict.ProofStore{{
			ProofInstruction: verdict.ProofInstruction{Pos: &verdict.Pos{File: "f.c", Line: 3}},
			Overtakers:       []verdict.ProofInstruction{{Pos: &verdict.Pos{File: "f.c", Line: 4}}},
		}}}}}, nil, []string{"a store-store fence (sfence, a release store) between f.c:3 and f.c:4 keeps these stores in order; `fencepost check --model pso` decides a fixed number of threads without it"}},
		{"a proof that lacks an atomic store", verdict.Result{Model: "tso", Details: verdict.Details{Proof: &verdict.Proof{Stores: []verdict.ProofStore{
			{By: verdict.ByFlow}, {Repairs: []string{"a fence between the store (line 3) and the load (line 4)", "another one"}},
		}}}}, nil, []string{"a fence between the store (line 3) and the load (line 4) would help, or an invariant that excludes the states that are shown"}},
		{"another command", verdict.Result{Engine: "robust", Reason: "x takes more than 64 values"}, nil,
			[]string{"a smaller program (fewer threads, fewer rounds) may be decided"}},
	}
	for _, tt := range tests {
		r := tt.result
		if r.Verdict == verdict.Unset {
			r.Verdict = verdict.Unknown
		}
		r.Asked = &verdict.Asked{Command: cmp.Or(r.Engine, "check"), Options: tt.options}
		if got := Next(&r); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
