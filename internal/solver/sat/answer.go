package sat

import (
	"context"
	"fmt"
	"strings"
)

// Answer is a solver that has been asked already: it knows one answer, and says whether the assumptions hold in it.
type Answer struct {
	f      Formula
	status Status
	model  []bool
}

// NewAnswer reads the answer of a solver: the output of a SAT solver, the file that MiniSat writes, or what an SMT solver
// prints about a formula that Formula.Write has written.
func NewAnswer(text string) (*Answer, error) {
	status, model, err := parseAnswer(strings.NewReader(text))
	if err == nil && status == StatusUnset {
		status, model, err = parseSMT(text)
	}
	switch {
	case err != nil:
		return nil, err
	case status == StatusUnset:
		return nil, fmt.Errorf("there is no line that says whether the formula is satisfiable")
	}
	return &Answer{status: status, model: model}, nil
}

// Status returns whether the formula is satisfiable, by the word of the solver.
func (a *Answer) Status() Status { return a.status }

// Add adds a clause.
func (a *Answer) Add(clause ...Lit) { a.f.Add(clause...) }

// Bytes returns the memory of the clauses.
func (a *Answer) Bytes() int64 { return 4 * int64(cap(a.f.lits)) }

// Limit has no effect: nothing is searched.
func (a *Answer) Limit(int64) {}

// Value returns the value of a literal in the answer. A literal that it does not mention is false.
func (a *Answer) Value(l Lit) bool { return value(a.model, l) }

// Solve returns Sat if the assumptions hold in the answer, and Unsat otherwise. It fails if the values do not satisfy
// the formula.
func (a *Answer) Solve(_ context.Context, assumptions ...Lit) (Status, error) {
	if a.status != Sat {
		return a.status, nil
	}
	n, bad := 0, 0
	a.f.Each(func(clause []Lit) {
		n++
		for _, l := range clause {
			if a.Value(l) {
				return
			}
		}
		if bad == 0 {
			bad = n
		}
	})
	if bad > 0 {
		return StatusUnset, fmt.Errorf("the values do not satisfy clause %d: they answer another formula, or the program or its options have changed since", bad)
	}
	for _, l := range assumptions {
		if !a.Value(l) {
			return Unsat, nil
		}
	}
	return Sat, nil
}

// value returns the value of a literal.
func value(model []bool, l Lit) bool {
	if l < 0 {
		return !value(model, -l)
	}
	return int(l) < len(model) && model[l]
}

// parseSMT reads the answer of an SMT solver: sat or unsat, and definitions (define-fun v1 () Bool true).
func parseSMT(text string) (Status, []bool, error) {
	words := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))
	status := StatusUnset
	var model []bool
	for i, w := range words {
		switch {
		case w == "unsat" && status == StatusUnset:
			status = Unsat
		case w == "sat" && status == StatusUnset:
			status = Sat
		case w == "define-fun" && i+5 < len(words):
			var n int
			if _, err := fmt.Sscanf(words[i+1], "v%d", &n); err != nil || n < 1 || n > maxVars || words[i+5] != "true" && words[i+5] != "false" {
				return StatusUnset, nil, fmt.Errorf("a definition that is no value of a variable: %s", words[i+1])
			}
			model = set(model, n, words[i+5] == "true")
		}
	}
	return status, model, nil
}

// maxVars bounds the variables of an answer.
const maxVars = 1 << 28

// set returns the model with the value of a variable.
func set(model []bool, v int, is bool) []bool {
	if v >= len(model) {
		model = append(model, make([]bool, v+1-len(model))...)
	}
	model[v] = is
	return model
}
