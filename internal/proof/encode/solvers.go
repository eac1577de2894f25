package encode

import (
	"context"
	"fmt"
	"strings"

	"fencepost/internal/solver/smt"
	"fencepost/query"
	"fencepost/verdict"
)

// Questions to the solver. A second solver may be asked every one of them again, and every one may be
// recorded as a text of its own. Of what the two contradict each other about nothing follows, and the
// proof fails: one of the solvers is wrong.

// Asker asks one solver or two.
type Asker struct {
	first, second *smt.Solver // second may be nil
	record        func(query.SMTQuestion)
	prelude       []smt.Command // the functions
	constants     []smt.Term    // in the order of their declarations, if questions are recorded
	asked         int
	known         *answers
	// Of the questions that the first solver answered: how many the second one answered in the same
	// way, not at all, and otherwise.
	confirmed, open, disputed int
}

// Solvers says which solvers are asked.
type Solvers struct {
	Limit  smt.Limit
	Second string                  // a second solver by name, which is asked every question again; "": none
	Record func(query.SMTQuestion) // gets every question; nil: none
}

// NewAsker starts the solvers.
func NewAsker(ctx context.Context, which Solvers) (*Asker, error) {
	first, err := smt.Start(ctx, which.Limit)
	if err != nil {
		return nil, err
	}
	s := &Asker{first: first, record: which.Record, known: newAnswers()}
	if which.Second != "" {
		if s.second, err = smt.StartNamed(ctx, which.Second, which.Limit); err != nil {
			first.Close()
			return nil, err
		}
	}
	return s, nil
}

// Close ends the solvers.
func (s *Asker) Close() {
	s.first.Close()
	if s.second != nil {
		s.second.Close()
	}
}

// Define adds a function.
func (s *Asker) Define(f *smt.Function) {
	s.prelude = append(s.prelude, f.Command)
	s.send(f.Command)
}

// declare declares a constant.
func (s *Asker) declare(constant smt.Term) {
	if s.record != nil {
		s.constants = append(s.constants, constant)
	}
	s.send(smt.Declare(constant))
}

func (s *Asker) send(command smt.Command) {
	s.first.Send(command)
	if s.second != nil {
		s.second.Send(command)
	}
}

// Check asks for a state that satisfies what is given and violates one of the goals; without goals, for a state that
// satisfies what is given. With Sat the second result has the values of the terms in want. What follows from earlier
// answers is not asked again.
func (s *Asker) Check(given, goals, want []smt.Term) (smt.Status, []string, error) {
	q := s.known.question(given, goals)
	if q.refuted {
		return smt.Unsat, nil, nil
	}
	if a := s.known.answers[q.key()]; a != nil {
		if values, ok := a.values(want); ok {
			return a.status, values, nil
		}
	}
	status, values, err := s.ask(q, want)
	if err == nil {
		s.known.add(q, status, want, values)
	}
	return status, values, err
}

// ask asks the solvers.
func (s *Asker) ask(q *question, want []smt.Term) (smt.Status, []string, error) {
	s.asked++
	short := s.short(q)
	status, values, err := s.first.Check(short, s.named(want))
	if err != nil {
		return status, values, err
	}
	if s.record != nil {
		s.record(query.SMTQuestion{Number: s.asked, Status: status.String(), Text: s.text(status, q.assertions())})
	}
	if s.second == nil || status == smt.Unknown {
		return status, values, nil
	}
	again, _, err := s.second.Check(short, nil)
	switch {
	case err != nil:
		return again, nil, err
	case again == status:
		s.confirmed++
	case again == smt.Unknown:
		s.open++
	default:
		s.disputed++
		return smt.Unknown, nil, nil
	}
	return status, values, nil
}

// short returns the assertions of a question, with names for terms: a solver reads each term once.
func (s *Asker) short(q *question) []smt.Term {
	var list, goals []smt.Term
	for _, n := range q.given {
		list = append(list, s.nameOf(n))
	}
	for _, n := range q.goals {
		goals = append(goals, s.nameOf(n))
	}
	if len(goals) > 0 {
		list = append(list, smt.Not(smt.And(goals...)))
	}
	return list
}

// nameOf returns the name of a term, which it defines.
func (s *Asker) nameOf(n int) smt.Term {
	t := &s.known.terms[n]
	if t.name.IsNone() {
		t.name = smt.Constant(fmt.Sprintf("term%d", n), smt.Bool)
		s.send(smt.Define(t.name, t.term))
	}
	return t.name
}

// named returns terms with the names that they have.
func (s *Asker) named(terms []smt.Term) []smt.Term {
	out := make([]smt.Term, len(terms))
	for i, t := range terms {
		out[i] = t
		if n, ok := s.known.numbers[t.String()]; ok && !s.known.terms[n].name.IsNone() {
			out[i] = s.known.terms[n].name
		}
	}
	return out
}

// text returns a question with the declarations of the constants in it.
func (s *Asker) text(status smt.Status, assertions []smt.Term) string {
	used := map[string]bool{}
	for _, a := range assertions {
		a.Symbols(func(name string) { used[name] = true })
	}
	var b strings.Builder
	b.WriteString("(set-info :smt-lib-version 2.6)\n(set-logic ALL)\n")
	if status != smt.Unknown {
		fmt.Fprintf(&b, "(set-info :status %s)\n", status)
	}
	for _, command := range s.prelude {
		b.WriteString(command.String() + "\n")
	}
	for _, x := range s.constants {
		if used[x.String()] {
			b.WriteString(smt.Declare(x).String() + "\n")
		}
	}
	for _, a := range assertions {
		b.WriteString(smt.Assert(a).String() + "\n")
	}
	b.WriteString("(check-sat)\n(exit)\n")
	return b.String()
}

// Report adds the work of the solvers to a proof.
func (s *Asker) Report(proof *verdict.Proof) {
	proof.Queries, proof.Solver = s.asked, s.first.Name()
	if s.second != nil {
		proof.CheckedWith = &verdict.ProofSecond{Solver: s.second.Name(), Confirmed: s.confirmed, Open: s.open, Disputed: s.disputed}
	}
}

// Dispute says that the solvers contradict each other; "" if they do not.
func (s *Asker) Dispute() string {
	if s.disputed == 0 {
		return ""
	}
	return fmt.Sprintf("%s and %s contradict each other in %d of %d questions", s.first.Name(), s.second.Name(), s.disputed, s.asked)
}
