package waiting

import (
	"math"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Delay loops. A loop that only counts, such as the back-off of a lock, takes time and does
// nothing else. Its rounds are steps that no other thread can notice. If the loop always ends
// and nothing that it computes is used afterwards, the thread can go on without its rounds.
// Back-offs grow with each failed attempt, so that without this pass the rounds around them
// never repeat a state, and a lock that spins has no bound.
//
// A loop is a delay if
//
//   - it is one cycle of assignments to variables, entered at its head and left by one branch;
//   - the condition of the branch compares a counter, which each round changes by one, with
//     something that no round changes, in a way that the counter cannot miss (counts);
//   - no variable that it writes is needed where it is left.
//
// The same holds for a branch in a loop whose ways only assign to variables, branch, count, and meet again, such as a
// limit to the growth of a back-off, or the choice between a pause and a call of sched_yield: if nothing that they
// assign is needed where they meet, one of the ways is enough.
//
// A variable is needed if a path from here uses its value for anything but variables that are
// not needed, and the conditions of such loops and branches (needs). What is left out and which
// variables are needed depend on each other: the pass begins with all loops and branches that it
// could leave out, and takes back any of them that writes a needed variable, until none does. The pass changes
// something only if a delay is left, or a variable that some loop changes is not needed any more.
//
// The branch of a delay leaves the loop at once, and assignments that became useless turn into
// Nops. A variable is a register, or an object that is only loaded and stored as a whole,
// by one thread.
//
// The pass is for programs whose properties are checks: a goal or a final condition may look
// at what the pass removes.

// DelaysPass is the name of the pass Delays.
const DelaysPass = "delays"

// Delays is the pass. Properties look at the objects to keep.
func Delays(p *ir.Program, keep []ir.ObjectID, stop func() error) (*ir.Program, error) {
	out := *p
	out.Funcs = slices.Clone(p.Funcs)
	wholes := wholeObjects(p, keep)
	for t := range p.Threads {
		id := p.Threads[t].Func
		if out.Funcs[id] != p.Funcs[id] {
			continue
		}
		if stop != nil {
			if err := stop(); err != nil {
				return nil, err
			}
		}
		d := &delayer{f: p.Funcs[id], objects: wholes[id]}
		if f := d.run(); f != nil {
			out.Funcs[id] = f
		}
	}
	out.Seal()
	return &out, nil
}

// wholeObjects returns, by function, the objects that only this function, of one thread, mentions, in
// loads and stores of the whole object with one type, and that no property observes.
func wholeObjects(p *ir.Program, observed []ir.ObjectID) map[ir.FuncID]map[ir.ObjectID]bool {
	const none, many = ir.FuncID(-1), ir.FuncID(-2)
	users := map[ir.FuncID]int{}
	for t := range p.Threads {
		users[p.Threads[t].Func]++
	}
	by := make([]ir.FuncID, len(p.Objects))
	types := make([]ir.Type, len(p.Objects))
	for o := range by {
		by[o] = none
		if p.Objects[o].Cells || p.Objects[o].ReadOnly || slices.Contains(observed, ir.ObjectID(o)) {
			by[o] = many
		}
	}
	for id, f := range p.Funcs {
		for i := range f.Edges {
			op := f.Edges[i].Op
			whole := ir.NoObject
			if o := accessed(&op); o != ir.NoObject && int64(op.Type.Size()) == p.Objects[o].Size && op.Sync.Order <= ir.Relaxed && users[ir.FuncID(id)] == 1 {
				whole = o
				switch {
				case by[o] == none:
					by[o], types[o] = ir.FuncID(id), op.Type
				case by[o] != ir.FuncID(id) || types[o] != op.Type:
					by[o] = many
				}
				op.Addr = nil
			}
			op.Exprs(func(e *ir.Expr) *ir.Expr {
				e.Walk(func(x *ir.Expr) {
					if x.Op == ir.AddrOf {
						by[x.Obj] = many
					}
				})
				return e
			})
			if op.Obj != ir.NoObject && op.Obj != whole && !analysis.BeginsScope(p, &op) {
				by[op.Obj] = many
			}
		}
	}
	out := map[ir.FuncID]map[ir.ObjectID]bool{}
	for o, id := range by {
		if id < 0 {
			continue
		}
		if out[id] == nil {
			out[id] = map[ir.ObjectID]bool{}
		}
		out[id][ir.ObjectID(o)] = true
	}
	return out
}

// accessed returns the object at whose beginning a load or store accesses memory, if that is
// known.
func accessed(op *ir.Op) ir.ObjectID {
	if (op.Kind == ir.Load || op.Kind == ir.Store) && op.Addr.Op == ir.AddrOf && op.Addr.Value == 0 {
		return op.Addr.Obj
	}
	return ir.NoObject
}

// variable is a register, or, as a negative number, an object: ^ObjectID.
type variable int32

// nothing is no variable.
const nothing = variable(math.MinInt32)

// delayer finds and removes the delays of one function.
type delayer struct {
	f       *ir.Func
	objects map[ir.ObjectID]bool // that are variables
}

// delay is a loop that may be a delay, or a branch that may make no difference.
type delay struct {
	loop   bool
	head   ir.Loc     // where control comes in
	drop   int32      // index of the edge of its branch that can go
	keep   int32      // index of the other edge of its branch
	end    ir.Loc     // where control goes on
	writes []variable // what it writes before that
}

// run returns the function without its delays, nil if it has none.
func (d *delayer) run() *ir.Func {
	n := analysis.NewLoops(d.f)
	found := d.loops(n)
	found = append(found, d.branches(n, found)...)
	if len(found) == 0 {
		return nil
	}
	before := d.needs(nil)
	if before == nil {
		return nil
	}
	var after *needed
	for {
		after = d.needs(found)
		all := len(found)
		found = slices.DeleteFunc(found, func(l delay) bool {
			return slices.ContainsFunc(l.writes, func(v variable) bool { return after.has(l.end, v) })
		})
		if len(found) == all {
			break
		}
	}
	worth := slices.ContainsFunc(found, func(l delay) bool { return l.loop })
	f := d.f.Copy()
	for i := range f.Edges {
		e := &f.Edges[i]
		if v, _, ok := d.assigns(&e.Op); ok && before.has(e.To, v) && !after.has(e.To, v) {
			e.Op, e.Pass = ir.NewOp(ir.Nop), DelaysPass
			worth = worth || len(n.Around[e.From]) > 0
		}
	}
	if !worth {
		return nil
	}
	gone := map[ir.EdgeID]bool{}
	for _, l := range found {
		e := &f.Edges[l.keep]
		e.Op, e.Pass = ir.NewOp(ir.Nop), DelaysPass
		gone[f.Edges[l.drop].ID] = true
	}
	f.Edges = slices.DeleteFunc(f.Edges, func(e ir.Edge) bool { return gone[e.ID] })
	return f
}

// assigns returns the variable that an operation assigns and its value, if it does nothing else.
func (d *delayer) assigns(op *ir.Op) (variable, *ir.Expr, bool) {
	switch o := accessed(op); {
	case op.Kind == ir.Assign:
		return variable(op.Dst), op.Val, true
	case o == ir.NoObject || !d.objects[o]:
		return 0, nil, false
	case op.Kind == ir.Load:
		return variable(op.Dst), op.Addr, true
	default:
		return ^variable(o), ir.Unary(ir.Cast, op.Type, op.Val), true
	}
}

// uses calls f on the variables that a value depends on.
func uses(e *ir.Expr, f func(variable)) {
	e.Walk(func(x *ir.Expr) {
		switch x.Op {
		case ir.RegRef:
			f(variable(x.Reg))
		case ir.AddrOf:
			f(^variable(x.Obj))
		}
	})
}

func defines(op *ir.Op, v variable) bool {
	return v >= 0 && op.Sets(ir.Reg(v))
}
