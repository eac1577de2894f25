package lazy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Extension: buffering along one sequence of instructions. The idea: let sigma be a
// sequence of instructions of one thread that begins with a store, ends with a load and
// does not drain the buffer. The thread gets a second path from the beginning of sigma to
// its end. Under SC this path does what sigma does under TSO if its stores stay in the
// buffer until the end. On the path, stores only set registers, loads read these registers
// first, newest to oldest, and at the end the stores are written to memory [BCDM15 §3].
// The extended program is called R (+) sigma.
//
// An exact extension also removes the first store of sigma from the program, so that the
// same sequence is never found again. Two kinds of path put back what this would lose.
// Paths out of sigma write the stores so far and go on with an instruction that is not in
// sigma [BCDM15 App. B (11)-(13)]. Paths back leave after the first store and after each
// load; they write the first store, then a fence, then the other stores so far
// [BCDM15 App. B (14)-(17)]. The text of the paper has slips there: the paths out begin at
// the state before the instruction to which they are an alternative, and the paths back
// lead to the location after the load. A practical extension adds only the path along
// sigma and keeps the store [BCDM15 §5]: it never loses an execution, and it suffices to
// find a violation.
//
// Differs from the paper: accesses have sizes (extend_load.go). Addresses and values that are
// constants are not put into registers, so that static analysis still sees them.

// extendPass is the name that the new edges carry.
const extendPass = "extend"

// Extended is a program R that buffers along some sequences, with its relation to the
// original program.
type Extended struct {
	Program *ir.Program
	Props   *property.Set
	// Of maps an edge id to the instruction of the original program that the edge carries
	// out, or to NoEdge (the projection h of [BCDM15 §3.1]). A store also moves the oldest
	// pending store of its thread to memory.
	Of []ir.EdgeID
	// names has the names of edges, from which Name makes names of sequences. An edge
	// without a name has "".
	names []string

	exact bool // accesses that overlap are to the same bytes
}

// NewExtended returns a flat program without extensions.
func NewExtended(p *ir.Program, props *property.Set) *Extended {
	if p.Form != ir.Flat {
		panic("BUG: only flat programs can be extended")
	}
	x := &Extended{Program: p, Props: props, exact: analysis.SameBytes(p)}
	for id := range p.NextEdge {
		x.Of = append(x.Of, id)
		x.names = append(x.names, strconv.Itoa(int(id)))
	}
	return x
}

// Name returns the name of a sequence in terms of the original program, to tell sequences
// apart. The name lists the instructions in order. A ^ marks a store that was
// issued earlier and is written to memory here. An @ and a number mark the copy of an
// instruction that leads out of a sequence.
//
// Differs from the paper: h of [BCDM15 §3.1] drops the marked ones, and [BCDM15 Lemma 2]
// says that the projections of sequences never repeat. With the marked instructions they
// do repeat. A sequence that begins with a store written at the end of an earlier sequence,
// and goes on along a third one, has the projection of the third one; and a store that is
// an alternative to an instruction of a sequence exists twice after the extension. Names
// without ^ and @ do not repeat. Algorithm 1 still ends on programs without loops: every
// extension removes its store, and the instructions that it adds are further down.
func (x *Extended) Name(sequence []ir.EdgeID) string {
	var parts []string
	for _, id := range sequence {
		if x.names[id] != "" {
			parts = append(parts, x.names[id])
		}
	}
	return strings.Join(parts, " ")
}

// Extend returns R (+) sigma, exact or practical. The edges of sigma belong to thread t of
// the program. The error is an Unsupported if sigma has an instruction that a store cannot
// be delayed past.
func (x *Extended) Extend(t ir.ThreadID, sigma []ir.EdgeID, exact bool) (*Extended, error) {
	out := *x.Program
	out.Funcs = slices.Clone(x.Program.Funcs)
	out.Threads = slices.Clone(x.Program.Threads)
	for i := range out.Threads {
		out.Threads[i].Template = "" // instances of a template now differ
	}
	src := out.ThreadFunc(t)
	f := *src
	f.Regs, f.Locs, f.Edges = slices.Clone(src.Regs), slices.Clone(src.Locs), slices.Clone(src.Edges)
	f.Name = uniqueFunc(&out, t)
	out.Threads[t].Func = ir.FuncID(len(out.Funcs))
	out.Funcs = append(out.Funcs, &f)
	next := &Extended{Program: &out, Of: slices.Clone(x.Of), names: slices.Clone(x.names), exact: x.exact}
	w := &extender{x: next, f: &f, src: src, t: t, whole: exact, names: map[string]bool{}, goalLocs: goalLocs(x.Props, t)}
	at := map[ir.EdgeID]int{}
	for i := range src.Edges {
		at[src.Edges[i].ID] = i
	}
	for _, id := range sigma {
		i, ok := at[id]
		if !ok {
			panic(fmt.Sprintf("BUG: edge %d is not of thread %s", id, out.Threads[t].Name))
		}
		w.sigma = append(w.sigma, src.Edges[i])
	}
	for _, r := range f.Regs {
		w.names["r:"+r.Name] = true
	}
	for _, l := range f.Locs {
		w.names["l:"+l.Name] = true
	}
	if err := w.run(); err != nil {
		return nil, err
	}
	next.Props = w.goals(x.Props)
	dropUnused(&out)
	out.Seal()
	if errs := ir.Verify(&out); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: an extension broke the program: %v", errs[0]))
	}
	return next, nil
}

