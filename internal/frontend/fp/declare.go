package fp

import "fencepost/internal/frontend/statement"

import ()

// declare takes in constants, variables, threads and settings, in the order
// of the file: a constant must stand before a declaration that uses it.
func (c *fileCompiler) declare() {
	for _, it := range c.tree.items {
		switch {
		case it.constant != nil:
			d := it.constant
			v, _ := c.Constant(d.value, "the value of a constant")
			if c.declareName(d.name) {
				c.Consts[d.name.Text] = v
			}
		case it.variable != nil:
			c.declareVar(it.variable)
		case it.domain != nil:
			d := it.domain
			if c.Domain != nil {
				c.Errorf(statement.CodeRedeclared, d[0].Start, d[1].End, "'domain' is given twice")
				continue
			}
			lo, hi := c.ConstRange(&statement.Scope{Compiler: c.Compiler}, d[0], d[1])
			c.Domain = &[2]int64{lo, hi}
		case it.memory != nil:
			c.declareMemory(it.memory)
		case it.thread != nil:
			c.declareThread(it.thread)
		}
	}
}

// declareName enters a name of the file's scope.
func (c *fileCompiler) declareName(id statement.Ident) bool {
	if old, ok := c.Declared[id.Text]; ok {
		c.Errorf(statement.CodeRedeclared, id.Start, id.End, "'%s' is declared twice", statement.Clip(id.Text)).
			Note("the first declaration is at %s", c.File.Pos(old.Start))
		return false
	}
	c.Declared[id.Text] = id
	return true
}

func (c *fileCompiler) declareMemory(e *statement.Expr) {
	n, ok := c.Constant(e, "the number of cells")
	switch {
	case c.HasHint:
		c.Errorf(statement.CodeRedeclared, e.Start, e.End, "'memory' is given twice")
	case ok && n < 0:
		c.Errorf(statement.CodeSize, e.Start, e.End, "the number of cells is %d", n)
	}
	c.Memory, c.HasHint = n, true
}

func (c *fileCompiler) declareVar(d *statement.VarDecl) {
	v := &statement.Variable{Name: d.Name.Text, Typ: statement.Types[d.Typ], Count: 1, Decl: d}
	if d.Size != nil {
		v.Array = true
		n, ok := c.Constant(d.Size, "the size of an array")
		switch {
		case !ok:
			n = 1
		case n <= 0:
			c.Errorf(statement.CodeSize, d.Size.Start, d.Size.End, "array '%s' has size %d", statement.Clip(v.Name), n)
			n = 1
		case n > statement.MaxMemory:
			c.Errorf(statement.CodeMemory, d.Size.Start, d.Size.End, "array '%s' needs more than %d bytes", statement.Clip(v.Name), statement.MaxMemory)
			n = 1
		}
		v.Count = n
	}
	if c.Used += v.Size(); c.Used > statement.MaxMemory {
		c.Errorf(statement.CodeMemory, d.Name.Start, d.Name.End, "the variables need more than %d bytes", statement.MaxMemory)
		v.Count, c.Used = 1, 0
	}
	c.initialise(v)
	if c.declareName(d.Name) {
		c.Vars[v.Name] = v
		c.VarList = append(c.VarList, v)
	}
}

// initialise encodes the initial values, little-endian.
func (c *fileCompiler) initialise(v *statement.Variable) {
	d := v.Decl
	if len(d.Init) == 0 {
		return
	}
	first, last := d.Init[0], d.Init[len(d.Init)-1]
	switch {
	case d.Brace && !v.Array:
		c.Errorf(statement.CodeInit, first.Start, last.End, "'%s' is not an array: give one value without braces", statement.Clip(v.Name))
		return
	case !d.Brace && v.Array:
		c.Errorf(statement.CodeInit, first.Start, last.End, "give the values of array '%s' in braces", statement.Clip(v.Name))
		return
	case int64(len(d.Init)) > v.Count:
		c.Errorf(statement.CodeInit, d.Init[v.Count].Start, last.End, "%d values for the %d elements of '%s'", len(d.Init), v.Count, statement.Clip(v.Name))
		return
	}
	for _, e := range d.Init {
		x, _ := c.Constant(e, "an initial value")
		for range v.Typ.Size() {
			v.Init = append(v.Init, byte(x))
			x >>= 8
		}
	}
}

// declareThread enters a thread and finds out how many instances it has.
func (c *fileCompiler) declareThread(d *statement.ThreadDecl) {
	t := &statement.Thread{Compiler: c.Compiler, Decl: d, Name: d.Name.Text, Count: 1, Template: d.Many || d.Index.Text != ""}
	if old := c.Threads[t.Name]; old != nil {
		c.Errorf(statement.CodeRedeclared, d.Name.Start, d.Name.End, "thread '%s' is declared twice", statement.Clip(t.Name)).
			Note("the first declaration is at %s", c.File.Pos(old.Decl.Name.Start))
		return
	}
	c.Threads[t.Name] = t
	c.Order = append(c.Order, t)
	if !d.Many {
		return
	}
	n, start, end := int64(c.Opt.Threads), d.Name.Start, d.Head
	if d.Count == nil {
		// A constant n takes the word's special meaning away.
		if v, ok := c.Consts["n"]; ok {
			n = v
		} else if n == 0 {
			t.Unbounded = true
			return
		} else {
			c.Instances = c.Opt.Threads
		}
	} else {
		v, ok := c.Constant(d.Count, "the number of threads")
		if !ok {
			return
		}
		n, start, end = v, d.Count.Start, d.Count.End
	}
	switch {
	case n < 0:
		c.Errorf(statement.CodeCount, start, end, "template '%s' has %d instances", statement.Clip(t.Name), n)
	case n > statement.MaxInstances:
		c.Errorf(statement.CodeCount, start, end, "template '%s' has %d instances; at most %d are possible", statement.Clip(t.Name), n, statement.MaxInstances)
	case n == 0:
		c.Diags.Warnf(statement.CodeNoInstances, c.Span(start, end), "template '%s' has no instances", statement.Clip(t.Name))
		t.Count = 0
	default:
		t.Count = int(n)
	}
}
