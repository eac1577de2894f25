package encode

import (
	"encoding/binary"
	"slices"

	"fencepost/internal/solver/smt"
)

// Answers that are known. An induction asks the same question again after a condition was dropped that has nothing to do
// with it, and a mover is asked about again with more invariants. Terms are numbered by their text. A goal that follows from
// a set of terms follows from every larger set; a question that was answered is not asked again. So each answer is one
// that the solver gave, or follows from one, and a second solver that confirms the questions confirms all.

// answers has the answers to questions.
type answers struct {
	numbers map[string]int
	terms   []numberedTerm
	answers map[string]*answer
	// implications has for each goal the smallest sets of terms from which it is known to follow, in ascending order. The goal -1
	// is the contradiction.
	implications map[int][][]int
}

// numberedTerm is a term, with the name that the solvers know it by; none: yet.
type numberedTerm struct{ term, name smt.Term }

// answer is the answer to a question, with the values of terms.
type answer struct {
	status smt.Status
	value  map[string]string
}

// values returns the values of terms. It returns false if some are not known.
func (a *answer) values(want []smt.Term) ([]string, bool) {
	if a.status != smt.Sat {
		return nil, true
	}
	out := make([]string, len(want))
	for i, t := range want {
		v, ok := a.value[t.String()]
		if !ok {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

func newAnswers() *answers {
	return &answers{numbers: map[string]int{}, answers: map[string]*answer{}, implications: map[int][][]int{}}
}

// number returns the number of a term.
func (k *answers) number(t smt.Term) int {
	text := t.String()
	n, ok := k.numbers[text]
	if !ok {
		n = len(k.terms)
		k.numbers[text] = n
		k.terms = append(k.terms, numberedTerm{term: t})
	}
	return n
}

// question asks for a state that satisfies what is given and violates a goal.
type question struct {
	known   *answers
	given   []int // in ascending order, each once
	goals   []int // likewise; goals that are known to follow are left out
	refuted bool  // it is known that there is no such state
}

// question returns the question about terms, without what is known already.
func (k *answers) question(given, goals []smt.Term) *question {
	q := &question{known: k}
	for _, t := range given {
		switch {
		case t.IsTrue():
		case t.IsFalse():
			q.refuted = true
		default:
			q.given = append(q.given, k.number(t))
		}
	}
	slices.Sort(q.given)
	q.given = slices.Compact(q.given)
	q.refuted = q.refuted || k.implied(q.given, -1)
	for _, t := range goals {
		if n := k.number(t); !t.IsTrue() && !k.implied(q.given, n) {
			q.goals = append(q.goals, n)
		}
	}
	slices.Sort(q.goals)
	q.goals = slices.Compact(q.goals)
	q.refuted = q.refuted || len(goals) > 0 && len(q.goals) == 0
	return q
}

// implied reports whether a goal is known to follow from terms.
func (k *answers) implied(given []int, goal int) bool {
	if _, there := slices.BinarySearch(given, goal); there {
		return true
	}
	return slices.ContainsFunc(k.implications[goal], func(set []int) bool { return subset(set, given) })
}

// subset reports whether a has no elements that b lacks. Both are in ascending order.
func subset(a, b []int) bool {
	for len(a) > 0 && len(a) <= len(b) {
		switch {
		case a[0] == b[0]:
			a, b = a[1:], b[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			return false
		}
	}
	return len(a) == 0
}

// key identifies a question.
func (q *question) key() string {
	key := make([]byte, 0, 2*(len(q.given)+len(q.goals))+1)
	for _, n := range q.given {
		key = binary.AppendUvarint(key, uint64(n)+1)
	}
	key = append(key, 0)
	for _, n := range q.goals {
		key = binary.AppendUvarint(key, uint64(n)+1)
	}
	return string(key)
}

// assertions returns the question as terms.
func (q *question) assertions() []smt.Term {
	var list, goals []smt.Term
	for _, n := range q.given {
		list = append(list, q.known.terms[n].term)
	}
	for _, n := range q.goals {
		goals = append(goals, q.known.terms[n].term)
	}
	if len(goals) > 0 {
		list = append(list, smt.Not(smt.And(goals...)))
	}
	return list
}

// add notes the answer to a question.
func (k *answers) add(q *question, status smt.Status, want []smt.Term, values []string) {
	a := &answer{status: status, value: map[string]string{}}
	for i := range values {
		a.value[want[i].String()] = values[i]
	}
	k.answers[q.key()] = a
	if status != smt.Unsat {
		return
	}
	goals := q.goals
	if len(goals) == 0 {
		goals = []int{-1}
	}
	for _, g := range goals {
		k.implications[g] = append(slices.DeleteFunc(k.implications[g], func(set []int) bool { return subset(q.given, set) }), q.given)
	}
}
