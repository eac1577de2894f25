package query

import (
	"time"

	"fencepost/verdict"
)

// LitmusOptions are the options of Litmus. Of Options, Timeout, Memory, Buffer, Unroll, Workers, NoReduction
// and C count.
type LitmusOptions struct {
	Options
	Models Models `asked:"-"` // empty: TSO
	// Witnesses asks for an execution for every outcome that SC does not allow.
	Witnesses bool
	// AllWitnesses asks for an execution for every outcome.
	AllWitnesses bool
}

// SuiteOptions are the options of LitmusSuite.
type SuiteOptions struct {
	LitmusOptions
	Paths  []string // files and directories
	Inputs []Input  // further tests
	Expect string   // file with a table of expected answers, "" for none
	// Done is called with the tests, in order. Tested is called with the number of tests that are done.
	// There is one call at a time. Both may be nil.
	Done   func(*verdict.LitmusTest)
	Tested func(done, total int)
}

// StressOptions are the options of Stress. Models plays no part.
type StressOptions struct {
	LitmusOptions
	Paths   []string // files and directories
	Inputs  []Input  // further tests
	Seconds float64  // per test
	// Done is called with the tests, in order. Tested is called with the number of tests that are done. Both
	// may be nil.
	Done   func(*verdict.StressTest)
	Tested func(done, total int)
}

// TestOptions are the options of TestPrograms.
type TestOptions struct {
	Options           // Workers is the number of programs at the same time, Timeout is per program
	Deadlock bool     // also look for deadlocks
	Paths    []string // files and directories
	// Tasks, if not "", is a directory with a task for each program, under the same name. The task says what is expected,
	// and the program must be the task, with no more fences than that allows.
	Tasks string
	// Store, if not nil, keeps certificates of safe answers, which are checked instead of a search.
	Store CertificateStore
	// Done is called with the programs, in order. Tested is called with the number of programs that are done.
	// Both may be nil.
	Done   func(*verdict.ProgramTest)
	Tested func(done, total int)
}

// BenchOptions are the options of Bench.
type BenchOptions struct {
	Timeout time.Duration // per row, 0: none
	Memory  int64         // for stored states, 0: the default
	// Dir, if not "", has the programs of others: each file in it whose name ends in .txt is a program in Trencher's
	// language, and the file expected.tsv in it may have figures. Only the table trencher takes it.
	Dir string
	// Done is called with each row as soon as it is measured, and Tested with the number of rows that are
	// done. Both may be nil.
	Done   func(*verdict.BenchRow)
	Tested func(done, total int)
}
