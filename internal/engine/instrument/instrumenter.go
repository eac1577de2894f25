package instrument

import (
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Instrumentation: robustness as SC reachability. The idea: the instrumented program of
// an attack does under SC what a TSO witness of the attack [BDM13 Fig. 4] does, and
// reaches a goal if and only if there is such a witness [BDM13 Thm 2]. The attacker runs
// its code until it delays the store of the attack. From then on it runs a copy of its
// code, in which stores go to auxiliary memory and loads read auxiliary memory first
// [BDM13 Fig. 5]. At the load of the attack it stops. Helpers run their code until then.
// Afterwards they only take steps that come after the load in happens-before, in a second
// copy of their code, which records the highest level of access for every address [BDM13
// Fig. 7]. [BDM13 Lemma 3] says when a helper may enter its copy; then the helper is
// involved. A helper reaches the goal when it accesses an address that the delayed store
// writes.
//
// Differs from the paper:
//   - Steps that belong together are an atomic section, which saves interleavings. The
//     test of (7), that the attacker has not stopped, is before the access and not in one
//     section with it, as in the paper. So an access may slip through between them. It is
//     not counted, and the accesses that are counted still form a happens-before path.
//   - Success (13) is tested by the helper that makes an access, not at every label: the
//     levels of an address change only there.
//   - A read-modify-write, a mutex operation and a whole atomic section are one node
//     of the trace: instrument_helper.go and instrument_section.go.
//   - Levels are per byte if accesses of different sizes may overlap (shadow.go).
//   - An event that would end the program (a failed assertion, exit, a wrong address) only
//     stops its thread.
//   - Threads are started and joined: a thread started by an involved helper is
//     involved, and so is a helper that joins an involved thread.
//
// The size of the result is linear in the size of the program: every edge becomes a
// bounded number of edges. There is one exception: the test of an address that is computed
// at run time, and not restricted to one object, names all objects.

// instrumentPass is the name that the new edges carry.
const instrumentPass = "instrument"

// maxHelpers is the largest number of threads, so that a mark fits into a byte.
const maxHelpers = 100

// Instrumenter makes the instrumented programs of a flat program.
type Instrumenter struct {
	p      *ir.Program
	sh     *shadow
	close  bool     // Options.Export
	inside [][]bool // by thread and location: whether the location is in a section

	stopped  ir.ObjectID // the paper's hb: the attacker has stopped
	target   ir.ObjectID // the paper's a_stA: the address of the delayed store
	joined   ir.ObjectID // a word per thread: whether a thread has joined it
	involved ir.ObjectID // a word per thread: 0 not started, 1 started, 2 involved; NoObject without spawns and joins
}

// Options are the options of NewInstrumenter.
type Options struct {
	// Export makes programs for tools with small numbers: cells are kept close together, and
	// the tool has to stop a thread at a wrong address, or at a wrong unlock or join.
	Export bool
}

// NewInstrumenter returns the Instrumenter of a flat program. The error is an *engine.Unsupported
// if the program has an operation that instrumentation does not support.
func NewInstrumenter(p *ir.Program, opt Options) (*Instrumenter, error) {
	if p.Form != ir.Flat {
		panic("BUG: only flat programs can be instrumented")
	}
	in := &Instrumenter{p: p, close: opt.Export, involved: ir.NoObject, joined: ir.NoObject}
	if len(p.Threads) > maxHelpers {
		return nil, &engine.Unsupported{Pos: engine.Position(p.Threads[maxHelpers].Pos), What: fmt.Sprintf("instrumentation takes at most %d threads", maxHelpers)}
	}
	starts, sections := false, false
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		inside, err := ir.SectionLocs(f)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		for i := range f.Edges {
			switch k := f.Edges[i].Op.Kind; k {
			case ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier, ir.Alloc, ir.Free:
				return nil, &engine.Unsupported{Pos: engine.Pos(&f.Edges[i]), What: fmt.Sprintf("instrumentation does not take %s", k)}
			case ir.Store:
				if op := &f.Edges[i].Op; op.Type.Bits == 64 {
					if v, ok := op.Val.IsConst(); ok && v == ir.DestroyedMutex && usesMutexes(p) {
						return nil, &engine.Unsupported{Pos: engine.Pos(&f.Edges[i]), What: "instrumentation does not take mutexes that may be destroyed"}
					}
				}
			case ir.AtomicBegin:
				sections = true
			case ir.Spawn, ir.Join:
				starts = true
				if inside[f.Edges[i].From] {
					return nil, &engine.Unsupported{Pos: engine.Pos(&f.Edges[i]), What: fmt.Sprintf("instrumentation does not take %s inside an atomic section", k)}
				}
			}
		}
		in.inside = append(in.inside, inside)
	}
	in.sh = newShadow(p, opt.Export, sections)
	in.stopped = in.sh.object("attacker.stopped", 1)
	in.target = in.sh.object("attacker.store", 1)
	if starts {
		in.involved = in.sh.object("involved", len(p.Threads))
		init := make([]byte, 8*len(p.Threads))
		for t := range p.Threads {
			if p.Threads[t].Start {
				init[8*t] = 1
			}
		}
		in.sh.objects[in.involved].Init = init
		in.joined = in.sh.object("joined", len(p.Threads))
	}
	return in, nil
}

