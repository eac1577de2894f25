package check

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/pipeline"
	"fencepost/query"
	"fencepost/verdict"
)

// What an answer is about. Safe says nothing about a program that asserts nothing and starts no
// thread, so the answer counts what was checked, and warns.

// checked returns what the questions about a program are.
func checked(p *pipeline.Program, flat *ir.Program, threads int) *verdict.Checked {
	c := &verdict.Checked{
		Goals: len(p.Props.Goals), Final: p.Props.Final != nil, Deadlock: p.Props.Deadlock, Errors: p.Props.Checks && p.Errors,
		Threads: threads,
	}
	switch {
	case p.Props.Fairness != 0:
		c.Liveness = string(query.LivenessFair)
	case p.Props.Endless:
		c.Liveness = string(query.LivenessSpin)
	}
	if p.Uninitialised != query.UninitialisedError {
		c.Uninitialised = string(p.Uninitialised)
	}
	type position struct {
		file      string
		line, col int
	}
	seen := map[position]bool{}
	for t := range flat.Threads {
		f := flat.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			e := &f.Edges[i]
			if at := (position{e.Pos.File, e.Pos.Line, e.Pos.Col}); asserts(e) && p.Props.Checks && !inLibrary(e.Pos.File) && !seen[at] {
				seen[at] = true
				c.Assertions++
			}
		}
		c.Loops = c.Loops || !p.LoopFree && p.Props.Fairness == 0 && hasLoop(f)
	}
	return c
}

// asserts reports whether an edge is an assertion of the program.
func asserts(e *ir.Edge) bool {
	return e.Op.Kind == ir.Assert && (e.Op.Report.Class == ir.Assertion || e.Op.Report.Class == ir.ReachError)
}

// hasLoop reports whether a thread can come to a location twice.
func hasLoop(f *ir.Func) bool {
	next := map[ir.Loc][]ir.Loc{}
	waits := map[ir.Loc]int{} // edges that lead to a location
	for i := range f.Edges {
		e := &f.Edges[i]
		if next[e.From] = append(next[e.From], e.To); waits[e.From] == 0 {
			waits[e.From] = 0
		}
		waits[e.To]++
	}
	var free []ir.Loc
	for l, n := range waits {
		if n == 0 {
			free = append(free, l)
		}
	}
	left := len(waits)
	for len(free) > 0 {
		l := free[len(free)-1]
		free = free[:len(free)-1]
		left--
		for _, to := range next[l] {
			if waits[to]--; waits[to] == 0 {
				free = append(free, to)
			}
		}
	}
	return left > 0
}

// cover notes in an answer what was checked, and warns if a safe says little.
func cover(res *verdict.Result, p *pipeline.Program, flat *ir.Program, opt *query.CheckOptions) {
	if res.Verdict != verdict.Safe && res.Verdict != verdict.NotObserved && res.Verdict != verdict.Unknown {
		return
	}
	runs := newRuns(flat)
	c := checked(p, flat, runs.threads())
	races := opt.Races
	c.Races, c.Leaks = races, strings.Contains(string(res.Question), string(verdict.MemoryLeaks))
	switch {
	case c.Loops && pipeline.EndlessOnlyCounts(&opt.Endless, p.Props, flat): // all of them count
		c.Liveness = string(query.LivenessSpin)
	case !strings.Contains(string(res.Question), string(verdict.NonTermination)): // the engine did not ask
		c.Liveness = ""
	}
	c.NotAsked = notAsked(p, flat, opt)
	if res.Model == string(query.C11) {
		c.NotAsked = slices.DeleteFunc(c.NotAsked, func(n verdict.NotAsked) bool { return n == verdict.NotAskedC11 })
	}
	res.Coverage.Checked = c
	if p.BeginsAtMain {
		res.Warnings = append(res.Warnings, runs.found...)
	}
	if res.Verdict != verdict.Safe || !p.BeginsAtMain {
		return
	}
	if c.Threads == 1 {
		res.Warnings = append(res.Warnings, verdict.Warning{Code: "FP0934", Message: "main starts no thread: the memory model makes no difference to one thread"})
	}
	if c.Assertions == 0 && c.Goals == 0 && !c.Final && !races {
		only := "errors of the program and deadlocks"
		if c.Liveness != "" {
			only = "errors of the program, deadlocks and endless waiting"
		}
		res.Warnings = append(res.Warnings, verdict.Warning{Code: "FP0935", Message: fmt.Sprintf("the program asserts nothing: only %s were checked", only)})
	}
}