func uniqueFunc(p *ir.Program, t ir.ThreadID) string {
	name := p.Threads[t].Name
	for slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool { return f.Name == name }) {
		name += "+"
	}
	return name
}

// dropUnused removes the functions that no thread runs any more, so that copies do not
// make programs grow.
func dropUnused(p *ir.Program) {
	var keep []*ir.Func
	id := map[ir.FuncID]ir.FuncID{}
	for i := range p.Threads {
		old := p.Threads[i].Func
		if _, ok := id[old]; !ok {
			id[old] = ir.FuncID(len(keep))
			keep = append(keep, p.Funcs[old])
		}
		p.Threads[i].Func = id[old]
	}
	p.Funcs = keep
}

// extender builds one extension.
type extender struct {
	x     *Extended
	src   *ir.Func // the function before the extension
	f     *ir.Func // the function under construction
	t     ir.ThreadID
	sigma []ir.Edge
	whole bool              // the extension is exact
	names map[string]bool   // names of locations (l:) and registers (r:) in use
	e     *ir.Edge          // the instruction that is being carried over
	line  []ir.Loc          // the paper's q̄_0, q̄_1 and so on
	stack []pending         // the buffered stores, oldest first
	aux   ir.Reg            // holds a value that a load takes from buffered stores; -1: not made yet
	addr  ir.Reg            // holds the address of a load; -1: not made yet
	tails map[ir.Loc]ir.Loc // copies of locations after the load (extend_tail.go)
	// goalLocs has the locations of the thread that goals name.
	goalLocs map[ir.Loc]bool
}

// pending is a buffered store.
type pending struct {
	e         *ir.Edge
	addr, val *ir.Expr // registers or constants
}

// run builds the path along sigma and, for an exact extension, the paths out and back.
func (w *extender) run() error {
	w.aux, w.addr = -1, -1
	w.line = []ir.Loc{w.sigma[0].From}
	n := len(w.sigma)
	for i := range w.sigma {
		w.e = &w.sigma[i]
		if i > 0 && w.whole {
			w.waysOut(w.line[i])
		}
		w.e = &w.sigma[i]
		w.line = append(w.line, w.loc("e"))
		if err := w.carry(w.line[i], w.line[i+1]); err != nil {
			return err
		}
		w.e = &w.sigma[i]
		if w.whole && (i == 0 || w.e.Op.ReadsOnly() && i < n-1) {
			w.flush(w.line[i+1], w.e.To, true)
		}
	}
	if w.whole {
		w.flush(w.line[n], w.sigma[n-1].To, false)
		first := w.sigma[0].ID
		w.f.Edges = slices.DeleteFunc(w.f.Edges, func(e ir.Edge) bool { return e.ID == first })
	} else {
		w.tail(w.sigma[n-1].To, w.line[n])
	}
	return nil
}

func (w *extender) unique(kind, name string) string {
	for n := len(w.f.Locs) + len(w.f.Regs); ; n++ {
		try := fmt.Sprintf("%s+%d", name, n)
		if !w.names[kind+try] {
			w.names[kind+try] = true
			return try
		}
	}
}

func (w *extender) loc(name string) ir.Loc {
	l := ir.Location{Name: w.unique("l:", name)}
	if w.e != nil {
		l.Pos = w.src.Locs[w.e.To].Pos
	}
	w.f.Locs = append(w.f.Locs, l)
	return ir.Loc(len(w.f.Locs) - 1)
}

func (w *extender) reg(name string) ir.Reg {
	w.f.Regs = append(w.f.Regs, ir.Register{Name: w.unique("r:", name)})
	return ir.Reg(len(w.f.Regs) - 1)
}

