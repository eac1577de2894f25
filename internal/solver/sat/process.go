package sat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"fencepost/internal/budget"
	"fencepost/internal/scratch"
)

// Process is a solver that is a separate program. Each call writes the formula and starts the
// program again.
type Process struct {
	path  string
	f     Formula
	model []bool
	limit int64 // memory limit for the clauses in bytes, 0: none
}

// ErrNoSolver says that a solver is not installed.
var ErrNoSolver = errors.New("no such solver on the PATH")

// NewProcess returns a solver on the PATH: cadical, kissat, minisat, or any other
// that takes a DIMACS file and answers in the format of the SAT competitions.
func NewProcess(name string) (*Process, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrNoSolver, name)
	}
	return &Process{path: path}, nil
}

// Add adds a clause.
func (p *Process) Add(clause ...Lit) { p.f.Add(clause...) }

// Solve runs the program. It is killed when the context ends.
func (p *Process) Solve(ctx context.Context, assumptions ...Lit) (Status, error) {
	if budget.AwaitFree(ctx) != nil { // its work cannot be counted
		return Interrupted, nil
	}
	if p.limit > 0 && p.Bytes() > p.limit {
		return OutOfMemory, nil
	}
	dir, remove, err := scratch.Dir("fencepost-sat-")
	if err != nil {
		return StatusUnset, fmt.Errorf("a folder for the solver's input: %w", err)
	}
	defer remove()
	in := filepath.Join(dir, "in.cnf")
	if err := p.write(in, assumptions); err != nil {
		return StatusUnset, fmt.Errorf("writing the solver's input: %w", err)
	}
	// MiniSat and its descendants do not print a model but write it to a second file.
	args, result := []string{in}, ""
	if base := filepath.Base(p.path); strings.HasPrefix(base, "minisat") || strings.HasPrefix(base, "glucose") {
		result = filepath.Join(dir, "out")
		args = append(args, result)
	}
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.WaitDelay = time.Second
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err = cmd.Run()
	if ctx.Err() != nil {
		return Interrupted, nil
	}
	// Solvers end with 10 for sat and 20 for unsat.
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return StatusUnset, fmt.Errorf("running %s: %w", p.path, err)
	}
	if result != "" {
		text, err := os.ReadFile(result)
		if err != nil {
			return StatusUnset, fmt.Errorf("the answer of %s: %w; it said: %s", p.path, err, complaint.String())
		}
		out.Reset()
		out.Write(text)
	}
	status, model, err := parseAnswer(&out)
	if err != nil {
		return StatusUnset, fmt.Errorf("the answer of %s: %w", p.path, err)
	}
	if status == StatusUnset {
		return StatusUnset, fmt.Errorf("%s gave no answer; it said: %s", p.path, strings.TrimSpace(complaint.String()))
	}
	p.model = model
	return status, nil
}

func (p *Process) write(name string, assumptions []Lit) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := p.f.WriteDIMACS(file, assumptions...); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// Bytes returns the memory of the clauses in this process; that of the solver does not count.
func (p *Process) Bytes() int64 { return 4 * int64(cap(p.f.lits)) }

// Limit sets the memory limit for the clauses.
func (p *Process) Limit(bytes int64) { p.limit = bytes }

// Value returns the value of a literal in the model. A literal that the solver does not mention is
// false.
func (p *Process) Value(l Lit) bool {
	return value(p.model, l)
}
