package sarif

// The parts of the format that are written, named as in the specification. Order of
// fields is order of output.

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool        tool         `json:"tool"`
	Invocations []invocation `json:"invocations"`
	Artifacts   []artifact   `json:"artifacts,omitempty"`
	Results     []result     `json:"results"`
	ColumnKind  string       `json:"columnKind"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Rules   []rule `json:"rules"`
}

type rule struct {
	ID    string  `json:"id"`
	Name  string  `json:"name"`
	Short message `json:"shortDescription"`
	Help  message `json:"help"`
}

type message struct {
	Text string `json:"text"`
}

type invocation struct {
	Successful    bool           `json:"executionSuccessful"`
	Notifications []notification `json:"toolExecutionNotifications,omitempty"`
}

type notification struct {
	Level     string     `json:"level"`
	Message   message    `json:"message"`
	Locations []location `json:"locations,omitempty"`
}

type artifact struct {
	Location artifactLocation `json:"location"`
	Length   int              `json:"length"`
}

type artifactLocation struct {
	URI   string `json:"uri"`
	Index *int   `json:"index,omitempty"`
}

type result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Kind         string            `json:"kind"`
	Level        string            `json:"level"`
	Message      message           `json:"message"`
	Locations    []location        `json:"locations,omitempty"`
	Related      []location        `json:"relatedLocations,omitempty"`
	CodeFlows    []codeFlow        `json:"codeFlows,omitempty"`
	Fixes        []fix             `json:"fixes,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Properties   properties        `json:"properties"`
}

// properties are ours: what SARIF has no word for.
type properties struct {
	Program string `json:"program"`
	Model   string `json:"model"`
	Engine  string `json:"engine,omitempty"`
	Verdict string `json:"verdict"`
}

type location struct {
	ID       *int              `json:"id,omitempty"`
	Physical *physicalLocation `json:"physicalLocation,omitempty"`
	Message  *message          `json:"message,omitempty"`
}

type physicalLocation struct {
	Artifact artifactLocation `json:"artifactLocation"`
	Region   *region          `json:"region,omitempty"`
}

type region struct {
	StartLine   int      `json:"startLine"`
	StartColumn int      `json:"startColumn,omitempty"`
	EndLine     int      `json:"endLine,omitempty"`
	EndColumn   int      `json:"endColumn,omitempty"`
	Snippet     *message `json:"snippet,omitempty"`
}

type codeFlow struct {
	Message     message      `json:"message"`
	ThreadFlows []threadFlow `json:"threadFlows"`
}

type threadFlow struct {
	ID        string         `json:"id"`
	Message   message        `json:"message"`
	Locations []flowLocation `json:"locations"`
}

type flowLocation struct {
	Location       location           `json:"location"`
	State          map[string]message `json:"state,omitempty"`
	ExecutionOrder int                `json:"executionOrder"`
	Importance     string             `json:"importance"`
}

type fix struct {
	Description message          `json:"description"`
	Changes     []artifactChange `json:"artifactChanges"`
}

type artifactChange struct {
	Artifact     artifactLocation `json:"artifactLocation"`
	Replacements []replacement    `json:"replacements"`
}

type replacement struct {
	Deleted  region  `json:"deletedRegion"`
	Inserted message `json:"insertedContent"`
}
