package testkit_test

import (
	"testing"

	"fencepost/verdict"
)

// Examples of Bouajjani, Calin, Derevenetc, Meyer: Lazy TSO Reachability.

// [BCDM15 Fig. 1]: simplified Dekker. Both threads can be in their critical sections under
// TSO only, by the computation of §2.1, which flushes the store of the first thread at
// the end.
func TestBCDM15Fig1(t *testing.T) {
	e := paperExample(t, "bcdm15-fig1")
	e.verdicts("safe unsafe unsafe")
	if err := e.computation("t1:isu t1:ld t1:loc t2:isu t2:st t2:ld t2:loc t1:st"); err != nil {
		t.Error(err)
	}
}

// [BCDM15 Fig. 8]: the diamond between the accesses changes nothing.
func TestBCDM15Fig8(t *testing.T) { paperExample(t, "bcdm15-fig8").verdicts("safe unsafe unsafe") }

// [BCDM15 Fig. 9]: the goal needs two rounds of the loop, with delayed stores.
func TestBCDM15Fig9(t *testing.T) { paperExample(t, "bcdm15-fig9").verdicts("safe unsafe unsafe") }

// [BCDM15 Fig. 12]: safe, with stores in an endless loop. Under TSO the answer is safe up
// to the bound on buffers, and names the bound.
func TestBCDM15Fig12(t *testing.T) {
	e := paperExample(t, "bcdm15-fig12")
	e.verdicts("safe safe safe")
	if r := e.results["sc"]; !r.Coverage.Exhaustive {
		t.Errorf("sc: %+v", r.Coverage)
	}
	if r := e.results["tso"]; r.Verdict != verdict.Safe || r.Coverage.Exhaustive || len(r.Coverage.Bounds) == 0 || !r.Coverage.Bounds[0].Hit {
		t.Errorf("tso: %s %+v", r.Verdict, r.Coverage)
	}
}