// Instrumented is the program of one attack.
type Instrumented struct {
	Program *ir.Program
	// Props has one goal per helper. The attack is feasible if a goal is reachable under SC.
	Props *property.Set
	// Of maps an edge id to the edge of the original program for which the edge stands, or
	// to NoEdge.
	Of []ir.EdgeID
	// Delays holds the edges at which the attacker begins to delay stores. They stand for
	// the store of the attack.
	Delays map[ir.EdgeID]bool
}

// Attack returns the program of an attack. The error is an *engine.Unsupported.
func (in *Instrumenter) Attack(a Attack) (*Instrumented, error) {
	v := &weaver{Instrumenter: in, attack: a, out: &ir.Program{
		Name: in.p.Name, Form: ir.Flat, Main: in.p.Main, Cells: in.p.Cells, Objects: slices.Clone(in.sh.objects),
		Threads: slices.Clone(in.p.Threads),
	}}
	v.res = &Instrumented{Program: v.out, Props: &property.Set{}, Delays: map[ir.EdgeID]bool{}}
	_, v.store, _ = in.p.EdgeByID(a.Store)
	_, v.load, _ = in.p.EdgeByID(a.Load)
	for t := range in.p.Threads {
		th := &v.out.Threads[t]
		th.Template = "" // instances of a template now differ
		w := newThreadWeaver(v, ir.ThreadID(t))
		var err error
		if ir.ThreadID(t) == a.Thread {
			err = w.attacker()
		} else {
			err = w.helper()
		}
		if err != nil {
			return nil, err
		}
		w.enter()
		th.Func = ir.FuncID(len(v.out.Funcs))
		v.out.Funcs = append(v.out.Funcs, w.f)
	}
	v.out.Seal()
	if errs := ir.Verify(v.out); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: instrumentation broke the program: %v", errs[0]))
	}
	return v.res, nil
}

// weaver makes the program of one attack.
type weaver struct {
	*Instrumenter
	attack      Attack
	store, load *ir.Edge
	out         *ir.Program
	res         *Instrumented
}

// threadWeaver makes one thread of the program of one attack. To weave an edge is to add
// the edges that replace it.
type threadWeaver struct {
	*weaver
	t     ir.ThreadID
	src   *ir.Func
	in    []bool // by location of src: whether it is in a section
	f     *ir.Func
	e     *ir.Edge          // the edge of src that is being woven
	names map[string]bool   // names of locations (l:) and registers (r:) in use
	regs  map[string]ir.Reg // auxiliary registers by name
	won   ir.Loc            // the goal, -1 if there is none
	// copies maps the locations of src to those of the copy in which the attacker delays
	// stores, or in which an involved helper runs. tentative maps locations in sections to
	// those of the copy for a section that is not known to come after the load.
	copies, tentative []ir.Loc
}

func newThreadWeaver(v *weaver, t ir.ThreadID) *threadWeaver {
	src := v.p.ThreadFunc(t)
	w := &threadWeaver{
		weaver: v, t: t, src: src, in: v.inside[t], names: map[string]bool{}, regs: map[string]ir.Reg{}, won: -1,
		f: &ir.Func{
			Name: v.p.Threads[t].Name, Params: src.Params, Entry: src.Entry, Pos: src.Pos,
			Regs: slices.Clone(src.Regs), Locs: slices.Clone(src.Locs),
		},
	}
	for _, l := range src.Locs {
		w.names["l:"+l.Name] = true
	}
	for _, r := range src.Regs {
		w.names["r:"+r.Name] = true
	}
	for l := range src.Locs {
		w.copies = append(w.copies, w.locLike(ir.Loc(l), "~"))
	}
	return w
}

