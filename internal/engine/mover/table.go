package mover

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/verdict"
)

// Write atomicity [BEMT18 Def. 1]: a store is atomic if it is a left mover, or if every load that
// may overtake it is a right mover. If all stores are atomic, TSO reaches the same shared states
// as SC (Theorem 1 there; docs/engines/mover.md has the argument for fencepost's language).

// judged is a store with the result of its checks.
type judged struct {
	c     *program.Class
	w     *program.Action
	loads []*program.Action
	by    string
	lefts []blocked
	right map[*program.Action][]blocked
	cross map[*program.Action][]blocked // what the store or a load moves across although both access the same
}

// blocked is an action that another does not move across.
type blocked struct {
	d   *program.Class
	b   *program.Action
	ans *encode.Decision
}

// table checks every store.
func (mt *moverTable) table() []*judged {
	var list []*judged
	for _, c := range mt.pr.Classes {
		for _, a := range c.Actions {
			if k := a.First().Op.Kind; !a.Section && (k == ir.Store || k == ir.Free) {
				list = append(list, mt.judge(c, a))
			}
		}
	}
	return list
}

func (mt *moverTable) judge(c *program.Class, w *program.Action) *judged {
	j := &judged{c: c, w: w, right: map[*program.Action][]blocked{}, cross: map[*program.Action][]blocked{}}
	for _, e := range mt.overtaking(c, w.First()) {
		j.loads = append(j.loads, mt.actionOf(c, e))
	}
	if len(j.loads) == 0 {
		j.by = verdict.ByFlow
		return j
	}
	all := true
	for _, l := range j.loads {
		j.right[l], j.cross[l] = mt.inTheWay(right, c, l)
		all = all && len(j.right[l]) == 0
	}
	if all {
		j.by = verdict.ByRight
		return j
	}
	if j.lefts, j.cross[w] = mt.inTheWay(left, c, w); len(j.lefts) == 0 {
		j.by = verdict.ByLeft
	}
	return j
}

// actionOf returns the action of an instruction outside sections.
func (mt *moverTable) actionOf(c *program.Class, e *ir.Edge) *program.Action {
	for _, a := range c.Actions {
		if !a.Section && a.First() == e {
			return a
		}
	}
	panic("BUG: an instruction that is no action")
}

// inTheWay returns the actions that a does not move across, and the ones that it moves across for a reason: both may
// access the same memory.
func (mt *moverTable) inTheWay(dir direction, c *program.Class, a *program.Action) (list, crossed []blocked) {
	for _, d := range mt.pr.Against(c) {
		for _, b := range d.Actions {
			if !b.Shared() || !mt.pr.Lifetimes.Beside(c, a.From(), d, b.From()) {
				continue
			}
			switch ans := mt.moves(dir, c, a, d, b); {
			case !ans.Holds:
				list = append(list, blocked{d, b, ans})
			case ans.Asked:
				crossed = append(crossed, blocked{d, b, ans})
			}
		}
	}
	return list, crossed
}

func atomic(list []*judged) bool {
	return !slices.ContainsFunc(list, func(j *judged) bool { return j.by == "" })
}

// report returns the table as plain data.
func (mt *moverTable) report(list []*judged) []verdict.ProofStore {
	out := []verdict.ProofStore{}
	for _, j := range list {
		s := verdict.ProofStore{ProofInstruction: program.DescribeAction(j.c, j.w), By: j.by}
		for _, l := range j.loads {
			s.Loads = append(s.Loads, verdict.ProofLoad{ProofInstruction: program.DescribeAction(j.c, l), Blocks: pairs(j.right[l]), Crosses: sites(j.cross[l])})
		}
		if j.by == verdict.ByLeft {
			s.Crosses = sites(j.cross[j.w])
		}
		if j.by == "" {
			s.Blocks = pairs(j.lefts)
			s.Repairs = repairs(j)
		}
		out = append(out, s)
	}
	return out
}

func pairs(list []blocked) []verdict.ProofPair {
	var out []verdict.ProofPair
	for _, b := range list {
		out = append(out, verdict.ProofPair{ProofInstruction: program.DescribeAction(b.d, b.b), State: b.ans.State, Vague: b.ans.Vague})
	}
	return out
}

// sites returns the instructions of actions, each once.
func sites(list []blocked) []verdict.ProofInstruction {
	var out []verdict.ProofInstruction
	for _, b := range list {
		at := program.DescribeAction(b.d, b.b)
		if !slices.ContainsFunc(out, func(o verdict.ProofInstruction) bool { return sameInstruction(o, at) }) {
			out = append(out, at)
		}
	}
	return out
}

func sameInstruction(x, y verdict.ProofInstruction) bool {
	return x.Thread == y.Thread && x.Text == y.Text && program.SamePos(x.Pos, y.Pos)
}

// repairs returns suggestions that would make a store atomic.
func repairs(j *judged) []string {
	var out []string
	say := func(format string, args ...any) {
		if s := fmt.Sprintf(format, args...); !slices.Contains(out, s) { // several loads may be in one line
			out = append(out, s)
		}
	}
	for _, l := range j.loads {
		if len(j.right[l]) > 0 {
			say("a fence between the store (%s) and the load (%s)", program.PositionName(j.w), program.PositionName(l))
		}
	}
	for _, l := range j.loads {
		if len(j.right[l]) > 0 {
			say("a read abstraction of the load (%s) that allows what the others make of it", program.PositionName(l))
		}
	}
	onlyLoads := len(j.lefts) > 0
	for _, b := range j.lefts {
		onlyLoads = onlyLoads && !b.b.Writes()
	}
	if onlyLoads {
		say("read abstractions of the loads of other threads that see the store (%s)", program.PositionName(j.w))
	}
	return out
}
