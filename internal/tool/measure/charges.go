package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"fencepost"
	"fencepost/internal/budget"
	"fencepost/internal/family"
	"fencepost/query"
)

// Charges: engines take turns, which are counted in work. Here every engine runs alone under a budget, in a process of
// its own, and what it counts is compared with the CPU time that it takes until the budget is used up, or until it has
// an answer. Reading the program is not part of it, setting up the engine is.

// chargeQuestion is a program, an engine and its budget.
type chargeQuestion struct {
	Path    string
	Defines []string
	Engine  string
	Model   query.Model
	Grant   int64 // milliseconds
}

// charged has the work that an engine counted and the time that it took, in milliseconds.
type charged struct {
	Counted, Took float64
	Ended         bool // before the budget was used up
	Refused       bool // the engine does not take the program
}

// chargeGrants are the budgets, in milliseconds: set-up has the larger part of the first.
var chargeGrants = []int64{30, 600}

// leastCharge is how many milliseconds an engine must take: what is shorter is not compared.
const leastCharge = 10

// charges prints the table of charges, and how many ratios lie outside a factor of two.
func (m *measurement) charges() error {
	if !m.asksCharges("") {
		return nil
	}
	fmt.Fprintf(m.out, "## Charges\n\nOne worker, TSO; *counted* and *took* are milliseconds, and *ratio* is that of counted to taken.\n\n")
	fmt.Fprintf(m.out, "| program | engine | budget | counted | took | ratio |\n|---|---|---|---|---|---|\n")
	far, count, worst := 0, 0, 1.0
	ask := func(name string, q chargeQuestion) error {
		if !m.asksCharges(name + " " + q.Engine) {
			return nil
		}
		c, err := m.leastCharged(q)
		if err != nil || c.Refused || c.Took < leastCharge {
			return err
		}
		ratio, mark := c.Counted/c.Took, ""
		off := math.Max(ratio, 1/ratio)
		count++
		if worst = math.Max(worst, off); off > 2 {
			far++
			mark = " *"
		}
		fmt.Fprintf(m.out, "| %s | %s | %d | %.0f | %.0f | %.2f%s |\n", name, q.Engine, q.Grant, c.Counted, c.Took, ratio, mark)
		return nil
	}
	err := m.chargePrograms(func(name, path string, defines []string) error {
		for _, e := range append(slices.Clone(fencepost.Engines()), "robust") {
			for _, grant := range chargeGrants {
				if err := ask(name, chargeQuestion{Path: path, Defines: defines, Engine: string(e), Model: query.TSO, Grant: grant}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	fmt.Fprintf(m.out, "\n%d ratios, %d of them not within a factor of two; the worst is %.2f.\n\n", count, far, worst)
	return err
}

// leastCharged asks a question --runs times and returns the run with the least CPU time.
func (m *measurement) leastCharged(q chargeQuestion) (charged, error) {
	least, err := m.charge(q)
	for i := 1; i < m.runs && err == nil && !least.Refused; i++ {
		var c charged
		if c, err = m.charge(q); c.Took < least.Took {
			least = c
		}
	}
	return least, err
}

// asksCharges reports whether charges of something are to be measured: --only=charges asks for all, and
// --only='charges readers.* smc' for those of an engine on a family.
func (m *measurement) asksCharges(of string) bool {
	if of == "" {
		return m.only.MatchString("charges") || strings.HasPrefix(m.only.String(), "charges ")
	}
	return m.only.MatchString("charges " + of)
}

// chargePrograms calls use with every program: the members of families, and long programs in C.
func (m *measurement) chargePrograms(use func(name, path string, defines []string) error) error {
	for _, f := range members {
		path := filepath.Join(m.programs, f.family+".c")
		var err error
		if m.programs != "" && exists(path) {
			err = use(f.String(), path, []string{"N=" + strconv.Itoa(f.n)})
		} else {
			err = m.with(f, func(args ...string) error { return use(f.String(), args[0], nil) })
		}
		if err != nil {
			return err
		}
	}
	for _, long := range []struct {
		name string
		text func(int) string
	}{{"loops", family.LoopsInC}, {"pointers", family.PointersInC}} {
		for _, lines := range []int{1000, 4000} {
			err := temporary("long.c", long.text(lines), func(path string) error { return use(fmt.Sprintf("%s(%d)", long.name, lines), path, nil) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// chargeApart asks a process of its own.
func chargeApart(q chargeQuestion) (c charged, err error) {
	self, err := os.Executable()
	if err != nil {
		return c, err
	}
	text, err := json.Marshal(q)
	if err != nil {
		return c, err
	}
	cmd := exec.Command(self, "--charge", string(text))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return c, fmt.Errorf("%s on %s: %w", q.Engine, q.Path, err)
	}
	return c, json.Unmarshal(out, &c)
}

// answerCharge answers one question in this process.
func answerCharge(out io.Writer, text string) error {
	var q chargeQuestion
	if err := json.Unmarshal([]byte(text), &q); err != nil {
		return err
	}
	program, err := os.ReadFile(q.Path)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(q.run(program))
}

// run grants the budget when the engine is about to begin, and cancels it when the budget is used up.
func (q *chargeQuestion) run(program []byte) charged {
	b := budget.New()
	ctx, cancel := context.WithCancel(budget.With(context.Background(), b))
	defer cancel()
	refused, ended := make(chan struct{}), make(chan float64, 1)
	go func() {
		defer close(refused)
		q.ask(ctx, query.Input{Name: q.Path, Text: program}, func(p query.Progress) {
			if p.Ended {
				ended <- cpuSeconds()
			}
		})
	}()
	select {
	case <-refused:
		return charged{Refused: true}
	case <-b.Used(): // it waits for its first turn
	}
	runtime.GC()
	start := cpuSeconds()
	b.Grant(q.Grant * budget.Millisecond)
	c := charged{}
	end := 0.0
	select {
	case end = <-ended:
		c.Ended = true
	case <-b.Used():
		end = cpuSeconds()
	}
	c.Took = (end - start) * 1000
	c.Counted = float64(b.Done()) / budget.Millisecond
	return c
}

// ask asks the engine. What comes after its end is not part of the charges.
func (q *chargeQuestion) ask(ctx context.Context, in query.Input, progress func(query.Progress)) {
	opt := query.Options{Workers: 1, Threads: 24, Progress: progress}
	opt.C.Defines = q.Defines
	opt.C.Include = func(name string) ([]byte, bool) {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(in.Name), filepath.Base(name)))
		return text, err == nil
	}
	if q.Engine == "robust" {
		_, _ = fencepost.Robust(ctx, in, query.RobustOptions{Options: opt, Models: query.Models{q.Model}})
	} else {
		_, _ = fencepost.Check(ctx, in, query.CheckOptions{Options: opt, Models: query.Models{q.Model}, Engines: query.Engines{query.Engine(q.Engine)}})
	}
}
