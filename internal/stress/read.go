package stress

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Run has the results that a program printed.
type Run struct {
	Rounds   int64
	Lost     int64 // rounds whose outcome did not fit into the table
	Finished bool  // false: a round did not come to its end
	Fault    bool  // the test accessed memory that is not there
	// Processors is how many processors the program could use, and Pinned whether each
	// thread was bound to one.
	Processors int
	Pinned     bool
	Outcomes   []Outcome
}

// Outcome is how rounds ended.
type Outcome struct {
	Count  int64
	Values []Value // of Test.Observe, in order
}

// Value is a number or an address.
type Value struct {
	IsAddress bool
	Address   Address
	Number    int64
}

// Read reads what the program of a test printed.
func Read(t *Test, output []byte) (*Run, error) {
	r := &Run{}
	ended := false
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		var err error
		switch word {
		case "rounds":
			r.Rounds, err = strconv.ParseInt(rest, 10, 64)
		case "lost":
			r.Lost, err = strconv.ParseInt(rest, 10, 64)
		case "finished":
			r.Finished = rest == "1"
		case "processors":
			r.Processors, err = strconv.Atoi(rest)
		case "pinned":
			r.Pinned = rest == "1"
		case "outcome":
			err = r.outcome(t, strings.Fields(rest))
		case "fault":
			r.Fault, ended = true, true
		case "end":
			ended = true
		default:
			err = fmt.Errorf("unknown word")
		}
		if err != nil {
			return nil, fmt.Errorf("the stress program printed %q: %w", lines.Text(), err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading what the stress program printed: %w", err)
	}
	if !ended {
		return nil, fmt.Errorf("the stress program ended early; it printed %q", clip(string(output)))
	}
	return r, nil
}

func clip(s string) string {
	if len(s) > 200 {
		return s[:200] + "..."
	}
	return s
}

func (r *Run) outcome(t *Test, words []string) error {
	if len(words) != len(t.Observe)+1 {
		return fmt.Errorf("want a count and %d values", len(t.Observe))
	}
	n, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return err
	}
	o := Outcome{Count: n}
	for _, w := range words[1:] {
		v, err := readValue(t, w)
		if err != nil {
			return err
		}
		o.Values = append(o.Values, v)
	}
	r.Outcomes = append(r.Outcomes, o)
	return nil
}

func readValue(t *Test, word string) (v Value, err error) {
	address, isAddress := strings.CutPrefix(word, "@")
	if !isAddress {
		v.Number, err = strconv.ParseInt(word, 10, 64)
		return v, err
	}
	location, offset, _ := strings.Cut(address, "+")
	v.IsAddress = true
	if v.Address.Location, err = strconv.Atoi(location); err != nil {
		return v, err
	}
	if v.Address.Location < 0 || v.Address.Location >= len(t.Locations) {
		return v, fmt.Errorf("no location %d", v.Address.Location)
	}
	v.Address.Offset, err = strconv.ParseInt(offset, 10, 64)
	return v, err
}
