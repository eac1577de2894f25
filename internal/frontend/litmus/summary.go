package litmus

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"fencepost/internal/property"
)

// Summary has the text that herd prints about a test, with states where herd counts
// executions.
type Summary struct {
	States   []string // one line each, such as "0:rax=0; [x]=1;", in herd's order
	Holds    []bool   // of each state, whether it satisfies the proposition
	Positive int      // states that satisfy the proposition
	Negative int
	Ok       bool // the condition with its quantifier holds
}

// Observation is herd's word for how often the proposition holds.
func (s *Summary) Observation() string {
	switch {
	case s.Positive == 0:
		return "Never"
	case s.Negative == 0:
		return "Always"
	default:
		return "Sometimes"
	}
}

// Summarize makes a summary of final states as engines write them: name=value
// for all of Props.Observe in order, with blanks between.
func (u *Unit) Summarize(finals []string) (*Summary, error) {
	type line struct {
		values []int64
		holds  bool
	}
	shown := 0
	for _, it := range u.Shown {
		shown += len(it.Vars)
	}
	var lines []line
	seen := map[string]bool{}
	for _, f := range finals {
		values, err := u.Values(f)
		if err != nil {
			return nil, err
		}
		if u.Filter != nil && !evaluate(u.Filter, u.filterAt, values) {
			continue
		}
		key := fmt.Sprint(values[:shown])
		if seen[key] {
			continue
		}
		seen[key] = true
		lines = append(lines, line{values[:shown], evaluate(u.Cond, u.condAt, values)})
	}
	sort.Slice(lines, func(i, j int) bool { return slices.Compare(lines[i].values, lines[j].values) < 0 })
	s := &Summary{}
	for _, l := range lines {
		s.States = append(s.States, u.State(l.values))
		s.Holds = append(s.Holds, l.holds)
		if l.holds {
			s.Positive++
		} else {
			s.Negative++
		}
	}
	switch u.Quantifier {
	case property.Exists:
		s.Ok = s.Positive > 0
	case property.Never:
		s.Ok = s.Positive == 0
	case property.Forall:
		s.Ok = s.Negative == 0
	default:
		panic("BUG: a test without a quantifier")
	}
	return s, nil
}

// Values reads a final state: the values of Props.Observe in order.
func (u *Unit) Values(final string) ([]int64, error) {
	parts := strings.Fields(final)
	if len(parts) != len(u.Props.Observe) {
		return nil, fmt.Errorf("final state %q does not have the %d values observed", final, len(u.Props.Observe))
	}
	out := make([]int64, len(parts))
	for i, p := range parts {
		name, text, _ := strings.Cut(p, "=")
		v, err := strconv.ParseInt(text, 10, 64)
		if name != u.Props.Observe[i].Name || err != nil {
			return nil, fmt.Errorf("final state %q: expected a value of %s", final, u.Props.Observe[i].Name)
		}
		out[i] = v
	}
	return out, nil
}

func evaluate(c *property.Cond, at []int, values []int64) bool {
	mine := make([]int64, len(at))
	for i, k := range at {
		mine[i] = values[k]
	}
	return c.Eval(mine)
}

// State is a final state as herd prints it, given the values of the observed
// variables in order.
func (u *Unit) State(values []int64) string {
	var b strings.Builder
	for i, it := range u.Shown {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(it.Name + "=")
		if !it.Array {
			b.WriteString(u.Value(it.Vars[0], values[it.Vars[0]]))
		} else {
			b.WriteByte('{')
			for k, v := range it.Vars {
				if k > 0 {
					b.WriteByte(',')
				}
				b.WriteString(u.Value(v, values[v]))
			}
			b.WriteByte('}')
		}
		b.WriteByte(';')
	}
	return b.String()
}

// Value is the value of an observed variable as herd prints it: decimal, or the
// name of a location if it is an address and the test has addresses at all.
func (u *Unit) Value(observed int, v int64) string {
	typ := u.Props.Observe[observed].Type
	if u.addresses {
		for _, s := range u.symbols {
			if off := v - int64(s.addr); off == 0 {
				return s.name
			} else if off > 0 && off < s.size {
				return fmt.Sprintf("%s+%d", s.name, off)
			}
		}
	}
	if !typ.Signed && typ.Bits == 64 {
		return strconv.FormatUint(uint64(v), 10)
	}
	return strconv.FormatInt(v, 10)
}
