//go:build !fencepost_small

package litmus

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/frontend/litmus/dialect"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// What a test in C takes from the translation of C.
type (
	// COptions say how C is read.
	COptions = translate.Options
	// FenceStyle is how a fence is written in C.
	FenceStyle = translate.FenceStyle
	// variable is a variable of a thread.
	variable = translate.Variable
)

// compileC translates a test in C.
func (c *compiler) compileC() {
	in := translate.TestInput{
		File:    source.NewFile(c.file.Name, c.code.text),
		Prelude: c11Prelude + dialect.RegisterPrelude + c.rcu(),
		Base:    chooseBase(c.file.Text),
	}
	if c.code.kernel {
		in.Prelude = kernelPrelude + dialect.RegisterPrelude + c.rcu()
	}
	for i := range c.tree.procs {
		in.Threads = append(in.Threads, procName(c.tree.procs[i].num))
	}
	c.declareC(&in)
	c.listLocals(&in)
	if c.diags.HasErrors() {
		return
	}
	test := translate.ParseTest(in, library.New(), c.opt.C, c.diags)
	if test == nil {
		return
	}
	c.b = test.Builder()
	if !c.layOutC(test) {
		return
	}
	test.Lower()
	if c.diags.HasErrors() || !c.takeLocals(test) {
		return
	}
	c.checks = test.Checks()
	c.unit.addresses = c.unit.addresses || bytes.Contains(c.code.text, []byte(dialect.ThroughRegister))
	c.mentionedC()
	c.properties()
	if c.diags.HasErrors() {
		return
	}
	out := test.Finish()
	c.unit.Program, c.unit.Sites, c.unit.Write = out.Program, out.Sites, out.Write
	c.unit.Included, c.unit.Kernel = out.Included, c.code.kernel || dialect.SpeaksKernel(c.code.text)
	if out.Write == nil || len(c.code.declared) == 0 {
		return
	}
	c.unit.Write = func(fences []ir.FenceAt, style FenceStyle) []source.Edit {
		edits := out.Write(fences, style)
		dialect.MoveEdits(edits, c.code.declared)
		return edits
	}
}

// declareC lists the locations of the initial state and of the conditions.
func (c *compiler) declareC(in *translate.TestInput) {
	done := map[string]bool{}
	for i := range c.tree.inits {
		it := &c.tree.inits[i]
		switch {
		case it.at.isReg:
			c.errorf(codeFeature, it.at.extent, "the initial value of a thread's variable is written in C, where %s is declared", clip(it.at.name))
			continue
		case done[it.at.name]:
			c.errorf(codeTwice, it.at.extent, "location '%s' is initialised twice", clip(it.at.name))
			continue
		}
		done[it.at.name] = true
		l := c.declareLocation(it, ir.S32, !it.typ.absent())
		loc := translate.Location{Name: l.name, Type: cType(&it.typ), At: c.span(it.at.extent)}
		if l.array {
			loc.Count = l.count
		}
		in.Locations = append(in.Locations, loc)
	}
	for _, l := range c.order { // others hold their addresses
		if !done[l.name] {
			done[l.name] = true
			in.Locations = append(in.Locations, translate.Location{Name: l.name, At: c.span(l.at)})
		}
	}
	for i := range in.Locations {
		in.Locations[i].Pointee = c.pointee(in.Locations[i].Name)
	}
	for i := range c.tree.locations {
		it := &c.tree.locations[i]
		if !it.typ.absent() {
			c.errorf(codeFeature, it.typ.extent, "a type is not allowed in the list of locations")
		}
	}
}

// pointee returns the type of a location, in C, as a pointer of the initial state that holds its address has it; "" if
// there is none.
func (c *compiler) pointee(name string) string {
	for i := range c.tree.inits {
		it := &c.tree.inits[i]
		if it.at.isReg || !it.typ.pointer {
			continue
		}
		for _, v := range c.locations[it.at.name].vals {
			if v.sym == name {
				t := it.typ
				t.pointer = false
				return cType(&t)
			}
		}
	}
	return ""
}

// cType is a type in C.
func cType(t *typeName) string {
	if t.absent() {
		return ""
	}
	words := strings.Join(t.words, " ")
	if len(t.words) == 0 {
		words = "int"
	}
	if t.pointer {
		words += " *"
	}
	return words
}

