package traces

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/trace"
	"fencepost/query"
	"fencepost/verdict"
)

// exploration is one exploration of the executions of a program.
type exploration struct {
	run   *pipeline.Run
	flat  *ir.Program
	model memory.Model
	opt   *query.TraceOptions
	by    query.By
	each  func(*verdict.Trace)
	set   *verdict.TraceSet

	classes map[[16]byte]bool // hashes of the reads-from classes so far; nil: not needed
	blocked map[[16]byte]bool // hashes of the classes in which a thread stops; nil: not needed
	failing map[[16]byte]bool // hashes of what was found to fail
	sum     trace.Fingerprint
	stops   trace.Fingerprint // the sum of blocked
	once    bool              // a complete class that is found twice is an error
	listed  int
	broken  error
}

// explore explores all executions: by reads-from classes, or by traces.
func (x *exploration) explore(ctx context.Context, classes bool) error {
	task := x.run.ExploreTask(x.flat, x.model, &x.opt.Options)
	// The text of a class leaves out the order of signals that wake no thread, and of spawns that start the same
	// threads in any order; rf explores them.
	signals := hasOp(x.flat, ir.Signal, ir.Broadcast) || x.flat.UnevenStarters()
	project := x.by == query.ByReadsFrom && (!classes || signals)
	if x.opt.Fingerprint || x.opt.CrossCheck || project {
		x.classes = map[[16]byte]bool{}
	}
	var blocked func(*verdict.Witness)
	if x.opt.Fingerprint || x.opt.CrossCheck || x.lists() {
		blocked, x.blocked = x.addBlocked, map[[16]byte]bool{}
	}
	x.once = classes && !signals
	var visit func(*verdict.Witness)
	restart := func() {
		x.set.Count, x.set.Failing, x.set.Cyclic, x.failing = 0, 0, 0, map[[16]byte]bool{}
		if x.classes != nil {
			x.classes, x.sum = map[[16]byte]bool{}, trace.Fingerprint{}
			x.blocked, x.stops = map[[16]byte]bool{}, trace.Fingerprint{}
		}
	}
	restart()
	if x.each != nil || x.classes != nil || x.countsCycles() {
		visit = func(w *verdict.Witness) { x.visit(w, nil, project) }
	}
	if x.each != nil {
		task.Limits.Workers = 1 // traces are listed in the same order every time
		restart = nil
	}
	failed := func(w *verdict.Witness, fails []string) { x.visit(w, fails, project) }
	e := smc.New(smc.Options{SourceDPOR: x.opt.Algorithm == query.SourceDPOR, Traces: true, Visit: visit, Failed: failed, Blocked: blocked})
	if classes {
		e = rf.New(rf.Options{Traces: true, Visit: visit, Failed: failed, Blocked: blocked, Restart: restart})
	}
	out, err := pipeline.RunEngine(ctx, &e, task)
	if err == nil {
		err = x.broken
	}
	if err != nil {
		return err
	}
	x.conclude(out, project)
	return nil
}

// hasOp reports whether a program has an operation of one of the kinds.
func hasOp(p *ir.Program, kinds ...ir.OpKind) bool {
	for _, f := range p.Funcs {
		if slices.ContainsFunc(f.Edges, func(e ir.Edge) bool { return slices.Contains(kinds, e.Op.Kind) }) {
			return true
		}
	}
	return false
}

// conclude fills in what the exploration has found.
func (x *exploration) conclude(out *engine.Outcome, project bool) {
	if !project {
		x.set.Count = out.Stats.FinalStates
	}
	if x.set.Count+x.set.Failing == 0 && out.Unknown == "" && out.Exits == 0 {
		out.Unknown = "no execution comes to its end"
	}
	if x.classes != nil {
		x.set.Fingerprint = x.sum.String()
	}
	if x.opt.Fingerprint || x.opt.CrossCheck {
		x.set.BlockedFingerprint = x.stops.String()
	}
	x.set.Complete, x.set.Total = x.set.Count, x.set.Count+x.set.Failing
	x.set.Blocked = out.Stats.Blocked
	pipeline.Mark(&out.Coverage, pipeline.GivenBy(&x.opt.Options))
	x.set.Reason, x.set.Coverage, x.set.Stats, x.set.Warnings = out.Unknown, out.Coverage, out.Stats, out.Warnings
}