// edge adds an edge for w.e. real says that the edge carries out w.e.
func (w *extender) edge(from ir.Loc, op ir.Op, to ir.Loc, real bool) {
	p := w.x.Program
	e := ir.Edge{ID: p.NextEdge, Origin: w.e.Origin, From: from, To: to, Op: op, Pos: w.e.Pos, Stack: w.e.Stack, Pass: extendPass}
	of, name := ir.NoEdge, ""
	if real {
		of, name = w.x.Of[w.e.ID], w.x.names[w.e.ID]
	} else if op.Kind == ir.Store {
		name = "^" + strings.TrimPrefix(w.x.names[w.e.ID], "^")
	}
	p.NextEdge++
	w.x.Of = append(w.x.Of, of)
	w.x.names = append(w.x.names, name)
	w.f.Edges = append(w.f.Edges, e)
}

// then adds an edge that carries out no instruction, and returns its new target.
func (w *extender) then(from ir.Loc, op ir.Op) ir.Loc {
	to := w.loc("e")
	w.edge(from, op, to, false)
	return to
}

// carry adds the path's version of an instruction of sigma.
func (w *extender) carry(from, to ir.Loc) error {
	op := w.e.Op
	switch {
	case op.Kind == ir.Store:
		w.buffer(from, to)
	case op.ReadsOnly():
		w.read(from, to)
	case op.Kind == ir.Nop, op.Kind == ir.Assign, op.Kind == ir.Havoc, op.Kind == ir.Assume, op.Kind == ir.Assert,
		op.Kind == ir.Fence && op.Fence == ir.StoreStoreFence:
		w.edge(from, op, to, true)
	default:
		return &engine.Unsupported{Pos: engine.Pos(w.e), What: fmt.Sprintf("a store cannot be delayed past %s", op.Kind)}
	}
	return nil
}

// buffer puts address and value of a store into registers (1).
func (w *extender) buffer(from, to ir.Loc) {
	op := &w.e.Op
	e := *w.e
	s := pending{e: &e, addr: op.Addr}
	at := from
	if !op.Addr.IsFixed() {
		r := w.reg("ar")
		at = w.then(at, ir.NewAssign(r, op.Addr))
		s.addr = ir.R(r)
	}
	last := ir.NewOp(ir.Nop)
	cut := ir.Unary(ir.Cast, ir.Type{Bits: op.Type.Bits}, op.Val)
	if s.val = cut; !op.Val.IsFixed() {
		r := w.reg("vr")
		last = ir.NewAssign(r, cut)
		s.val = ir.R(r)
	}
	w.edge(at, last, to, true)
	w.stack = append(w.stack, s)
}

// flush writes the buffered stores to memory, oldest first (9)-(10). If fence is set, it
// adds a fence after the first one (14)-(17).
func (w *extender) flush(from, to ir.Loc, fence bool) {
	last := *w.e
	at := from
	for i := range w.stack {
		s := &w.stack[i]
		op := s.e.Op
		op.Addr, op.Val = s.addr, s.val
		w.e = s.e
		end := i == len(w.stack)-1 && !(fence && i == 0)
		if end {
			w.edge(at, op, to, false)
			break
		}
		at = w.then(at, op)
		if fence && i == 0 {
			full := ir.NewOp(ir.Fence)
			full.Fence = ir.FullFence
			if len(w.stack) == 1 {
				w.edge(at, full, to, false)
				break
			}
			at = w.then(at, full)
		}
	}
	w.e = &last
}

// waysOut adds the paths that leave sigma at an instruction and take another edge
// (11)-(13).
func (w *extender) waysOut(from ir.Loc) {
	here := w.e
	for _, i := range w.src.Out(here.From) {
		other := w.src.Edges[i]
		if other.ID == here.ID {
			continue
		}
		w.e = &other
		at := w.loc("e")
		w.flush(from, at, false)
		w.edge(at, other.Op, other.To, true)
		last := len(w.x.names) - 1
		w.x.names[last] = fmt.Sprintf("%s@%d", w.x.names[last], last)
	}
	w.e = here
}

// goals returns properties whose goals also hold at the locations of the path along sigma.
// Goals that read memory stay unchanged: they need an empty buffer.
func (w *extender) goals(props *property.Set) *property.Set {
	out := *props
	out.Goals = slices.Clone(props.Goals)
	for i := range out.Goals {
		g := &out.Goals[i]
		if g.MentionsMemory() {
			continue
		}
		g.At = slices.Clone(g.At)
		for j := range g.At {
			at := &g.At[j]
			if at.Thread != w.t {
				continue
			}
			locs := slices.Clone(at.Locs)
			for k := range w.sigma {
				if slices.Contains(at.Locs, w.sigma[k].To) {
					locs = append(locs, w.line[k+1])
				}
			}
			for _, l := range at.Locs {
				if copied, ok := w.tails[l]; ok && copied != w.line[len(w.sigma)] {
					locs = append(locs, copied)
				}
			}
			at.Locs = locs
		}
	}
	return &out
}
