package litmus

import (
	"encoding/binary"
	"strings"

	"fencepost/internal/ir"
)

// Locations: what the initial state declares, and what the instructions and
// conditions mention beside. A location without a type is an int, or wider if an
// instruction accesses more of it or its first value needs more.

// location is a named piece of memory.
type location struct {
	name  string
	typ   ir.Type // of an element
	typed bool    // the type was declared
	array bool
	count int64
	vals  []value
	wide  int // bytes of the widest access of a location without a type
	obj   ir.ObjectID
	at    extent
}

func (l *location) size() int64 { return l.count * int64(l.typ.Size()) }

// typeOf resolves a type.
func (c *compiler) typeOf(t *typeName) (ir.Type, bool) {
	if t.pointer {
		return c.integer(c.arch.word(), true), true
	}
	unsigned, long, base := false, 0, ""
	for _, w := range t.words {
		switch w {
		case "const", "volatile", "_Atomic", "atomic", "ATOMIC", "signed":
		case "unsigned":
			unsigned = true
		case "long":
			long++
		default:
			if base != "" {
				return ir.Type{}, false
			}
			base = w
		}
	}
	size := 0
	switch base {
	case "", "int":
		size = 4
		if long == 1 {
			size = c.arch.word()
		} else if long > 1 {
			size = 8
		}
	default:
		name, un := strings.CutPrefix(strings.TrimPrefix(base, "atomic_"), "u")
		unsigned = unsigned || un
		switch name {
		case "char", "int8_t":
			size = 1
		case "short", "int16_t":
			size = 2
		case "int", "int32_t":
			size = 4
		case "int64_t":
			size = 8
		case "long", "intptr_t", "ptrdiff_t", "size_t", "ssize_t":
			size = c.arch.word()
		}
		unsigned = unsigned || name == "size_t"
	}
	return c.integer(size, !unsigned), size > 0
}

func (c *compiler) integer(size int, signed bool) ir.Type {
	return ir.Type{Bits: uint8(8 * size), Signed: signed}
}

// location finds a location or makes one that nothing declares.
func (c *compiler) location(name string, at extent) *location {
	l := c.locations[name]
	if l == nil {
		l = &location{name: name, typ: ir.S32, count: 1, obj: ir.NoObject, at: at}
		c.locations[name] = l
		c.order = append(c.order, l)
	}
	return l
}

// declare takes the initial state and the types in the list of locations.
func (c *compiler) declare() {
	done := map[string]bool{}
	for i := range c.tree.inits {
		it := &c.tree.inits[i]
		typ, typed := ir.S32, !it.typ.absent()
		if typed {
			var ok bool
			if typ, ok = c.typeOf(&it.typ); !ok {
				c.errorf(codeType, it.typ.extent, "unknown type '%s'", clip(strings.Join(it.typ.words, " ")))
				continue
			}
		}
		if it.at.isReg {
			c.declareRegister(it, typ, typed)
			continue
		}
		if done[it.at.name] {
			c.errorf(codeTwice, it.at.extent, "location '%s' is initialised twice", clip(it.at.name))
			continue
		}
		done[it.at.name] = true
		c.declareLocation(it, typ, typed)
	}
	for i := range c.tree.locations {
		it := &c.tree.locations[i]
		if it.typ.absent() {
			continue
		}
		typ, ok := c.typeOf(&it.typ)
		switch {
		case !ok:
			c.errorf(codeType, it.typ.extent, "unknown type '%s'", clip(strings.Join(it.typ.words, " ")))
		case it.at.isReg:
			if r, ok := c.refRegister(&it.at); ok {
				c.regTypes[r] = typ
			}
		default:
			if l := c.location(it.at.name, it.at.extent); !l.typed {
				l.typ, l.typed = typ, true
			}
		}
	}
}

func (c *compiler) declareLocation(it *initial, typ ir.Type, typed bool) *location {
	l := c.location(it.at.name, it.at.extent)
	l.typ, l.typed = typ, typed
	if it.at.hasIdx {
		l.array, l.count, l.typed = true, it.at.index, true
		if l.count < 1 || l.count > maxElements {
			c.errorf(codeArray, it.at.extent, "this array has %d elements; it can have from 1 to %d", l.count, maxElements)
			l.count = 1
		}
	}
	switch {
	case !it.hasValue:
	case it.val.braces && !l.array:
		c.errorf(codeArray, it.val.extent, "'%s' is not an array and takes one value", clip(l.name))
	case it.val.braces && int64(len(it.val.list)) != l.count:
		c.errorf(codeArray, it.val.extent, "%d values for an array of %d", len(it.val.list), l.count)
	case it.val.braces:
		l.vals = it.val.list
	case l.array:
		c.errorf(codeArray, it.val.extent, "initialise an array with a list in braces")
	default:
		l.vals = []value{it.val}
	}
	for i := range l.vals {
		v := &l.vals[i]
		if v.sym != "" {
			c.location(v.sym, v.extent)
			c.escaped[v.sym] = true
			l.wide = max(l.wide, c.arch.word())
		} else if ir.S32.Wrap(v.num) != v.num && ir.U32.Wrap(v.num) != v.num {
			l.wide = 8
		}
	}
	return l
}

