package bmc

import "fencepost/internal/solver/sat"

// Circuits. A gate is the output of a node of a directed acyclic graph, possibly negated. Nodes are
// hashed by their structure, so the same function of the same inputs is the same gate, and
// constants are folded. Clauses over gates become clauses over variables by Tseitin's
// transformation, node by node when a node is first needed. A node that no clause depends on adds
// nothing to the formula.

// gate is twice its node, plus one if negated. Node 0 is the constant false.
type gate int32

const (
	low  gate = 0
	high gate = 1
)

func (g gate) not() gate { return g ^ 1 }

func (g gate) constant() bool { return g <= high }

type nodeKind uint8

const (
	constantNode nodeKind = iota
	inputNode
	andNode // a and b
	xorNode // a xor b
	muxNode // a ? b : c
)

type node struct {
	kind    nodeKind
	a, b, c gate
}

// circuit builds gates and passes clauses to a solver.
type circuit struct {
	nodes   []node
	hash    map[node]gate
	vars    []sat.Lit // by node: its variable, 0 if it has none yet
	nextVar sat.Lit
	sink    func(clause ...sat.Lit)
	clauses int

	steps  int    // gates asked for and clauses made
	limits func() // sees at the limits; it panics with stopped if one is met
}

// newCircuit returns an empty circuit. limits may be nil.
func newCircuit(sink func(clause ...sat.Lit), limits func()) *circuit {
	c := &circuit{nodes: make([]node, 1), vars: make([]sat.Lit, 1), hash: map[node]gate{}, limits: limits}
	c.sink = func(clause ...sat.Lit) {
		c.steps += len(clause)
		c.step()
		sink(clause...)
	}
	return c
}

// checkEvery is how many steps are made between two checks of the limits.
const checkEvery = 1 << 12

// stepCost is the cost of a step, as work.
const stepCost = 100

func (c *circuit) step() {
	if c.steps++; c.steps >= checkEvery && c.limits != nil {
		c.steps = 0
		c.limits()
	}
}

// nodeBytes is the memory of a node: itself, its variable, and its entry in the hash table.
const nodeBytes = 72

// bytes returns about how much memory the circuit uses.
func (c *circuit) bytes() int64 { return nodeBytes * int64(len(c.nodes)) }

func (c *circuit) push(n node) gate {
	c.nodes = append(c.nodes, n)
	c.vars = append(c.vars, 0)
	return gate(len(c.nodes)-1) << 1
}

// input returns a new input.
func (c *circuit) input() gate {
	c.step()
	return c.push(node{kind: inputNode})
}

func (c *circuit) hashed(n node) gate {
	c.step()
	if g, ok := c.hash[n]; ok {
		return g
	}
	g := c.push(n)
	c.hash[n] = g
	return g
}

func (c *circuit) and(a, b gate) gate {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == low || a == b.not():
		return low
	case a == high || a == b:
		return b
	}
	// a and (a and x), and a and not (a and x), are frequent in guards.
	for _, p := range [2][2]gate{{a, b}, {b, a}} {
		x, y := p[0], p[1]
		n := c.nodes[y>>1]
		if n.kind != andNode {
			continue
		}
		if y&1 == 0 {
			if n.a == x || n.b == x {
				return y
			}
			if n.a == x.not() || n.b == x.not() {
				return low
			}
			continue
		}
		switch x {
		case n.a.not(), n.b.not():
			return x
		case n.a:
			return c.and(x, n.b.not())
		case n.b:
			return c.and(x, n.a.not())
		}
	}
	return c.hashed(node{kind: andNode, a: a, b: b})
}

func (c *circuit) or(a, b gate) gate { return c.and(a.not(), b.not()).not() }

func (c *circuit) all(gs ...gate) gate {
	out := high
	for _, g := range gs {
		out = c.and(out, g)
	}
	return out
}

func (c *circuit) any(gs ...gate) gate {
	out := low
	for _, g := range gs {
		out = c.or(out, g)
	}
	return out
}

func (c *circuit) xor(a, b gate) gate {
	flip := a&1 ^ b&1
	a, b = a&^1, b&^1
	if a > b {
		a, b = b, a
	}
	switch {
	case a == b:
		return low ^ flip
	case a == low:
		return b ^ flip
	}
	return c.hashed(node{kind: xorNode, a: a, b: b}) ^ flip
}

