package smt

import (
	"context"
	"strings"
	"testing"
	"time"
)

func start(t *testing.T) *Solver {
	t.Helper()
	if !Available() {
		t.Skip(ErrMissing)
	}
	s, err := Start(context.Background(), Limit{Work: 200_000, Time: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// integer declares an integer.
func integer(s *Solver, name string) Term {
	x := Constant(name, Integer)
	s.Send(Declare(x))
	return x
}

func TestQuestionsAreApart(t *testing.T) {
	s := start(t)
	x, y, zero := integer(s, "x"), integer(s, "y"), Number(0, Integer)
	below := Apply(Less, x, zero)
	status, values, err := s.Check([]Term{Apply(Less, x, y), Equals(y, Number(-3, Integer)), Apply(Greater, x, Number(-5, Integer))}, []Term{x, y, below})
	if err != nil || status != Sat || values[0] != "-4" || values[1] != "-3" || values[2] != "true" {
		t.Errorf("%v %q, %v", status, values, err)
	}
	if status, _, err = s.Check([]Term{below, Apply(Greater, x, zero)}, nil); err != nil || status != Unsat {
		t.Errorf("%v, %v", status, err)
	}
	if status, values, err = s.Check([]Term{Equals(x, Number(7, Integer))}, []Term{x}); err != nil || status != Sat || values[0] != "7" {
		t.Errorf("after an unsatisfiable question: %v %q, %v", status, values, err)
	}
	if s.Queries() != 3 {
		t.Errorf("%d questions counted", s.Queries())
	}
}

// TestWork: a question that takes more than its work is left without an answer, and the next one
// has all of it again.
func TestWork(t *testing.T) {
	s := start(t)
	if s.Name() != "z3" {
		t.Skip("only z3 counts its work")
	}
	x, y := Constant("x", Vector(64)), Constant("y", Vector(64))
	s.Send(Declare(x))
	s.Send(Declare(y))
	one := Bits(1, 64)
	factors := []Term{
		Equals(Apply(VectorMultiply, x, y), Bits(0x7fffffffffffffe7, 64)), Apply(LessUnsigned, one, x), Apply(LessUnsigned, one, y),
		Apply(LessUnsigned, x, Bits(1<<32, 64)), Apply(LessUnsigned, y, Bits(1<<32, 64)),
	}
	for range 2 {
		if status, _, err := s.Check(factors, nil); err != nil || status != Unknown {
			t.Errorf("%v, %v", status, err)
		}
		if status, _, err := s.Check([]Term{Equals(x, y)}, nil); err != nil || status != Sat {
			t.Errorf("afterwards: %v, %v", status, err)
		}
	}
}

func TestBadTermIsAnError(t *testing.T) {
	s := start(t)
	if status, _, err := s.Check([]Term{Equals(Constant("undeclared", Integer), Number(1, Integer))}, nil); err == nil {
		t.Errorf("answered %v", status)
	}
}

func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if Available() {
		t.Error("found a solver in an empty directory")
	}
	if _, err := Start(context.Background(), Limit{}); err != ErrMissing {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(ErrMissing.Error(), "apt-get install z3") {
		t.Error("the message does not say what to do")
	}
}

func TestContextEndsTheSolver(t *testing.T) {
	if !Available() {
		t.Skip(ErrMissing)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s, err := Start(ctx, Limit{Work: 1_000_000, Time: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cancel()
	s.cmd.Wait()
	if status, _, err := s.Check([]Term{True}, nil); err == nil {
		t.Errorf("a solver that has ended answered %v", status)
	}
}

func TestReadExpr(t *testing.T) {
	for text, want := range map[string]string{
		"((x 1))": "((x 1))", " ( (|a b| (- 3)) ) ": "((|a b| (- 3)))", "sat": "sat", "()": "()",
	} {
		x, err := readExpr(strings.NewReader(text))
		if err != nil || x.String() != want {
			t.Errorf("%q: %v, %v", text, x, err)
		}
	}
	for _, text := range []string{"", "(", ")", "((a)"} {
		if x, err := readExpr(strings.NewReader(text)); err == nil {
			t.Errorf("%q: %v", text, x)
		}
	}
}
