package automaton

import (
	"fencepost/internal/ir"
)

var types = map[string]ir.Type{"byte": ir.U8, "half": ir.U16, "word": ir.U32, "long": ir.S64}

// declare takes in constants, variables, threads and settings, in the order
// of the file: a constant must stand before a declaration that uses it.
func (c *compiler) declare() {
	for _, it := range c.tree.items {
		switch {
		case it.constant != nil:
			d := it.constant
			v, _ := c.constant(d.value, "the value of a constant")
			if c.declareName(d.name) {
				c.consts[d.name.text] = v
			}
		case it.variable != nil:
			c.declareVar(it.variable)
		case it.domain != nil:
			d := it.domain
			if c.domain != nil {
				c.errorf(codeRedeclared, d[0].start, d[1].end, "'domain' is given twice")
				continue
			}
			lo, hi := c.constRange(&scope{c: c}, d[0], d[1])
			c.domain = &[2]int64{lo, hi}
		case it.memory != nil:
			c.declareMemory(it.memory)
		case it.thread != nil:
			c.declareThread(it.thread)
		}
	}
}

// declareName enters a name of the file's scope.
func (c *compiler) declareName(id ident) bool {
	if old, ok := c.declared[id.text]; ok {
		c.errorf(codeRedeclared, id.start, id.end, "'%s' is declared twice", clip(id.text)).
			Note("the first declaration is at %s", c.file.Pos(old.start))
		return false
	}
	c.declared[id.text] = id
	return true
}

// constant evaluates a constant expression of the file's scope.
func (c *compiler) constant(e *expr, what string) (int64, bool) {
	return (&scope{c: c}).constant(e, what)
}

// constRange evaluates the bounds of a range.
func (c *compiler) constRange(s *scope, lo, hi *expr) (int64, int64) {
	l, ok1 := s.constant(lo, "a bound")
	h, ok2 := s.constant(hi, "a bound")
	if ok1 && ok2 && l > h {
		c.errorf(codeRange, lo.start, hi.end, "no value lies in %d..%d", l, h)
	}
	return l, h
}

func (c *compiler) declareMemory(e *expr) {
	n, ok := c.constant(e, "the number of cells")
	switch {
	case c.hasHint:
		c.errorf(codeRedeclared, e.start, e.end, "'memory' is given twice")
	case ok && n < 0:
		c.errorf(codeSize, e.start, e.end, "the number of cells is %d", n)
	}
	c.memory, c.hasHint = n, true
}

func (c *compiler) declareVar(d *varDecl) {
	v := &variable{name: d.name.text, typ: types[d.typ], count: 1, decl: d}
	if d.size != nil {
		v.array = true
		n, ok := c.constant(d.size, "the size of an array")
		switch {
		case !ok:
			n = 1
		case n <= 0:
			c.errorf(codeSize, d.size.start, d.size.end, "array '%s' has size %d", clip(v.name), n)
			n = 1
		case n > maxMemory:
			c.errorf(codeMemory, d.size.start, d.size.end, "array '%s' needs more than %d bytes", clip(v.name), maxMemory)
			n = 1
		}
		v.count = n
	}
	if c.used += v.size(); c.used > maxMemory {
		c.errorf(codeMemory, d.name.start, d.name.end, "the variables need more than %d bytes", maxMemory)
		v.count, c.used = 1, 0
	}
	c.initialise(v)
	if c.declareName(d.name) {
		c.vars[v.name] = v
		c.varList = append(c.varList, v)
	}
}

// initialise encodes the initial values, little-endian.
func (c *compiler) initialise(v *variable) {
	d := v.decl
	if len(d.init) == 0 {
		return
	}
	first, last := d.init[0], d.init[len(d.init)-1]
	switch {
	case d.brace && !v.array:
		c.errorf(codeInit, first.start, last.end, "'%s' is no array and takes one value without braces", clip(v.name))
		return
	case !d.brace && v.array:
		c.errorf(codeInit, first.start, last.end, "array '%s' takes its values in braces", clip(v.name))
		return
	case int64(len(d.init)) > v.count:
		c.errorf(codeInit, d.init[v.count].start, last.end, "%d values for the %d elements of '%s'", len(d.init), v.count, clip(v.name))
		return
	}
	for _, e := range d.init {
		x, _ := c.constant(e, "an initial value")
		for range v.typ.Size() {
			v.init = append(v.init, byte(x))
			x >>= 8
		}
	}
}

// declareThread enters a thread and finds out how many instances it has.
func (c *compiler) declareThread(d *threadDecl) {
	t := &thread{c: c, decl: d, name: d.name.text, count: 1, template: d.many || d.index.text != ""}
	if old := c.threads[t.name]; old != nil {
		c.errorf(codeRedeclared, d.name.start, d.name.end, "thread '%s' is declared twice", clip(t.name)).
			Note("the first declaration is at %s", c.file.Pos(old.decl.name.start))
		return
	}
	c.threads[t.name] = t
	c.order = append(c.order, t)
	if !d.many {
		return
	}
	n, start, end := int64(c.opt.Threads), d.name.start, d.head
	if d.count == nil {
		// A constant n takes the word's special meaning away.
		if v, ok := c.consts["n"]; ok {
			n = v
		} else if n == 0 {
			t.unbounded = true
			return
		} else {
			c.instances = c.opt.Threads
		}
	} else {
		v, ok := c.constant(d.count, "the number of threads")
		if !ok {
			return
		}
		n, start, end = v, d.count.start, d.count.end
	}
	switch {
	case n < 0:
		c.errorf(codeCount, start, end, "template '%s' has %d instances", clip(t.name), n)
	case n > maxInstances:
		c.errorf(codeCount, start, end, "template '%s' has %d instances; at most %d are possible", clip(t.name), n, maxInstances)
	case n == 0:
		c.diags.Warnf(codeNoInstances, c.span(start, end), "template '%s' has no instances", clip(t.name))
		t.count = 0
	default:
		t.count = int(n)
	}
}
