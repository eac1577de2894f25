package ir

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// Verify returns everything that is wrong with a program: violations of the invariants of the
// types of this package and of the program's form. An empty list means that the program is
// valid. A front end or pass whose result is not valid has a bug.
func Verify(p *Program) []error {
	v := &verifier{p: p}
	v.program()
	v.objects()
	v.functions()
	v.where = ""
	v.leads()
	v.threads()
	v.spawns()
	return v.errs
}

type verifier struct {
	p     *Program
	f     *Func
	where string // prefix of messages
	errs  []error
}

func (v *verifier) errorf(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf("%s%s", v.where, fmt.Sprintf(format, args...)))
}

func (v *verifier) program() {
	p := v.p
	if p.Form != Structured && p.Form != Flat {
		v.errorf("the program has no form")
	}
	if p.Main != NoThread && !v.isThread(p.Main) {
		v.errorf("main thread %d does not exist", p.Main)
	}
	if p.NextEdge < 0 {
		v.errorf("the next edge id is negative")
	}
	unique(v, "object", len(p.Objects), func(i int) string { return p.Objects[i].Name })
	unique(v, "thread", len(p.Threads), func(i int) string { return p.Threads[i].Name })
	if slices.Contains(p.Funcs, nil) {
		v.errorf("a function is nil")
		return
	}
	unique(v, "function", len(p.Funcs), func(i int) string { return p.Funcs[i].Name })
}

func unique(v *verifier, what string, n int, name func(int) string) {
	seen := map[string]bool{}
	for i := range n {
		if seen[name(i)] {
			v.errorf("two %ss are called %s", what, name(i))
		}
		seen[name(i)] = true
	}
}

// leads checks that all blocks of the heap have as many bytes in front of what the program asked for.
func (v *verifier) leads() {
	lead := int64(-1)
	for _, f := range v.p.Funcs {
		if f == nil {
			continue
		}
		for i := range f.Edges {
			op := &f.Edges[i].Op
			if op.Kind != Alloc || op.Block.Stack {
				continue
			}
			if lead >= 0 && op.Block.Lead != lead {
				v.errorf("function %s: blocks of the heap have %d and %d bytes in front", f.Name, lead, op.Block.Lead)
			}
			lead = op.Block.Lead
		}
	}
}

func (v *verifier) isThread(t ThreadID) bool { return t >= 0 && int(t) < len(v.p.Threads) }

func (v *verifier) isFunc(f FuncID) bool {
	return f >= 0 && int(f) < len(v.p.Funcs) && v.p.Funcs[f] != nil
}

func (v *verifier) objects() {
	p := v.p
	order := make([]int, len(p.Objects))
	for i := range p.Objects {
		order[i] = i
		o := &p.Objects[i]
		v.where = fmt.Sprintf("object %s: ", o.Name)
		switch {
		case o.Size < 0:
			v.errorf("the size is negative")
		case o.Unit < 1:
			v.errorf("the unit is not positive")
		case int64(len(o.Init)) > o.Size:
			v.errorf("%d initial bytes do not fit a size of %d", len(o.Init), o.Size)
		case o.Addr > math.MaxInt64 || int64(o.Addr) > math.MaxInt64-o.Size:
			v.errorf("it does not fit the address space")
		case o.Layout != nil && o.Layout.problem() != "":
			v.errorf("%s", o.Layout.problem())
		case o.Layout != nil && o.Layout.Size() > o.Size:
			v.errorf("the layout has %d bytes", o.Layout.Size())
		case !o.Type.Valid():
			v.errorf("the type has %d bits", o.Type.Bits)
		case o.Cells && !p.Cells:
			v.errorf("a cell window in a program without cells")
		case o.Cells && (o.Addr%CellUnit != 0 || o.Unit != CellUnit):
			v.errorf("a cell window not made of cells")
		case o.Cells && o.Addr+uint64(o.Size) > CellDataBase:
			v.errorf("a cell window above all cells")
		case !o.Cells && p.Cells && o.Addr < CellDataBase:
			v.errorf("it lies where integers name cells")
		case o.PerThread && (o.Cells || p.Form == Flat):
			v.errorf("thread-local storage in the flat form, or of cells")
		case o.Align != 0 && (!validAlign(o.Align) || o.Addr%uint64(o.Align) != 0):
			v.errorf("it is not aligned to %d bytes", o.Align)
		case !o.Cells && o.Addr == 0:
			v.errorf("it lies at the null address")
		}
	}
	v.where = ""
	sort.SliceStable(order, func(i, j int) bool { return p.Objects[order[i]].Addr < p.Objects[order[j]].Addr })
	var last *Object // the object with the highest end so far
	for _, i := range order {
		o := &p.Objects[i]
		if o.Size <= 0 {
			continue
		}
		if last != nil && o.Addr-last.Addr < uint64(last.Size) {
			v.errorf("objects %s and %s overlap", last.Name, o.Name)
		}
		if last == nil || o.Addr+uint64(o.Size) > last.Addr+uint64(last.Size) {
			last = o
		}
	}
}

func (v *verifier) functions() {
	ids := map[EdgeID]bool{}
	for _, f := range v.p.Funcs {
		if f == nil {
			continue
		}
		v.f, v.where = f, fmt.Sprintf("function %s: ", f.Name)
		unique(v, "register", len(f.Regs), func(i int) string { return f.Regs[i].Name })
		unique(v, "location", len(f.Locs), func(i int) string { return f.Locs[i].Name })
		if f.Params < 0 || f.Params > len(f.Regs) {
			v.errorf("%d parameters of %d registers", f.Params, len(f.Regs))
		}
		inRange := v.isLoc(f.Entry)
		if !inRange {
			v.errorf("entry location %d does not exist", f.Entry)
		}
		for i := range f.Edges {
			e := &f.Edges[i]
			v.where = fmt.Sprintf("function %s: edge %d: ", f.Name, e.ID)
			if ids[e.ID] {
				v.errorf("the id is not unique")
			}
			ids[e.ID] = true
			if !v.isLoc(e.From) || !v.isLoc(e.To) {
				v.errorf("a location does not exist")
				inRange = false
			}
			v.edge(e)
		}
		v.where = fmt.Sprintf("function %s: ", f.Name)
		if inRange {
			v.shape()
		}
	}
	v.where = ""
}

