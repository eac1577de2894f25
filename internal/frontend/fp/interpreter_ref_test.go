package fp_test

import (
	"encoding/binary"
	"slices"
)

// The reference of the differential test: an interpreter of the syntax tree that
// enumerates all interleavings under SC. A thread is at a statement and knows the
// results of the accesses the statement has made so far; to go on, the statement is
// evaluated again from its beginning with those results, up to the first access that
// has none. That access is the thread's next step. What needs no access happens
// together with the access before.

// refThread is a thread in a state.
type refThread struct {
	at      *srcStmt // nil: ended
	test    bool     // at the test of a do
	regs    []int64
	done    []int64 // results of the accesses of this statement
	section bool
	stuck   bool // blocked for good, or failed
}

type refState struct {
	mem     []byte
	threads []refThread
}

// ref enumerates.
type ref struct {
	code     []*srcThread // of each thread
	instance []int64
	vars     []*srcVar
	finals   map[string]bool
	failures map[string]bool // classes
	tooBig   bool
}

const (
	refStates = 6000
	refSteps  = 400 // steps without an access, after which a thread counts as lost
)

// access is an access that has no result yet. It travels as a panic from where it is
// met, as does what stops a thread.
type access struct {
	cell  *srcCell
	index int64
	kind  string // load, store, cas, an RMW, begin
	a, b  int64
}

type failure string

// locked stops an access while another thread is in an atomic section.
type locked struct{}

// machine evaluates one statement of one thread.
type machine struct {
	r      *ref
	thread int
	t      *refThread
	used   int
}

func (m *machine) access(a access) int64 {
	if m.used < len(m.t.done) {
		m.used++
		return m.t.done[m.used-1]
	}
	panic(a)
}

// at is the access to a cell, its index evaluated.
func (m *machine) at(kind string, p *srcCell) access {
	a := access{cell: p, kind: kind}
	if p.index != nil {
		a.index = m.eval(p.index)
	}
	return a
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (m *machine) eval(e *srcExpr) int64 {
	switch e.kind {
	case xNum:
		return e.val
	case xReg:
		return m.t.regs[slices.Index(m.r.code[m.thread].regs, e.name)]
	case xIndex:
		return m.r.instance[m.thread]
	case xLoad:
		return m.access(m.at("load", e.cell))
	case xUnary:
		a := m.eval(e.a)
		return map[string]int64{"-": -a, "~": ^a, "!": bit(a == 0)}[e.op]
	case xBinary:
		a := m.eval(e.a)
		if e.op == "&&" && a == 0 || e.op == "||" && a != 0 {
			return bit(a != 0)
		}
		return binaryValue(e.op, a, m.eval(e.b))
	case xCond:
		if m.eval(e.a) != 0 {
			return m.eval(e.b)
		}
		return m.eval(e.c)
	case xCas, xRMW:
		a := m.at(e.name, e.cell)
		a.a = m.eval(e.a)
		if e.kind == xCas {
			a.kind, a.b = "cas", m.eval(e.b)
		}
		return m.access(a)
	}
	panic("BUG: unknown expression")
}

func binaryValue(op string, a, b int64) int64 {
	switch op {
	case "&&", "||":
		return bit(b != 0)
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/", "%":
		switch {
		case b == 0:
			panic(failure("division-by-zero"))
		case op == "/":
			return a / b
		}
		return a % b
	case "&":
		return a & b
	case "|":
		return a | b
	case "^":
		return a ^ b
	case "<<":
		return a << (uint64(b) % 64)
	case ">>":
		return a >> (uint64(b) % 64)
	case "==":
		return bit(a == b)
	case "!=":
		return bit(a != b)
	case "<":
		return bit(a < b)
	case "<=":
		return bit(a <= b)
	case ">":
		return bit(a > b)
	case ">=":
		return bit(a >= b)
	}
	panic("BUG: unknown operator " + op)
}

// read and write access bytes, lowest first; long alone is signed.
func read(b []byte) int64 {
	var v [8]byte
	copy(v[:], b)
	return int64(binary.LittleEndian.Uint64(v[:]))
}

func write(b []byte, v int64) {
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
}

// perform makes an access on mem.
func (a access) perform(mem []byte) int64 {
	if a.kind == "begin" {
		return 0
	}
	size := srcSizes[a.cell.typ()]
	if a.index < 0 || a.index >= int64(a.cell.v.size()/size) {
		panic(failure("out-of-bounds"))
	}
	b := mem[a.cell.v.off+int(a.index)*size:][:size]
	old := read(b)
	switch a.kind {
	case "load":
	case "store":
		write(b, a.a)
	case "cas":
		want := make([]byte, size)
		write(want, a.a)
		if string(want) != string(b) {
			return 0
		}
		write(b, a.b)
		return 1
	case "xchg":
		write(b, a.a)
	case "fetch_add":
		write(b, old+a.a)
	case "fetch_sub":
		write(b, old-a.a)
	case "fetch_and":
		write(b, old&a.a)
	case "fetch_or":
		write(b, old|a.a)
	case "fetch_xor":
		write(b, old^a.a)
	default:
		panic("BUG: unknown access " + a.kind)
	}
	return old
}

func (t refThread) clone() refThread {
	t.regs, t.done = slices.Clone(t.regs), slices.Clone(t.done)
	return t
}

// enter is t at statement s, or at any other with a label of s.
func (r *ref) enter(i int, t refThread, s *srcStmt) []refThread {
	t.done, t.test = nil, false
	all := []*srcStmt{s}
	if len(s.labels) > 0 {
		all = r.code[i].labels[s.labels[0]]
	}
	var out []refThread
	for _, s := range all {
		c := t.clone()
		c.at = s
		out = append(out, c)
	}
	return out
}

// after is t after statement s.
func (r *ref) after(i int, t refThread, s *srcStmt) []refThread {
	t.done, t.test = nil, false
	for s.next == nil {
		p := s.parent
		if p == nil {
			t.at = nil
			return []refThread{t}
		}
		switch p.kind {
		case tWhile, tLoop, tDo:
			t.at, t.test = p, p.kind == tDo
			return []refThread{t}
		case tAtomic:
			t.section = false
		}
		s = p
	}
	return r.enter(i, t, s.next)
}

// into is t at the beginning of block n of s.
func (r *ref) into(i int, t refThread, s *srcStmt, n int) []refThread {
	if len(s.list[n]) > 0 {
		return r.enter(i, t, s.list[n][0])
	}
	return r.after(i, t, &srcStmt{parent: s})
}

// local lets thread i go on without an access; nothing is returned where it needs
// one, has ended or is stuck.
func (r *ref) local(i int, t refThread) (out []refThread, moved bool) {
	s := t.at
	if s == nil || t.stuck {
		return nil, false
	}
	m := &machine{r: r, thread: i, t: &t}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case access:
			out, moved = nil, false
		case failure:
			r.failures[string(e)] = true
			t.stuck = true
			out, moved = []refThread{t}, true
		default:
			panic(e)
		}
	}()
	next := func() []refThread { return r.after(i, t, s) }
	switch s.kind {
	case tEmpty, tSkip, tFence:
		return next(), true
	case tSet:
		v := m.eval(s.e)
		t = t.clone()
		t.regs[slices.Index(r.code[i].regs, s.word)] = v
		return next(), true
	case tStore:
		a := m.at("store", s.cell)
		a.a = m.eval(s.e)
		m.access(a)
		return next(), true
	case tRMW:
		m.eval(s.e)
		return next(), true
	case tAssume, tAssert:
		if m.eval(s.e) != 0 {
			return next(), true
		}
		if s.kind == tAssert {
			panic(failure("assertion"))
		}
		t.stuck = true
		return []refThread{t}, true
	case tHavocIn:
		lo, hi := m.eval(s.lo), m.eval(s.hi)
		return r.pick(i, t, s, lo, hi, func(int64) bool { return true }), true
	case tAwait, tHavocOf:
		return nil, false // tested in one step
	}
	return r.control(i, t, s, m), true
}

