package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// sample has the cost of a question.
type sample struct {
	cpu, wall float64 // seconds
	megabytes float64 // the most that the process had in memory
	stats     stats
	verdict   string
	complete  bool // the answer covers all executions
	open      bool // there is no definite answer
}

// stats are figures of an answer in JSON.
type stats struct {
	States     int64 `json:"states"`
	Executions int64 `json:"executions"`
	Complete   int64 `json:"final_states"` // executions in which all threads finished
	Clauses    int64 `json:"clauses"`
	Bytes      int64 `json:"bytes"`

	SolverSeconds float64 `json:"solver_seconds"`
}

// process runs the binary once.
func (m *measurement) process(args ...string) (sample, error) {
	cmd := exec.Command(m.binary, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 2) { // 1 is a violation, 2 is unknown
		return sample{}, fmt.Errorf("%s %s: %w\n%s", m.binary, strings.Join(args, " "), err, errs.String())
	}
	s := sample{open: cmd.ProcessState.ExitCode() == 2, wall: time.Since(start).Seconds(), cpu: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.megabytes = float64(u.Maxrss) / 1024
	}
	var report struct {
		Results []struct {
			Verdict string `json:"verdict"`
			Stats   stats  `json:"stats"`

			Coverage struct {
				Exhaustive bool `json:"exhaustive"`
			} `json:"coverage"`
		} `json:"results"`
	}
	if json.Unmarshal(out.Bytes(), &report) == nil && len(report.Results) == 1 {
		r := &report.Results[0]
		s.stats, s.verdict, s.complete = r.Stats, r.Verdict, r.Coverage.Exhaustive
	}
	return s, nil
}

// best returns the least costs of a question that has a definite answer.
func (m *measurement) best(args ...string) (sample, error) {
	s, err := m.least(args...)
	if err == nil && s.open {
		err = fmt.Errorf("%s: no definite answer", strings.Join(args, " "))
	}
	return s, err
}

// least asks a question as often as the user wants. It returns the least of each cost. The counts must be the same each
// time.
func (m *measurement) least(args ...string) (sample, error) {
	var least sample
	for k := range m.runs {
		s, err := m.ask(args...)
		if err != nil {
			return s, err
		}
		if k == 0 {
			least = s
		}
		if s.stats.Executions != least.stats.Executions || s.verdict != least.verdict {
			return s, fmt.Errorf("%s: %d executions and then %d, %q and then %q", strings.Join(args, " "), least.stats.Executions, s.stats.Executions, least.verdict, s.verdict)
		}
		least.cpu, least.wall, least.megabytes = min(least.cpu, s.cpu), min(least.wall, s.wall), min(least.megabytes, s.megabytes)
		least.stats.SolverSeconds = min(least.stats.SolverSeconds, s.stats.SolverSeconds)
	}
	return least, nil
}

// bestOf returns the least result.
func bestOf(runs int, f func() float64) float64 {
	least := f()
	for range runs - 1 {
		least = min(least, f())
	}
	return least
}

// temporary calls use with a file that has the text.
func temporary(name, text string, use func(path string) error) error {
	dir, err := os.MkdirTemp("", "measure")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := dir + "/" + name
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return err
	}
	return use(path)
}
