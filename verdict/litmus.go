package verdict

// Litmus is the answer to a litmus test under one model as herd gives it, with
// final states where herd counts executions. The states themselves are
// Result.FinalStates, in herd's form and order; Outcomes says more about each.
type Litmus struct {
	Name        string          `json:"name"`
	Arch        string          `json:"arch,omitempty"` // X86, X86_64 or C
	Kind        string          `json:"kind"`           // Allowed (exists), Forbidden (~exists), Required (forall)
	Verdict     string          `json:"verdict"`        // Ok, No, or Unknown if the search did not get far enough
	Observation string          `json:"observation"`    // Sometimes, Always, Never, Unknown
	Positive    int             `json:"positive"`       // states that satisfy the proposition
	Negative    int             `json:"negative"`
	Condition   string          `json:"condition"`
	Hash        string          `json:"hash,omitempty"`
	Outcomes    []LitmusOutcome `json:"outcomes"`
	Notes       []string        `json:"notes,omitempty"`
	Loops       bool            `json:"loops,omitempty"` // loops were searched as they are, not unrolled
}

// LitmusOutcome is one final state.
type LitmusOutcome struct {
	State string   `json:"state"`
	Holds bool     `json:"holds"`        // satisfies the proposition
	SC    SCStatus `json:"sc,omitempty"` // where witnesses were asked for
	// Witness is an execution that ends in the state, if SC does not allow it and
	// witnesses were asked for.
	Witness *Witness `json:"witness,omitempty"`
}

// SCStatus says whether SC allows an outcome of another model.
type SCStatus string

// The statuses. The zero value says nothing.
const (
	SCAllows  SCStatus = "allowed"
	SCForbids SCStatus = "forbidden"
	SCUnknown SCStatus = "unknown" // not seen, but not everything was explored
)

// LitmusTest is one test under all models asked for.
type LitmusTest struct {
	File string // as messages name it
	Name string // relative to the directory given
	// Results has one result per model; none if the test was refused, which
	// Diagnostics explain, or if fencepost failed.
	Results     []Result
	Diagnostics []Diagnostic
	Failure     string // fencepost's own
	// Stated is the answer that a comment of the test states: Never, Sometimes, Always, DEADLOCK.
	Stated string
}

// Refused reports whether the test could not be read.
func (t *LitmusTest) Refused() bool {
	for _, d := range t.Diagnostics {
		if d.Severity == SeverityError {
			return true
		}
	}
	return false
}

// LitmusSummary counts the answers to many tests.
type LitmusSummary struct {
	Tests     int `json:"tests"`
	Runs      int `json:"runs"` // tests times models, as far as they ran
	Refused   int `json:"refused"`
	Failed    int `json:"failed"`
	NotRun    int `json:"not_run"` // because of an interruption
	Ok        int `json:"ok"`
	No        int `json:"no"`
	Unknown   int `json:"unknown"`
	Sometimes int `json:"sometimes"`
	Always    int `json:"always"`
	Never     int `json:"never"`
	Bounded   int `json:"bounded"` // runs in which a bound cut something off

	Compared    bool               `json:"compared"` // with expected answers
	Expected    int                `json:"expected"` // answers that were compared
	Differences []LitmusDifference `json:"differences,omitempty"`

	Seconds float64  `json:"seconds"`
	Models  []string `json:"models,omitempty"` // in their order
}

// LitmusDifference is a disagreement with an expected answer.
type LitmusDifference struct {
	File    string `json:"file"`
	Model   string `json:"model,omitempty"`
	Message string `json:"message"`
}
