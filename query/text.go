package query

// Form is a form in which Show prints a program.
type Form string

// The forms.
const (
	FormStructured Form = "structured" // as the front end makes it, with calls
	FormFlat       Form = "flat"       // as engines take it, one automaton per thread
	FormDot        Form = "dot"        // structured, as a graph for Graphviz
)

// ShowOptions are the options of Show.
type ShowOptions struct {
	Options
	Form Form // "": FormStructured
	// Model, with FormFlat: C11 asks for the program as C11's own model takes it, with memory orders alone. Other models take
	// the same form; "": one of these.
	Model Model
	// Attack is the number of an attack on robustness, from 1: instead of the program Show prints the program
	// whose SC executions decide whether the attack is feasible, after a list of all attacks. 0: none.
	Attack int
}

// Validate returns an *OptionError for an option with a value that it cannot have.
func (o *ShowOptions) Validate() error {
	return oneOf("form", o.Form, "", FormStructured, FormFlat, FormDot)
}

// ExportFormat is a language of another tool.
type ExportFormat string

// The formats.
const (
	ExportPromela ExportFormat = "promela" // of the model checker SPIN
	ExportPNML    ExportFormat = "pnml"    // the exchange format of Petri nets, for programs of any number of threads
	ExportLitmus  ExportFormat = "litmus"  // a litmus test for X86_64, for herd7, litmus7 and others
	ExportC       ExportFormat = "c"       // C11 with pthreads and atomics, for verifiers of C and for compilers
	ExportDIMACS  ExportFormat = "dimacs"  // the formula of bounded model checking, for SAT solvers
	ExportSMT2    ExportFormat = "smt2"    // the same, for SMT solvers
	// ExportSequential is the sequential program that bounded model checking with rounds encodes, in C, for verifiers of
	// sequential programs.
	ExportSequential ExportFormat = "sequential"
)

// ExportFormats lists the formats.
func ExportFormats() []ExportFormat {
	return []ExportFormat{ExportPromela, ExportPNML, ExportLitmus, ExportC, ExportDIMACS, ExportSMT2, ExportSequential}
}

// ExportOptions are the options of Export. Of Options, Lang, Unroll, Threads, Buffer, Replicate and C count.
type ExportOptions struct {
	Options
	Format   ExportFormat // "": ExportPromela
	Model    Model        // SC, TSO or, with ExportDIMACS, ExportSMT2 and ExportSequential, PSO; "": TSO. ExportLitmus and ExportC have none: the other tool chooses the model
	Deadlock bool         // also ask for deadlocks
	// Attack is the number of an attack, from 1: instead of the program its instrumented program is written,
	// whose model is SC. 0: none.
	Attack int
	Domain *Domain    // with ExportPNML: restricts the values of memory
	BMC    BMCOptions // with ExportDIMACS, ExportSMT2 and ExportSequential: the bounds
	// Choices asks ExportSequential to search for a violation, and to answer with the choices that lead to it.
	Choices bool
}

// HarnessOptions are the options of Harness. Of Options, Timeout, Memory and C count.
type HarnessOptions struct {
	Options
	// Output is the file that the test is to be written to, "" if it is not known. The test includes the
	// library as seen from there.
	Output string
}
