package verdict

// Compiled compares an answer about machine code with the answer about its source.
type Compiled struct {
	Source  string  `json:"source"`  // the program that was compiled
	Verdict Verdict `json:"verdict"` // about the source
	// Blame says why only the machine code has a violation; "": it has none, or the source has one too, or is Unknown.
	Blame Blame `json:"blame,omitempty"`
	// Race is the data race of the source, for BlameRace; for BlameUndecided, why it is not known whether there is one.
	Race    string `json:"race,omitempty"`
	RacePos *Pos   `json:"race_pos,omitempty"`
	// Instruction is the one at which the violation of the machine code is seen, with its line of the source.
	Instruction string `json:"instruction,omitempty"`
}

// Blame says why machine code has a violation that its source does not have.
type Blame string

// The reasons.
const (
	BlameCompiler  Blame = "compiler"  // the source has no data race: the compiler has changed what the program does
	BlameRace      Blame = "race"      // the source has a data race, so that C promises nothing and the compiler may
	BlameUndecided Blame = "undecided" // it is not known whether the source has a data race
)
