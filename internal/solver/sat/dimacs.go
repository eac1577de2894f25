package sat

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Formula is a list of clauses that can be written to a file.
type Formula struct {
	Vars    int
	Clauses int
	lits    []Lit // clauses one after the other, each ended by 0
}

// Add adds a clause.
func (f *Formula) Add(clause ...Lit) {
	for _, l := range clause {
		f.Vars = max(f.Vars, int(max(l, -l)))
	}
	f.lits = append(append(f.lits, clause...), 0)
	f.Clauses++
}

// Each calls do with every clause. The callee must not keep or change the slice.
func (f *Formula) Each(do func(clause []Lit)) {
	start := 0
	for i, l := range f.lits {
		if l == 0 {
			do(f.lits[start:i])
			start = i + 1
		}
	}
}

// Style is a language of formulas.
type Style uint8

// The styles.
const (
	_      Style = iota
	DIMACS       // of SAT solvers
	SMT2         // of SMT solvers: a variable v1 is a constant of sort Bool
)

// WriteDIMACS writes the formula with the assumptions as clauses of one literal.
func (f *Formula) WriteDIMACS(w io.Writer, assumptions ...Lit) error {
	return f.Write(w, DIMACS, nil, assumptions...)
}

// Write writes the formula with the assumptions as clauses of one literal, after comments.
func (f *Formula) Write(w io.Writer, style Style, comments []string, assumptions ...Lit) error {
	b := bufio.NewWriter(w)
	vars := f.Vars
	for _, l := range assumptions {
		vars = max(vars, int(max(l, -l)))
	}
	for _, c := range comments {
		fmt.Fprintf(b, "%s %s\n", map[Style]string{DIMACS: "c", SMT2: ";"}[style], c)
	}
	if style == SMT2 {
		f.writeSMT(b, vars, assumptions)
		return b.Flush()
	}
	fmt.Fprintf(b, "p cnf %d %d\n", vars, f.Clauses+len(assumptions))
	var num []byte
	put := func(l Lit, sep byte) {
		num = strconv.AppendInt(num[:0], int64(l), 10)
		b.Write(num)
		b.WriteByte(sep)
	}
	for _, l := range f.lits {
		if l == 0 {
			put(0, '\n')
		} else {
			put(l, ' ')
		}
	}
	for _, l := range assumptions {
		put(l, ' ')
		put(0, '\n')
	}
	return b.Flush()
}

// writeSMT writes the clauses as assertions.
func (f *Formula) writeSMT(b *bufio.Writer, vars int, assumptions []Lit) {
	b.WriteString("(set-option :produce-models true)\n(set-logic QF_UF)\n")
	for v := 1; v <= vars; v++ {
		fmt.Fprintf(b, "(declare-const v%d Bool)\n", v)
	}
	put := func(l Lit) {
		if l < 0 {
			fmt.Fprintf(b, "(not v%d)", -l)
		} else {
			fmt.Fprintf(b, "v%d", l)
		}
	}
	assert := func(clause []Lit) {
		b.WriteString("(assert ")
		switch len(clause) {
		case 0:
			b.WriteString("false")
		case 1:
			put(clause[0])
		default:
			b.WriteString("(or")
			for _, l := range clause {
				b.WriteByte(' ')
				put(l)
			}
			b.WriteByte(')')
		}
		b.WriteString(")\n")
	}
	f.Each(assert)
	for _, l := range assumptions {
		assert([]Lit{l})
	}
	b.WriteString("(check-sat)\n(get-model)\n")
}

// parseAnswer reads the output of a solver: `s SATISFIABLE` and lines of values that
// begin with v, as in competitions, or the two lines MiniSat writes to a file.
func parseAnswer(r io.Reader) (Status, []bool, error) {
	status := StatusUnset
	var model []bool
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<30)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		values, isValues := strings.CutPrefix(line, "v ")
		switch line {
		case "s SATISFIABLE", "SAT", "SATISFIABLE":
			status = Sat
			continue
		case "s UNSATISFIABLE", "UNSAT", "UNSATISFIABLE":
			status = Unsat
			continue
		}
		if !isValues {
			if values = line; status != Sat || line == "" || !strings.ContainsAny(line[:1], "-0123456789") {
				continue
			}
		}
		for _, word := range strings.Fields(values) {
			n, err := strconv.Atoi(word)
			if err != nil {
				return StatusUnset, nil, fmt.Errorf("a value is no number: %q", word)
			}
			v := max(n, -n)
			if v > maxVars {
				return StatusUnset, nil, fmt.Errorf("a variable has too large a number: %q", word)
			}
			model = set(model, v, n > 0)
		}
	}
	return status, model, lines.Err()
}