// listLocals lists the variables that the conditions speak of.
func (c *compiler) listLocals(in *translate.TestInput) {
	c.locals = map[localKey]*variable{}
	add := func(at *ref) {
		if !at.isReg {
			return
		}
		thread, ok := c.threadOf[at.proc]
		if !ok {
			c.errorf(codeProc, at.extent, "there is no thread P%d", at.proc)
			return
		}
		key := localKey{thread, at.name}
		if _, twice := c.locals[key]; !twice {
			c.locals[key] = nil
			c.localAt = append(c.localAt, at)
			in.Locals = append(in.Locals, translate.Local{Thread: thread, Name: at.name})
		}
	}
	for i := range c.tree.locations {
		add(&c.tree.locations[i].at)
	}
	atom := func(a *prop) {
		add(&a.left)
		if a.isRef {
			add(&a.right)
		}
	}
	c.tree.cond.walk(atom)
	c.tree.filter.walk(atom)
}

// layOutC takes over the objects of the locations and fills in their first values.
func (c *compiler) layOutC(test *translate.Test) bool {
	for _, m := range test.Locations {
		l := c.location(m.Name, extent{})
		l.typ, l.obj, l.typed = m.Elem, m.Obj, true
		c.symbols = append(c.symbols, symbol{l.name, c.b.Addr(l.obj), int64(len(m.Init))})
		if !m.Scalar {
			c.compound = append(c.compound, l.name)
			if len(l.vals) > 0 {
				c.errorf(codeArray, l.vals[0].extent, "'%s' holds more than one value and cannot be initialised", clip(l.name))
			}
		}
		c.unit.addresses = c.unit.addresses || m.Pointer
	}
	if c.diags.HasErrors() {
		return false
	}
	for _, m := range test.Locations {
		l, size := c.locations[m.Name], m.Elem.Size()
		for k := range l.vals {
			if l.vals[k].sym != "" {
				c.unit.addresses = true
				if size < 4 { // all addresses fit into 31 bits (base.go)
					c.errorf(codeType, l.vals[k].extent, "'%s' has %d bytes and cannot hold an address", clip(l.name), size)
					return false
				}
			}
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], uint64(c.valueOf(&l.vals[k])))
			copy(m.Init[k*size:(k+1)*size], word[:])
		}
	}
	return true
}

// mentionedC makes objects of the locations that only conditions mention.
func (c *compiler) mentionedC() {
	c.mentioned()
	for _, l := range c.order {
		if l.obj == ir.NoObject {
			l.obj = c.b.Object(l.name, l.size(), l.typ.Size(), l.typ, nil, c.span(l.at))
			c.symbols = append(c.symbols, symbol{l.name, c.b.Addr(l.obj), l.size()})
		}
	}
}

// takeLocals takes over the variables of the threads.
func (c *compiler) takeLocals(test *translate.Test) bool {
	for i := range test.Locals {
		v, at := &test.Locals[i], c.localAt[i]
		switch {
		case v.Found == 0:
			c.errorf(codeRegister, at.extent, "thread P%d has no variable '%s'", at.proc, clip(at.name))
		case v.Found > 1:
			c.errorf(codeRegister, at.extent, "thread P%d has %d variables called '%s'", at.proc, v.Found, clip(at.name))
		case !v.Scalar:
			c.errorf(codeRegister, at.extent, "'%s' of thread P%d holds more than one value", clip(at.name), at.proc)
		}
		c.locals[localKey{c.threadOf[at.proc], at.name}] = v
		c.unit.addresses = c.unit.addresses || v.Pointer
	}
	return !c.diags.HasErrors()
}

// observeLocal is a variable of a thread in the list of what is observed.
func (c *compiler) observeLocal(at *ref) *observed {
	v := c.locals[localKey{c.threadOf[at.proc], at.name}]
	name := fmt.Sprintf("%d:%s", at.proc, at.name)
	return &observed{
		v:      property.Var{Name: name, Thread: v.Thread, Reg: v.Reg, Type: v.Type},
		thread: at.proc, name: at.name,
	}
}

// FenceStyle is how a fence is written into the test, where one style was asked for: a
// test with the kernel's words has none of C11's.
func (u *Unit) FenceStyle(asked FenceStyle) FenceStyle {
	if u.Kernel && asked == translate.C11 {
		return translate.SmpMb
	}
	return asked
}
