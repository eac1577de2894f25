package certificate

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/verdict"
)

// Head is the first line of a certificate.
const Head = "fencepost certificate 1\n"

// The kinds of proofs.
const (
	KindRanks     = "ranks"     // a set of states as above, with numbers that show which executions end
	KindStates    = "states"    // a set of states that is closed under the steps of the program
	KindClasses   = "classes"   // a tree that has all reads-from classes
	KindClauses   = "clauses"   // clauses that say what the program can do have no model
	KindHistories = "histories" // what the calls of clients return is explained by sequences of them: linearizability
	KindAttacks   = "attacks"   // a set of states of executions in which one thread delays its stores: robustness
)

// Statement says what a certificate is about.
type Statement struct {
	Kind  string `json:"kind"`
	Tool  string `json:"tool"` // the version that wrote it
	Model string `json:"model"`
	// Program and Question are SHA-256 sums of the flat program and of its properties.
	Program  string `json:"program"`
	Question string `json:"question"`
	// Buffer is the largest number of stores that wait in the buffer of a thread; executions with more are not covered.
	// 0: no bound.
	Buffer int `json:"buffer,omitempty"`
	// Unroll is how often a loop body runs in the flat program, 0 if its loops are whole.
	Unroll int `json:"unroll,omitempty"`
	// Calls is the number of concurrent calls of the largest clients, 0 if it is not about clients.
	Calls int `json:"calls,omitempty"`
	// Loops says that it is asked which loops end.
	Loops bool `json:"loops,omitempty"`
	// Names are the names of the files under which the program was read, and Asked is the question with its options.
	Names []string       `json:"names,omitempty"`
	Asked *verdict.Asked `json:"asked,omitempty"`
	// Size is the number of elements of the proof: states or nodes.
	Size int `json:"size"`
}

// ErrDamaged says that bytes are no certificate, or a damaged one.
var ErrDamaged = errors.New("not a certificate, or a damaged one")

// HashProgram returns the sum of a flat program.
func HashProgram(p *ir.Program) string { return sum([]byte(irtext.Print(p))) }

// HashQuestion returns the sum of properties.
func HashQuestion(props *property.Set) (string, error) {
	text, err := json.Marshal(props)
	if err != nil {
		return "", err
	}
	return sum(text), nil
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}

// About fills in the sums and the model of a statement.
func (c *Statement) About(p *ir.Program, props *property.Set, model replay.Model) error {
	var err error
	c.Model, c.Program = model.String(), HashProgram(p)
	c.Question, err = HashQuestion(props)
	return err
}

// fits returns an error if the statement is about something else.
func (c *Statement) fits(p *ir.Program, props *property.Set, model replay.Model) error {
	var now Statement
	if err := now.About(p, props, model); err != nil {
		return err
	}
	return c.is(&now)
}

// is returns an error if the statement has not the sums and the model of another one.
func (c *Statement) is(now *Statement) error {
	switch {
	case c.Model != now.Model:
		return fmt.Errorf("the certificate is about the model %s, not %s", c.Model, now.Model)
	case c.Program != now.Program:
		return errors.New("the certificate is about another program, or was made by another version of the front end")
	case c.Question != now.Question:
		return errors.New("the certificate is about another question")
	case c.Buffer < 0 || c.Unroll < 0 || c.Size < 0 || c.Calls < 0:
		return ErrDamaged
	}
	return nil
}

// maxStatement is the largest size of a statement in bytes.
const maxStatement = 1 << 20

// Reader reads a certificate.
type Reader struct {
	Statement
	in *bufio.Reader
	z  *zstd.Decoder
}

// Open sees to it that a certificate is whole, and reads its statement.
func Open(r io.Reader) (*Reader, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	n := len(all) - sha256.Size
	if n < 0 {
		return nil, ErrDamaged
	}
	body, isOurs := bytes.CutPrefix(all[:n], []byte(Head))
	if now := sha256.Sum256(all[:n]); !isOurs || !bytes.Equal(now[:], all[n:]) {
		return nil, ErrDamaged
	}
	z, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		return nil, err
	}
	out := &Reader{z: z, in: bufio.NewReader(z)}
	var line []byte
	for {
		part, err := out.in.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) || len(line) > maxStatement {
			z.Close()
			return nil, ErrDamaged
		}
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&out.Statement); err != nil {
		z.Close()
		return nil, ErrDamaged
	}
	return out, nil
}

// Close frees what the reader uses.
func (r *Reader) Close() { r.z.Close() }

// ReadByte returns the next byte of the proof.
func (r *Reader) ReadByte() (byte, error) {
	b, err := r.in.ReadByte()
	if err != nil {
		return 0, ErrDamaged
	}
	return b, nil
}

// take returns the next n bytes of the proof.
func (r *Reader) take(into []byte) error {
	if _, err := io.ReadFull(r.in, into); err != nil {
		return ErrDamaged
	}
	return nil
}

// end returns an error unless the proof is over.
func (r *Reader) end() error {
	if _, err := r.in.ReadByte(); err != io.EOF {
		return ErrDamaged
	}
	return nil
}
