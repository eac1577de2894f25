package smt

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestMemory: a solver that needs more memory than its limit says so, whatever it is.
func TestMemory(t *testing.T) {
	defer func(old uint64) { programBytes = old }(programBytes)
	programBytes = 64 << 20
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			s, err := StartNamed(context.Background(), name, Limit{Work: 2_000_000_000, Time: time.Hour, Memory: 1 << 20})
			if missing := (*MissingError)(nil); errors.As(err, &missing) {
				t.Skipf("notice: %v", err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			// Many constants and products of them, for which no solver has room in so little memory.
			s.Declare("(declare-const x0 (_ BitVec 64))")
			for i := range 50_000 {
				s.Declare("(declare-const x" + number(i+1) + " (_ BitVec 64))")
				s.Declare("(assert (= x" + number(i+1) + " (bvmul x" + number(i) + " (bvadd x0 #x00000000000000" + string("0123456789abcdef"[i%16]) + "1))))")
			}
			if _, _, err := s.Check(nil, []string{"(bvult x0 #x0000000000000010)"}, nil); !errors.Is(err, ErrMemory) {
				t.Errorf("%v", err)
			}
		})
	}
}

func number(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return number(n/10) + string(rune('0'+n%10))
}
