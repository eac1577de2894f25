package certificate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Proofs in the format LRAT as text, as the solver of package sat and others write them. A line has the number of a clause, its
// literals, 0, the numbers of clauses, and 0. Lines with "d" drop clauses.

// CheckLRAT returns nil if a proof shows that the clauses, with numbers from 1 on, have no model in which all literals
// of the goal are false. A literal is a variable from 1 on, negative if it is negated. Derived clauses have the numbers
// that come next.
func CheckLRAT(clauses [][]int32, proof io.Reader, goal []int32) error {
	d := deriver{clauses: slices.Clone(clauses)}
	in := bufio.NewScanner(proof)
	in.Buffer(nil, 1<<26)
	shown := false
	for n := 1; in.Scan(); n++ {
		id, clause, hints, drop, err := lratLine(in.Text())
		switch {
		case err != nil:
		case drop:
			for _, h := range hints {
				if h >= 1 && h <= len(d.clauses) {
					d.clauses[h-1] = nil
				}
			}
			continue
		case id != len(d.clauses)+1:
			err = fmt.Errorf("the next clause is %d, not %d", len(d.clauses)+1, id)
		default:
			err = d.derive(clause, hints)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		shown = shown || !slices.ContainsFunc(clause, func(l int32) bool { return !slices.Contains(goal, l) })
	}
	if err := in.Err(); err != nil {
		return err
	}
	if !shown {
		return errors.New("the proof ends without the goal")
	}
	return nil
}

// lratLine reads a line.
func lratLine(text string) (id int, clause []int32, hints []int, drop bool, err error) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return 0, nil, nil, false, errors.New("an empty line")
	}
	if drop = len(fields) > 1 && fields[1] == "d"; drop {
		fields = slices.Delete(fields, 1, 2)
	}
	var lists [2][]int
	at := 0
	for k, f := range fields {
		v, err := strconv.ParseInt(f, 10, 32)
		switch {
		case err != nil || k == 0 && v <= 0 || at > 1 || at == 1 && v < 0 && !drop || v == -1<<31:
			return 0, nil, nil, false, fmt.Errorf("%q is no number that can stand there", f)
		case k == 0:
			id = int(v)
		case v == 0:
			at++
		default:
			lists[at] = append(lists[at], int(v))
		}
	}
	if drop && at == 1 {
		return id, nil, lists[0], true, nil
	}
	if drop || at != 2 {
		return 0, nil, nil, false, errors.New("the line does not end with 0")
	}
	for _, l := range lists[0] {
		clause = append(clause, int32(l))
	}
	return id, clause, lists[1], false, nil
}
