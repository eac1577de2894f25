package param

import (
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Goals: some threads at some locations, and a condition on memory. Two places of
// one template are two of its instances.

// goalLocs makes threads stop where a goal looks.
func (b *builder) goalLocs() {
	for i := range b.props.Goals {
		g := &b.props.Goals[i]
		for _, at := range g.At {
			for _, l := range at.Locs {
				b.visible[locKey{int(at.Thread), l}] = true
			}
		}
		if g.With == nil {
			continue
		}
		for _, v := range g.With.Vars {
			if !v.IsMemory() {
				b.err = &engine.Unsupported{Pos: goalPos(g), What: "for any number of threads: a goal whose condition reads registers is not supported"}
			}
		}
	}
}

func goalPos(g *property.Goal) *verdict.Pos {
	if !g.Pos.IsValid() {
		return nil
	}
	return &verdict.Pos{File: g.Pos.File, Line: g.Pos.Line, Col: g.Pos.Col, EndLine: g.Pos.EndLine, EndCol: g.Pos.EndCol}
}

// goals adds for every way of reaching a goal a transition that marks bad.
func (b *builder) goals() {
	for i := range b.props.Goals {
		g := &b.props.Goals[i]
		var ways [][]int32 // per thread of the goal, the places that satisfy it
		for _, at := range g.At {
			var list []int32
			for _, l := range b.locals {
				if l.thread == int(at.Thread) && slices.Contains(at.Locs, l.loc) {
					list = append(list, b.net.places[b.name(l)])
				}
			}
			ways = append(ways, list)
		}
		b.combine(ways, nil, func(need []int32) { b.goalCells(g, need) })
	}
}

// combine calls give for every choice of one from each.
func (b *builder) combine(ways [][]int32, chosen []int32, give func([]int32)) {
	if len(ways) == 0 {
		give(chosen)
		return
	}
	for _, p := range ways[0] {
		b.combine(ways[1:], append(slices.Clone(chosen), p), give)
	}
}

// goalCells adds the values of memory that satisfy a goal's condition.
func (b *builder) goalCells(g *property.Goal, need []int32) {
	if g.With == nil {
		b.net.add("goal", need, append(slices.Clone(need), b.bad))
		return
	}
	values := make([]int64, len(g.With.Vars))
	var from func(i int, need []int32)
	from = func(i int, need []int32) {
		if i == len(values) {
			if g.With.Eval(values) {
				b.net.add("goal", need, append(slices.Clone(need), b.bad))
			}
			return
		}
		v := &g.With.Vars[i]
		c, known := b.cellIndex[[2]uint64{v.Addr, uint64(v.Type.Size())}]
		if !known { // nobody accesses it as a whole: it stays as it is, or is accessed in parts
			for _, o := range b.cells {
				if v.Addr < o.addr+uint64(o.size) && o.addr < v.Addr+uint64(v.Type.Size()) && b.err == nil {
					b.err = &engine.Unsupported{Pos: goalPos(g), What: "for any number of threads: a goal that reads parts of what is accessed as a whole is not supported"}
				}
			}
			values[i] = v.Type.Wrap(b.initial(v.Addr, v.Type.Size()))
			from(i+1, need)
			return
		}
		for _, x := range b.cells[c].values {
			values[i] = v.Type.Wrap(x)
			from(i+1, append(slices.Clone(need), b.valuePlace(c, x)))
		}
	}
	from(0, need)
}
