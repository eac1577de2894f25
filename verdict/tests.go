package verdict

// ProgramTest is a program with expectations and their outcomes.
type ProgramTest struct {
	File string // as messages name it
	// Outcomes has one entry per expectation, in the order of the program.
	Outcomes []TestOutcome
	// Problem is why nothing was asked: the expectation is malformed, the file cannot
	// be read.
	Problem string
	Line    int // of Problem, or 0
	Seconds float64
}

// TestOutcome compares one expectation with the answer.
type TestOutcome struct {
	Key    string // such as tso, robust
	Want   string
	Got    string // "" if not checked, or if there was no answer
	Detail string // what was found, or why there is no answer
	Status TestStatus
	Line   int // of the expectation
	// Seconds the answer took.
	Seconds float64
	// Result is the answer, nil if there is none.
	Result *Result
}

// Proved reports whether the answer is one that a stored certificate proves.
func (o *TestOutcome) Proved() bool { return o.Result != nil && o.Result.Engine == ByCertificate }

// ByCertificate stands for the engine in an answer that a stored certificate proves.
const ByCertificate = "certificate"

// TestStatus says how an expectation fared. The zero value is unset.
type TestStatus uint8

// The statuses.
const (
	TestUnset      TestStatus = iota
	TestPassed                // the answer is the expected one
	TestFailed                // it is another, or unknown
	TestRefused               // the program cannot be read
	TestBroken                // fencepost itself failed
	TestNotChecked            // nothing here can answer the question
	TestKnown                 // it is another, but an earlier run had the same violation
)

func (s TestStatus) String() string {
	switch s {
	case TestPassed:
		return "ok"
	case TestFailed:
		return "FAIL"
	case TestRefused:
		return "REFUSED"
	case TestBroken:
		return "BROKEN"
	case TestNotChecked:
		return "not checked"
	case TestKnown:
		return "known"
	default:
		panic("BUG: unset status of a test")
	}
}

// TestSummary counts the outcomes of many programs.
type TestSummary struct {
	Programs   int     `json:"programs"`
	Without    int     `json:"without"`  // files without an expectation
	NotRun     int     `json:"not_run"`  // because of an interruption
	Problems   int     `json:"problems"` // programs of which nothing could be asked
	Passed     int     `json:"passed"`   // expectations
	Failed     int     `json:"failed"`
	Refused    int     `json:"refused"`
	Broken     int     `json:"broken"`
	NotChecked int     `json:"not_checked"`
	Known      int     `json:"known"`            // violations that an earlier run had, too
	Proved     int     `json:"proved,omitempty"` // as expected, by stored certificates and not by a search
	Seconds    float64 `json:"seconds"`
}

// Add counts a program.
func (s *TestSummary) Add(t *ProgramTest) {
	s.Programs++
	if t.Problem != "" {
		s.Problems++
	}
	for _, o := range t.Outcomes {
		switch o.Status {
		case TestPassed:
			s.Passed++
			if o.Proved() {
				s.Proved++
			}
		case TestFailed:
			s.Failed++
		case TestRefused:
			s.Refused++
		case TestBroken:
			s.Broken++
		case TestNotChecked:
			s.NotChecked++
		case TestKnown:
			s.Known++
		default:
			panic("BUG: unset status of a test")
		}
	}
}
