package verdict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bound is a limit the search was run with.
type Bound struct {
	Name  string `json:"name"` // such as "buffer", "unroll", "recursion"
	Value int    `json:"value"`
	Low   int    `json:"low,omitempty"` // "domain" and "nondet-range": the least value
	Hit   bool   `json:"hit"`           // the limit cut something off
	// Given says that the user set the limit, by an option or an options: comment;
	// otherwise it is the default. A search that meets a default limit is never Safe.
	Given bool `json:"given"`
	Pos   *Pos `json:"pos,omitempty"` // where it was hit
	// Code and What are the diagnostic of a construct that is not supported (BoundUnsupported).
	Code string `json:"code,omitempty"`
	What string `json:"what,omitempty"`
}

// BoundUnsupported is the name of the bound that executions hit where they come to a construct that
// is not supported.
const BoundUnsupported = "unsupported"

// BoundFloatingPoint is the name of the bound that executions hit where they come to floating point in
// an engine that does not support it.
const BoundFloatingPoint = "floating-point"

// BoundInlining is the name of the bound that executions hit which make calls that are left out of a program that is too
// large with all of them.
const BoundInlining = "inlining"

// NotSupportedNote begins the note of a step that reaches a construct that is not supported.
const NotSupportedNote = "not supported: "

// Unsupported is a construct of the program that is not supported and that an execution reaches.
type Unsupported struct {
	Code    string `json:"code"` // of the diagnostic
	Message string `json:"message"`
	Pos     *Pos   `json:"pos,omitempty"`
	// Witness is the execution that reaches the construct, under Model. It is nil if none was found in
	// time.
	Witness *Witness `json:"witness,omitempty"`
	Model   string   `json:"model,omitempty"`
}

// Shown reports whether there is an execution that reaches a construct.
func (u *Unsupported) Shown() bool { return u != nil && u.Witness != nil }

// String says which construct is not supported, and where it is: "f.c:3:5: floating point is not
// supported [C0101]".
func (u *Unsupported) String() string {
	text := u.Message
	if u.Pos != nil {
		text = u.Pos.String() + ": " + text
	}
	if u.Code != "" {
		text += " [" + u.Code + "]"
	}
	return text
}

// String returns the bound in words, such as "at most 8 buffered stores per thread (bound
// hit at f.c:5)".
func (b Bound) String() string {
	text := b.limit()
	switch {
	case b.Name == "nondet-range", b.Name == "calls", b.Name == "threads" && b.Pos == nil: // part of the question
	case b.Name == BoundUnsupported && b.Pos != nil:
		text += " at " + b.Pos.String()
	case b.Name == BoundFloatingPoint && b.Pos != nil:
		text += " and which executions reach at " + b.Pos.String()
	case b.Hit && b.Pos != nil && b.Pos.Line > 0:
		file, line := b.Pos.SourceLine()
		text += fmt.Sprintf(" (bound hit at %s:%d)", file, line)
	case b.Hit:
		text += " (bound hit)"
	}
	return text
}

func (b Bound) limit() string {
	n := int64(b.Value)
	switch b.Name {
	case "buffer":
		return "at most " + counted(n, "buffered store", "buffered stores") + " per thread"
	case "unroll":
		return "at most " + counted(n, "iteration", "iterations") + " per loop"
	case "recursion":
		return "at most " + counted(n, "nested recursive call", "nested recursive calls")
	case "threads":
		if b.Pos != nil { // of a statement that starts threads in a loop
			return "at most " + counted(n, "thread", "threads") + " started by one statement"
		}
		return counted(n, "thread", "threads") + " per template"
	case "rounds":
		return "at most " + counted(n, "round", "rounds") + " of all threads"
	case "clock":
		return counted(n, "time", "times") + " at which stores reach memory"
	case "queue":
		return "at most " + counted(n-1, "waiting store", "waiting stores") + " per location"
	case "width":
		return "numbers of at most " + counted(n, "bit", "bits")
	case "domain":
		return fmt.Sprintf("values of memory from %s to %s", grouped(int64(b.Low)), grouped(n))
	case "nondet-range":
		return fmt.Sprintf("inputs from %s to %s", grouped(int64(b.Low)), grouped(n))
	case "calls":
		return "clients with at most " + counted(n, "concurrent call", "concurrent calls")
	case "locations":
		return counted(n, "tracked location", "tracked locations")
	case BoundUnsupported:
		if b.What == "" {
			return "constructs that are supported"
		}
		return "constructs that are supported (" + b.What + ")"
	case BoundFloatingPoint:
		return "no floating point, which bmc does not support"
	case BoundInlining:
		return "the calls that were found in random executions, of a program that is too large with all of its calls inlined"
	case "section":
		return "at most " + counted(n, "step", "steps") + " of other threads beside a section"
	default:
		return fmt.Sprintf("%s at most %s", b.Name, grouped(n))
	}
}

// Option returns the command line option that sets the bound, with its value, or "" if
// there is none.
func (b Bound) Option() string {
	switch b.Name {
	case "buffer", "unroll", "rounds", "clock", "queue", "width":
		return fmt.Sprintf("--%s %d", b.Name, b.Value)
	case "recursion", "threads":
		return fmt.Sprintf("--unroll %d", b.Value)
	case "domain":
		return fmt.Sprintf("--domain %d..%d", b.Low, b.Value)
	default:
		return ""
	}
}

// Met returns the bounds that cut something off.
func (c *Coverage) Met() []Bound {
	var out []Bound
	for _, b := range c.Bounds {
		if b.Hit && !slices.ContainsFunc(out, func(o Bound) bool { return o.String() == b.String() }) {
			out = append(out, b)
		}
	}
	return out
}

// Beyond returns the bound that says that executions reach a construct that is not supported, or nil.
func (c *Coverage) Beyond() *Bound {
	for i := range c.Bounds {
		if b := &c.Bounds[i]; b.Hit && b.Name == BoundUnsupported {
			return b
		}
	}
	return nil
}

// Complete reports whether a search that found nothing is an answer: it left out no
// execution, or only executions beyond bounds that the user set.
func (c *Coverage) Complete() bool {
	if c.Exhaustive {
		return true
	}
	met := c.Met()
	for _, b := range met {
		if !b.Given {
			return false
		}
	}
	return len(met) > 0
}

// BoundText returns the bounds that were met, in words; "all executions" if all were covered.
func (c *Coverage) BoundText() string {
	if c.Exhaustive {
		return "all executions"
	}
	var words []string
	for _, b := range c.Met() {
		words = append(words, b.String())
	}
	if len(words) == 0 {
		return "not all executions"
	}
	return strings.Join(words, ", ")
}

func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// grouped returns a number with commas between groups of three digits.
func grouped(n int64) string {
	s, sign := strconv.FormatInt(n, 10), ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}
