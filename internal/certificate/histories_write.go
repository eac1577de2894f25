package certificate

import (
	"encoding/binary"
	"io"
)

// The writing of certificates about clients; nothing relies on it.

// WriteHistories writes a certificate about clients.
func WriteHistories(w io.Writer, c *Statement, clients [][]Imposed) error {
	c.Kind, c.Size = KindHistories, len(clients)
	out, err := newWriter(w, c)
	if err != nil {
		return err
	}
	for _, client := range clients {
		b := binary.AppendUvarint(nil, uint64(len(client)))
		for _, one := range client {
			b = binary.AppendUvarint(b, uint64(one.Order))
			b = binary.AppendUvarint(b, uint64(len(one.Results)))
			for _, results := range one.Results {
				for _, v := range results {
					b = binary.AppendVarint(b, v)
				}
			}
			b = binary.AppendUvarint(b, uint64(len(one.Proof)))
			b = append(b, one.Proof...)
		}
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	return out.close()
}
