package invariant

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
)

// Instances. A program with templates has an instance for every number of threads. The states of
// small instances, under SC, refute most proposals for invariants before the solver sees them. They
// prove nothing: a proposal that is true in all of them still has to be inductive.

// instanceSizes are the numbers of threads per template of the instances.
var instanceSizes = []int{2, 3}

// instance is an instance of the program.
type instance struct {
	prog *ir.Program
	of   []*program.Class // by thread
	locs []int            // by thread: later locations belong to no thread of the program
}

// instances returns small instances of the program; the program itself if its threads are fixed.
func (k *Knowledge) instances() []*instance {
	if !slices.ContainsFunc(k.pr.Prog.Threads, func(t ir.Thread) bool { return t.Unbounded }) {
		return []*instance{k.instance(1)}
	}
	var list []*instance
	for _, n := range instanceSizes {
		list = append(list, k.instance(n))
	}
	return list
}

// instance returns the program with n threads for every template.
func (k *Knowledge) instance(n int) *instance {
	p := program.Clone(k.pr.Prog)
	k.pr.Blocks.Restore(p)
	in := &instance{prog: p}
	p.Threads = slices.Clone(p.Threads)
	for t := range p.Threads {
		in.of = append(in.of, k.pr.ClassOf[ir.ThreadID(t)])
		in.locs = append(in.locs, len(p.ThreadFunc(ir.ThreadID(t)).Locs))
	}
	for t := range k.pr.Prog.Threads {
		if !p.Threads[t].Unbounded {
			continue
		}
		p.Threads[t].Unbounded = false
		in.number(ir.ThreadID(t), 0)
		copies := []ir.ThreadID{ir.ThreadID(t)}
		for i := 1; i < n; i++ {
			copies = append(copies, in.copyThread(ir.ThreadID(t), i))
		}
		in.spawnAll(ir.ThreadID(t), copies)
	}
	p.Seal()
	return in
}

// copyThread adds a thread like t with number i.
func (in *instance) copyThread(t ir.ThreadID, i int) ir.ThreadID {
	p := in.prog
	th, f := p.Threads[t], *p.ThreadFunc(t)
	th.Name = fmt.Sprintf("%s/%d", th.Name, i)
	f.Name = fmt.Sprintf("%s/%d", f.Name, i)
	f.Edges = slices.Clone(f.Edges)
	f.Regs = slices.Clone(f.Regs)
	for k := range f.Edges {
		f.Edges[k].ID = p.NextEdge
		p.NextEdge++
	}
	th.Func = ir.FuncID(len(p.Funcs))
	p.Funcs = append(p.Funcs, &f)
	id := ir.ThreadID(len(p.Threads))
	p.Threads = append(p.Threads, th)
	in.of = append(in.of, in.of[t])
	in.locs = append(in.locs, in.locs[t])
	in.number(id, i)
	return id
}

// number gives a thread its number, if its code asks for it.
func (in *instance) number(t ir.ThreadID, i int) {
	c, th := in.of[t], &in.prog.Threads[t]
	if c == nil || c.Self == ir.NoReg {
		return
	}
	if int(c.Self) < len(th.Args) {
		th.Args = slices.Clone(th.Args)
		th.Args[c.Self] = int64(i)
	}
	in.prog.ThreadFunc(t).Regs[c.Self].Init = int64(i)
}

// spawnAll makes every start of a thread start its copies as well, one after the other.
func (in *instance) spawnAll(t ir.ThreadID, copies []ir.ThreadID) {
	p := in.prog
	for _, f := range p.Funcs {
		for k := range f.Edges {
			if e := f.Edges[k]; e.Op.Kind != ir.Spawn || !slices.Contains(e.Op.Call.Threads, t) || len(e.Op.Call.Threads) > 1 {
				continue
			}
			to := f.Edges[k].To
			f.Edges[k].Op.Call.Threads = copies
			last := k
			for range copies[1:] {
				mid := ir.Loc(len(f.Locs))
				f.Locs = append(f.Locs, ir.Location{Name: fmt.Sprintf("start%d", mid), Pos: f.Edges[k].Pos})
				f.Edges[last].To = mid
				next := f.Edges[last]
				next.From, next.To, next.ID, next.Op.Dst = mid, to, p.NextEdge, ir.NoReg
				p.NextEdge++
				f.Edges = append(f.Edges, next)
				last = len(f.Edges) - 1
			}
		}
	}
}

