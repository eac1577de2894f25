package litmus

import (
	"fmt"
	"slices"
	"sort"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// procName is the name of a thread.
func procName(n int64) string { return fmt.Sprintf("P%d", n) }

// walk visits the atoms of a proposition.
func (x *prop) walk(f func(*prop)) {
	if x == nil {
		return
	}
	if x.kind == isAtom {
		f(x)
	}
	x.x.walk(f)
	x.y.walk(f)
}

// mentioned makes locations of all names in conditions.
func (c *compiler) mentioned() {
	see := func(name string, at extent) {
		if c.locations[name] == nil {
			c.location(name, at)
			c.diags.Warnf(codeUnused, c.span(at), "no instruction and no initial value mentions location '%s'", clip(name))
		}
	}
	ref := func(at *ref) {
		if !at.isReg {
			see(at.name, at.extent)
		}
	}
	atom := func(a *prop) {
		ref(&a.left)
		if a.isRef {
			ref(&a.right)
		}
		for _, v := range append([]value{a.val}, a.val.list...) {
			if v.sym != "" {
				see(v.sym, v.extent)
			}
		}
	}
	c.tree.filter.walk(atom)
	c.tree.cond.walk(atom)
	for i := range c.tree.locations {
		ref(&c.tree.locations[i].at)
	}
}

// observed is a variable in the list of what is observed.
type observed struct {
	v property.Var
	// What it is sorted by: registers first, by thread and number, then memory.
	thread int64
	reg    register
	name   string
	index  int64
	array  bool // an element of an array
	whole  bool // shown as part of the whole array
}

// properties translates the conditions and lists what is observed.
func (c *compiler) properties() {
	u := c.unit
	shown := &collector{c: c}
	for i := range c.tree.locations {
		shown.ref(&c.tree.locations[i].at)
	}
	collect := func(s *collector) func(*prop) {
		return func(a *prop) {
			s.ref(&a.left)
			if a.isRef {
				s.ref(&a.right)
			}
		}
	}
	c.tree.cond.walk(collect(shown))
	hidden := &collector{c: c, seen: shown.seen}
	c.tree.filter.walk(collect(hidden))
	if c.diags.HasErrors() {
		return
	}
	shown.sort()
	hidden.sort()

	set := &property.Set{Checks: c.checks}
	index := map[string]int{}
	for _, o := range append(append([]*observed{}, shown.list...), hidden.list...) {
		index[o.v.Name] = len(set.Observe)
		set.Observe = append(set.Observe, o.v)
	}
	u.Shown = items(shown.list)
	cond := c.tree.cond
	if cond == nil {
		cond = &prop{kind: isTrue, extent: c.tree.condAt}
		c.tree.quant = property.Forall
	}
	u.Quantifier = c.tree.quant
	u.Cond, u.condAt = c.cond(cond, index)
	word := map[property.Quantifier]string{property.Exists: "exists", property.Never: "~exists", property.Forall: "forall"}
	u.Condition = fmt.Sprintf("%s (%s)", word[u.Quantifier], u.Cond.Text)
	final := u.Cond
	if c.tree.filter != nil {
		u.Filter, u.filterAt = c.cond(c.tree.filter, index)
		kind := isAnd
		if u.Quantifier == property.Forall {
			kind = isImplies
		}
		final, _ = c.cond(&prop{kind: kind, x: c.tree.filter, y: cond}, index)
		final.Text = u.Cond.Text
	}
	set.Final = &property.Final{Quantifier: u.Quantifier, Cond: final, Pos: c.span(c.tree.condAt)}
	u.addresses = u.addresses || c.holdsAddresses()
	u.symbols = c.symbols
	u.Props = set
}

// holdsAddresses reports whether the initial state has addresses.
func (c *compiler) holdsAddresses() bool {
	for _, v := range c.regInit {
		if v.val.sym != "" {
			return true
		}
	}
	return len(c.escaped) > 0
}

// collector gathers observed variables without repetition.
type collector struct {
	c    *compiler
	list []*observed
	seen map[string]*observed
}

// ref adds what a variable stands for: a register, a location, an element, or all
// elements of an array.
func (s *collector) ref(at *ref) {
	if at.isReg && s.c.arch == archC {
		s.add(s.c.observeLocal(at))
		return
	}
	if at.isReg {
		if key, ok := s.c.refRegister(at); ok {
			s.add(s.c.observeRegister(key))
		}
		return
	}
	l := s.c.locations[at.name]
	switch {
	case slices.Contains(s.c.compound, at.name):
		s.c.errorf(codeArray, at.extent, "'%s' holds more than one value", clip(at.name))
	case at.hasIdx && (!l.array || at.index < 0 || at.index >= l.count):
		s.c.errorf(codeBounds, at.extent, "'%s' has no element %d", clip(l.name), at.index)
	case !at.hasIdx && l.array:
		for i := range l.count {
			o := s.c.observeMemory(l, i)
			o.whole = true
			s.add(o)
		}
	default:
		s.add(s.c.observeMemory(l, at.index))
	}
}

func (s *collector) add(o *observed) {
	if s.seen == nil {
		s.seen = map[string]*observed{}
	}
	if old := s.seen[o.v.Name]; old != nil {
		old.whole = old.whole || o.whole
		return
	}
	s.seen[o.v.Name] = o
	s.list = append(s.list, o)
}

func (c *compiler) observeMemory(l *location, i int64) *observed {
	o := &observed{thread: -1, name: l.name, index: i, array: l.array}
	name := "[" + l.name + "]"
	if l.array {
		name = fmt.Sprintf("%s[%d]", l.name, i)
	}
	addr := c.b.Addr(l.obj) + uint64(i)*uint64(l.typ.Size())
	o.v = property.Var{Name: name, Thread: ir.NoThread, Reg: ir.NoReg, Addr: addr, Type: l.typ}
	return o
}

func (c *compiler) observeRegister(key regKey) *observed {
	t := c.threads[key.thread]
	typ, ok := c.regTypes[key]
	if !ok {
		typ = c.integer(key.reg.part.size(), true)
	}
	name := fmt.Sprintf("%d:%s", t.proc.num, c.arch.show(key.reg))
	v := property.Var{Name: name, Thread: t.id, Reg: t.view(view{key.reg, typ}), Type: typ}
	return &observed{v: v, thread: t.proc.num, reg: key.reg}
}

// view is a register that holds, at the thread's end, part of a register at some
// type. Whole signed registers are shown as they are.
func (t *thread) view(v view) ir.Reg {
	whole := t.c.arch.whole(v.reg)
	if v.reg.part == whole.part && v.typ == t.c.integer(whole.part.size(), true) {
		return t.reg(v.reg.num)
	}
	if r, ok := t.views[v]; ok {
		return r
	}
	pos := t.c.span(t.proc.extent)
	r := t.fb.Reg(t.c.arch.show(v.reg)+"@end", 0, pos)
	t.views[v] = r
	op := ir.NewOp(ir.Assign)
	op.Dst, op.Val = r, cast(v.typ, t.read(v.reg, t.c.integer(v.reg.part.size(), true)))
	end := t.fb.Loc(fmt.Sprintf("end.%d", len(t.views)), pos)
	t.fb.Edge(t.end, op, end, pos)
	t.end = end
	return r
}

// sort puts the list into herd's order.
func (s *collector) sort() {
	sort.SliceStable(s.list, func(i, j int) bool {
		a, b := s.list[i], s.list[j]
		switch {
		case (a.thread < 0) != (b.thread < 0):
			return a.thread >= 0
		case a.thread != b.thread:
			return a.thread < b.thread
		case a.reg != b.reg:
			return a.reg.num < b.reg.num || a.reg.num == b.reg.num && a.reg.part < b.reg.part
		case a.name != b.name:
			return a.name < b.name
		default:
			return a.index < b.index
		}
	})
}

// items groups the elements of arrays that are shown as a whole.
func items(list []*observed) []Item {
	var out []Item
	for i, o := range list {
		if o.whole && i > 0 && list[i-1].whole && list[i-1].name == o.name {
			last := &out[len(out)-1]
			last.Vars = append(last.Vars, i)
			continue
		}
		it := Item{Name: o.v.Name, Vars: []int{i}}
		if o.whole {
			it.Name, it.Array = o.name, true
		}
		out = append(out, it)
	}
	return out
}
