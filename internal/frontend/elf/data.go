package elf

import (
	"encoding/binary"
	"fmt"
	"strings"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Data. Every symbol of a section is an object of its own, so that bounds are checked per variable; bytes
// without a symbol belong to the symbol before, or to an object of the section's name. Objects come into
// being when code or other data refer to them.
//
// In a linked file, and where an object refers to its local variables by their section, an address that is not used
// for an access at once does not say which variable is meant: &a[4] may be &b[0] or &b[-1]. Such a section is one
// object, in which the variables are as far apart as the file has them.

// datum is a piece of data.
type datum struct {
	sec   *object.Section
	off   uint64
	size  uint64
	name  string
	used  bool
	index int // in the data of the program
	obj   ir.ObjectID
	bytes []byte
	parts []*object.Symbol // of a section that is one object
	funcs []wordAt         // words that hold addresses of functions, and that have no relocations
}

// wordAt is a word of a section that gets a value.
type wordAt struct {
	off uint64
	val *ir.Expr
}

// canary is the offset in the block of a thread of the word that the stack protector compares.
const canary = 0x28

// canary returns the address of that word. Nothing writes to it, so that all threads share it.
func (p *program) canary() *ir.Expr {
	return p.outside("the stack protector's word", []byte("\x00\x5a\xc3\x96\x2d\xb4\x71\xe8"))
}

// pieces returns the data of a section.
func (p *program) pieces(sec *object.Section) []*datum {
	if list, ok := p.known[sec]; ok {
		return list
	}
	if sec.Linked && isIdentifier(sec.Name) { // the linker's __start_name and __stop_name are its ends: it may be an array
		p.whole[sec] = true
	}
	var list []*datum
	end := uint64(0) // of the variables so far
	begin := func(s *object.Symbol) {
		last := list[len(list)-1]
		switch {
		case last.off == s.Off:
			last.name = s.Name
		case s.Off < end || s.Size == 0 && strings.HasPrefix(s.Name, ".L"): // a name of a part of it
			return
		default:
			last.size = s.Off - last.off
			list = append(list, &datum{sec: sec, off: s.Off, size: sec.Size - s.Off, name: s.Name})
		}
	}
	list = append(list, &datum{sec: sec, size: sec.Size, name: sec.Name})
	for _, s := range p.image.SymbolsIn(sec) {
		if s.Kind == object.SectionStart || s.Name == "" || s.Off >= sec.Size || sec.Linked && s.Size == 0 {
			continue // a linked file has names of addresses that are no variables, such as __bss_start
		}
		if p.whole[sec] {
			list[0].parts = append(list[0].parts, s)
		} else {
			begin(s)
			end = max(end, s.Off+s.Size)
		}
	}
	if p.whole[sec] {
		list[0].name = strings.TrimPrefix(sec.Name, ".")
	}
	p.known[sec] = list
	return list
}

// isIdentifier reports whether the name of a section is one of C, so that the linker defines its ends.
func isIdentifier(name string) bool {
	for i, c := range name {
		if c != '_' && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return name != ""
}

// ambiguous notes an address that may belong to a neighbour of the variable that has it.
func (p *program) ambiguous(e *ir.Expr) {
	d := p.data[e.Obj]
	if d.sec.TLS && !d.sec.Linked || p.whole[d.sec] || len(p.pieces(d.sec)) == 1 {
		return
	}
	if e.Value == 0 {
		before := (*datum)(nil)
		for _, other := range p.pieces(d.sec) {
			if other.off < d.off {
				before = other
			}
		}
		if before == nil || p.sizeOf(before) < before.size { // nothing ends here
			return
		}
	}
	p.whole[d.sec], p.changed = true, true
}

// sizeOf returns the size of the variable that a piece of data begins with.
func (p *program) sizeOf(d *datum) uint64 {
	size := uint64(0)
	for _, s := range p.image.SymbolsIn(d.sec) {
		if s.Off == d.off && s.Kind != object.SectionStart {
			size = max(size, s.Size)
		}
	}
	if size == 0 {
		return d.size
	}
	return size
}

// address returns the expression for an address of the image.
func (p *program) address(addr uint64) (*ir.Expr, error) {
	sec := p.image.Find(addr)
	for _, s := range p.image.Sections {
		if sec == nil && s.Linked && !s.TLS && !s.Exec && s.Size > 0 && s.Addr+s.Size == addr {
			sec = s // the address after a variable
		}
	}
	if sec == nil {
		return nil, fmt.Errorf("the address is outside the program")
	}
	if sec.Exec {
		if name := p.libraryName(addr); name != "" {
			return p.externPointer(name), nil
		}
	}
	return p.inSection(sec, int64(addr-sec.Addr))
}

// symbol returns the expression for a symbol plus an offset.
func (p *program) symbol(s *object.Symbol, off int64) (*ir.Expr, error) {
	switch {
	case s.Absolute:
		return ir.Int(int64(s.Off) + off), nil
	case s.Sec == nil && libraryVariable(s.Name) != nil:
		return ir.Addr(p.libraryData(libraryVariable(s.Name)).Obj, off), nil
	case s.Kind == object.Indirect:
		return nil, fmt.Errorf("%s is an indirect function (IFUNC)", s.Name)
	case s.Sec == nil && s.Weak && !p.linkerDefines(s):
		return ir.Int(off), nil
	case s.Sec == nil && typeInformation.MatchString(s.Name):
		return p.notDefined(s.Name, off), nil
	case s.Sec == nil:
		return nil, fmt.Errorf("%s is not defined in the given files", s.Name)
	}
	if s.Kind != object.SectionStart && !s.Sec.Exec && !p.whole[s.Sec] { // the offset may leave the symbol, as a[i-1] does
		for _, d := range p.pieces(s.Sec) {
			if d.off == s.Off {
				return ir.Addr(ir.ObjectID(p.use(d)), off), nil
			}
		}
	}
	return p.inSection(s.Sec, int64(s.Off)+off)
}

func (p *program) inSection(sec *object.Section, off int64) (*ir.Expr, error) {
	if sec.Exec {
		sym := p.functionAt(sec.Addr + uint64(off))
		if sym == nil {
			return nil, fmt.Errorf("it takes an address inside the code")
		}
		f := p.find(sym)
		p.taken[f] = true
		return &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: ir.FuncID(f.index)}, nil
	}
	list := p.pieces(sec)
	best := list[0]
	for _, d := range list {
		if int64(d.off) <= off {
			best = d
		}
	}
	return ir.Addr(ir.ObjectID(p.use(best)), off-int64(best.off)), nil
}

// use makes a piece of data part of the program, with all that its words refer to.
func (p *program) use(d *datum) int {
	if d.used {
		return d.index
	}
	d.used, d.index = true, len(p.data)
	p.data = append(p.data, d)
	for _, r := range d.sec.Relocs {
		if r.Off < d.off || r.Off >= d.off+d.size {
			continue
		}
		if r.Kind != object.Abs64 {
			p.value(field{d, &r})
			continue
		}
		e, err := p.word(&r) // an error is reported when the words are filled in
		if err == nil && e.Op == ir.AddrOf && (r.Sym == nil || r.Sym.Kind == object.SectionStart) {
			p.ambiguous(e)
		}
	}
	if p.image.Fixed && d.sec.Linked && d.sec.Data != nil { // addresses are numbers
		for at := (d.off + 7) &^ 7; at+8 <= d.off+d.size; at += 8 {
			e, _ := p.fixed(int64(binary.LittleEndian.Uint64(d.sec.Data[at:])))
			switch {
			case e == nil:
			case e.Op == ir.AddrOf: // the number stays: data are at these addresses here, too
				p.ambiguous(e)
			default:
				d.funcs = append(d.funcs, wordAt{at, e})
			}
		}
	}
	return d.index
}

// word returns what a word gets that has a relocation.
func (p *program) word(r *object.Reloc) (*ir.Expr, error) {
	addr := uint64(r.Addend)
	if s := r.Sym; s != nil {
		if p.isExtern(s) || s.Kind == object.Indirect && s.Sec == nil {
			return p.missing(s.Name, r.Addend), nil
		}
		if s.Kind == object.Indirect && r.Addend == 0 {
			return p.externPointer(s.Name), nil
		}
		if s.Sec == nil {
			return p.symbol(s, r.Addend)
		}
		addr += s.Addr()
	}
	if e := p.library(addr); e != nil {
		return e, nil
	}
	if r.Sym == nil {
		return p.address(addr)
	}
	return p.symbol(r.Sym, r.Addend)
}

// library returns the expression for an address of code that belongs to a library in the file, or to the linkage table;
// nil: it does not.
func (p *program) library(addr uint64) *ir.Expr {
	if to, err := p.linked(addr); err == nil && to.Name != "" {
		return p.missing(to.Name, 0)
	}
	if name := p.libraryName(addr); name != "" {
		return p.externPointer(name)
	}
	if sec := p.image.Find(addr); p.image.Static && sec != nil && sec.Exec && p.image.Lines.At(addr).Line == 0 {
		return p.externPointer("code of a library")
	}
	return nil
}

// externPointer returns the address of a function that is not defined in the files: one that is made up, and that
// does nothing but call it.
func (p *program) externPointer(name string) *ir.Expr {
	f := p.forwards[name]
	if f == nil {
		const outside = 1 << 62
		sec := &object.Section{Name: name, Addr: outside + 16*uint64(len(p.funcs)), Size: 16, Exec: true}
		f = &function{index: len(p.funcs), sym: &object.Symbol{Name: name, Sec: sec, Size: 16, Kind: object.Function}, insts: map[uint64]*inst{}}
		in := &inst{addr: sec.Addr, extern: name, tail: true, Inst: &lift.Inst{Addr: sec.Addr, Text: "jmp " + name, End: lift.Jump}}
		f.insts[in.addr], f.order = in, []*inst{in}
		p.funcs, p.forwards[name] = append(p.funcs, f), f
		p.taken[f] = true
	}
	return &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: ir.FuncID(f.index)}
}