func (v *verifier) isLoc(l Loc) bool { return l >= 0 && int(l) < len(v.f.Locs) }

// shape checks what concerns the whole automaton.
func (v *verifier) shape() {
	f := v.f
	out := adjacency(f)
	if !slices.EqualFunc(out, f.out, slices.Equal[[]int32]) {
		v.errorf("changed since it was sealed")
	}
	for i := range f.Edges {
		e := &f.Edges[i]
		if (e.Op.Kind == Return || e.Op.Kind == ThreadExit) && len(out[e.To]) > 0 {
			v.errorf("edge %d: %s leads to %s, which goes on", e.ID, e.Op.Kind, f.Locs[e.To].Name)
		}
	}
	if v.p.Form == Flat || f.hasSections() {
		v.where = ""
		if _, err := SectionLocs(f); err != nil {
			v.errorf("%s", err)
		}
	}
}

func (v *verifier) edge(e *Edge) {
	op := &e.Op
	if e.ID < 0 || e.ID >= v.p.NextEdge {
		v.errorf("the id is not below the next id %d", v.p.NextEdge)
	}
	if e.Origin < 0 {
		v.errorf("the origin is negative")
	}
	for _, problem := range op.FieldProblems() {
		v.errorf("%s %s", op.Kind, problem)
	}
	for _, r := range []Reg{op.Dst, op.Dst2, op.Undef.Dst} {
		if r < NoReg || int(r) >= len(v.f.Regs) {
			v.errorf("register %d does not exist", r)
		}
	}
	if op.Dst2 != NoReg && op.Dst == op.Dst2 || op.Undef.Dst != NoReg && (op.Undef.Dst == op.Dst || op.Undef.Dst == op.Dst2) {
		v.errorf("two destinations are the same register")
	}
	if op.Obj < NoObject || int(op.Obj) >= len(v.p.Objects) {
		v.errorf("object %d does not exist", op.Obj)
	}
	for _, x := range []*Expr{op.Addr, op.Val, op.Val2, op.Undef.Val} {
		v.expr(x, false)
	}
	v.expr(op.Cond, op.seesMemory())
	for _, x := range op.Call.Args {
		if x == nil {
			v.errorf("an argument is nil")
		}
		v.expr(x, false)
	}
	v.callee(op)
}

func (v *verifier) expr(e *Expr, seen bool) {
	if e == nil {
		return
	}
	if problem := v.p.exprProblem(v.f, e, seen); problem != "" {
		v.errorf("%s", problem)
	}
}

// callee checks what an operation calls or spawns, according to the program's form.
func (v *verifier) callee(op *Op) {
	if op.Call.Func != NoFunc {
		if !v.isFunc(op.Call.Func) {
			v.errorf("function %d does not exist", op.Call.Func)
		} else if params := v.p.Funcs[op.Call.Func].Params; len(op.Call.Args) > params {
			v.errorf("%d arguments for %d parameters", len(op.Call.Args), params)
		}
	}
	for _, t := range op.Call.Threads {
		switch {
		case !v.isThread(t):
			v.errorf("thread %d does not exist", t)
		case !v.isFunc(v.p.Threads[t].Func): // reported elsewhere
		case len(op.Call.Args) > v.p.ThreadFunc(t).Params:
			v.errorf("%d arguments for %d parameters", len(op.Call.Args), v.p.ThreadFunc(t).Params)
		}
	}
	switch {
	case v.p.Form == Flat && op.Kind == Call:
		v.errorf("a call in a flat program")
	case v.p.Form == Flat && op.Kind == Spawn && (op.Call.Func != NoFunc || len(op.Call.Threads) == 0):
		v.errorf("a spawn in a flat program names threads, not a function")
	case v.p.Form == Structured && len(op.Call.Threads) > 0:
		v.errorf("a spawn in a structured program names a function, not threads")
	}
}

func (v *verifier) threads() {
	for i := range v.p.Threads {
		t := &v.p.Threads[i]
		v.where = fmt.Sprintf("thread %s: ", t.Name)
		if !v.isFunc(t.Func) {
			v.errorf("function %d does not exist", t.Func)
		} else if params := v.p.Funcs[t.Func].Params; len(t.Args) > params {
			v.errorf("%d arguments for %d parameters", len(t.Args), params)
		}
	}
	v.where = ""
}

// spawns checks in flat form that every thread either runs from the beginning or is spawned.
func (v *verifier) spawns() {
	if v.p.Form != Flat {
		return
	}
	spawned := make([]bool, len(v.p.Threads))
	for _, f := range v.p.Funcs {
		if f == nil {
			continue
		}
		for i := range f.Edges {
			for _, t := range f.Edges[i].Op.Call.Threads {
				if v.isThread(t) {
					spawned[t] = true
				}
			}
		}
	}
	for i, t := range v.p.Threads {
		switch {
		case spawned[i] && t.Start:
			v.errorf("thread %s: it is spawned although it runs from the beginning", t.Name)
		case !spawned[i] && !t.Start:
			v.errorf("thread %s: nothing starts it", t.Name)
		}
	}
}
