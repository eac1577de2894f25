package engine

import "io"

// BMCOptions are the bounds and switches of bounded model checking; zero values
// are replaced by the engine's defaults.
type BMCOptions struct {
	Unroll int // how often a loop body runs
	Rounds int // rounds of all threads in order [TNIFLP16 §VI]
	Clock  int // K: times at which stores can reach memory, 0 to K-1
	Queue  int // N: writes to one location that are kept, N-1 of them waiting
	Width  int // bits that results of arithmetic may have; 0: as many as they need
	// Auto raises the bounds step by step until there is an answer or the time is over.
	Auto bool
	// Solver is a SAT solver on the PATH; "" is the one inside.
	Solver string
	// DIMACS gets the formula of the main question, if not nil.
	DIMACS io.Writer
	// Report is told what each step of Auto said, if not nil.
	Report func(text string)
}
