package verdict

// Asked is the question that a result answers: the command and its options by name, so
// that it can be asked again. Options with their zero value are left out.
type Asked struct {
	Command string         `json:"command"`
	Options map[string]any `json:"options,omitempty"`
}
