package certificate

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"
)

// The writing of certificates; nothing relies on it.

// writer writes a certificate: the head, then compressed the statement and the proof, and the sum of all that.
type writer struct {
	*bufio.Writer
	z   *zstd.Encoder
	raw io.Writer
	sum hash.Hash
}

func newWriter(w io.Writer, c *Statement) (*writer, error) {
	out := &writer{raw: w, sum: sha256.New()}
	both := io.MultiWriter(w, out.sum)
	if _, err := io.WriteString(both, Head); err != nil {
		return nil, err
	}
	var err error
	if out.z, err = zstd.NewWriter(both, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression)); err != nil {
		return nil, err
	}
	out.Writer = bufio.NewWriter(out.z)
	line, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(out, "%s\n", line)
	return out, err
}

func (w *writer) close() error {
	if err := w.Flush(); err != nil {
		return err
	}
	if err := w.z.Close(); err != nil {
		return err
	}
	_, err := w.raw.Write(w.sum.Sum(nil))
	return err
}
