package param

import (
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/lts"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Goals: some threads at some locations, and a condition on memory. Two locations of one template
// are two of its instances.

// goalLocs makes threads stop at the locations of goals.
func (b *builder) goalLocs() {
	for i := range b.props.Goals {
		g := &b.props.Goals[i]
		for _, at := range g.At {
			for _, l := range at.Locs {
				b.sys.Show(int(at.Thread), l)
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

// goals adds a transition that marks bad for every combination of places that reaches a goal.
func (b *builder) goals() {
	for i := range b.props.Goals {
		g := &b.props.Goals[i]
		var ways [][]int32 // per thread of the goal, the places that satisfy it
		for _, at := range g.At {
			var list []int32
			for _, l := range b.locals {
				if l.Thread == int(at.Thread) && slices.Contains(at.Locs, l.Loc) {
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
	cells, mutex := b.sys.CellsOf(g.With.Vars)
	if mutex {
		b.err = &engine.Unsupported{Pos: goalPos(g), What: "for any number of threads: a goal that reads the word of a mutex is not supported"}
		return
	}
	ways := make([][]int64, len(cells))
	for i, c := range cells {
		ways[i] = b.sys.Cells[c].Values
	}
	values := make([]int64, len(g.With.Vars))
	lts.EachChoice(ways, func(held []int64) {
		for i := range values {
			values[i] = b.sys.ValueOf(&g.With.Vars[i], cells, held)
		}
		if !g.With.Eval(values) {
			return
		}
		all := slices.Clone(need)
		for i, c := range cells {
			all = append(all, b.valuePlace(c, held[i]))
		}
		b.net.add("goal", all, append(slices.Clone(all), b.bad))
	})
}