// addBlocked adds the class of an execution in which a thread stops. Classes that differ only in what a
// refused await has read count once.
func (x *exploration) addBlocked(w *verdict.Witness) {
	if hash := trace.Hash(trace.New(x.flat, w).ReadsFrom(w, nil)); !x.blocked[hash] {
		x.blocked[hash] = true
		x.stops.Add(hash)
		if x.lists() {
			x.list(w, nil, true)
		}
	}
}

// lists reports whether executions that do not come to their end are listed.
func (x *exploration) lists() bool { return x.opt.Blocked && x.each != nil }

// visit lists an execution. With project, only the first of each reads-from class counts.
func (x *exploration) visit(w *verdict.Witness, fails []string, project bool) {
	if x.broken != nil {
		return
	}
	if x.classes != nil {
		hash := trace.Hash(trace.New(x.flat, w).ReadsFrom(w, fails))
		if !x.classes[hash] {
			x.classes[hash] = true
			x.sum.Add(hash)
		} else if project {
			return
		} else if x.once && len(fails) == 0 {
			x.broken = errors.New("the exploration by reads-from classes finds a class twice")
			return
		}
	}
	if len(fails) > 0 {
		// Executions that differ only in what a refused await read have one trace.
		hash := trace.Hash(x.name(w, fails))
		if x.failing[hash] {
			return
		}
		x.failing[hash] = true
		x.set.Failing++
	} else {
		x.set.Count++
	}
	if x.each == nil {
		if x.countsCycles() && trace.New(x.flat, w).Cycle() != nil {
			x.set.Cyclic++
		}
		return
	}
	x.list(w, fails, false)
}

// list passes an execution on.
func (x *exploration) list(w *verdict.Witness, fails []string, blocked bool) {
	t, err := x.run.Trace(x.flat, x.model, w, x.by, fails)
	if err != nil {
		x.broken = err
		return
	}
	x.listed++
	t.Number, t.Blocked = x.listed, blocked
	if blocked {
		t.Cycle = nil // not counted
	}
	if t.Cycle != nil {
		x.set.Cyclic++
	}
	maps.Copy(x.set.Sources, x.run.Sources(t.Witness))
	x.each(t)
}

// countsCycles reports whether traces can have cycles: happens-before is acyclic under SC, and a reads-from class has no
// happens-before.
func (x *exploration) countsCycles() bool { return x.by == query.ByTrace && x.model != memory.SC }

// name returns a text that tells traces, or classes, with failing checks apart.
func (x *exploration) name(w *verdict.Witness, fails []string) string {
	t := trace.New(x.flat, w)
	text := t.ReadsFrom(w, fails)
	if x.by == query.ByTrace {
		text += t.Canonical()
	}
	return text
}

// crossCheck explores once more, by the other algorithm, and compares the fingerprints.
func (x *exploration) crossCheck(ctx context.Context) error {
	classes := x.by == query.ByReadsFrom && x.opt.Algorithm == ""
	if x.set.Reason != "" || !x.set.Coverage.Exhaustive {
		return nil
	}
	var set verdict.TraceSet
	other := &exploration{run: x.run, flat: x.flat, model: x.model, opt: x.opt, by: x.by, set: &set}
	if err := other.explore(ctx, !classes); err != nil {
		return err
	}
	if set.Reason != "" || !set.Coverage.Exhaustive {
		x.set.Reason = "the cross-check did not come to its end: " + set.Reason
		return nil
	}
	if set.BlockedFingerprint != x.set.BlockedFingerprint {
		return fmt.Errorf("the two explorations differ: %d reads-from classes in which a thread stops, with fingerprint %s, and %d with %s", len(x.blocked), x.set.BlockedFingerprint, len(other.blocked), set.BlockedFingerprint)
	}
	if set.Fingerprint != x.set.Fingerprint || len(x.classes) != len(other.classes) {
		return fmt.Errorf("the two explorations differ: %d reads-from classes with fingerprint %s, and %d with %s", len(x.classes), x.set.Fingerprint, len(other.classes), set.Fingerprint)
	}
	return nil
}
