package verdict

// Listing says which lines of the source the lines of a listing of machine code were made of, for the functions that the
// executions of a result go through.
type Listing struct {
	File  string        `json:"file"` // the name of the listing in Sources
	Lines []ListingLine `json:"lines"`
	// Removed are statements of the source, as file:line, that no instruction was made of: the compiler has removed them, or made
	// them a part of others.
	Removed []string `json:"removed,omitempty"`
}

// ListingLine is an instruction.
type ListingLine struct {
	Line   int    `json:"line"`   // of the listing
	Source string `json:"source"` // as file:line:column
	// Before is a later line of the same function of the source with an access that comes before this one: the compiler has changed
	// their order. 0: there is none.
	Before int `json:"before,omitempty"`
}
