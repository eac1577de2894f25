package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// calibration is the family of the line that has the CPU time of the fixed program.
const calibration = "calibration"

// figure is the best time of the peer's tools for a question.
type figure struct {
	member
	model, tool string
	executions  int64
	cpu         float64
}

// peerFigures are the figures in a peer's file.
type peerFigures struct {
	name    string
	fixed   float64 // CPU seconds of the fixed program on the peer's machine, 0: not known
	figures []figure
}

// readPeer reads a table of figures with tabs between its columns. Lines whose verdict is not "ok" are left out. Of
// several figures for one question the least counts.
func readPeer(name, text string) (*peerFigures, error) {
	p := &peerFigures{name: name}
	column := map[string]int{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if number == 1 {
			for i, c := range cells {
				column[c] = i
			}
			for _, want := range []string{"family", "N", "tool", "model", "verdict", "execs", "cpu_s"} {
				if _, ok := column[want]; !ok {
					return nil, fmt.Errorf("%s:1: there is no column %q", name, want)
				}
			}
			continue
		}
		if len(cells) == 1 && cells[0] == "" {
			continue
		}
		if err := p.add(column, cells); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	if len(p.figures) == 0 {
		return nil, fmt.Errorf("%s: there is no figure in it", name)
	}
	return p, nil
}

// add adds the figure of a line.
func (p *peerFigures) add(column map[string]int, cells []string) error {
	for want, i := range column {
		if i >= len(cells) {
			return fmt.Errorf("there is no cell in column %q", want)
		}
	}
	cell := func(name string) string { return cells[column[name]] }
	if cell("verdict") != "ok" {
		return nil
	}
	cpu, err := strconv.ParseFloat(cell("cpu_s"), 64)
	if err != nil || cpu < 0 {
		return fmt.Errorf("cpu_s %q is no time", cell("cpu_s"))
	}
	if cell("family") == calibration {
		if cpu == 0 {
			return fmt.Errorf("a calibration of 0 s says nothing")
		}
		p.fixed = cpu
		return nil
	}
	n, err := strconv.Atoi(cell("N"))
	if err != nil {
		return fmt.Errorf("column N: %q is no number", cell("N"))
	}
	execs, err := strconv.ParseInt(cell("execs"), 10, 64)
	if err != nil {
		return fmt.Errorf("execs %q is no number", cell("execs"))
	}
	f := figure{member{cell("family"), n}, cell("model"), cell("tool"), execs, cpu}
	i := slices.IndexFunc(p.figures, func(o figure) bool { return o.member == f.member && o.model == f.model && o.executions == f.executions })
	switch {
	case i < 0:
		p.figures = append(p.figures, f)
	case f.cpu < p.figures[i].cpu:
		p.figures[i] = f
	}
	return nil
}

// shortest is the CPU time from which on a figure counts: start-up hides what shorter ones would show.
const shortest = 0.1

// ratios compares our times with the peer's, for the questions with the same number of executions.
func (m *measurement) ratios(peer *peerFigures) error {
	scale := 1.0
	fmt.Fprintf(m.out, "## Against %s\n\n", peer.name)
	if peer.fixed == 0 {
		fmt.Fprintf(m.out, "Not calibrated: the file has no line %q, so ratios compare two machines as they are.\n\n", calibration)
	} else {
		here := bestOf(m.runs, m.fixed)
		scale = here / peer.fixed
		fmt.Fprintf(m.out, "Calibrated: the fixed program takes %.2f s here and %.2f s there, so the peer's times count %.2f-fold.\n\n", here, peer.fixed, scale)
	}
	fmt.Fprintf(m.out, "Times are CPU seconds; a ratio above 1 says that we are faster. Left out: the peer's figures below %.1f s.\n\n", shortest)
	fmt.Fprintf(m.out, "| program | model | executions | ours | peer | tool | ratio |\n|---|---|---|---|---|---|---|\n")
	var other []string
	for _, f := range peer.figures {
		if f.cpu < shortest || !m.only.MatchString(f.family) {
			continue
		}
		err := m.with(f.member, func(program ...string) error {
			s, err := m.best(check("smc", f.model, 1, program...)...)
			if err != nil {
				return err
			}
			if s.stats.Complete != f.executions {
				other = append(other, fmt.Sprintf("%s %s: %d by %s, %d by us", f.member, strings.ToUpper(f.model), f.executions, f.tool, s.stats.Complete))
				return nil
			}
			fmt.Fprintf(m.out, "| %s | %s | %d | %.2f | %.2f | %s | %.2f |\n", f.member, strings.ToUpper(f.model), f.executions, s.cpu, f.cpu*scale, f.tool, f.cpu*scale/s.cpu)
			return nil
		})
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(m.out)
	if len(other) > 0 {
		fmt.Fprintf(m.out, "Left out, because the peer counts something else: %s.\n\n", strings.Join(other, "; "))
	}
	return nil
}