// build makes the objects.
func (p *program) build(b *ir.Builder) {
	if p.built {
		return
	}
	p.built = true
	for _, f := range p.funcs {
		if f.results != 0 {
			p.rdx = b.Object("rdx", 8, 8, ir.U64, nil, source.Span{})
			b.SetPerThread(p.rdx)
			break
		}
	}
	p.makeArgs(b)
	p.makeExceptions(b)
	for _, d := range p.data {
		d.bytes = make([]byte, d.size)
		if d.sec.Data != nil {
			copy(d.bytes, d.sec.Data[d.off:d.off+d.size])
		}
		p.startValues(d)
		unit := int(d.size)
		if unit != 1 && unit != 2 && unit != 4 && unit != 8 {
			unit = 1
			if d.size%8 == 0 {
				unit = 8
			} else if d.size%4 == 0 {
				unit = 4
			}
		}
		b.AlignNext(max(16, d.sec.Align))
		if d.fixed() {
			b.AddressNext(linkedBase(p.image) + d.sec.Addr + d.off)
		} else {
			b.PastNext(d.residue(p))
		}
		d.obj = b.Object(shortName(d.name), max(1, int64(d.size)), unit, ir.Type{Bits: uint8(8 * unit), Signed: true}, d.bytes, source.Span{})
		if l := p.layout(d); l != nil {
			b.Layout(d.obj, l)
		}
		if d.sec.TLS {
			b.SetPerThread(d.obj)
		} else if !d.sec.Write || d.sec.RelRO {
			b.SetReadOnly(d.obj)
		}
	}
}

