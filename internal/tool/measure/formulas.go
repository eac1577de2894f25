package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// boundedMembers are the programs of families in the table, and how far their loops are unrolled.
var boundedMembers = []struct {
	member
	unroll int
}{
	{member{"fib", 5}, 20}, {member{"fib", 6}, 20}, {member{"sbn", 7}, 8}, {member{"readers", 12}, 13}, {member{"bufw", 20}, 20},
	{member{"casrot", 5}, 6}, {member{"ainc", 5}, 6}, {member{"writers", 5}, 6}, {member{"lastzero", 5}, 6}, {member{"szymanski", 1}, 2},
}

// formulas measures the two encodings of bounded model checking at fixed bounds under TSO: the size of the formula and
// the time to solve it. The programs are families, and the inputs in the directories beside the families in C.
func (m *measurement) formulas() error {
	if !m.only.MatchString("bmc") && !m.only.MatchString("formulas") {
		return nil
	}
	fmt.Fprintf(m.out, "## Formulas\n\nBounded model checking under TSO, rounds with `--rounds 3 --clock 3 --queue 3` against the order of events; "+
		"*all* says that the answer covers all executions. CPU seconds count the whole process, within 10 s by the clock, *solver* is by the clock.\n\n")
	fmt.Fprintf(m.out, "| program | unroll | rounds: clauses | CPU s | solver s | answer | order: clauses | CPU s | solver s | answer |\n"+
		"|---|---|---|---|---|---|---|---|---|---|\n")
	for _, f := range boundedMembers {
		err := m.with(f.member, func(program ...string) error {
			if i := slices.Index(program, "--unroll"); i >= 0 {
				program = slices.Delete(program, i, i+2)
			}
			return m.formula(f.String(), f.unroll, program)
		})
		if err != nil {
			return err
		}
	}
	if m.programs == "" {
		fmt.Fprintln(m.out)
		return nil
	}
	for _, pattern := range []string{"reach/*.txt", "rmm/*.rmm"} {
		paths, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Clean(m.programs)), pattern))
		if err != nil {
			return err
		}
		for _, path := range paths {
			name := filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
			if err := m.formula(name, 2, []string{path}); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(m.out)
	return nil
}

// formula prints the row of a program.
func (m *measurement) formula(name string, unroll int, program []string) error {
	row := fmt.Sprintf("| %s | %d |", name, unroll)
	for _, encoding := range [][]string{{"rounds", "--rounds", "3", "--clock", "3", "--queue", "3"}, {"order"}} {
		args := slices.Concat([]string{"check", "--json", "--engine", "bmc", "--model", "tso", "--timeout", "10s", "--unroll", strconv.Itoa(unroll), "--encoding"}, encoding, program)
		s, err := m.least(args...)
		if err != nil {
			return err
		}
		answer := s.verdict
		if s.complete {
			answer += ", all"
		}
		row += fmt.Sprintf(" %d | %.2f | %.2f | %s |", s.stats.Clauses, s.cpu, s.stats.SolverSeconds, answer)
	}
	_, err := fmt.Fprintln(m.out, strings.TrimSpace(row))
	return err
}
