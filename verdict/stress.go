package verdict

// StressStatus compares the outcomes that the processor showed with the outcomes that TSO
// allows.
type StressStatus string

// The statuses.
const (
	StressAllowed   StressStatus = "allowed"   // every outcome that was seen is allowed
	StressForbidden StressStatus = "forbidden" // an outcome was seen that is not allowed
	StressUnknown   StressStatus = "unknown"   // the allowed outcomes are not all known, or no round ended
	StressNotRun    StressStatus = "not run"   // the test was not run; Reason says why
)

// StressTest is the result of a litmus test on the processor.
type StressTest struct {
	File        string       `json:"file"`
	Name        string       `json:"name"`
	Kind        string       `json:"kind,omitempty"` // as in Litmus
	Condition   string       `json:"condition,omitempty"`
	Status      StressStatus `json:"status"`
	Reason      string       `json:"reason,omitempty"`
	Rounds      int64        `json:"rounds"`
	Seconds     float64      `json:"seconds"` // of running
	Observation string       `json:"observation,omitempty"`
	Positive    int64        `json:"positive"` // rounds that satisfy the proposition
	Negative    int64        `json:"negative"`
	// Outcomes lists the outcomes that were seen, in herd's order.
	Outcomes []StressOutcome `json:"outcomes"`
	// NotSeen lists the outcomes that TSO allows and that no round had.
	NotSeen     []string     `json:"not_seen,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"`
	Failure     string       `json:"failure,omitempty"` // fencepost's own
}

// StressOutcome is a final state that the processor showed.
type StressOutcome struct {
	State   string   `json:"state"`
	Count   int64    `json:"count"`
	Holds   bool     `json:"holds"`   // satisfies the proposition
	Allowed bool     `json:"allowed"` // under TSO
	SC      SCStatus `json:"sc,omitempty"`
}

// Weak reports whether SC forbids the outcome.
func (o *StressOutcome) Weak() bool { return o.SC == SCForbids }

// Refused reports whether the test could not be read.
func (t *StressTest) Refused() bool {
	for _, d := range t.Diagnostics {
		if d.Severity == SeverityError {
			return true
		}
	}
	return false
}

// StressSummary counts the results of many tests.
type StressSummary struct {
	Tests     int     `json:"tests"`
	Allowed   int     `json:"allowed"`
	Forbidden int     `json:"forbidden"`
	Unknown   int     `json:"unknown"`
	NotRun    int     `json:"not_run"`
	Refused   int     `json:"refused"`
	Failed    int     `json:"failed"`
	Rounds    int64   `json:"rounds"`
	Weak      int     `json:"weak"`        // tests in which an outcome was seen that SC forbids
	WeakCount int64   `json:"weak_rounds"` // rounds with such an outcome
	Seconds   float64 `json:"seconds"`
}

// Add counts a test.
func (s *StressSummary) Add(t *StressTest) {
	s.Tests++
	s.Rounds += t.Rounds
	switch {
	case t.Failure != "":
		s.Failed++
	case t.Refused():
		s.Refused++
	case t.Status == StressAllowed:
		s.Allowed++
	case t.Status == StressForbidden:
		s.Forbidden++
	case t.Status == StressUnknown:
		s.Unknown++
	default:
		s.NotRun++
	}
	weak := int64(0)
	for i := range t.Outcomes {
		if t.Outcomes[i].Weak() {
			weak += t.Outcomes[i].Count
		}
	}
	if weak > 0 {
		s.Weak++
		s.WeakCount += weak
	}
}