// control is where a statement that directs control leads.
func (r *ref) control(i int, t refThread, s *srcStmt, m *machine) []refThread {
	switch s.kind {
	case tIf:
		switch {
		case m.eval(s.e) != 0:
			return r.into(i, t, s, 0)
		case len(s.list) > 1:
			return r.into(i, t, s, 1)
		}
		return r.after(i, t, s)
	case tWhile:
		if m.eval(s.e) != 0 {
			return r.into(i, t, s, 0)
		}
		return r.after(i, t, s)
	case tDo:
		if t.test && m.eval(s.e) == 0 {
			return r.after(i, t, s)
		}
		return r.into(i, t, s, 0)
	case tLoop:
		return r.into(i, t, s, 0)
	case tEither:
		var out []refThread
		for n := range s.list {
			out = append(out, r.into(i, t, s, n)...)
		}
		return out
	case tAtomic:
		m.access(access{kind: "begin"})
		t.section = true
		return r.into(i, t, s, 0)
	case tGoto:
		return r.enter(i, t, r.code[i].labels[s.word][0])
	case tReturn:
		t.at, t.done = nil, nil
		return []refThread{t}
	case tBreak, tContinue:
		loop := s.parent
		for loop.kind != tWhile && loop.kind != tDo && loop.kind != tLoop {
			loop = loop.parent
		}
		if s.kind == tBreak {
			return r.after(i, t, loop)
		}
		t.at, t.done, t.test = loop, nil, loop.kind == tDo
		return []refThread{t}
	}
	panic("BUG: unknown statement")
}

// pick gives a register every value of a range that is allowed.
func (r *ref) pick(i int, t refThread, s *srcStmt, lo, hi int64, allowed func(int64) bool) []refThread {
	var out []refThread
	for v := lo; v <= hi; v++ {
		c := t.clone()
		c.regs[slices.Index(r.code[i].regs, s.word)] = v
		if allowed(v) {
			out = append(out, r.after(i, c, s)...)
		}
	}
	if out == nil {
		t.stuck = true
		out = []refThread{t}
	}
	return out
}
