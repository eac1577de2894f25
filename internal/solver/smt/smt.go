package smt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Status is a solver's answer. The zero value is unset.
type Status uint8

// The answers.
const (
	_ Status = iota
	Sat
	Unsat
	Unknown // the solver gave up, or a limit was reached
)

func (s Status) String() string {
	switch s {
	case Sat:
		return "sat"
	case Unsat:
		return "unsat"
	case Unknown:
		return "unknown"
	default:
		panic(fmt.Sprintf("BUG: unknown status %d", s))
	}
}

// ErrMissing says that no solver is installed, and what to do about it.
var ErrMissing = errors.New("no SMT solver found: z3 or cvc5 must be in PATH; on Debian and Ubuntu run `apt-get install z3`")

// program is a solver that this package can call.
type program struct {
	name string
	args func(limit Limit) []string
}

// Limit bounds one question.
type Limit struct {
	// Work is in the unit that z3 counts its steps in; some millions of them take a second, but it
	// counts little of some theories. The answer does not depend on the machine where Work is the
	// limit that is met.
	Work int
	Time time.Duration
	// Memory is for the whole process, in bytes; 0: no limit.
	Memory int64
}

// ErrMemory says that a solver has met its limit of memory. It has ended then.
var ErrMemory = errors.New("the solver needs more memory than its limit")

var programs = []program{
	{"z3", func(l Limit) []string {
		args := []string{"-in", "-smt2", fmt.Sprintf("rlimit=%d", l.Work), fmt.Sprintf("-t:%d", l.Time.Milliseconds())}
		if l.Memory > 0 {
			args = append(args, fmt.Sprintf("-memory:%d", max(1, l.Memory>>20)))
		}
		return args
	}},
	{"cvc5", func(l Limit) []string {
		return []string{"--lang=smt2", "--incremental", "--produce-models", fmt.Sprintf("--tlimit-per=%d", l.Time.Milliseconds())}
	}},
}

// Available reports whether a solver is installed.
func Available() bool {
	_, _, err := find()
	return err == nil
}

func find() (*program, string, error) {
	for i := range programs {
		if path, err := exec.LookPath(programs[i].name); err == nil {
			return &programs[i], path, nil
		}
	}
	return nil, "", ErrMissing
}

// Solver is a running solver. It is not safe for concurrent use.
type Solver struct {
	name    string
	cmd     *exec.Cmd
	in      *bufio.Writer
	pipe    io.WriteCloser
	out     *bufio.Reader
	queries int
	bounded bool  // it has a limit of memory
	broken  error // the first failure; every later call returns it
}

// Start starts the first solver that is installed. The error is ErrMissing if there is none. Each
// question has the limit. The process ends with the context or with Close.
func Start(ctx context.Context, limit Limit) (*Solver, error) {
	prog, path, err := find()
	if err != nil {
		return nil, err
	}
	return launch(ctx, prog, path, limit)
}

// Names returns the names of the solvers that this package can call.
func Names() []string {
	var names []string
	for _, p := range programs {
		names = append(names, p.name)
	}
	return names
}

// MissingError says that a solver that was asked for by name is not installed.
type MissingError struct{ Name string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not in PATH; on Debian and Ubuntu run `apt-get install %s`", e.Name, e.Name)
}

// StartNamed starts a solver by its name, which is one of Names. The error is a *MissingError if it is not
// installed.
func StartNamed(ctx context.Context, name string, limit Limit) (*Solver, error) {
	for i := range programs {
		if programs[i].name != name {
			continue
		}
		path, err := exec.LookPath(name)
		if err != nil {
			return nil, &MissingError{name}
		}
		return launch(ctx, &programs[i], path, limit)
	}
	return nil, fmt.Errorf("no solver has the name %q: want one of %s", name, strings.Join(Names(), ", "))
}

func launch(ctx context.Context, prog *program, path string, limit Limit) (*Solver, error) {
	cmd := exec.CommandContext(ctx, path, prog.args(limit)...)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", prog.name, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", prog.name, err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", prog.name, err)
	}
	if limit.Memory > 0 {
		bound(cmd.Process.Pid, limit.Memory)
	}
	s := &Solver{name: prog.name, bounded: limit.Memory > 0, cmd: cmd, pipe: pipe, in: bufio.NewWriter(pipe), out: bufio.NewReader(out)}
	s.send("(set-option :print-success false)\n(set-option :produce-models true)\n(set-logic ALL)\n")
	return s, nil
}

