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

// WriteDIMACS writes the formula with the assumptions as clauses of one literal.
func (f *Formula) WriteDIMACS(w io.Writer, assumptions ...Lit) error {
	b := bufio.NewWriter(w)
	vars := f.Vars
	for _, l := range assumptions {
		vars = max(vars, int(max(l, -l)))
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
			for len(model) <= v {
				model = append(model, false)
			}
			model[v] = n > 0
		}
	}
	return status, model, lines.Err()
}
