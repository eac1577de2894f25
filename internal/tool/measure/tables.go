package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/family"
	"fencepost/internal/papers"
)

// member is a program of a family.
type member struct {
	family string
	n      int
}

func (f member) String() string { return fmt.Sprintf("%s(%d)", f.family, f.n) }

// members are the programs of the table of families: each takes a second or so.
var members = []member{
	{"readers", 16}, {"sbn", 15}, {"bufw", 200}, {"casrot", 10}, {"writers", 9}, {"nw1r", 8},
	{"ainc", 8}, {"fib", 6}, {"indexer", 15}, {"lastzero", 12}, {"szymanski", 3},
}

// with calls use with the arguments that name the program of a member: a program in C, or the text of the family with a
// condition that always holds, since check refuses programs that state nothing.
func (m *measurement) with(f member, use func(args ...string) error) error {
	path := filepath.Join(m.programs, f.family+".c")
	if _, err := os.Stat(path); m.programs != "" && err == nil {
		return use(path, "-D", "N="+strconv.Itoa(f.n), "--unroll", "40")
	}
	gen, ok := family.Find(f.family)
	if !ok {
		return fmt.Errorf("there is no family %s", f.family)
	}
	text := gen.Text(f.n)
	if !strings.Contains(text, "goal ") {
		text += "never 1 == 0;\n"
	}
	return temporary(f.family+".fp", text, func(path string) error { return use(path, "--unroll", "40") })
}

// Arguments of one process: no time limit, and an answer in JSON.
func check(engine, model string, workers int, program ...string) []string {
	return append([]string{"check", "--json", "--timeout", "0", "--engine", engine, "--model", model, "--workers", strconv.Itoa(workers)}, program...)
}

// traces only counts: with --json the traces would get fingerprints.
func traces(model string, program ...string) []string {
	return append([]string{"traces", "--count", "--timeout", "0", "--model", model, "--workers", "1"}, program...)
}

var models = []string{"sc", "tso", "pso"}

// startUp measures commands that have next to nothing to do.
func (m *measurement) startUp() error {
	if !m.only.MatchString("start") {
		return nil
	}
	fmt.Fprintf(m.out, "## Start\n\n| command | CPU, ms |\n|---|---|\n")
	questions := [][]string{{"version"}}
	if dekker := "examples/dekker.c"; exists(dekker) {
		questions = append(questions, []string{"check", dekker})
	}
	for _, args := range questions {
		s, err := m.best(args...)
		if err != nil {
			return err
		}
		fmt.Fprintf(m.out, "| `%s` | %.1f |\n", strings.Join(args, " "), s.cpu*1000)
	}
	fmt.Fprintln(m.out)
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// families measures stateless exploration of every family, and what it costs to count traces instead.
func (m *measurement) families() error {
	first := true
	for _, f := range members {
		if !m.only.MatchString(f.family) {
			continue
		}
		if first {
			fmt.Fprintf(m.out, "## Families\n\nOne worker. *Check* is `check --engine smc`, *traces* is `traces --count`; *to SC* is check to that under SC.\n\n")
			fmt.Fprintf(m.out, "| program | model | executions | check, CPU s | per second | to SC | traces, CPU s | to check | MB |\n|---|---|---|---|---|---|---|---|---|\n")
			first = false
		}
		err := m.with(f, func(program ...string) error {
			sc := 0.0
			for _, model := range models {
				c, err := m.best(check("smc", model, 1, program...)...)
				if err != nil {
					return err
				}
				t, err := m.best(traces(model, program...)...)
				if err != nil {
					return err
				}
				if model == "sc" {
					sc = c.cpu
				}
				fmt.Fprintf(m.out, "| %s | %s | %d | %.2f | %.0f | %.2f | %.2f | %.2f | %.0f |\n",
					f, strings.ToUpper(model), c.stats.Executions, c.cpu, float64(c.stats.Executions)/c.cpu, c.cpu/sc, t.cpu, t.cpu/c.cpu, c.megabytes)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if !first {
		fmt.Fprintln(m.out)
	}
	return nil
}

// workers measures two workers against one.
func (m *measurement) workers() error {
	if !m.only.MatchString("workers") {
		return nil
	}
	fmt.Fprintf(m.out, "## Two workers\n\n*Times as fast* is by the clock, so it needs two idle cores.\n\n")
	fmt.Fprintf(m.out, "| program | engine | model | times as fast | CPU, two to one | MB, one | MB, two |\n|---|---|---|---|---|---|---|\n")
	for _, q := range []struct {
		f             member
		engine, model string
	}{{member{"readers", 17}, "smc", "tso"}, {member{"fib", 6}, "smc", "tso"}, {member{"lamport", 6}, "explicit", "sc"}} {
		err := m.with(q.f, func(program ...string) error {
			one, err := m.best(check(q.engine, q.model, 1, program...)...)
			if err != nil {
				return err
			}
			two, err := m.best(check(q.engine, q.model, 2, program...)...)
			if err != nil {
				return err
			}
			fmt.Fprintf(m.out, "| %s | %s | %s | %.2f | %.2f | %.0f | %.0f |\n", q.f, q.engine, strings.ToUpper(q.model), one.wall/two.wall, two.cpu/one.cpu, one.megabytes, two.megabytes)
			return nil
		})
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(m.out)
	return nil
}

// explicit measures searches over states, with and without reduction.
func (m *measurement) explicit() error {
	if !m.only.MatchString("explicit") {
		return nil
	}
	fmt.Fprintf(m.out, "## Explicit search\n\n| program | model | states | CPU s | states per second | bytes per state |\n|---|---|---|---|---|---|\n")
	for _, q := range []struct {
		f     member
		model string
		flags []string
	}{
		{member{"lamport", 4}, "sc", []string{"--no-reduction"}}, {member{"lamport", 4}, "tso", nil}, {member{"lamport", 5}, "sc", []string{"--no-reduction"}}, {member{"lamport", 6}, "sc", nil},
	} {
		err := m.with(q.f, func(program ...string) error {
			s, err := m.best(append(check("explicit", q.model, 1, program...), q.flags...)...)
			if err != nil {
				return err
			}
			n := max(1, s.stats.States)
			fmt.Fprintf(m.out, "| %s %s | %s | %d | %.2f | %.0f | %.0f |\n", q.f, strings.Join(q.flags, " "), strings.ToUpper(q.model), s.stats.States, s.cpu, float64(n)/s.cpu, float64(s.stats.Bytes)/float64(n))
			return nil
		})
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(m.out)
	return nil
}

// bounded measures bounded model checking at the bounds of a paper's table, on the programs of the repository that are
// files.
func (m *measurement) bounded() error {
	table, ok := papers.Find("lazysma")
	if !m.only.MatchString("bmc") || !ok || !exists("testdata/bmc") {
		return nil
	}
	fmt.Fprintf(m.out, "## Bounded model checking\n\n| program | model | bounds | clauses | CPU s |\n|---|---|---|---|---|\n")
	for i := range table.Rows {
		r := &table.Rows[i]
		name, ok := strings.CutPrefix(r.Source, "bmc/")
		if !ok {
			continue
		}
		s, err := m.best(slices.Concat(check("bmc", r.Model, 1, "testdata/bmc/"+name), r.Options)...)
		if err != nil {
			return err
		}
		fmt.Fprintf(m.out, "| %s | %s | `%s` | %d | %.2f |\n", r.Program, strings.ToUpper(r.Model), strings.Join(r.Options, " "), s.stats.Clauses, s.cpu)
	}
	fmt.Fprintln(m.out)
	return nil
}
