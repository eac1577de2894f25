package testkit_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
	"sync/atomic"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/frontend/c"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/trace"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

var racePrograms = flag.Int("fp.races", 20, "random C programs whose data races are compared")

// raceTally counts the programs, executions and races of a comparison.
type raceTally struct {
	executions, racy, walks, programsWithRace, cut atomic.Int64
	certified, doubtful, uncertified               atomic.Int64 // programs and models
}

// TestRacesAgainstDefinition compares the detector of data races with the definition on
// random C programs, in every execution that stateless model checking explores and in
// random ones. The detector finds the first race by the definition, or none if there is
// none. If a random execution has a race, the exploration finds one too.
func TestRacesAgainstDefinition(t *testing.T) {
	var tally raceTally
	inParallel(*racePrograms, func(i int) {
		seed := *firstSeed + uint64(i)
		g := generateRaces(seed)
		if problem := compareRaces(g, seed, &tally); problem != "" {
			t.Errorf("seed %d: %s\nreproduce: go test ./internal/testkit -run TestRacesAgainstDefinition -fp.races=1 -fp.seed=%d\n%s", seed, problem, seed, numbered(g.text.String()))
		}
	})
	t.Logf("%d programs, 3 models each: %d executions explored, %d of them with a race, %d random ones; %d programs race under some model, %d explorations cut short",
		*racePrograms, tally.executions.Load(), tally.racy.Load(), tally.walks.Load(), tally.programsWithRace.Load(), tally.cut.Load())
	t.Logf("without data races: %d are certified, %d have no certificate; a certificate has a race for %d of them", tally.certified.Load(), tally.uncertified.Load(), tally.doubtful.Load())
	if *racePrograms >= 20 && tally.certified.Load() == 0 {
		t.Error("nothing is certified")
	}
	if n := tally.programsWithRace.Load(); n*10 < int64(*racePrograms) || n*10 > int64(*racePrograms)*9 {
		t.Errorf("%d of %d programs race: the generator is of little use", n, *racePrograms)
	}
}

// compareRaces compares one program under all models.
func compareRaces(g *raceProgram, seed uint64, tally *raceTally) (problem string) {
	defer func() {
		if p := recover(); p != nil {
			problem = fmt.Sprint(p)
		}
	}()
	const file = "race.c"
	unit, diags := c.Parse([]*source.File{source.NewFile(file, []byte(g.text.String()))}, testkit.ZeroedC())
	if diags.HasErrors() {
		return fmt.Sprintf("refused: %v", diags.All)
	}
	flat, err := transform.Run(unit.Program, transform.Options{Unroll: 2}, nil)
	if err != nil {
		return err.Error()
	}
	lines := func(p *verdict.Pos) cLine {
		switch {
		case p == nil:
			return cLine{}
		case p.File == file:
			return g.lines[p.Line]
		case path.Base(p.File) == "keys.c":
			return cLine{call: keyCall}
		}
		return cLine{}
	}
	plain, err := transform.Run(unit.Program, transform.Options{Unroll: 2, Plain: true}, nil)
	if err != nil {
		return err.Error()
	}
	any := false
	for _, m := range testkit.Models {
		explored, complete, problem := exploreRaces(flat, m, lines, tally)
		if problem != "" {
			return fmt.Sprintf("%s: %s", m, problem)
		}
		any = any || explored
		certified, problem := raceFree(plain, m, explored, tally)
		if problem != "" {
			return fmt.Sprintf("%s: %s", m, problem)
		}
		r := rand.New(rand.NewPCG(seed, uint64(m)))
		for range 8 {
			w := randomWalk(flat, m, r)
			tally.walks.Add(1)
			found, problem := sameRace(flat, w, lines)
			switch {
			case problem != "":
				return fmt.Sprintf("%s, a random execution: %s", m, problem)
			case found && certified:
				return fmt.Sprintf("%s: an execution has a data race, and a certificate says that none has\n%s", m, stepsOf(w))
			case found && complete && !explored:
				return fmt.Sprintf("%s: an execution has a data race, and no explored one has\n%s", m, stepsOf(w))
			}
		}
	}
	if any {
		tally.programsWithRace.Add(1)
	}
	return ""
}

