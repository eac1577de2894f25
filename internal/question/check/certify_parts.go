//go:build !fencepost_small

package check

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"

	"fencepost/internal/certificate"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// Proofs that are made in parts, after an exploration in parts: trees of classes, whose parts are tasks like those of
// the exploration. Where there is no such proof, the answer is proved as that of one run is.

// MadeProof has what runs have made of a proof.
type MadeProof = certificate.Made

// proofTask begins a task of a proof. What it is about follows, the part as JSON, and the sum of all this.
const proofTask = "fencepost proof\n"

// IsProof reports whether a task is one of a proof.
func IsProof(task []byte) bool { return bytes.HasPrefix(task, []byte(proofTask)) }

// proofSubject has the program and the question of a proof, or why there is none.
type proofSubject struct {
	model replay.Model
	plain *ir.Program
	props *property.Set
	none  string
}

// prepareProof makes the program that a proof is about, if one is asked for.
func (e *Exploration) prepareProof() {
	if !e.Proves() {
		return
	}
	var err error
	if e.proof.model, e.proof.plain, e.proof.props, err = provable(e.q, e.q.Props.Endless || e.q.Props.Fairness != 0); err != nil {
		e.proof.none = err.Error()
	}
}

// Proves reports whether a proof is asked for.
func (e *Exploration) Proves() bool { return e.q.opt.Wanted() }

// ProofRoot returns the task that is the whole proof.
func (e *Exploration) ProofRoot() []byte { return e.sealPart(certificate.Whole) }

func (e *Exploration) sealPart(p certificate.Part) []byte {
	text, err := json.Marshal(p)
	if err != nil {
		panic("BUG: a part of a proof that cannot be written: " + err.Error())
	}
	body := slices.Concat([]byte(proofTask), e.sum[:], text)
	sum := sha256.Sum256(body)
	return append(body, sum[:]...)
}

func (e *Exploration) openPart(task []byte) (certificate.Part, error) {
	var p certificate.Part
	rest, ok := bytes.CutPrefix(task, slices.Concat([]byte(proofTask), e.sum[:]))
	if !ok || len(rest) < sha256.Size {
		return p, rf.ErrTask
	}
	sum := sha256.Sum256(task[:len(task)-sha256.Size])
	if !bytes.HasSuffix(task, sum[:]) {
		return p, rf.ErrTask
	}
	if err := json.Unmarshal(rest[:len(rest)-sha256.Size], &p); err != nil {
		return p, rf.ErrTask
	}
	return p, nil
}

// Check returns an error that wraps rf.ErrTask if bytes are no task of this exploration or of its proof.
func (e *Exploration) Check(task []byte) error {
	if !IsProof(task) {
		return e.Parts.Check(task)
	}
	_, err := e.openPart(task)
	return err
}

// Prove makes parts of the proof, up to a limit. It returns what it has made, and the tasks that are left.
func (e *Exploration) Prove(ctx context.Context, tasks [][]byte, limit rf.Limit) (*MadeProof, [][]byte, error) {
	return e.makeParts(tasks, func(parts []certificate.Part) (*MadeProof, []certificate.Part, error) {
		limit := certificate.PartsLimit{Nodes: int(limit.Executions), Time: limit.Time, Workers: limit.Workers}
		return certificate.Make(ctx, e.proof.plain, e.proof.props, e.proof.model, parts, limit)
	})
}

// SplitProof divides a task of the proof into at least n, unless it is too small for that.
func (e *Exploration) SplitProof(ctx context.Context, task []byte, n int) (*MadeProof, [][]byte, error) {
	return e.makeParts([][]byte{task}, func(parts []certificate.Part) (*MadeProof, []certificate.Part, error) {
		return certificate.Split(ctx, e.proof.plain, e.proof.props, e.proof.model, parts, n)
	})
}

func (e *Exploration) makeParts(tasks [][]byte, work func([]certificate.Part) (*MadeProof, []certificate.Part, error)) (*MadeProof, [][]byte, error) {
	if e.proof.none != "" {
		return &MadeProof{None: e.proof.none}, nil, nil
	}
	var parts []certificate.Part
	for _, t := range tasks {
		p, err := e.openPart(t)
		if err != nil {
			return nil, nil, err
		}
		parts = append(parts, p)
	}
	made, left, err := work(parts)
	if err != nil {
		return nil, nil, err
	}
	var out [][]byte
	for _, p := range left {
		out = append(out, e.sealPart(p))
	}
	return made, out, nil
}
