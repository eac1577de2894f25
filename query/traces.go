package query

import "fencepost/verdict"

// By is an equivalence of executions.
type By string

// The equivalences.
const (
	ByTrace     By = "trace"      // Shasha-Snir traces
	ByReadsFrom By = "reads-from" // reads-from classes: every read reads from the same write
)

// TraceOptions are the options of Traces.
type TraceOptions struct {
	Options
	Model Model `asked:"-"` // "": TSO
	By    By    // "": ByTrace
	// Algorithm of the exploration by traces; "": OptimalDPOR. If it is set and By is ByReadsFrom, traces are explored,
	// and counted by their reads-from classes.
	Algorithm Algorithm
	// Fingerprint asks for the fingerprint of the reads-from classes (verdict.TraceSet). It takes memory for a hash per
	// class. CrossCheck explores by traces and by classes, and fails if the fingerprints differ.
	Fingerprint, CrossCheck bool
	// Blocked lists executions that do not come to their end, too: a thread stops at an assumption, or waits. They are not
	// counted with the others.
	Blocked bool
	// Each, if not nil, is called with every complete trace, and with those in which a check fails, in
	// order. Without it traces are only counted.
	Each func(*verdict.Trace)
}

// Validate returns an *OptionError for an option with a value that it cannot have.
func (o *TraceOptions) Validate() error {
	if err := oneOf("by", o.By, "", ByTrace, ByReadsFrom); err != nil {
		return err
	}
	return oneOf("algorithm", o.Algorithm, "", OptimalDPOR, SourceDPOR)
}
