package pipeline

// Extensions lists the extensions of programs, such as .fp.
func Extensions() []string {
	var out []string
	for _, l := range languages {
		out = append(out, l.exts...)
	}
	return out
}
