package elf

import "strings"

// The ways of exceptions: which functions they leave, which handlers belong to the program, and what becomes of each throw. A
// handler is decoded when an exception may get there; its code may call and throw more.

// maxHandlerRounds bounds how often functions are decoded: each round finds handlers, which call functions that throw.
const maxHandlerRounds = 50

// findHandlers adds the handlers to the functions that exceptions may get to. It needs all functions, and finds more.
func (p *program) findHandlers() {
	for range maxHandlerRounds {
		types := len(p.thrown)
		if !p.traceExceptions() {
			break
		}
		changed := types != len(p.thrown)
		for i := 0; i < len(p.funcs); i++ { // more of them may be found
			f := p.funcs[i]
			more := false
			for _, in := range f.order {
				if in.tail || f.pads[in.addr] != 0 || !in.isCall() || !p.throws(in) {
					continue
				}
				if site := p.passage(f, in).site; site != nil && site.Pad != 0 {
					if f.pads == nil {
						f.pads = map[uint64]uint64{}
					}
					f.pads[in.addr], more = site.Pad, true
				}
			}
			if more {
				p.decodeAgain(f)
				changed = true
			}
		}
		p.findReturns()
		if !changed {
			break
		}
	}
	for _, f := range p.funcs {
		f.kept = nil
	}
}

// decodeAgain finds the instructions of a function, with its handlers.
func (p *program) decodeAgain(f *function) {
	for _, in := range f.order {
		delete(p.passages, in)
	}
	f.insts, f.order, f.kept = map[uint64]*inst{}, nil, nil
	p.decode(f)
}

// findReturns decodes functions again that call functions which return after all, because they have handlers.
func (p *program) findReturns() {
	for again := true; again; {
		again = false
		for i := 0; i < len(p.funcs); i++ {
			f := p.funcs[i]
			for _, in := range f.order {
				if in.callee != nil && in.final && !in.callee.final {
					p.decodeAgain(f)
					again = true
					break
				}
			}
		}
	}
}

// throws reports whether an exception may come out of a call.
func (p *program) throws(in *inst) bool {
	switch {
	case in.refused != "":
		return false
	case in.callee != nil:
		return p.leaves[in.callee]
	case in.pointer:
		for g := range p.taken {
			if p.leaves[g] {
				return true
			}
		}
		return false
	}
	return throws(in.extern) && p.fates[in] != uncaughtThere
}

