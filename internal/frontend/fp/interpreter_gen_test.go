package fp_test

import (
	"fmt"
	"math/rand"
)

// srcGen makes random programs for the differential test of the lowering. They are
// small, mostly end, and use every statement and expression of the language.
type srcGen struct {
	*rand.Rand
	p       *srcProgram
	t       *srcThread
	left    int // statements the thread may still have
	loops   int // around the current statement, inside its section
	section bool
	labels  []string // that may be jumped to
	made    int      // labels made
}

func (g *srcGen) chance(percent int) bool { return g.Intn(100) < percent }

func oneOf[T any](g *srcGen, list ...T) T { return list[g.Intn(len(list))] }

func num(v int64) *srcExpr { return &srcExpr{kind: xNum, val: v} }

func binary2(op string, a, b *srcExpr) *srcExpr { return &srcExpr{kind: xBinary, op: op, a: a, b: b} }

func generateSource(seed int64) *srcProgram {
	g := &srcGen{Rand: rand.New(rand.NewSource(seed)), p: &srcProgram{}}
	for _, name := range []string{"x", "y", "a"}[:2+g.Intn(2)] {
		v := &srcVar{name: name, typ: oneOf(g, "byte", "half", "word", "long", "long")}
		if name == "a" {
			v.count = 2 + g.Intn(2)
		}
		for range v.elements() {
			v.init = append(v.init, oneOf[int64](g, 0, 0, 0, 1, 2, -1, 0x1ff))
		}
		g.p.vars = append(g.p.vars, v)
	}
	shape := oneOf(g, []int{1}, []int{1}, []int{1, 1}, []int{1, 1}, []int{2}, []int{1, 1, 1}, []int{1, 2})
	instances := 0
	for _, n := range shape {
		instances += n
	}
	for i, n := range shape {
		t := &srcThread{name: fmt.Sprintf("t%d", i), regs: []string{"r", "s", "n"}[:1+g.Intn(3)]}
		if n > 1 || g.chance(20) {
			t.count = n
		}
		for range t.regs {
			t.init = append(t.init, oneOf[int64](g, 0, 0, 1, -1, 3))
		}
		g.t, g.left, g.labels = t, []int{14, 6, 4}[instances-1], nil
		t.body = g.block(3, 6)
		if len(g.labels) > 0 && g.chance(30) {
			t.body = append(t.body, &srcStmt{kind: tEmpty, labels: []string{g.label()}})
		}
		g.p.threads = append(g.p.threads, t)
		t.aim(g, t.body, false)
	}
	return g.p
}

func (g *srcGen) label() string {
	g.made++
	l := fmt.Sprintf("L%d", g.made)
	g.labels = append(g.labels, l)
	return l
}

// aim turns jumps whose label does not exist in their section into skips, and gives
// the others a target.
func (t *srcThread) aim(g *srcGen, list []*srcStmt, section bool) {
	for _, s := range list {
		if s.kind == tGoto && s.word == "" {
			if section || len(g.labels) == 0 {
				s.kind = tSkip
			} else {
				s.word = oneOf(g, g.labels...)
			}
		}
		for _, b := range s.list {
			t.aim(g, b, section || s.kind == tAtomic)
		}
	}
}

func (g *srcGen) reg() string { return oneOf(g, g.t.regs...) }

func (g *srcGen) leaf() *srcExpr {
	switch k := g.Intn(10); {
	case k < 3:
		return num(int64(g.Intn(5) - 1))
	case k < 6:
		return &srcExpr{kind: xReg, name: g.reg()}
	case k < 7 && g.t.count > 0:
		return &srcExpr{kind: xIndex}
	default:
		return &srcExpr{kind: xLoad, cell: g.cell(0)}
	}
}

// cell is a cell whose index has at most the given depth.
func (g *srcGen) cell(depth int) *srcCell {
	p := &srcCell{v: oneOf(g, g.p.vars...)}
	n := p.v.count
	if g.chance(20) {
		p.view = oneOf(g, "byte", "half", "word", "long")
		n = p.v.size() / srcSizes[p.view]
		if n == 0 {
			p.view, n = "byte", p.v.size()
		}
	} else if n == 0 {
		return p
	}
	switch k := g.Intn(20); {
	case k < 9:
		p.index = num(int64(g.Intn(n)))
	case k < 12:
		p.index = binary2("&", g.expr(depth), num(1))
		if n == 1 {
			p.index = num(0)
		}
	case k < 16:
		p.index = &srcExpr{kind: xReg, name: g.reg()}
	default:
		p.index = g.expr(depth)
	}
	return p
}