// Name returns the name of the running program.
func (s *Solver) Name() string { return s.name }

// Queries returns how many questions were asked so far.
func (s *Solver) Queries() int { return s.queries }

// Close ends the process.
func (s *Solver) Close() {
	s.send("(exit)\n")
	s.in.Flush()
	s.pipe.Close()
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

func (s *Solver) send(text string) {
	if s.broken == nil {
		if _, err := s.in.WriteString(text); err != nil {
			s.broken = s.gone(err)
		}
	}
}

// Send adds a command that holds for all questions that follow.
func (s *Solver) Send(c Command) { s.send(c.text + "\n") }

// Check asks whether the assertions are satisfiable together. With Sat the second result has the values of the terms in
// want, in order.
func (s *Solver) Check(assertions, want []Term) (Status, []string, error) {
	s.queries++
	s.send("(push 1)\n")
	for _, a := range assertions {
		s.send(Assert(a).text + "\n")
	}
	s.send("(check-sat)\n")
	status, err := s.status()
	if err != nil {
		return 0, nil, err
	}
	var values []string
	if status == Sat && len(want) > 0 {
		texts := make([]string, len(want))
		for i, t := range want {
			texts[i] = t.String()
		}
		s.send("(get-value (" + strings.Join(texts, " ") + "))\n")
		if values, err = s.values(len(want)); err != nil {
			return 0, nil, err
		}
	}
	s.send("(pop 1)\n")
	return status, values, nil
}

// outOfMemory reports whether an answer says that there is no more memory: as an error of SMT-LIB, or by the words of a
// program that ends because it gets none.
func outOfMemory(answer string) bool {
	return strings.Contains(answer, "out of memory") || !strings.HasPrefix(answer, "(")
}

// gone returns the reason why a solver with a limit does not answer any more.
func (s *Solver) gone(err error) error {
	if err != nil && s.bounded && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE)) {
		return ErrMemory
	}
	return err
}

func (s *Solver) flush() error {
	if s.broken == nil {
		s.broken = s.gone(s.in.Flush())
	}
	if s.broken != nil {
		return fmt.Errorf("talking to %s: %w", s.name, s.broken)
	}
	return nil
}

func (s *Solver) status() (Status, error) {
	if err := s.flush(); err != nil {
		return 0, err
	}
	x, err := readExpr(s.out)
	if err != nil {
		s.broken = s.gone(err)
		return 0, fmt.Errorf("talking to %s: %w", s.name, s.broken)
	}
	switch word := x.String(); word {
	case "sat":
		return Sat, nil
	case "unsat":
		return Unsat, nil
	case "unknown", "timeout":
		return Unknown, nil
	default:
		if s.broken = fmt.Errorf("it answered %q", word); s.bounded && outOfMemory(word) {
			s.broken = ErrMemory
		}
		return 0, fmt.Errorf("talking to %s: %w", s.name, s.broken)
	}
}

// values reads the answer to get-value: ((term value) ...).
func (s *Solver) values(n int) ([]string, error) {
	if err := s.flush(); err != nil {
		return nil, err
	}
	x, err := readExpr(s.out)
	if err != nil {
		s.broken = s.gone(err)
		return nil, fmt.Errorf("talking to %s: %w", s.name, s.broken)
	}
	if len(x.list) != n {
		if s.broken = fmt.Errorf("it answered %q to a question for %d values", x, n); s.bounded && outOfMemory(x.String()) {
			s.broken = ErrMemory
		}
		return nil, fmt.Errorf("talking to %s: %w", s.name, s.broken)
	}
	values := make([]string, n)
	for i, pair := range x.list {
		if len(pair.list) != 2 {
			s.broken = fmt.Errorf("it answered %q where a term and its value were expected", pair)
			return nil, fmt.Errorf("talking to %s: %w", s.name, s.broken)
		}
		values[i] = pair.list[1].value()
	}
	return values, nil
}