// unique returns a name for a location (l:) or a register (r:) that is not in use.
func (w *threadWeaver) unique(kind, name string) string {
	for w.names[kind+name] {
		name += "'"
	}
	w.names[kind+name] = true
	return name
}

// locLike adds a location with the name of location l of src and a suffix.
func (w *threadWeaver) locLike(l ir.Loc, suffix string) ir.Loc {
	like := w.src.Locs[l]
	w.f.Locs = append(w.f.Locs, ir.Location{Name: w.unique("l:", like.Name+suffix), Pos: like.Pos})
	return ir.Loc(len(w.f.Locs) - 1)
}

// loc adds a location between the edges that replace one edge.
func (w *threadWeaver) loc() ir.Loc {
	name := w.unique("l:", fmt.Sprintf("w%d", len(w.f.Locs)))
	w.f.Locs = append(w.f.Locs, ir.Location{Name: name})
	return ir.Loc(len(w.f.Locs) - 1)
}

// reg returns the auxiliary register with a name, and adds it if needed.
func (w *threadWeaver) reg(name string) ir.Reg {
	if r, ok := w.regs[name]; ok {
		return r
	}
	w.f.Regs = append(w.f.Regs, ir.Register{Name: w.unique("r:", "aux."+name)})
	w.regs[name] = ir.Reg(len(w.f.Regs) - 1)
	return w.regs[name]
}

// edge adds an edge. real says that it stands for the edge being woven.
func (w *threadWeaver) edge(from ir.Loc, op ir.Op, to ir.Loc, real bool) {
	e := ir.Edge{ID: w.out.NextEdge, From: from, To: to, Op: op, Pass: instrumentPass}
	e.Origin = e.ID
	of := ir.NoEdge
	if w.e != nil {
		e.Origin, e.Pos, e.Stack = w.e.Origin, w.e.Pos, w.e.Stack
	}
	if real {
		of = w.e.ID
	}
	w.out.NextEdge++
	w.res.Of = append(w.res.Of, of)
	w.f.Edges = append(w.f.Edges, e)
}

// then adds an edge that stands for no edge, and returns its new target.
func (w *threadWeaver) then(from ir.Loc, op ir.Op) ir.Loc {
	to := w.loc()
	w.edge(from, op, to, false)
	return to
}

// do adds an edge that stands for the edge being woven, and returns its new target.
func (w *threadWeaver) do(from ir.Loc, op ir.Op) ir.Loc {
	to := w.loc()
	w.edge(from, op, to, true)
	return to
}

// block stops the thread for good. The thread has not ended, so that no thread can join
// it.
func (w *threadWeaver) block(at ir.Loc) { w.edge(at, ir.NewAssume(ir.Int(0)), at, false) }

// cell returns an access to a word of an auxiliary object.
func cell(kind ir.OpKind, obj ir.ObjectID, index *ir.Expr) ir.Op {
	op := ir.NewOp(kind)
	op.Type, op.Sync.Order, op.Obj, op.Addr = ir.S64, ir.Plain, obj, ir.Addr(obj, 0)
	if i, ok := index.IsConst(); ok {
		op.Addr = ir.Addr(obj, 8*i)
	} else {
		op.Addr = ir.Binary(ir.Add, ir.U64, op.Addr, ir.Binary(ir.Mul, ir.S64, index, ir.Int(8)))
	}
	return op
}

// awaitCell returns an await that a word of an auxiliary object compares with v as given.
func awaitCell(obj ir.ObjectID, index *ir.Expr, compare ir.ExprOp, v int64) ir.Op {
	op := cell(ir.Await, obj, index)
	op.Cond = ir.Binary(compare, ir.S64, ir.SeenValue(), ir.Int(v))
	return op
}

// setCell returns a store to a word of an auxiliary object.
func setCell(obj ir.ObjectID, index *ir.Expr, v *ir.Expr) ir.Op {
	op := cell(ir.Store, obj, index)
	op.Val = v
	return op
}

// enter adds a new entry to a thread that another thread starts: it leads to the thread's
// code or, if the thread is involved, to its copy.
func (w *threadWeaver) enter() {
	if w.p.Threads[w.t].Start {
		return
	}
	w.e = nil
	entry := w.loc()
	me := ir.Int(int64(w.t))
	w.edge(entry, awaitCell(w.involved, me, ir.Eq, 1), w.f.Entry, false)
	if w.t != w.attack.Thread {
		w.edge(entry, awaitCell(w.involved, me, ir.Eq, 2), w.copies[w.src.Entry], false)
	}
	w.f.Entry = entry
}

