package rf

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// The fingerprint of an exploration: a sum over its classes, so that it depends neither on their order nor on who
// explored which of them. A class that is missing, or is counted twice, changes it.

// Fingerprint is the sum of the hashes of classes, each half modulo 2^64.
type Fingerprint [2]uint64

// add adds the fingerprint of other classes.
func (f *Fingerprint) add(o Fingerprint) {
	f[0] += o[0]
	f[1] += o[1]
}

func (f Fingerprint) String() string { return fmt.Sprintf("%016x%016x", f[0], f[1]) }

// MarshalText writes the fingerprint as 32 hexadecimal digits.
func (f Fingerprint) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (f *Fingerprint) UnmarshalText(text []byte) error {
	raw, err := hex.DecodeString(string(text))
	if err != nil || len(raw) != 16 {
		return fmt.Errorf("%q is not a fingerprint", text)
	}
	f[0], f[1] = binary.BigEndian.Uint64(raw), binary.BigEndian.Uint64(raw[8:])
	return nil
}

// classHash returns the fingerprint of one class, that of the graph: what each thread did, and from which operation each
// byte was read. Cells do not show.
func classHash(x *explorer) Fingerprint {
	if n := x.run.cells.count(); len(x.spans) < n {
		x.spans = x.run.cells.spans()
	}
	b := x.hashed[:0]
	for t := range x.g.threads {
		b = binary.AppendUvarint(b, uint64(len(x.g.threads[t])))
		for i := range x.g.threads[t] {
			o := &x.g.threads[t][i]
			b = binary.AppendVarint(b, int64(o.label.Edge))
			b = binary.AppendUvarint(b, uint64(o.label.Inner))
			b = binary.AppendVarint(b, o.label.Choice)
			b = appendReads(b, x, o)
		}
	}
	x.hashed = b
	sum := sha256.Sum256(b)
	return Fingerprint{binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])}
}

// appendReads appends the reads of an operation. Neighbouring cells that are read from one operation are one read.
func appendReads(b []byte, x *explorer, o *op) []byte {
	for k := 0; k < len(o.reads); {
		r := &o.reads[k]
		at := x.spans[r.cell]
		for k++; k < len(o.reads) && o.reads[k].from == r.from; k++ {
			next := x.spans[o.reads[k].cell]
			if next.addr != at.addr+uint64(at.size) {
				break
			}
			at.size += next.size
		}
		b = binary.AppendUvarint(b, at.addr)
		b = binary.AppendUvarint(b, uint64(at.size))
		b = binary.AppendUvarint(b, uint64(r.from.thread))
		b = binary.AppendUvarint(b, uint64(r.from.index))
	}
	return append(b, 0xff) // no address begins like this with such a size
}
