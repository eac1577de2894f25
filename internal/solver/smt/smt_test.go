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

func TestQuestionsAreApart(t *testing.T) {
	s := start(t)
	s.Declare("(declare-const x Int)")
	status, values, err := s.Check([]string{"(declare-const y Int)"}, []string{"(< x y)", "(= y (- 3))", "(> x (- 5))"}, []string{"x", "y", "(< x 0)"})
	if err != nil || status != Sat || values[0] != "-4" || values[1] != "-3" || values[2] != "true" {
		t.Errorf("%v %q, %v", status, values, err)
	}
	if status, _, err = s.Check(nil, []string{"(< x 0)", "(> x 0)"}, nil); err != nil || status != Unsat {
		t.Errorf("%v, %v", status, err)
	}
	if status, values, err = s.Check(nil, []string{"(= x 7)"}, []string{"x"}); err != nil || status != Sat || values[0] != "7" {
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
	s.Declare("(declare-const x (_ BitVec 64))")
	s.Declare("(declare-const y (_ BitVec 64))")
	factors := []string{"(= (bvmul x y) #x7fffffffffffffe7)", "(bvult #x0000000000000001 x)", "(bvult #x0000000000000001 y)", "(bvult x #x0000000100000000)", "(bvult y #x0000000100000000)"}
	for range 2 {
		if status, _, err := s.Check(nil, factors, nil); err != nil || status != Unknown {
			t.Errorf("%v, %v", status, err)
		}
		if status, _, err := s.Check(nil, []string{"(= x y)"}, nil); err != nil || status != Sat {
			t.Errorf("afterwards: %v, %v", status, err)
		}
	}
}

func TestBadTermIsAnError(t *testing.T) {
	s := start(t)
	if status, _, err := s.Check(nil, []string{"(= undeclared 1)"}, nil); err == nil {
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
	if status, _, err := s.Check(nil, []string{"true"}, nil); err == nil {
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
