package fp_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// The second half of the reference: from steps of threads to all executions.

// runLocal lets thread i go on as far as it can without an access.
func (r *ref) runLocal(i int, t refThread) []refThread {
	var out []refThread
	circle := t // a state met again, outside sections if there is one
	todo, seen := []refThread{t}, map[string]bool{}
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if k := string(t.key(nil)); seen[k] {
			if circle.section {
				circle = t
			}
			continue
		} else if seen[k] = true; len(seen) > refSteps {
			r.tooBig = true
			return nil
		}
		if more, moved := r.local(i, t); moved {
			todo = append(todo, more...)
		} else {
			out = append(out, t)
		}
	}
	if len(out) == 0 { // it runs in circles, and the others run on
		circle.stuck = true
		out = append(out, circle)
	}
	return out
}

// step makes the next access of thread i: where that leads, with the memory then. A
// thread whose access fails is stuck from then on.
func (r *ref) step(i int, t refThread, mem []byte, held bool) (out []refThread, after []byte) {
	mem = slices.Clone(mem)
	defer func() {
		switch e := recover().(type) {
		case nil:
		case failure:
			r.failures[string(e)] = true
			t.stuck = true
			out, after = []refThread{t}, mem
		case locked:
			out, after = nil, mem
		default:
			panic(e)
		}
	}()
	if t.at.kind == tAwait || t.at.kind == tHavocOf {
		return r.oneStep(i, t, mem, held), mem
	}
	if held {
		return nil, mem
	}
	a := r.pending(i, &t)
	t = t.clone()
	t.done = append(t.done, a.perform(mem))
	return r.runLocal(i, t), mem
}

// pending is the access a thread is about to make.
func (r *ref) pending(i int, t *refThread) (a access) {
	defer func() {
		var ok bool
		if a, ok = recover().(access); !ok {
			panic("BUG: a thread without an access")
		}
	}()
	m := &machine{r: r, thread: i, t: t}
	switch s := t.at; s.kind {
	case tStore:
		a := m.at("store", s.cell)
		a.a = m.eval(s.e)
		m.access(a)
	case tAtomic:
		m.access(access{kind: "begin"})
	case tHavocIn:
		m.eval(s.lo)
		m.eval(s.hi)
	default:
		m.eval(s.e)
	}
	return a
}

// oneStep is await and havoc with a constraint: whatever is read is read now.
func (r *ref) oneStep(i int, t refThread, mem []byte, held bool) []refThread {
	s := t.at
	holds := func(t refThread) bool {
		t = t.clone()
		for {
			v, a := r.try(i, &t, s.e)
			if a == nil {
				return v != 0
			}
			if held {
				panic(locked{})
			}
			t.done = append(t.done, a.perform(mem))
		}
	}
	var out []refThread
	if s.kind == tAwait {
		if !holds(t) {
			return nil
		}
		out = r.after(i, t, s)
	} else {
		m := &machine{r: r, thread: i, t: &t}
		out = r.pick(i, t, s, m.eval(s.lo), m.eval(s.hi), func(v int64) bool {
			c := t.clone()
			c.regs[slices.Index(r.code[i].regs, s.word)] = v
			return holds(c)
		})
	}
	var stopped []refThread
	for _, t := range out {
		stopped = append(stopped, r.runLocal(i, t)...)
	}
	return stopped
}

// try evaluates e, or tells which access is missing.
func (r *ref) try(i int, t *refThread, e *srcExpr) (v int64, a *access) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case access:
			a = &e
		default:
			panic(e)
		}
	}()
	m := &machine{r: r, thread: i, t: t}
	return m.eval(e), nil
}

func (t *refThread) key(b []byte) []byte {
	at := int64(-1)
	if t.at != nil {
		at = int64(t.at.id)
	}
	b = binary.AppendVarint(b, at)
	b = binary.AppendVarint(b, bit(t.test)+2*bit(t.section)+4*bit(t.stuck))
	for _, list := range [][]int64{t.regs, t.done} {
		b = binary.AppendVarint(b, int64(len(list)))
		for _, v := range list {
			b = binary.AppendVarint(b, v)
		}
	}
	return b
}

func (s *refState) key() string {
	b := slices.Clone(s.mem)
	for i := range s.threads {
		b = s.threads[i].key(b)
	}
	return string(b)
}

// enumerate is the final states and the classes of failures of a program.
func enumerate(p *srcProgram) (finals, failures []string, tooBig bool) {
	p.link()
	r := &ref{vars: p.vars, finals: map[string]bool{}, failures: map[string]bool{}}
	first := refState{}
	for _, v := range p.vars {
		for n := range v.elements() {
			b := make([]byte, srcSizes[v.typ])
			write(b, v.init[n])
			first.mem = append(first.mem, b...)
		}
	}
	for _, t := range p.threads {
		for n := range max(1, t.count) {
			r.code, r.instance = append(r.code, t), append(r.instance, int64(n))
		}
	}
	states := []refState{first}
	for i, code := range r.code {
		start := refThread{regs: code.init}
		begin := []refThread{start}
		if len(code.body) > 0 {
			begin = r.enter(i, start, code.body[0])
		}
		var more []refState
		for _, s := range states {
			for _, t := range begin {
				for _, t := range r.runLocal(i, t) {
					more = append(more, refState{s.mem, append(slices.Clone(s.threads), t)})
				}
			}
		}
		states = more
	}
	r.explore(states)
	return keys(r.finals), keys(r.failures), r.tooBig
}

func (r *ref) explore(todo []refState) {
	seen := map[string]bool{}
	for len(todo) > 0 && !r.tooBig {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		k := s.key()
		if seen[k] {
			continue
		}
		seen[k] = true
		r.tooBig = r.tooBig || len(seen) > refStates
		ended := true
		for i := range s.threads {
			t := &s.threads[i]
			ended = ended && t.at == nil
			held := false
			for j := range s.threads {
				held = held || j != i && s.threads[j].section
			}
			if t.at == nil || t.stuck {
				continue
			}
			next, mem := r.step(i, *t, s.mem, held)
			for _, t := range next {
				threads := slices.Clone(s.threads)
				threads[i] = t
				todo = append(todo, refState{mem, threads})
			}
		}
		if ended {
			r.finals[r.final(&s)] = true
		}
	}
}

// final writes a final state as engines do.
func (r *ref) final(s *refState) string {
	var words []string
	for i, t := range s.threads {
		name := r.code[i].name
		if r.code[i].count > 0 {
			name = fmt.Sprintf("%s[%d]", name, r.instance[i])
		}
		for j, reg := range r.code[i].regs {
			words = append(words, fmt.Sprintf("%s:%s=%d", name, reg, t.regs[j]))
		}
	}
	for _, v := range r.vars {
		for n := range v.elements() {
			name, size := v.name, srcSizes[v.typ]
			if v.count > 0 {
				name = fmt.Sprintf("%s[%d]", name, n)
			}
			words = append(words, fmt.Sprintf("%s=%d", name, read(s.mem[v.off+n*size:][:size])))
		}
	}
	return strings.Join(words, " ")
}

func keys(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
