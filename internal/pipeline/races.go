package pipeline

import (
	"context"
	"fmt"

	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/trace"
	"fencepost/verdict"
)

// Races is the question that --races asks.
const Races = verdict.DataRaces

// withRaces looks for data races first, and then asks the program's own questions.
// Which accesses race is the same in all executions with one trace, so one of each
// is enough.
func (p *program) withRaces(ctx context.Context, flat *ir.Program, m memory.Model, opt Options) (*verdict.Result, error) {
	res, err := p.dataRaces(ctx, flat, m, opt)
	if err != nil || res.Verdict != verdict.Safe && !res.BoundedOnly || p.props.Empty() && !opt.Finals {
		return res, err
	}
	opt.Races = false
	own, err := p.answer(ctx, flat, m, opt)
	if err != nil {
		return nil, err
	}
	if own.Verdict != verdict.Unsafe { // else it names what is violated
		own.Question += ", " + Races
	}
	own.Warnings = append(own.Warnings, res.Warnings...)
	own.Coverage.Exhaustive = own.Coverage.Exhaustive && res.Coverage.Exhaustive
	own.Coverage.Bounds = append(own.Coverage.Bounds, res.Coverage.Bounds...)
	if own.Verdict == verdict.Safe || own.Verdict == verdict.NotObserved {
		holds(own, own.Verdict, opt)
	}
	return own, nil
}

// dataRaces answers whether some execution has a data race by C11's definition.
func (p *program) dataRaces(ctx context.Context, flat *ir.Program, m memory.Model, opt Options) (*verdict.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var witness *verdict.Witness
	var race trace.Race
	var broken error
	task := p.task(flat, m, opt)
	task.Props, task.Finals, task.KeepGoing = &property.Set{}, false, true
	how := explored(opt)
	how.Unfinished, how.IdleRounds = true, 2
	how.Visit = func(w *verdict.Witness) {
		if witness != nil || broken != nil {
			return
		}
		r, found := trace.FindRace(flat, w)
		if !found {
			return
		}
		race, witness = r, untilRace(flat, w, r)
		broken = p.replays(flat, m, w)
		cancel()
	}
	out, err := smc.New(how).Run(ctx, task)
	if err == nil {
		err = broken
	}
	if err != nil {
		return nil, err
	}
	res := &verdict.Result{
		Program: p.input.Name, Question: Races, Model: m.String(), Engine: smc.Engine.Name,
		Coverage: out.Coverage, Stats: out.Stats, Warnings: out.Warnings,
		Sources: p.sources(witness),
	}
	switch {
	case witness != nil:
		p.addTexts(witness)
		res.Verdict, res.Witness = verdict.Unsafe, witness
		res.Reason, res.Pos = dataRaceText(flat, witness, race)
	case out.Unknown != "":
		res.Verdict, res.Reason = verdict.Unknown, out.Unknown
	default:
		holds(res, verdict.Safe, opt)
	}
	return res, nil
}

// untilRace is an execution that ends with the second access of its race, as far as that
// alone shows the race.
func untilRace(flat *ir.Program, w *verdict.Witness, race trace.Race) *verdict.Witness {
	cut := *w
	cut.Steps = w.Steps[:race.Second+1]
	if again, found := trace.FindRace(flat, &cut); !found || again != race {
		return w
	}
	return &cut
}

// dataRaceText is a data race as a sentence, and where its second access is.
func dataRaceText(flat *ir.Program, w *verdict.Witness, race trace.Race) (string, *verdict.Pos) {
	a, b := &w.Steps[race.First], &w.Steps[race.Second]
	return fmt.Sprintf("data race on %s: %s of %s (%s) and %s of %s are not ordered", raceLocation(flat, a, b),
		accessWord(flat, a), w.Threads[a.Thread], place(a), accessWord(flat, b), w.Threads[b.Thread]), b.Pos
}

// raceLocation names what two steps access: the smaller place, if one of them is about a
// whole block.
func raceLocation(flat *ir.Program, a, b *verdict.Step) string {
	for _, st := range []*verdict.Step{b, a} {
		if st.Location != "" && !st.Free {
			return st.Location
		}
	}
	for _, st := range []*verdict.Step{b, a} {
		if st.Location != "" {
			return st.Location
		}
		if len(st.Accesses) > 0 {
			return flat.LocationName(st.Accesses[0].Addr, st.Accesses[0].Size)
		}
	}
	return b.Cell()
}

// accessWord says what a step that races does.
func accessWord(flat *ir.Program, st *verdict.Step) string {
	words := map[ir.OpKind]string{
		ir.Alloc: "the allocation", ir.Free: "the free", ir.Lock: "the lock", ir.TryLock: "the trylock", ir.Unlock: "the unlock",
		ir.CondWait: "the wait", ir.Signal: "the signal", ir.Broadcast: "the broadcast", ir.Barrier: "the barrier wait",
	}
	if _, e, ok := flat.EdgeByID(ir.EdgeID(st.Edge)); ok && words[e.Op.Kind] != "" {
		return words[e.Op.Kind]
	}
	switch st.Kind {
	case verdict.StepLoad:
		return "the load"
	case verdict.StepStore:
		return "the store"
	default:
		return "the read-modify-write"
	}
}

func place(st *verdict.Step) string {
	if st.Pos == nil {
		return "no position"
	}
	return st.Pos.String()
}