// Limits on the executions of a program under a model, and on the executions with races.
const (
	mostExecutions = 250
	mostRacy       = 30
)

// exploreRaces compares the executions that stateless model checking explores.
func exploreRaces(flat *ir.Program, m memory.Model, lines lineOf, tally *raceTally) (found, complete bool, problem string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n, racy := 0, 0
	task := &engine.Task{
		Program: flat, Props: &property.Set{}, Model: m, KeepGoing: true, Limits: engine.Limits{Unroll: 2, Workers: 1},
	}
	explore := smc.Options{
		Unfinished: true,
		Visit: func(w *verdict.Witness) {
			if n++; n > mostExecutions || racy > mostRacy || problem != "" {
				cancel()
				return
			}
			tally.executions.Add(1)
			race, p := sameRace(flat, w, lines)
			if race {
				racy++
				tally.racy.Add(1)
			}
			found = found || race
			if p != "" {
				problem = p
			}
		},
	}
	out, err := smc.New(explore).Run(ctx, task)
	if err != nil {
		return false, false, err.Error()
	}
	complete = out.Unknown == "" && len(out.Coverage.Bounds) == 0 && n <= mostExecutions
	if !complete {
		tally.cut.Add(1)
	}
	return found, complete, problem
}

// sameRace compares the detector with the definition on one execution.
func sameRace(flat *ir.Program, w *verdict.Witness, lines lineOf) (found bool, problem string) {
	all := newHistory(flat, w, lines).races()
	first := -1
	for pair := range all {
		if first < 0 || pair[1] < first {
			first = pair[1]
		}
	}
	race, found := trace.FindRace(flat, w)
	switch {
	case found && len(all) == 0:
		problem = fmt.Sprintf("steps %d and %d race for the detector, and nothing does by the definition", race.First, race.Second)
	case !found && len(all) > 0:
		problem = fmt.Sprintf("step %d races with another by the definition, and nothing does for the detector: %v", first, all)
	case found && !all[[2]int{race.First, race.Second}]:
		problem = fmt.Sprintf("steps %d and %d race for the detector and not by the definition, where the first is %d", race.First, race.Second, first)
	case found && race.Second != first:
		problem = fmt.Sprintf("the first race is at step %d for the detector and at step %d by the definition", race.Second, first)
	}
	if problem != "" {
		problem += "\n" + stepsOf(w)
	}
	return found, problem
}

// randomWalk returns a random execution, of at most 300 steps.
func randomWalk(flat *ir.Program, m memory.Model, r *rand.Rand) *verdict.Witness {
	y := memory.New(flat, m, memory.Options{})
	rec := engine.NewRecorder(y)
	for range 300 {
		steps := y.Enabled(rec.State(), nil)
		if len(steps) == 0 {
			break
		}
		rec.Step(steps[r.IntN(len(steps))])
		if _, failed := rec.State().Fault(); failed || rec.State().Over() {
			break
		}
	}
	return rec.Witness()
}

func stepsOf(w *verdict.Witness) string {
	text := ""
	for i, st := range w.Steps {
		text += fmt.Sprintf("%d %s %s %v %s value %d written %d wrote %v from %d of %d touches %v wakes %v\n", i, w.Threads[st.Thread], st.Kind, st.Pos, st.Cell(), st.Value, st.Written, st.Wrote, st.From, st.Of, st.Accesses, st.Wakes)
	}
	return text
}

func numbered(text string) string {
	out, n := "", 0
	for line := range strings.Lines(text) {
		n++
		out += fmt.Sprintf("%3d %s", n, line)
	}
	return out
}
