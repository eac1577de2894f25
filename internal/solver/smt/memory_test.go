package smt

import (
	"context"
	"errors"
	"fmt"
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
			first := Constant("x0", Vector(64))
			s.Send(Declare(first))
			last := first
			for i := range 50_000 {
				next := Constant(fmt.Sprintf("x%d", i+1), Vector(64))
				s.Send(Declare(next))
				s.Send(Assert(Equals(next, Apply(VectorMultiply, last, Apply(VectorAdd, first, Bits(int64(i%16*16+1), 64))))))
				last = next
			}
			if _, _, err := s.Check([]Term{Apply(LessUnsigned, first, Bits(16, 64))}, nil); !errors.Is(err, ErrMemory) {
				t.Errorf("%v", err)
			}
		})
	}
}
