package fencepost

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"fencepost/internal/question/check"
)

// Checkpoint is how far an exploration has come: the tasks that are left, and what was found before. An exploration that
// goes on from it answers exactly as one that was never interrupted: a task that is left has not been counted.
type Checkpoint struct {
	Identity Identity
	Found    Partial
	Tasks    []Task
	Took     time.Duration
}

// Searching reports whether tasks of the search are left. A proof may have others.
func (c *Checkpoint) Searching() bool {
	return len(c.Tasks) > 0 && c.Found.proof == nil && !check.IsProof(c.Tasks[0].data)
}

// Begin returns the checkpoint at which nothing is explored.
func (x *Exploration) Begin() Checkpoint {
	return Checkpoint{Identity: x.Identity(), Tasks: []Task{x.Root()}}
}

// storedCheckpoint is the layout of the body of a checkpoint.
type storedCheckpoint struct {
	Identity Identity `json:"identity"`
	Seconds  float64  `json:"seconds"`
	Found    Partial  `json:"found"`
	Tasks    [][]byte `json:"tasks"`
}

// checkpointHead is the first line. The body follows, a line of JSON, and then a line with its SHA-256.
const checkpointHead = "fencepost checkpoint 1\n"

// Bytes returns the checkpoint, to be stored.
func (c Checkpoint) Bytes() ([]byte, error) {
	body := storedCheckpoint{Identity: c.Identity, Seconds: c.Took.Seconds(), Found: c.Found, Tasks: [][]byte{}}
	for _, t := range c.Tasks {
		body.Tasks = append(body.Tasks, t.data)
	}
	text, err := json.Marshal(&body)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return fmt.Appendf(nil, "%s%s\n%x\n", checkpointHead, text, sum), nil
}

// ErrCheckpoint says that bytes are no checkpoint, or a damaged one.
var ErrCheckpoint = check.ErrDamaged

// DifferentError says that a checkpoint, or a result, belongs to another exploration.
type DifferentError = check.DifferentError

// Checkpoint reads a checkpoint. The error is ErrCheckpoint, or a *DifferentError if the checkpoint belongs to another
// exploration.
func (x *Exploration) Checkpoint(data []byte) (Checkpoint, error) {
	rest, ok := bytes.CutPrefix(data, []byte(checkpointHead))
	text, sum, two := bytes.Cut(rest, []byte("\n"))
	hash := sha256.Sum256(text)
	if !ok || !two || string(sum) != hex.EncodeToString(hash[:])+"\n" {
		return Checkpoint{}, ErrCheckpoint
	}
	var body storedCheckpoint
	if err := json.Unmarshal(text, &body); err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %v", ErrCheckpoint, err)
	}
	if different := x.Identity().Differs(body.Identity); different != nil {
		return Checkpoint{}, different
	}
	c := Checkpoint{Identity: body.Identity, Found: body.Found, Took: time.Duration(body.Seconds * float64(time.Second))}
	for _, data := range body.Tasks {
		t, err := x.Task(data)
		if err != nil {
			return Checkpoint{}, fmt.Errorf("%w: %v", ErrCheckpoint, err)
		}
		c.Tasks = append(c.Tasks, t)
	}
	return c, nil
}

// Continue explores until no task is left or the context ends, and returns how far it came. It calls save with a
// checkpoint each time that some time has passed, and at the end; save may be nil.
func (x *Exploration) Continue(ctx context.Context, c Checkpoint, workers int, every time.Duration, save func(Checkpoint)) (Checkpoint, error) {
	if save == nil {
		save = func(Checkpoint) {}
	}
	if len(c.Tasks) > 0 && ctx.Err() != nil { // it has ended before anything was explored
		save(c)
	}
	for ctx.Err() == nil {
		if len(c.Tasks) == 0 {
			proof, ok := x.Proof(c.Found)
			if !ok {
				break
			}
			c.Tasks = []Task{proof}
		}
		begun := time.Now()
		before := c.Found
		more, left, err := x.Run(ctx, Limit{Time: every, Workers: workers, Before: &before}, c.Tasks...)
		if err != nil {
			return c, err
		}
		c.Found.Add(more)
		c.Tasks, c.Took = left, c.Took+time.Since(begun)
		switch {
		case c.Found.Again():
			c.Tasks, c.Found = []Task{x.Restart(c.Found)}, Partial{}
		case c.Found.Over():
			c.Tasks = nil
		}
		save(c)
	}
	return c, nil
}