func (c *circuit) same(a, b gate) gate { return c.xor(a, b).not() }

// mux returns s ? a : b.
func (c *circuit) mux(s, a, b gate) gate {
	if s&1 == 1 {
		s, a, b = s.not(), b, a
	}
	switch {
	case s == low:
		return b
	case a == b:
		return a
	case a == b.not():
		return c.xor(s, b)
	case a == high || a == s:
		return c.or(s, b)
	case a == low || a == s.not():
		return c.and(s.not(), b)
	case b == low || b == s:
		return c.and(s, a)
	case b == high || b == s.not():
		return c.or(s.not(), a)
	}
	if b&1 == 1 {
		return c.hashed(node{kind: muxNode, a: s, b: a.not(), c: b.not()}).not()
	}
	return c.hashed(node{kind: muxNode, a: s, b: a, c: b})
}

// assert demands that one of the gates is true.
func (c *circuit) assert(gs ...gate) {
	c.step()
	for _, g := range gs {
		if g == high {
			return
		}
	}
	var clause []sat.Lit
	for _, g := range gs {
		if g != low {
			clause = append(clause, c.lit(g))
		}
	}
	c.emit(clause...)
}

func (c *circuit) emit(clause ...sat.Lit) {
	c.clauses++
	c.sink(clause...)
}

// lit returns the literal of a gate. The clauses that define it are added at the first call. The
// graph is too deep for recursion.
func (c *circuit) lit(g gate) sat.Lit {
	if c.vars[g>>1] == 0 {
		c.define(g >> 1)
	}
	if g&1 == 1 {
		return -c.vars[g>>1]
	}
	return c.vars[g>>1]
}

func (c *circuit) define(root gate) {
	stack := []gate{root}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		if c.vars[i] != 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		n := c.nodes[i]
		ready := true
		need := func(g gate) {
			if c.vars[g>>1] == 0 {
				stack = append(stack, g>>1)
				ready = false
			}
		}
		switch n.kind {
		case andNode, xorNode:
			need(n.a)
			need(n.b)
		case muxNode:
			need(n.a)
			need(n.b)
			need(n.c)
		}
		if !ready {
			continue
		}
		stack = stack[:len(stack)-1]
		c.nextVar++
		v := c.nextVar
		c.vars[i] = v
		c.tseitin(n, v)
	}
}

func (c *circuit) tseitin(n node, v sat.Lit) {
	switch n.kind {
	case constantNode:
		c.emit(-v)
	case andNode:
		a, b := c.lit(n.a), c.lit(n.b)
		c.emit(-v, a)
		c.emit(-v, b)
		c.emit(v, -a, -b)
	case xorNode:
		a, b := c.lit(n.a), c.lit(n.b)
		c.emit(-v, a, b)
		c.emit(-v, -a, -b)
		c.emit(v, -a, b)
		c.emit(v, a, -b)
	case muxNode:
		s, a, b := c.lit(n.a), c.lit(n.b), c.lit(n.c)
		c.emit(-v, -s, a)
		c.emit(v, -s, -a)
		c.emit(-v, s, b)
		c.emit(v, s, -b)
		c.emit(-v, a, b) // implied, and propagates more
		c.emit(v, -a, -b)
	}
}

// value returns the value of a gate in a model. A gate that no clause depends on is computed from
// its inputs; inputs that no clause depends on are false.
func (c *circuit) value(model func(sat.Lit) bool, g gate, memo map[gate]bool) bool {
	i := g >> 1
	if g&1 == 1 {
		return !c.value(model, g^1, memo)
	}
	if v := c.vars[i]; v != 0 {
		return model(v)
	}
	if b, ok := memo[i]; ok {
		return b
	}
	n, out := c.nodes[i], false
	switch n.kind {
	case andNode:
		out = c.value(model, n.a, memo) && c.value(model, n.b, memo)
	case xorNode:
		out = c.value(model, n.a, memo) != c.value(model, n.b, memo)
	case muxNode:
		if c.value(model, n.a, memo) {
			out = c.value(model, n.b, memo)
		} else {
			out = c.value(model, n.c, memo)
		}
	}
	memo[i] = out
	return out
}
