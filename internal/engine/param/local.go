package param

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
)

// role is the role of a thread in an attack. The zero value is unset.
type role uint8

const (
	_        role = iota
	plain         // runs, and has no part in an attack
	involved      // has an action after the attacker's load [BDM13 Lemma 3]
	attacker      // delays its stores
)

var roleMarks = [...]string{"", "", "!", "@"}

// delayed is a cell that the attacker has stored to, and the newest value.
type delayed struct {
	cell  int
	value int64
}

// local is the state of one thread: its location, its registers (dead ones are zero), the mutexes
// it holds, and for an attacker the delayed cells and the cells of the delayed store.
type local struct {
	thread int
	role   role
	loc    ir.Loc
	regs   []int64
	held   []int // cells of mutexes
	buffer []delayed
	target []int // cells
}

// name returns the name of a state, which is the name of its place.
func (b *builder) name(l *local) string {
	t := &b.p.Threads[l.thread]
	f := b.p.Funcs[t.Func]
	var s strings.Builder
	s.WriteString(t.Name + roleMarks[l.role] + ":" + strconv.Itoa(int(l.loc)))
	if n := f.Locs[l.loc].Name; n != "" {
		s.WriteString("/" + n)
	}
	for r, v := range l.regs {
		if v != 0 {
			fmt.Fprintf(&s, " %s=%d", f.Regs[r].Name, v)
		}
	}
	for _, m := range l.held {
		fmt.Fprintf(&s, " holds %s", b.cells[m].name)
	}
	if l.role == attacker {
		for _, d := range l.buffer {
			fmt.Fprintf(&s, " [%s]=%d", b.cells[d.cell].name, d.value)
		}
		for _, c := range l.target {
			fmt.Fprintf(&s, " target %s", b.cells[c].name)
		}
	}
	return s.String()
}

// at returns l at another location, with dead registers reset.
func (b *builder) at(l *local, loc ir.Loc, regs []int64) *local {
	next := *l
	next.loc, next.regs = loc, slices.Clone(regs)
	f := b.p.Threads[l.thread].Func
	for r := range next.regs {
		if !b.facts.IsLive(f, loc, ir.Reg(r)) {
			next.regs[r] = 0
		}
	}
	return &next
}

func (b *builder) env(regs []int64, seen int64) ir.Env {
	return ir.Env{Regs: regs, Seen: seen, Prog: b.p}
}

// outcome is a result of local steps.
type outcome struct {
	l     *local
	fails bool // a check fails; l is nil
}

// runLocal runs a thread through its local steps, on all paths, up to states with a shared step, at
// a location of a question, at the end, or at which it is stuck. For robustness a check that fails
// only stops its thread.
func (b *builder) runLocal(l *local) []outcome {
	var out []outcome
	seen := map[string]bool{}
	work := []*local{l}
	for len(work) > 0 && b.err == nil {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		key := b.name(at)
		if seen[key] {
			continue
		}
		seen[key] = true
		f := b.p.ThreadFunc(ir.ThreadID(at.thread))
		edges := f.Out(at.loc)
		stays := len(edges) == 0 || b.visible[locKey{at.thread, at.loc}]
		for _, i := range edges {
			e := &f.Edges[i]
			if !e.Op.Local() && e.Op.Kind != ir.Fence {
				stays = true
			}
		}
		if stays {
			out = append(out, outcome{l: at})
			continue
		}
		stuck := true
		for _, i := range edges {
			next, fails := b.localStep(at, &f.Edges[i])
			if fails && !b.robust {
				out = append(out, outcome{fails: true})
				stuck = false
			}
			stuck = stuck && len(next) == 0
			work = append(work, next...)
		}
		if stuck { // its earlier steps still count
			out = append(out, outcome{l: at})
		}
	}
	return out
}

// localStep runs an edge that does not access memory.
func (b *builder) localStep(l *local, e *ir.Edge) (next []*local, fails bool) {
	op := &e.Op
	switch op.Kind {
	case ir.Fence:
		if op.Fence == ir.GlobalFence {
			b.refuse(e, "membarrier")
		}
		if l.role == attacker && op.Fence == ir.FullFence {
			return nil, false // it would drain
		}
		return []*local{b.at(l, e.To, l.regs)}, false
	case ir.Nop, ir.Return, ir.ThreadExit:
		return []*local{b.at(l, e.To, l.regs)}, false
	case ir.Assign:
		regs := slices.Clone(l.regs)
		regs[op.Dst] = op.Val.Eval(b.env(l.regs, 0))
		return []*local{b.at(l, e.To, regs)}, false
	case ir.Assume:
		if op.Val.Eval(b.env(l.regs, 0)) == 0 {
			return nil, false
		}
		return []*local{b.at(l, e.To, l.regs)}, false
	case ir.Assert:
		if op.Val.Eval(b.env(l.regs, 0)) == 0 {
			return nil, true
		}
		return []*local{b.at(l, e.To, l.regs)}, false
	case ir.Havoc:
		for _, v := range b.choices(e, l.regs, 0) {
			regs := slices.Clone(l.regs)
			regs[op.Dst] = v
			next = append(next, b.at(l, e.To, regs))
		}
		return next, false
	case ir.Bound, ir.Unsupported:
		b.cut(e)
		return nil, false
	}
	panic("BUG: not a local operation: " + op.Kind.String())
}

// maxChoices bounds how many values a havoc may have here.
const maxChoices = 256

// choices returns the values that a havoc or abstract load may choose.
func (b *builder) choices(e *ir.Edge, regs []int64, seen int64) []int64 {
	op := &e.Op
	if !op.HasRange || op.Hi-op.Lo < 0 || op.Hi-op.Lo >= maxChoices {
		b.refuse(e, "a havoc without a range of at most %d values", maxChoices)
		return nil
	}
	var out []int64
	trial := slices.Clone(regs)
	for v := op.Lo; v <= op.Hi; v++ {
		trial[op.Dst] = v
		if op.Cond == nil || op.Cond.Eval(b.env(trial, seen)) != 0 {
			out = append(out, v)
		}
	}
	return out
}

// refuse notes the first instruction that a net cannot express.
func (b *builder) refuse(e *ir.Edge, format string, args ...any) {
	if b.err == nil {
		b.err = &engine.Unsupported{Pos: engine.Pos(e), What: "for any number of threads: " + fmt.Sprintf(format, args...) + " is not supported"}
	}
}