// plain adds the edge being woven between two locations, without auxiliary accesses to its
// address. how is 2 if the thread is an involved helper, else 1; a thread that it starts
// gets the same state.
func (w *threadWeaver) plain(from, to ir.Loc, how int64) {
	op := w.e.Op
	switch op.Kind {
	case ir.Assert:
		w.edge(from, ir.NewAssume(op.Val), to, true)
	case ir.Exit:
		w.block(from)
	case ir.Spawn:
		if op.Dst == ir.NoReg {
			op.Dst = w.reg("handle")
		}
		w.edge(w.do(from, op), setCell(w.involved, ir.R(op.Dst), ir.Int(how)), to, false)
	case ir.Join:
		w.edge(w.joinable(from), op, to, true)
	default:
		if op.AccessSize() > 0 {
			from = w.valid(from, &op)
		}
		w.edge(from, op, to, true)
	}
}

// usesMutexes reports whether some thread locks or unlocks a mutex.
func usesMutexes(p *ir.Program) bool {
	for t := range p.Threads {
		for _, e := range p.ThreadFunc(ir.ThreadID(t)).Edges {
			if e.Op.Kind.IsMutex() {
				return true
			}
		}
	}
	return false
}

// joinable adds a test that a join would not fail, and returns the location after it: the
// handle names a thread that was started and that no other thread has joined.
func (w *threadWeaver) joinable(from ir.Loc) ir.Loc {
	if w.close {
		return from
	}
	h := w.e.Op.Val
	in := ir.Binary(ir.Lt, ir.U64, h, ir.Int(int64(len(w.p.Threads))))
	at := w.then(w.then(from, ir.NewAssume(in)), awaitCell(w.involved, h, ir.Ne, 0))
	first := cell(ir.RMW, w.joined, h)
	first.RMW, first.Val = ir.Xchg, ir.Int(1)
	first.Cond = ir.Binary(ir.Eq, ir.S64, ir.SeenValue(), ir.Int(0))
	return w.then(at, first)
}

// valid adds a test that an access would not fail, and returns the location after it.
func (w *threadWeaver) valid(from ir.Loc, op *ir.Op) ir.Loc {
	at := from
	ok, far := w.sh.valid(op)
	if far != nil {
		cut := ir.NewOp(ir.Bound)
		cut.Report.Msg, cut.Val = cellBound, ir.Int(w.sh.reach())
		end := w.loc()
		w.edge(w.then(at, ir.NewAssume(far)), cut, end, false)
	}
	if ok != nil && (!w.close || far != nil) {
		at = w.then(at, ir.NewAssume(ok))
	}
	if op.Kind == ir.Unlock && op.Mutex.Kind != ir.ErrorCheckMutex && !w.close {
		at = w.then(at, w.holdsMutex(op, false))
	}
	return at
}

// holdsMutex returns an await that the thread holds a mutex. If again is set, the thread
// must have locked it at least twice.
func (w *threadWeaver) holdsMutex(op *ir.Op, again bool) ir.Op {
	out := ir.NewOp(ir.Await)
	out.Type, out.Sync.Order, out.Addr, out.Obj = ir.U64, ir.Plain, op.Addr, op.Obj
	owner := ir.Binary(ir.And, ir.U64, ir.SeenValue(), ir.Int(0xffff_ffff))
	out.Cond = ir.Binary(ir.Eq, ir.U64, owner, ir.Int(int64(w.t)+1))
	if again {
		deep := ir.Binary(ir.Gt, ir.U64, ir.SeenValue(), ir.Int(0xffff_ffff))
		out.Cond = ir.Binary(ir.LAnd, ir.S64, out.Cond, deep)
	}
	return out
}

// address returns the address of an access as an expression that is valid after the
// access. If the access changes registers of the address, the address is saved in an
// auxiliary register first, from location from to the returned location.
func (w *threadWeaver) address(from ir.Loc, op *ir.Op) (ir.Loc, *ir.Expr) {
	changed := false
	op.Addr.Walk(func(e *ir.Expr) {
		changed = changed || e.Op == ir.RegRef && (e.Reg == op.Dst || e.Reg == op.Dst2)
	})
	if !changed {
		return from, op.Addr
	}
	if x, ok := cellNumber(w.sh.right(op.Addr)); ok && w.p.Cells {
		r := w.reg("cell")
		return w.then(from, ir.NewAssign(r, x)), ir.Binary(ir.Mul, ir.S64, ir.R(r), ir.Int(ir.CellUnit))
	}
	r := w.reg("address")
	return w.then(from, ir.NewAssign(r, op.Addr)), ir.R(r)
}
