package text_test

import (
	"bytes"
	"testing"

	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// litmusResult is SB under a model; the first state satisfies the condition.
func litmusResult(model string, seconds float64, states ...string) verdict.Result {
	l := &verdict.Litmus{
		Name: "SB", Kind: "Allowed", Verdict: "No", Observation: "Never", Negative: len(states),
		Condition: `exists (0:rax=0 /\ 1:rax=0)`, Hash: "2d53e83cd627ba17ab11c875525e078b",
	}
	for _, s := range states {
		o := verdict.LitmusOutcome{State: s}
		if s == "0:rax=0; 1:rax=0;" {
			o.Holds, o.SC, o.Witness = true, verdict.SCForbids, &storeBuffering().w
			l.Verdict, l.Observation, l.Positive, l.Negative = "Ok", "Sometimes", 1, len(states)-1
		}
		l.Outcomes = append(l.Outcomes, o)
	}
	return verdict.Result{Model: model, Details: verdict.Details{FinalStates: states, Litmus: l}, Stats: verdict.Stats{Seconds: seconds},
		Coverage: verdict.Coverage{Exhaustive: true}}
}

func litmusTest() *verdict.LitmusTest {
	return &verdict.LitmusTest{Results: []verdict.Result{
		litmusResult("sc", 0.001, "0:rax=0; 1:rax=1;", "0:rax=1; 1:rax=0;"),
		litmusResult("tso", 1.234, "0:rax=0; 1:rax=0;", "0:rax=0; 1:rax=1;", "0:rax=1; 1:rax=0;"),
	}}
}

// herd's layout to the letter.
const herdSays = `Test SB Allowed
States 3
0:rax=0; 1:rax=0;
0:rax=0; 1:rax=1;
0:rax=1; 1:rax=0;
Ok
Witnesses
Positive: 1 Negative: 2
Condition exists (0:rax=0 /\ 1:rax=0)
Observation SB Sometimes 1 2
Time SB 1.23
Hash=2d53e83cd627ba17ab11c875525e078b

`

func TestLitmusIsHerds(t *testing.T) {
	var out bytes.Buffer
	text.Litmus(&out, &litmusTest().Results[1], false)
	if out.String() != herdSays {
		t.Errorf("got\n%swant\n%s", out.String(), herdSays)
	}
}

func TestLitmusGolden(t *testing.T) {
	loop := litmusTest().Results[0]
	loop.Coverage = verdict.Coverage{Bounds: []verdict.Bound{{Name: "unroll", Value: 2, Hit: true, Pos: &verdict.Pos{File: "sb.litmus", Line: 3, Col: 4}}}}
	loop.Litmus.Hash, loop.Litmus.Notes = "", []string{"time limit reached after 5 states"}
	var out bytes.Buffer
	text.Litmus(&out, &loop, true)
	golden(t, "litmus-loop.txt", out.Bytes())

	out.Reset()
	text.LitmusCompare(&out, litmusTest(), text.Options{})
	golden(t, "litmus-compare.txt", out.Bytes())

	out.Reset()
	text.LitmusCompare(&out, &verdict.LitmusTest{}, text.Options{})
	for _, s := range []verdict.LitmusSummary{
		{Tests: 1, Runs: 1, Ok: 1, Sometimes: 1, Seconds: 0.5},
		{Tests: 3067, Runs: 9201, Ok: 2302, No: 6899, Sometimes: 2302, Never: 6899, Compared: true, Expected: 9201, Seconds: 3},
		{Tests: 3, Runs: 2, No: 1, Unknown: 1, Refused: 1, Failed: 1, NotRun: 2, Bounded: 1, Compared: true, Expected: 1, Differences: []verdict.LitmusDifference{
			{File: "a/b.litmus", Model: "tso", Message: "verdict No, expected Ok"}, {File: "c.litmus", Message: "expected, but there is no such test"},
		}},
	} {
		text.LitmusSummary(&out, &s, text.Options{})
	}
	golden(t, "litmus-summary.txt", out.Bytes())
}
