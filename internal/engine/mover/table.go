package mover

import (
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Write atomicity [BEMT18 Def. 1]: a store is atomic if it is a left mover, or if every load that
// may overtake it is a right mover. If all stores are atomic, TSO reaches the same shared states
// as SC (Theorem 1 there; docs/engines/mover.md has the argument for fencepost's language).

// judged is a store with the result of its checks.
type judged struct {
	c     *class
	w     *action
	loads []*action
	by    string
	lefts []blocked
	right map[*action][]blocked
	cross map[*action][]blocked // what the store or a load moves across although both access the same
}

// blocked is an action that another does not move across.
type blocked struct {
	d   *class
	b   *action
	ans *pairAnswer
}

// table checks every store.
func (mt *moverTable) table() []*judged {
	var list []*judged
	for _, c := range mt.pr.classes {
		for _, a := range c.acts {
			if k := a.first().Op.Kind; !a.section && (k == ir.Store || k == ir.Free) {
				list = append(list, mt.judge(c, a))
			}
		}
	}
	return list
}

func (mt *moverTable) judge(c *class, w *action) *judged {
	j := &judged{c: c, w: w, right: map[*action][]blocked{}, cross: map[*action][]blocked{}}
	for _, e := range mt.overtaking(c, w.first()) {
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
func (mt *moverTable) actionOf(c *class, e *ir.Edge) *action {
	for _, a := range c.acts {
		if !a.section && a.first() == e {
			return a
		}
	}
	panic("BUG: an instruction that is no action")
}

// inTheWay returns the actions that a does not move across, and the ones that it moves across for a reason: both may
// access the same memory.
func (mt *moverTable) inTheWay(dir direction, c *class, a *action) (list, crossed []blocked) {
	for _, d := range mt.pr.against(c) {
		for _, b := range d.acts {
			if !b.shared() || !mt.pr.family.beside(c, a.from(), d, b.from()) {
				continue
			}
			switch ans := mt.moves(dir, c, a, d, b); {
			case !ans.holds:
				list = append(list, blocked{d, b, ans})
			case ans.asked:
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
		s := verdict.ProofStore{ProofInstruction: placed(j.c, j.w), By: j.by}
		for _, l := range j.loads {
			s.Loads = append(s.Loads, verdict.ProofLoad{ProofInstruction: placed(j.c, l), Blocks: pairs(j.right[l]), Crosses: sites(j.cross[l])})
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

func placed(c *class, a *action) verdict.ProofInstruction {
	p := verdict.ProofInstruction{Thread: c.name, Pos: engine.Pos(a.first())}
	if a.section {
		p.Text = "atomic section"
	}
	return p
}

func pairs(list []blocked) []verdict.ProofPair {
	var out []verdict.ProofPair
	for _, b := range list {
		out = append(out, verdict.ProofPair{ProofInstruction: placed(b.d, b.b), State: b.ans.state, Vague: b.ans.vague})
	}
	return out
}

// sites returns the instructions of actions, each once.
func sites(list []blocked) []verdict.ProofInstruction {
	var out []verdict.ProofInstruction
	for _, b := range list {
		at := placed(b.d, b.b)
		if !slices.ContainsFunc(out, func(o verdict.ProofInstruction) bool { return sameInstruction(o, at) }) {
			out = append(out, at)
		}
	}
	return out
}

func sameInstruction(x, y verdict.ProofInstruction) bool {
	return x.Thread == y.Thread && x.Text == y.Text && samePos(x.Pos, y.Pos)
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
			say("a fence between the store (%s) and the load (%s)", positionName(j.w), positionName(l))
		}
	}
	for _, l := range j.loads {
		if len(j.right[l]) > 0 {
			say("a read abstraction of the load (%s) that allows what the others make of it", positionName(l))
		}
	}
	onlyLoads := len(j.lefts) > 0
	for _, b := range j.lefts {
		onlyLoads = onlyLoads && !b.b.writes()
	}
	if onlyLoads {
		say("read abstractions of the loads of other threads that see the store (%s)", positionName(j.w))
	}
	return out
}
