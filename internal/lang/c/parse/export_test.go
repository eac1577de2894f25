package parse

// Skipped returns the names of the prototypes that were not parsed.
func (u *Unit) Skipped() []string {
	var out []string
	for _, f := range u.parser.prototypes.all {
		if u.parser.prototypes.skipped[f.name] != nil {
			out = append(out, u.parser.name(f.name))
		}
	}
	return out
}
