package bmc

import (
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/solver/sat"
)

// From a model to an execution. The decoder visits the points of the sequentialized program again,
// in the same order. The points that run in the model become steps of the program before unrolling,
// whose locations have their edges in the same order as the copies. Stores reach memory when the
// clock reaches their time; stores with the same time in the order in which they were issued. Local
// instructions run right after the visible instruction before them.

type decoder struct {
	x     *encoder
	model func(sat.Lit) bool
	memo  map[gate]bool
	rec   *engine.Recorder
	y     *memory.System
	want  *question
	any   bool // stop at the first failing check
	at    []*location
	queue []waiting
	done  bool
	err   error
}

// waiting is a store in a buffer.
type waiting struct {
	thread int
	store  *step
	tag    int32
	ts     int64
	block  uint64 // of a free
}

func (d *decoder) is(g gate) bool      { return d.x.c.value(d.model, g, d.memo) }
func (d *decoder) number(w word) int64 { return d.x.c.number(d.model, w, d.memo) }

// decode runs the execution of a model on y, the system of the program before unrolling. The
// execution ends with the violation want, or with any at the first check that fails.
func decode(x *encoder, y *memory.System, model func(sat.Lit) bool, want *question, any bool) (*engine.Recorder, error) {
	d := &decoder{x: x, model: model, memo: map[gate]bool{}, rec: engine.NewRecorder(y), y: y, want: want, any: any}
	for _, t := range x.threads {
		d.at = append(d.at, nil)
		if len(t.locs) > 0 && d.is(t.started) {
			d.at[t.id] = t.at[t.f.Entry]
		}
		if x.prog.Threads[t.id].Start {
			d.locals(t)
		}
	}
	if x.order != nil {
		d.inOrder(x.order)
	}
	for i := range x.seq.points {
		d.point(&x.seq.points[i])
	}
	if !d.done && d.err == nil && (want.kind != engine.GoalReached || x.props.Goals[want.goal].MentionsMemory()) {
		d.flush(1 << 62)
	}
	return d.rec, d.err
}

// point runs the step that the model runs at a point.
func (d *decoder) point(p *point) {
	t, l := p.thread, p.loc
	if d.done || d.err != nil || d.at[t.id] != l || !d.is(p.now) {
		return
	}
	d.leave(t, l, d.number(p.clock))
}

// leave runs the step of a thread that leaves a location at some time.
func (d *decoder) leave(t *thread, l *location, now int64) {
	for _, st := range l.steps {
		if !d.is(st.runs) && !d.failing(st) {
			continue
		}
		if !l.inner {
			d.flush(now)
		}
		if d.done || d.err != nil {
			return
		}
		d.take(t, st)
		if d.done || d.err != nil || d.at[t.id] == l {
			return
		}
		d.append(t, st)
		if !l.inner {
			d.flush(now)
		}
		if !d.done {
			d.locals(t)
		}
		return
	}
}

// append notes the store that a step has put into its thread's buffer, or taken back.
func (d *decoder) append(t *thread, st *step) {
	a, tag := st.access, int32(len(d.rec.Witness().Steps)-1)
	switch st.e.Op.Kind {
	case ir.Store:
		if !a.direct && d.x.model != memory.SC {
			w := waiting{thread: t.id, store: st, tag: tag}
			if d.x.order == nil {
				w.ts = d.number(a.ts)
			}
			d.queue = append(d.queue, w)
			if d.x.order != nil {
				d.landEager(t)
			}
		}
	case ir.Free:
		if !a.direct && d.is(st.ends) {
			b := d.rec.State().Buffer(ir.ThreadID(t.id))
			i := slices.IndexFunc(b, func(e memory.Entry) bool { return e.Kind == memory.FreeEntry && e.Tag == tag })
			d.queue = append(d.queue, waiting{thread: t.id, tag: tag, ts: d.number(a.ts), block: b[i].Addr})
		}
	case ir.Alloc:
		for _, b := range st.again {
			if d.is(b.picks) {
				d.queue = slices.DeleteFunc(d.queue, func(w waiting) bool { return w.thread == t.id && w.block == b.addr })
			}
		}
	}
}

