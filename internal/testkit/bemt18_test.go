package testkit_test

import (
	"testing"
)

// Examples of Bouajjani, Enea, Mutluergil, Tasiran: Reasoning About TSO Programs Using
// Reduction and Abstraction.

// sameUnderTSO checks that SC and TSO have the same final states.
func (e *example) sameUnderTSO() {
	e.t.Helper()
	e.finals("tso", len(e.results["sc"].FinalStates))
	for _, f := range e.results["sc"].FinalStates {
		e.outcome("tso", f, true)
	}
}

// [BEMT18 Fig. 1]: message passing is robust.
func TestBEMT18Fig1(t *testing.T) {
	e := paperExample(t, "bemt18-fig1")
	e.verdicts("safe safe unsafe")
	e.sameUnderTSO()
}

// [BEMT18 Fig. 2]: store buffering with fences is robust, although the load of z
// may overtake the store of x.
func TestBEMT18Fig2(t *testing.T) {
	e := paperExample(t, "bemt18-fig2")
	e.verdicts("safe safe safe")
	e.sameUnderTSO()
}

// [BEMT18 Fig. 3]: under TSO the work-stealing queue can return an element twice. With the
// read abstraction of H it satisfies the idempotent specification.
func TestBEMT18Fig3(t *testing.T) {
	paperExample(t, "bemt18-fig3").verdicts("safe unsafe unsafe")
	paperExample(t, "bemt18-fig3-havoc").verdicts("safe safe unsafe") // PSO also reorders the stores of put
	// The abstraction has more behaviours, and can return an element twice under SC too.
	paperExample(t, "bemt18-fig3-havoc-twice").verdicts("unsafe unsafe unsafe")
}

// [BEMT18 Fig. 6]: same final states with and without the abstraction.
func TestBEMT18Fig6(t *testing.T) {
	for _, name := range []string{"bemt18-fig6", "bemt18-fig6-havoc"} {
		e := paperExample(t, name)
		e.verdicts("safe safe safe")
		e.sameUnderTSO()
	}
}