// regKey names a register of a thread, or a part of one.
type regKey struct {
	thread int // index of the column
	reg    register
}

func (c *compiler) declareRegister(it *initial, typ ir.Type, typed bool) {
	key, ok := c.refRegister(&it.at)
	if !ok {
		return
	}
	if typed {
		c.regTypes[key] = typ
	}
	if !it.hasValue {
		return
	}
	if it.val.braces {
		c.errorf(codeArray, it.val.extent, "a register holds one value")
		return
	}
	whole := regKey{key.thread, c.arch.whole(key.reg)}
	if _, twice := c.regInit[whole]; twice {
		c.errorf(codeTwice, it.at.extent, "register '%s' is initialised twice", clip(it.at.name))
		return
	}
	c.regInit[whole] = regValue{val: it.val, part: key.reg.part}
	if it.val.sym != "" {
		c.location(it.val.sym, it.val.extent)
	}
}

// refRegister resolves 0:rax.
func (c *compiler) refRegister(at *ref) (regKey, bool) {
	thread, ok := c.threadOf[at.proc]
	if !ok {
		c.errorf(codeProc, at.extent, "there is no thread P%d", at.proc)
		return regKey{}, false
	}
	r, ok := c.arch.register(at.name)
	if !ok {
		c.errorf(codeRegister, at.extent, "%s has no register '%s'", c.arch, clip(at.name))
		return regKey{}, false
	}
	return regKey{thread, r}, true
}

// measure widens locations without a type by the accesses to them.
func (c *compiler) measure() {
	for t := range c.tree.procs {
		for i := range c.tree.procs[t].code {
			in := &c.tree.procs[t].code[i]
			oc, ok := decode(c.arch, in.name.text)
			if !ok {
				continue
			}
			for k := range in.ops {
				c.measureOperand(t, in, &oc, &in.ops[k])
			}
		}
	}
	for name := range c.escaped {
		c.location(name, extent{}).wide = max(c.location(name, extent{}).wide, c.indirect)
	}
	for _, l := range c.order {
		if !l.typed && l.wide > l.typ.Size() {
			l.typ = c.integer(l.wide, true)
		}
	}
}

func (c *compiler) measureOperand(t int, in *instruction, oc *opcode, op *operand) {
	if op.sym != "" && (oc.kind != kJump || op.kind != isTarget) {
		c.location(op.sym, op.extent)
	}
	switch {
	case oc.kind == kJump:
	case oc.kind == kLea, op.kind == isImmediate:
		if op.sym != "" {
			c.escaped[op.sym] = true
		}
	case op.kind == isMemory || op.kind == isTarget:
		size := c.width(in, oc)
		if oc.kind == kExtend && oc.from > 0 {
			size = oc.from
		}
		switch {
		case op.sym != "":
			l := c.location(op.sym, op.extent)
			l.wide = max(l.wide, size)
		case op.hasBase:
			c.indirect = max(c.indirect, size)
			if v, ok := c.regInit[regKey{t, c.arch.whole(op.base)}]; ok && v.val.sym != "" {
				l := c.location(v.val.sym, op.extent)
				l.wide = max(l.wide, size)
			}
		}
	}
}

// layOut gives every location its object.
func (c *compiler) layOut() bool {
	total := int64(0)
	for _, l := range c.order {
		total += l.size()
		if total > maxMemory {
			c.errorf(codeTooLarge, l.at, "the locations take more than %d bytes", maxMemory)
			return false
		}
	}
	inits := make([][]byte, len(c.order))
	for i, l := range c.order {
		// The bytes are filled in when all addresses are known.
		inits[i] = make([]byte, len(l.vals)*l.typ.Size())
		l.obj = c.b.Object(l.name, l.size(), l.typ.Size(), l.typ, inits[i], c.span(l.at))
	}
	for i, l := range c.order {
		for k := range l.vals {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], uint64(c.valueOf(&l.vals[k])))
			size := l.typ.Size()
			copy(inits[i][k*size:(k+1)*size], word[:])
		}
	}
	for _, l := range c.order {
		c.symbols = append(c.symbols, symbol{l.name, c.b.Addr(l.obj), l.size()})
	}
	return true
}

// valueOf is the number a value stands for.
func (c *compiler) valueOf(v *value) int64 {
	if v.sym == "" {
		return v.num
	}
	l := c.locations[v.sym]
	off := v.num
	if v.hasIdx {
		off *= int64(l.typ.Size())
	}
	return int64(c.b.Addr(l.obj)) + off
}