// failing reports whether a check of a step fails in the model.
func (d *decoder) failing(st *step) bool {
	return slices.ContainsFunc(d.x.fails, func(f *failure) bool { return f.step == st && d.is(f.fails) })
}

// locals runs a thread to the next location at which it can stop.
func (d *decoder) locals(t *thread) {
	for l := d.at[t.id]; l != nil && l.pos < 0 && !d.done && d.err == nil; l = d.at[t.id] {
		moved := false
		for _, st := range l.steps {
			if d.is(st.runs) || d.failing(st) {
				d.take(t, st)
				if moved = d.at[t.id] != l; moved {
					d.append(t, st)
				}
				break
			}
		}
		if !moved {
			return
		}
	}
}

// take runs a step, unless it fails a check that is not the wanted violation: then the execution
// ends before the step.
func (d *decoder) take(t *thread, st *step) {
	fails := false
	for _, f := range d.x.fails {
		if f.step == st && d.is(f.fails) {
			fails = true
			if !d.any && (d.want.fail == nil || d.want.fail.step != st || d.want.fail.class != f.class) {
				return
			}
		}
	}
	do := memory.Step{Thread: int32(t.id), Kind: memory.Exec, Edge: int32(st.index)}
	if st.hasChoice {
		do.Choice = d.number(st.choice)
	}
	if st.e.Op.Kind == ir.Signal && !fails {
		do.Choice = d.signalled(do, st)
	}
	for _, b := range st.again {
		if d.is(b.picks) {
			do.Choice = int64(b.addr)
		}
	}
	l := d.at[t.id]
	if l.wait != nil && st.e.Op.Kind == ir.Barrier { // the last arrival has released it
		d.at[t.id] = t.at[st.e.To]
		return
	}
	if l.wait != nil {
		d.wakeUp(t, st)
		do.Kind = memory.Relock
	}
	if !d.enabled(do, st) {
		d.err = fmt.Errorf("the model runs a step that is not enabled: %s at %s, step %d", st.e.Op.Kind, st.e.Pos.Pos, len(d.rec.Witness().Steps))
		return
	}
	d.rec.Step(do)
	if _, failed := d.rec.State().Fault(); failed != fails {
		d.err = fmt.Errorf("a check fails in the execution or in the model only: %s at %s", st.e.Op.Kind, st.e.Pos.Pos)
		return
	}
	if fails {
		d.done = true
		return
	}
	d.at[t.id] = t.at[st.e.To]
	if waitsInside(st.e) && l.wait == nil {
		d.at[t.id] = d.x.waitOf(l, st).at
	}
	for _, to := range st.targets {
		if d.is(to.is) {
			d.locals(d.x.threads[to.thread])
		}
	}
}

// enabled reports whether a step of the model is enabled by the rules of package memory.
func (d *decoder) enabled(do memory.Step, st *step) bool {
	if k := st.e.Op.Kind; k == ir.Havoc || k == ir.AbstractLoad {
		return true // there may be too many values to list; replay sees at the one chosen
	}
	return slices.Contains(d.y.EnabledEdges(d.rec.State(), int(do.Thread), nil), do)
}

// flush lets the stores with times up to now reach memory.
func (d *decoder) flush(now int64) {
	slices.SortStableFunc(d.queue, func(a, b waiting) int { return int(a.ts - b.ts) })
	for len(d.queue) > 0 && d.queue[0].ts <= now && d.err == nil && !d.done {
		w := d.queue[0]
		d.queue = d.queue[1:]
		d.land(w)
	}
}

// land lets a store reach memory.
func (d *decoder) land(w waiting) {
	at := slices.IndexFunc(d.rec.State().Buffer(ir.ThreadID(w.thread)), func(e memory.Entry) bool {
		return e.Kind != memory.Marker && e.Tag == w.tag
	})
	if at < 0 || d.x.model == memory.TSO && at != 0 {
		d.err = fmt.Errorf("the model lets a store reach memory that cannot")
		return
	}
	d.rec.Step(memory.Step{Thread: int32(w.thread), Kind: memory.Flush, Index: int32(at)})
	if f, failed := d.rec.State().Fault(); failed {
		d.done = true
		if !d.any && f.Class != d.want.late {
			d.err = fmt.Errorf("a store reaches an address without memory in the execution, not in the formula")
		}
	}
}
