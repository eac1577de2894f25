package testkit_test

import (
	"testing"
)

// Examples of Bouajjani, Derevenetc, Meyer: Checking and Enforcing Robustness
// against TSO.

// [BDM13 Fig. 2]: under SC r1 = r2 = 0 is impossible after both threads have ended.
func TestBDM13Fig2(t *testing.T) {
	e := paperExample(t, "bdm13-fig2")
	e.verdicts("safe unsafe unsafe")
	e.outcome("sc", "t1:r1=0 t2:r2=0", false)
	e.outcome("tso", "t1:r1=0 t2:r2=0", true)
	e.finals("sc", 3)
	e.finals("tso", 4)
}

// [BDM13 Fig. 3]: the computation in the figure is an execution of the program of Fig. 2.
func TestBDM13Fig3(t *testing.T) {
	e := paperExample(t, "bdm13-fig2")
	if err := e.computation("t1:isu t1:ld t2:isu t2:st t2:ld t1:st"); err != nil {
		t.Error(err)
	}
	if err := e.computation("t1:isu t1:ld t1:st t2:isu t2:st t2:ld"); err == nil {
		t.Error("with the store not delayed the goal is reached, too")
	}
}
