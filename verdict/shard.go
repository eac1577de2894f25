package verdict

// Shard says which part of an exploration was explored, and has what is needed to merge it with the others.
type Shard struct {
	Index    int  `json:"index"` // from 0
	Count    int  `json:"count"`
	Complete bool `json:"complete"` // the whole part was explored
	// What the exploration is about: the version of fencepost, hashes of the program and of the options, and a hash of how
	// the exploration was divided. All shards of one exploration agree.
	Version  string `json:"version"`
	Program  string `json:"program"`
	Options  string `json:"options"`
	Division string `json:"division"`
	// Inputs are the names of the files of the program, and Files the texts of all files that were read.
	Inputs []string          `json:"inputs"`
	Files  map[string]string `json:"files"`
	// Found has counts, violations and coverage, as JSON whose layout belongs to the version.
	Found string `json:"found"`
	// Sum is a hash of all the above but the files, which Program is a hash of.
	Sum string `json:"sum"`
}
