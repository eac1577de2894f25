package certificate

import (
	"io"
)

// WriteStates writes a certificate with any states, in their order.
func WriteStates(w io.Writer, c *Statement, keys []string) error {
	c.Size = len(keys)
	return writeStates(w, c, keys)
}

// StatesOf returns the states of a certificate.
func StatesOf(r *Reader) ([]string, error) {
	set, err := readStates(r, r.Size)
	if err != nil {
		return nil, err
	}
	var keys []string
	for g := range set.groups {
		set.group(g, func(key []byte) bool {
			keys = append(keys, string(key))
			return true
		})
	}
	return keys, nil
}
