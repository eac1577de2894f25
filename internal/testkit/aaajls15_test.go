package testkit_test

import (
	"testing"
)

// Examples of Abdulla, Aronis, Atig, Jonsson, Leonardsson, Sagonas: Stateless Model
// Checking for TSO and PSO.

// [AAAJLS15 Fig. 1]: r = s = 0 needs a buffer; four outcomes with one, three without.
func TestAAAJLS15Fig1(t *testing.T) {
	e := paperExample(t, "aaajls15-fig1")
	e.verdicts("safe unsafe unsafe")
	e.finals("sc", 3)
	e.finals("tso", 4)
	e.outcome("tso", "p:r=0 q:s=0", true)
}

// [AAAJLS15 Fig. 5]: forwarding; the three cases that must be distinguished by §2.
func TestAAAJLS15Fig5(t *testing.T) {
	e := paperExample(t, "aaajls15-fig5")
	for _, m := range []string{"sc", "tso", "pso"} {
		e.finals(m, 3)
		for _, values := range []string{"p:r=1 x=1", "p:r=1 x=2", "p:r=2 x=2"} {
			e.outcome(m, values, true)
		}
	}
}

// [AAAJLS15 Fig. 10]: in both threads the load of z is forwarded. The execution of
// Fig. 10(c) ends with s = 0 in p and s = 1 in q.
func TestAAAJLS15Fig10(t *testing.T) {
	e := paperExample(t, "aaajls15-fig10")
	e.verdicts("safe unsafe unsafe")
	e.outcome("tso", "p:r=1 p:s=0 q:r=0 q:s=1", true)
	e.outcome("tso", "p:s=0 q:s=0", true)
	e.outcome("sc", "p:s=0 q:s=0", false)
}

// [AAAJLS15 Fig. 11]: r = 1, s = 0 under PSO only.
func TestAAAJLS15Fig11(t *testing.T) {
	e := paperExample(t, "aaajls15-fig11")
	e.verdicts("not-observed not-observed observed")
	e.outcome("tso", "q:r=1 q:s=0", false)
	e.outcome("pso", "q:r=1 q:s=0", true)
}
