package litmus_test

import (
	"context"
	"fencepost/internal/question/litmus"
	"fmt"
	"strings"
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

func runLitmus(t *testing.T, text string, opt query.LitmusOptions, models ...string) verdict.LitmusTest {
	t.Helper()
	opt.Models = query.NamedModels(models...)
	test, err := litmus.Run(context.Background(), query.Input{Name: "t.litmus", Text: []byte(text)}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

func litmusOptions() query.LitmusOptions {
	return query.LitmusOptions{} // without limit of time: a machine may be slow
}

func TestLitmusAnswers(t *testing.T) {
	const mp = "X86_64 MP\n{}\n P0 | P1 ;\n movl $1,(x) | movl (y),%eax ;\n movl $1,(y) | movl (x),%ebx ;\n"
	const loop = "X86_64 L\n{}\n P0 ;\nL0: ;\n movl $1,(x) ;\n jmp L0 ;\n"
	const stray = "X86_64 S\n{ 0:rdi=x; }\n P0 ;\n movl 64(%rdi),%eax ;\n"
	tests := []struct {
		name, text string
		verdict    verdict.Verdict
		want       string // verdict, observation, counts
		note       string
	}{
		{"exists", mp + `exists (1:rax=1 /\ 1:rbx=0)`, verdict.Observed, "Ok Sometimes 1 3", ""},
		{"never", mp + `~exists (1:rax=1 /\ 1:rbx=0)`, verdict.Unsafe, "No Sometimes 1 3", ""},
		{"forall", mp + `forall (1:rax=0 \/ 1:rbx=1)`, verdict.Unsafe, "No Sometimes 3 1", ""},
		{"always", mp + `exists (x=1)`, verdict.Observed, "Ok Always 1 0", ""},
		{"filter", mp + "filter (1:rax=1)\n" + `exists (1:rbx=0)`, verdict.Observed, "Ok Sometimes 1 1", ""},
		{"filter drops everything", mp + "filter (1:rax=7)\n" + `exists (1:rbx=0)`, verdict.NotObserved, "No Never 0 0", "no final state satisfies the filter"},
		{"endless loop", loop + "~exists (x=0)", verdict.Unknown, "Unknown Unknown 0 0", "no execution comes to an end"},
		{"outside all locations", stray + "exists (0:rax=0)", verdict.Unsafe, "Unknown Unknown 0 0", "some executions end early: out-of-bounds"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			test := runLitmus(t, tt.text, litmusOptions(), "pso")
			if len(test.Results) != 1 {
				t.Fatalf("%+v", test.Diagnostics)
			}
			r := &test.Results[0]
			l := r.Litmus
			if got := fmt.Sprint(l.Verdict, " ", l.Observation, " ", l.Positive, " ", l.Negative); got != tt.want || r.Verdict != tt.verdict {
				t.Errorf("%s and %s, want %s and %s", got, r.Verdict, tt.want, tt.verdict)
			}
			if notes := strings.Join(l.Notes, "; "); !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
			if (r.Verdict == verdict.Unsafe || r.Verdict == verdict.Observed) != (r.Witness != nil) {
				t.Errorf("%s with an execution: %v", r.Verdict, r.Witness != nil)
			}
		})
	}
}

func TestLitmusRefusals(t *testing.T) {
	const nested = "X86_64 N\n{}\n P0 ;\nL0: ;\n incl (x) ;\nL1: ;\n incl (y) ;\n jne L1 ;\n jne L0 ;\nexists (x=1)"
	opt := litmusOptions()
	opt.Unroll = 100_000
	for text, code := range map[string]string{"X86_64": "LT0103", nested: "FP0905"} {
		test := runLitmus(t, text, opt, "sc")
		if !test.Refused() || len(test.Results) > 0 {
			t.Errorf("not refused: %.20s", text)
		} else if d := test.Diagnostics[len(test.Diagnostics)-1]; code == "FP0905" && d.Code != code {
			t.Errorf("%+v", d)
		}
	}
	opt = litmusOptions()
	opt.Models = query.Models{"arm"}
	if _, err := litmus.Run(context.Background(), query.Input{Text: []byte(nested)}, opt); err == nil {
		t.Error("an unknown model is accepted")
	}
}

// Outcomes that SC does not allow come with executions, in the order of models
// asked for; SC itself need not be asked for.
func TestLitmusWitnesses(t *testing.T) {
	const sb = "X86_64 SB\n{}\n P0 | P1 ;\n movl $1,(x) | movl $1,(y) ;\n movl (y),%eax | movl (x),%eax ;\nlocations [1:rax;]\nexists (0:rax=1)"
	opt := litmusOptions()
	opt.Witnesses = true
	test := runLitmus(t, sb, opt, "tso", "sc")
	if len(test.Results) != 2 || test.Results[0].Model != "tso" || test.Results[1].Model != "sc" {
		t.Fatalf("%+v", test.Results)
	}
	for _, r := range [][]verdict.LitmusOutcome{test.Results[0].Litmus.Outcomes, runLitmus(t, sb, opt, "pso").Results[0].Litmus.Outcomes} {
		var got []string
		for _, o := range r {
			got = append(got, fmt.Sprint(o.SC, " ", o.Witness != nil))
			if o.Witness != nil && o.Witness.Steps[0].Text == "" {
				t.Error("the steps have no text")
			}
		}
		if fmt.Sprint(got) != "[forbidden true allowed false allowed false allowed false]" {
			t.Errorf("%v", got)
		}
	}
}