// fixed reports whether a piece of data is at an address that the file says.
func (d *datum) fixed() bool { return d.sec.Linked && !d.sec.TLS }

// residue is where a piece of data begins, modulo 16. The sections of an object are taken to begin at multiples of 16.
// Data whose accesses cannot cross a boundary of 8 bytes then is at a multiple of 16, too, and so are the copies that
// threads have of theirs.
func (d *datum) residue(p *program) uint64 {
	switch {
	case d.fixed():
		return (linkedBase(p.image) + d.sec.Addr + d.off) % 16
	case d.sec.TLS || d.off%8 == 0:
		return 0
	}
	for size := uint64(1); size <= 8; size *= 2 {
		if d.size <= size && d.off%size == 0 { // no access inside can cross a boundary
			return 0
		}
	}
	return d.off % 16
}

// linkedBase is where a linked file is in memory, which keeps its data at their distances. Those of a file that can
// be anywhere must not be where other objects are.
func linkedBase(im *object.Image) uint64 {
	if im.Fixed {
		return 0
	}
	return 0x5555_0000_0000
}

// fillIn fills in the words that hold addresses.
func (p *program) fillIn(out *ir.Program) {
	address := func(e *ir.Expr) uint64 {
		switch e.Op {
		case ir.AddrOf:
			return out.Objects[p.data[e.Obj].obj].Addr + uint64(e.Value)
		case ir.FuncAddr:
			return uint64(ir.FuncAddress(p.funcs[e.Func].fb.ID))
		}
		return uint64(e.Value)
	}
	for _, d := range p.data {
		for _, w := range d.funcs {
			binary.LittleEndian.PutUint64(d.bytes[w.off-d.off:], address(w.val))
		}
	}
	for _, f := range p.fields() {
		e, err := p.value(f)
		if err != nil { // forbid has it
			continue
		}
		v, at := address(e), f.r.Off-f.d.off
		switch f.r.Kind {
		case object.PC32:
			binary.LittleEndian.PutUint32(f.d.bytes[at:], uint32(v-out.Objects[f.d.obj].Addr-at))
		case object.PC64:
			binary.LittleEndian.PutUint64(f.d.bytes[at:], v-out.Objects[f.d.obj].Addr-at)
		default:
			binary.LittleEndian.PutUint64(f.d.bytes[at:], v)
		}
	}
}

// shown are the variables that final states show.
func (p *program) shown() []ir.ObjectID {
	var out []ir.ObjectID
	for _, d := range p.data {
		if d.sec.Write && !d.sec.RelRO && !d.sec.TLS && d.obj != ir.NoObject {
			out = append(out, d.obj)
		}
	}
	return out
}

// text returns a string that an expression points to.
func (p *program) text(e *ir.Expr) (string, bool) {
	if e == nil || e.Op != ir.AddrOf {
		return "", false
	}
	d := p.data[e.Obj]
	if d.sec.Write || d.sec.Data == nil || e.Value < 0 || uint64(e.Value) >= d.size {
		return "", false
	}
	s, _, ok := strings.Cut(string(d.sec.Data[d.off+uint64(e.Value):d.off+d.size]), "\x00")
	return s, ok
}
