package papers

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed *.tsv
var files embed.FS

// Ask says what is asked about the programs of a table. The zero value is unset.
type Ask uint8

// The questions.
const (
	_      Ask = iota
	Fences     // the fewest fences for robustness
	Check      // the program's own properties, by one engine
	Traces     // the number of traces
	Prove      // value robustness
)

// Table is a table of a paper.
type Table struct {
	Name   string
	Paper  string // key in docs/bibliography.md
	Doc    string
	Ask    Ask
	Engine string // of Check
	Count  string // what the column of counts counts
	Theirs string // whose figures stand beside ours
	Rows   []Row
}

// Row is a program of a table with the figures of the paper.
type Row struct {
	Program string // as the paper names it
	Source  string // family/NAME, corpus/NAME, bmc/FILE, mover/FILE, papers/FILE, or a path with a directory of the user's
	N       int    // size of a family's member
	Model   string
	Options []string // in the form of the command line
	Answer  string   // as the paper has it, "" if it has none
	Count   string   // "" if the paper has none
	Seconds string
}

// All returns the tables.
func All() []Table {
	list := []Table{
		{Name: "trencher", Paper: "BDM13", Doc: "robustness and fences, Table 2 of [BDM13]", Ask: Fences, Count: "fences", Theirs: "Trencher with Spin, wall time"},
		{Name: "nidhugg", Paper: "AAAJLS15", Doc: "stateless model checking, Table 1 of [AAAJLS15]", Ask: Check, Engine: "smc", Count: "executions", Theirs: "Nidhugg"},
		{Name: "lazy", Paper: "BCDM15", Doc: "TSO reachability, the programs of [BCDM15 §5]", Ask: Check, Engine: "lazy", Count: "states", Theirs: "the authors' tool, CPU time on a machine like ours"},
		{Name: "lazysma", Paper: "TNIFLP16", Doc: "bounded model checking, Table I of [TNIFLP16]", Ask: Check, Engine: "bmc", Count: "clauses", Theirs: "LazySMA"},
		{Name: "movers", Paper: "BEMT18", Doc: "proofs by movers, Table 1 of [BEMT18]", Ask: Prove, Count: "obligations", Theirs: "CIVL"},
		{Name: "scaling", Paper: "AAAJLS15", Doc: "traces of families of programs", Ask: Traces, Count: "traces", Theirs: "Nidhugg 0.4 with source-DPOR, CPU time on a machine like ours"},
	}
	for i := range list {
		text, err := files.ReadFile(list[i].Name + ".tsv")
		if err != nil {
			panic("BUG: " + err.Error())
		}
		if list[i].Rows, err = read(string(text)); err != nil {
			panic("BUG: " + list[i].Name + ": " + err.Error())
		}
	}
	return list
}

// Find returns the table with a name.
func Find(name string) (*Table, bool) {
	for _, t := range All() {
		if t.Name == name {
			return &t, true
		}
	}
	return nil, false
}

// columns of the tables.
const columns = 8

func read(text string) ([]Row, error) {
	var rows []Row
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != columns {
			return nil, fmt.Errorf("line %d has %d columns", i+1, len(f))
		}
		if i == 0 {
			continue
		}
		row := Row{Program: f[0], Source: f[1], Model: f[3], Options: strings.Fields(f[4]), Answer: f[5], Count: f[6], Seconds: f[7]}
		if f[2] != "" {
			n, err := strconv.Atoi(f[2])
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			row.N = n
		}
		rows = append(rows, row)
	}
	return rows, nil
}
