// Measure prints what fencepost costs: the CPU time of start-up, of the families of package family under every memory
// model, of counting traces, of explicit search and of bounded model checking, and the memory of workers. It also compares
// the work that engines count with the CPU time that they take.
//
//	make build && go run ./internal/tool/measure --peer PEERS.tsv bin/fencepost
//
// Every question is a process of its own, asked --runs times; the least CPU time counts, because other work on the
// machine can only add to it. The output is tables in Markdown, to be kept beside older ones in bench/.
//
// --peer adds ratios to another tool's figures. Its file has a line per figure, with tabs between the columns and their
// names in the first line: family, N, tool, model, verdict, execs and cpu_s are read, others are ignored. Figures of
// another machine need calibration: a line with the family "calibration", which --calibrate prints on that machine. It
// has the CPU time of a fixed program, and ratios are then those of times divided by the time of that program. If
// there is no such line, the output says that ratios are not calibrated.
//
// Families come from the C programs in --programs, by default the directory of the peer's file; a family without a
// program there is the one that `fencepost gen` writes.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
)

// measurement has the choices of one call of the command.
type measurement struct {
	binary   string
	programs string // directory of programs in C, "": none
	only     *regexp.Regexp
	runs     int
	out      io.Writer
	ask      func(args ...string) (sample, error)
	fixed    func() float64 // CPU seconds of the calibration program
	charge   func(chargeQuestion) (charged, error)
}

func main() {
	peer := flag.String("peer", "", "`file` with the figures of another tool")
	programs := flag.String("programs", "", "`directory` with the families in C (default: that of the peer's file)")
	only := flag.String("only", ".", "measure only what matches this `regexp`, such as \"readers|start\"")
	runs := flag.Int("runs", 3, "times that each question is asked")
	calibrate := flag.Bool("calibrate", false, "only print the line for the file of a peer that is measured on this machine")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: measure [flags] BINARY")
		flag.PrintDefaults()
	}
	question := flag.String("charge", "", "for the command itself: answer a `question` about charges")
	flag.Parse()
	if *question != "" {
		if err := answerCharge(os.Stdout, *question); err != nil {
			fmt.Fprintln(os.Stderr, "measure:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(os.Stdout, *peer, *programs, *only, *runs, *calibrate, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, peer, programs, only string, runs int, calibrate bool, args []string) error {
	if calibrate {
		fmt.Fprintln(out, calibrationLine(bestOf(runs, fixedProgram)))
		return nil
	}
	if len(args) != 1 {
		return fmt.Errorf("want one argument, the binary to measure")
	}
	if runs < 1 {
		return fmt.Errorf("--runs %d: want at least 1", runs)
	}
	pattern, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	m := &measurement{binary: args[0], programs: programs, only: pattern, runs: runs, out: out}
	m.ask, m.fixed, m.charge = m.process, fixedProgram, chargeApart
	var figures *peerFigures
	if peer != "" {
		text, err := os.ReadFile(peer)
		if err != nil {
			return err
		}
		if figures, err = readPeer(peer, string(text)); err != nil {
			return err
		}
		if m.programs == "" {
			m.programs = filepath.Dir(peer)
		}
	}
	return m.all(figures)
}

// all prints every table.
func (m *measurement) all(peer *peerFigures) error {
	for _, section := range []func() error{m.startUp, m.charges, m.families, m.workers, m.explicit, m.bounded, m.formulas} {
		if err := section(); err != nil {
			return err
		}
	}
	if peer == nil {
		return nil
	}
	return m.ratios(peer)
}