// traceExceptions finds out which exceptions may be caught, and which functions they leave. It reports whether there are
// any.
func (p *program) traceExceptions() bool {
	if p.types == nil {
		p.types, p.passages = map[string]*typeInfo{}, map[*inst]passage{}
	}
	type throw struct {
		f     *function
		in    *inst
		types typeMask
	}
	var list []throw
	p.callsBack = false
	for round := range 2 { // what is thrown again is any of the types
		list = list[:0]
		for _, f := range p.funcs {
			for _, in := range f.order {
				if in.extern == "" || in.refused != "" {
					continue
				}
				if round == 0 {
					p.callsBack = p.callsBack || callsProgram(in.extern)
				}
				if in.extern == makesPrimary {
					p.thrownAt(f, in)
				} else if throws(in.extern) {
					if types, problem := p.thrownAt(f, in); problem == "" {
						list = append(list, throw{f, in, types})
					}
				}
			}
		}
	}
	p.fates, p.leaves = map[*inst]fate{}, map[*function]bool{}
	if len(p.thrown) == 0 || len(list) == 0 {
		return false
	}
	p.findTakers()
	p.masked = false
	for _, t := range list {
		here := p.passage(t.f, t.in)
		takes := p.takes(here)
		may, must := here.above(p.may[t.f], takes), here.above(p.must[t.f], takes)
		switch {
		case t.in.extern == resume || must&t.types == t.types:
			p.fates[t.in] = caughtThere
		case may&(t.types|passBarrier) != 0:
			p.fates[t.in], p.masked = maskDecides, true
		}
		if p.fates[t.in] != uncaughtThere && p.letsOut(here) {
			p.leaves[t.f] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range p.funcs {
			for _, in := range f.order {
				if !p.leaves[f] && in.isCall() && p.throws(in) && p.letsOut(p.passage(f, in)) {
					p.leaves[f], changed = true, true
				}
			}
		}
	}
	return true
}

// findTakers finds the types that callers of functions take.
func (p *program) findTakers() {
	p.may, p.must = map[*function]typeMask{}, map[*function]typeMask{}
	called := map[*function]bool{}
	for _, f := range p.funcs {
		p.must[f] = allTypes
		if p.taken[f] { // a thread may begin there
			p.must[f] = 0
			if p.callsBack {
				p.may[f] = passBarrier
			}
		}
		for _, in := range f.order {
			if in.callee != nil {
				called[in.callee] = true
			}
		}
	}
	for _, f := range p.funcs {
		if f.main || !called[f] || p.isFirst(f) {
			p.must[f] = 0
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range p.funcs {
			for _, in := range f.order {
				if in.callee == nil && !in.pointer || in.refused != "" {
					continue
				}
				here := p.passage(f, in)
				takes := p.takes(here)
				may, must := here.above(p.may[f], takes), here.above(p.must[f], takes)
				join := func(g *function) {
					if m, n := p.may[g]|may, p.must[g]&must; m != p.may[g] || n != p.must[g] {
						p.may[g], p.must[g], changed = m, n, true
					}
				}
				if in.callee != nil {
					join(in.callee)
					continue
				}
				for g := range p.taken {
					join(g)
				}
			}
		}
	}
}

// threadBegins are functions of the text in C with which threads begin: nothing takes an exception there.
var threadBegins = map[string]bool{"fp_invoke_run": true, "fp_invoke_main": true, "fp_invoke_begin": true}

// callsProgram reports whether a function of the library calls functions of the program, in the same thread.
func callsProgram(name string) bool {
	pr := libraryFunction(name)
	if pr == nil {
		return false
	}
	switch name {
	case "exit", "quick_exit", "pthread_exit", "thrd_exit":
		return true
	}
	if pr.takesCallback() {
		return true
	}
	names := map[string]bool{}
	for _, n := range runtimeName.FindAllString(pr.call, -1) {
		names[n] = true
	}
	for _, n := range invokeName.FindAllString(runtime(names), -1) {
		if !threadBegins[n] {
			return true
		}
	}
	return false
}

// takesCallback reports whether the library calls a function that is a parameter. One with which a thread begins is called
// in another thread.
func (pr *prototype) takesCallback() bool {
	for _, t := range pr.params {
		if strings.Contains(t, "(*)") && t != threadStart {
			return true
		}
	}
	return false
}

// threadEnds are functions that end the thread. What the functions on the stack have at that call is undone first, as if an
// exception came out of it.
var threadEnds = map[string]bool{"pthread_exit": true, "thrd_exit": true}

// undoneAtEnd reports whether a function may have something to undo when a function that it calls ends the thread.
func (p *program) undoneAtEnd() bool {
	reach := map[*function]bool{}
	for changed := true; changed; {
		changed = false
		for _, f := range p.funcs {
			for _, in := range f.order {
				indirect := in.pointer || in.callee == nil && callsProgram(in.extern)
				if !in.isCall() || in.Inst == nil || in.tail || !threadEnds[in.extern] && !reach[in.callee] && !(indirect && p.anyTaken(reach)) {
					continue
				}
				if site := p.passage(f, in).site; site != nil && site.Pad != 0 {
					return true
				}
				changed = changed || !reach[f]
				reach[f] = true
			}
		}
	}
	return false
}

// anyTaken reports whether the address of some function of a set is taken.
func (p *program) anyTaken(set map[*function]bool) bool {
	for f := range set {
		if p.taken[f] {
			return true
		}
	}
	return false
}
