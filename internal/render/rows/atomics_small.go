//go:build fencepost_small

package rows

// ShortForm returns a statement as it is. The small part of the playground (docs/adr/0023) reads no C, whose atomic
// operations have a short form.
func ShortForm(text string) string { return text }
