package cli

import (
	"testing"

	"fencepost/verdict"
)

func TestLitmusExit(t *testing.T) {
	differs := []verdict.LitmusDifference{{}}
	for _, c := range []struct {
		sum  verdict.LitmusSummary
		want int
	}{
		{verdict.LitmusSummary{Tests: 5, No: 5, Bounded: 5}, 0},
		{verdict.LitmusSummary{Unknown: 1}, 2},
		{verdict.LitmusSummary{NotRun: 1}, 2},
		{verdict.LitmusSummary{Unknown: 1, Differences: differs}, 1},
		{verdict.LitmusSummary{Refused: 1, Differences: differs}, 3},
		{verdict.LitmusSummary{Failed: 1, Refused: 1, Differences: differs}, 4},
	} {
		if got := litmusExit(&c.sum); got != c.want {
			t.Errorf("%+v: exit code %d, want %d", c.sum, got, c.want)
		}
	}
}