func (g *srcGen) expr(depth int) *srcExpr {
	if depth <= 0 || g.chance(30) {
		return g.leaf()
	}
	switch k := g.Intn(20); {
	case k < 7:
		op := oneOf(g, "+", "-", "*", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=")
		if g.chance(8) {
			op = oneOf(g, "/", "%")
		}
		return binary2(op, g.expr(depth-1), g.expr(depth-1))
	case k < 12:
		return binary2(oneOf(g, "&&", "||"), g.expr(depth-1), g.expr(depth-1))
	case k < 14:
		return &srcExpr{kind: xCond, a: g.expr(depth - 1), b: g.expr(depth - 1), c: g.expr(depth - 1)}
	case k < 16:
		return &srcExpr{kind: xUnary, op: oneOf(g, "-", "~", "!", "!"), a: g.expr(depth - 1)}
	case k < 18:
		return g.rmw(depth - 1)
	}
	return g.leaf()
}

func (g *srcGen) rmw(depth int) *srcExpr {
	if g.chance(50) {
		return &srcExpr{kind: xCas, cell: g.cell(depth), a: g.expr(depth - 1), b: g.expr(depth - 1)}
	}
	name := oneOf(g, "xchg", "fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor")
	return &srcExpr{kind: xRMW, name: name, cell: g.cell(depth), a: g.expr(depth - 1)}
}

// small is an expression whose values are few, so that loops come back to states
// they have seen.
func (g *srcGen) small(depth int) *srcExpr {
	e := g.expr(depth)
	if g.loops > 0 || len(g.labels) > 0 || g.chance(50) {
		return binary2("&", e, num(3))
	}
	return e
}

// cond is a condition, sometimes a constant one.
func (g *srcGen) cond() *srcExpr {
	if g.chance(20) {
		return num(int64(g.Intn(2)))
	}
	return g.expr(2)
}

// pure is an expression that reads nothing shared.
func (g *srcGen) pure(depth int) *srcExpr {
	if depth == 0 || g.chance(30) {
		return oneOf(g, num(int64(g.Intn(4)-1)), &srcExpr{kind: xReg, name: g.reg()})
	}
	return binary2(oneOf(g, "+", "-", "==", "<", "&&", "||", "^"), g.pure(depth-1), g.pure(depth-1))
}

// oneRead is an expression that reads one cell, after operands that may skip it.
// The operand dst, if any, is compared with what is read.
func (g *srcGen) oneRead(dst string) *srcExpr {
	p := g.cell(0)
	if p.index != nil {
		p.index = g.pureWithout(dst)
		if g.chance(60) {
			p.index = binary2("&", p.index, num(0))
		}
	}
	load := &srcExpr{kind: xLoad, cell: p}
	operand := g.pure(0)
	if dst != "" {
		operand = &srcExpr{kind: xReg, name: dst}
	}
	e := binary2(oneOf(g, "==", "!=", "<", ">="), operand, load)
	for g.chance(45) {
		guard := g.pureWithout(dst)
		switch g.Intn(4) {
		case 0:
			e = binary2("&&", guard, e)
		case 1:
			e = binary2("||", guard, e)
		case 2:
			e = &srcExpr{kind: xCond, a: guard, b: e, c: g.pureWithout(dst)}
		case 3:
			e = &srcExpr{kind: xUnary, op: "!", a: e}
		}
	}
	return e
}

// pureWithout is pure without the register dst.
func (g *srcGen) pureWithout(dst string) *srcExpr {
	for {
		if e := g.pure(1); dst == "" || !e.mentions(dst) {
			return e
		}
	}
}

func (e *srcExpr) mentions(reg string) bool {
	if e == nil {
		return false
	}
	index := e.cell != nil && e.cell.index.mentions(reg)
	return index || e.kind == xReg && e.name == reg || e.a.mentions(reg) || e.b.mentions(reg) || e.c.mentions(reg)
}

func (g *srcGen) block(depth, most int) []*srcStmt {
	var list []*srcStmt
	for n := g.Intn(most + 1); n > 0 && g.left > 0; n-- {
		g.left--
		if g.chance(4) && !g.section {
			list = append(list, g.choices()...)
			continue
		}
		s := g.stmt(depth)
		if g.chance(10) && !g.section {
			s.labels = append(s.labels, g.label())
			if g.chance(20) {
				s.labels = append(s.labels, g.label())
			}
		}
		list = append(list, s)
	}
	return list
}

// choices is several instructions with one label: L: a; goto M; L: b; goto N; ...
func (g *srcGen) choices() []*srcStmt {
	l := g.label()
	end := g.label()
	var list []*srcStmt
	for range 2 + g.Intn(2) {
		s := g.simple()
		if g.chance(25) {
			s = g.stmt(1)
		}
		s.labels = []string{l}
		list = append(list, s, &srcStmt{kind: tGoto, word: oneOf(g, end, end, end, "")})
	}
	return append(list, &srcStmt{kind: tSkip, labels: []string{end}})
}

func (g *srcGen) stmt(depth int) *srcStmt {
	if depth <= 0 || g.chance(50) {
		return g.simple()
	}
	switch k := g.Intn(20); {
	case k < 7:
		s := &srcStmt{kind: tIf, e: g.cond(), list: [][]*srcStmt{g.block(depth-1, 3)}}
		if g.chance(60) {
			s.list = append(s.list, g.block(depth-1, 3))
		}
		s.bare = len(s.list) == 1 && len(s.list[0]) == 1 && g.chance(40)
		return s
	case k < 12:
		return g.loop(depth)
	case k < 16:
		s := &srcStmt{kind: tEither}
		for range 2 + g.Intn(2) {
			s.list = append(s.list, g.block(depth-1, 2))
		}
		return s
	case k < 19 && !g.section:
		outer := g.loops
		g.section, g.loops = true, 0
		s := &srcStmt{kind: tAtomic, list: [][]*srcStmt{g.block(depth-1, 3)}}
		g.section, g.loops = false, outer
		return s
	}
	return g.simple()
}

func (g *srcGen) loop(depth int) *srcStmt {
	g.loops++
	body := g.block(depth-1, 3)
	g.loops--
	s := &srcStmt{kind: oneOf(g, tWhile, tWhile, tDo, tLoop), list: [][]*srcStmt{body}}
	if s.kind != tLoop {
		s.e = g.cond()
	}
	if g.chance(50) { // a counter ends it
		r := g.reg()
		reg := &srcExpr{kind: xReg, name: r}
		count := &srcStmt{kind: tSet, word: r, e: binary2("+", reg, num(1))}
		s.list[0] = append([]*srcStmt{count}, s.list[0]...)
		test := binary2("<", reg, num(int64(g.Intn(3))))
		if s.kind == tLoop {
			out := &srcStmt{kind: tIf, e: &srcExpr{kind: xUnary, op: "!", a: test}, list: [][]*srcStmt{{{kind: tBreak}}}}
			s.list[0] = append([]*srcStmt{out}, s.list[0]...)
		} else {
			s.e = test
		}
	}
	return s
}

func (g *srcGen) simple() *srcStmt {
	switch k := g.Intn(40); {
	case k < 12:
		return &srcStmt{kind: tSet, word: g.reg(), e: g.small(3)}
	case k < 22:
		return &srcStmt{kind: tStore, order: oneOf(g, "", "", "", "release ", "seqcst "), cell: g.cell(1), e: g.small(2)}
	case k < 24:
		return &srcStmt{kind: tRMW, e: g.rmw(2)}
	case k < 25:
		return &srcStmt{kind: tFence, word: oneOf(g, "fence", "mfence", "sfence")}
	case k < 26:
		return &srcStmt{kind: tSkip}
	case k < 28:
		return &srcStmt{kind: tAssume, e: binary2("|", g.expr(2), num(int64(g.Intn(2))))}
	case k < 29:
		return &srcStmt{kind: tAssert, e: binary2("||", g.expr(2), g.expr(1))}
	case k < 32:
		return &srcStmt{kind: tAwait, e: g.oneRead("")}
	case k < 33:
		return &srcStmt{kind: tHavocIn, word: g.reg(), lo: num(int64(g.Intn(2))), hi: num(int64(1 + g.Intn(2)))}
	case k < 34:
		lo := binary2("&", g.expr(1), num(1))
		return &srcStmt{kind: tHavocIn, word: g.reg(), lo: lo, hi: binary2("&", g.expr(1), num(3))}
	case k < 35:
		r := g.reg()
		return &srcStmt{kind: tHavocOf, word: r, lo: num(int64(g.Intn(2))), hi: num(int64(1 + g.Intn(2))), e: g.oneRead(r)}
	case k < 38 && g.loops > 0:
		return &srcStmt{kind: oneOf(g, tBreak, tContinue)}
	case k < 39 && !g.section:
		return &srcStmt{kind: tGoto}
	case !g.section:
		return &srcStmt{kind: tReturn}
	}
	return &srcStmt{kind: tSkip}
}