// each calls f with the sampled states of the instance in which every thread is at a location of
// the program.
func (in *instance) each(ctx context.Context, reach program.Reach, f func(program.State, []ir.ThreadID)) {
	var threads []ir.ThreadID
	reach(ctx, in.prog, func(s program.State) {
		threads = threads[:0]
		for t := range in.prog.Threads {
			l, started := s.At(ir.ThreadID(t))
			if !started || in.of[t] == nil {
				continue
			}
			if int(l) >= in.locs[t] {
				return
			}
			threads = append(threads, ir.ThreadID(t))
		}
		f(in.goOn(s, threads), threads)
	})
}

// prune drops the proposals that are false in a state of a small instance.
func (k *Knowledge) prune() {
	if k.Reach == nil {
		return
	}
	open := func(p *Condition) bool { return p.Given == nil && !p.proved && p.holds != nil }
	for _, in := range k.instances() {
		in.each(k.pr.Ctx, k.Reach, func(s program.State, threads []ir.ThreadID) {
			st := &concrete{State: s}
			keep := func(list []*Condition) []*Condition {
				for _, p := range list {
					if open(p) && !p.holds(st) {
						return slices.DeleteFunc(slices.Clone(list), func(p *Condition) bool { return open(p) && !p.holds(st) })
					}
				}
				return list
			}
			k.global = keep(k.global)
			for _, t := range threads {
				l, _ := s.At(t)
				st.thread = t
				at := k.Local[in.of[t]]
				at[l] = keep(at[l])
			}
		})
		k.pr.Poll()
	}
}

// onward is a state in which every thread has gone on to a location that counts.
type onward struct {
	program.State
	moved map[ir.ThreadID]position
}

// position is a thread's location and registers.
type position struct {
	l    ir.Loc
	regs []int64
}

// At returns the location of a thread, or false if the thread has not been started.
func (s *onward) At(t ir.ThreadID) (ir.Loc, bool) {
	if p, ok := s.moved[t]; ok {
		return p.l, true
	}
	return s.State.At(t)
}

// Reg returns the value of a register.
func (s *onward) Reg(t ir.ThreadID, r ir.Reg) int64 {
	if p, ok := s.moved[t]; ok {
		return p.regs[r]
	}
	return s.State.Reg(t, r)
}

// goOn lets every thread go on to a location that counts.
func (in *instance) goOn(s program.State, threads []ir.ThreadID) program.State {
	out := &onward{State: s}
	for _, t := range threads {
		c := in.of[t]
		l, _ := s.At(t)
		if !c.Passing[l] {
			continue
		}
		p := position{l, make([]int64, len(c.Code.Regs))}
		for r := range p.regs {
			p.regs[r] = s.Reg(t, ir.Reg(r))
		}
		for c.Passing[p.l] {
			p.pass(c, in.prog)
		}
		if out.moved == nil {
			out.moved = map[ir.ThreadID]position{}
		}
		out.moved[t] = p
	}
	if out.moved == nil {
		return s
	}
	return out
}

// pass takes the one step that a thread can take at a location that does not count.
func (p *position) pass(c *program.Class, prog *ir.Program) {
	env := ir.Env{Regs: p.regs, Prog: prog}
	for _, i := range c.Code.Out(p.l) {
		e := &c.Code.Edges[i]
		if e.Op.Kind == ir.Assume && e.Op.Val.Eval(env) == 0 {
			continue
		}
		if e.Op.Kind == ir.Assign {
			p.regs[e.Op.Dst] = e.Op.Val.Eval(env)
		}
		p.l = e.To
		return
	}
	panic("BUG: the tests at a location do not cover all cases")
}
