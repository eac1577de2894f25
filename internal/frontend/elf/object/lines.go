package object

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"io"
	"path"
	"slices"
	"sort"
)

// Debug information. The addresses in an object's debug information are relocated by debug/elf,
// which takes every section to begin at address 0. The values in a copy of the table of symbols are
// changed before, so that the result has the addresses of the image.

// Line is a position in a source text. Line 0: not known.
type Line struct {
	File string
	Line int
	Col  int
}

// Lines knows which source the code was made of.
type Lines struct {
	rows  []lineRow // by address
	calls []inlined // by first address
	// callsAt has the numbers of the calls in each stretch of addresses.
	callsAt map[uint64][]int32
	// Problems says what is wrong with the debug information of some files; their code has no lines.
	Problems []string
	data     []*dwarf.Data
	files    []*dwarf.LineFile // of the unit that is read
	dir      string            // its directory
	pointees pointees
	sized    map[int64][]*dwarf.StructType // the structures that pointers point to; nil: not read yet
	others   map[int64]bool                // the sizes of the other things that pointers point to
	// Producers are the compilers, as they call themselves.
	Producers []string
	// Dirs are the directories in which the compiler was, by the names of files.
	Dirs      map[string]string
	fulls     map[string]string     // the names of files with their directories, by the names in lines
	types     map[string]dwarf.Type // of variables, by name
	typesAt   map[uint64]dwarf.Type // by address
	functions map[uint64]debugEntry // by their first addresses
	derived   []derivation
	bases     map[*dwarf.StructType][]Base // nil: not made of derived yet
	classes   map[debugEntry]class         // of methods named operator() and allocate
	structAt  map[string]string            // the files in which structures are declared, by their names
}

type lineRow struct {
	addr uint64
	pos  Line
	end  bool // no code from here on
}

// inlined is code of a function that the compiler has put into another one.
type inlined struct {
	low, high uint64
	depth     int
	name      string
	call      Line
	decl      int
	entry     debugEntry // of a method that callable may know
}

// Frame is a function that the compiler has put into its caller.
type Frame struct {
	Func string
	Call Line
	Decl int // the line of its declaration; 0: not known
	// Class is the class of a function named allocate.
	Class string
}

// debugFile is a file of the image with its sections, by their index.
type debugFile struct {
	file     *file
	sections []*Section
}

// maxRows bounds the table of lines, which a small file can blow up.
const maxRows = 1 << 22

func newLines(files []debugFile) *Lines {
	l := &Lines{Dirs: map[string]string{}}
	for _, f := range files {
		if err := l.add(f); err != nil {
			l.Problems = append(l.Problems, f.file.name+": "+err.Error())
		}
	}
	sort.SliceStable(l.rows, func(i, j int) bool {
		a, b := &l.rows[i], &l.rows[j]
		return a.addr < b.addr || a.addr == b.addr && a.end && !b.end
	})
	sort.SliceStable(l.calls, func(i, j int) bool {
		a, b := &l.calls[i], &l.calls[j]
		return a.depth < b.depth || a.depth == b.depth && a.low < b.low
	})
	return l
}

// add reads the debug information of a file, if it has any.
func (l *Lines) add(f debugFile) (err error) {
	defer func() { // as in open
		if r := recover(); r != nil {
			err = errMalformed
		}
	}()
	if f.file.elf.Section(".debug_info") == nil && f.file.elf.Section(".zdebug_info") == nil {
		return nil
	}
	e := f.file.elf
	if e.Type == elf.ET_REL {
		e, err = relocated(f)
	} else if data := slices.Clone(f.file.data); withoutAtomics(e, data) {
		e, err = elf.NewFile(bytes.NewReader(data))
	}
	if err != nil {
		return err
	}
	d, err := e.DWARF()
	if err != nil {
		return err
	}
	l.data = append(l.data, d)
	r := d.Reader()
	depth := 0
	classes := []dwarf.Offset{0} // the entries that the one that is read is inside of
	inside := []class{{}}        // their names and lines
	for {
		entry, err := r.Next()
		if err != nil || entry == nil {
			return err
		}
		switch {
		case entry.Tag == 0:
			depth--
			classes, inside = classes[:max(1, len(classes)-1)], inside[:max(1, len(inside)-1)]
			continue
		case entry.Tag == dwarf.TagCompileUnit:
			classes, inside = classes[:1], inside[:1]
			if name, ok := entry.Val(dwarf.AttrProducer).(string); ok && !slices.Contains(l.Producers, name) {
				l.Producers = append(l.Producers, name)
			}
			if err := l.addUnit(d, entry); err != nil {
				return err
			}
			depth = 0
		case entry.Tag == dwarf.TagSubprogram && entry.Val(dwarf.AttrDeclaration) != nil:
			l.addMethod(d, entry, inside[len(inside)-1])
			r.SkipChildren() // the types of its parameters tell nothing about the program
			continue
		case entry.Tag == dwarf.TagSubprogram:
			l.addMethod(d, entry, inside[len(inside)-1])
			l.addFunction(d, entry)
		case entry.Tag == dwarf.TagVariable:
			l.addVariable(d, entry)
		case entry.Tag == dwarf.TagStructType || entry.Tag == dwarf.TagClassType:
			l.addStruct(entry)
		case entry.Tag == dwarf.TagInheritance:
			l.addBase(d, classes[len(classes)-1], entry)
		case entry.Tag == dwarf.TagInlinedSubroutine:
			l.addInlined(d, r, entry, depth)
		}
		l.pointees.add(d, entry)
		if entry.Children {
			depth++
			classes = append(classes, entry.Offset)
			name, _ := entry.Val(dwarf.AttrName).(string)
			line, _ := entry.Val(dwarf.AttrDeclLine).(int64)
			inside = append(inside, class{name, int(line)})
		}
	}
}

type malformed struct{}

func (malformed) Error() string { return "the debug information is malformed" }

var errMalformed = malformed{}

// relocated opens a file again whose symbols have the addresses of the image.
func relocated(f debugFile) (*elf.File, error) {
	const entry, valueOff, indexOff = 24, 8, 6
	data := slices.Clone(f.file.data)
	for _, s := range f.file.elf.Sections {
		if s.Type != elf.SHT_SYMTAB || s.Flags&elf.SHF_COMPRESSED != 0 {
			continue
		}
		table := data[s.Offset : s.Offset+s.FileSize]
		for ; len(table) >= entry; table = table[entry:] {
			i := int(binary.LittleEndian.Uint16(table[indexOff:]))
			if i < len(f.sections) && f.sections[i] != nil {
				value := binary.LittleEndian.Uint64(table[valueOff:])
				binary.LittleEndian.PutUint64(table[valueOff:], value+f.sections[i].Addr)
			}
		}
	}
	withoutAtomics(f.file.elf, data)
	return elf.NewFile(bytes.NewReader(data))
}

// addUnit reads the lines of a compilation unit.
func (l *Lines) addUnit(d *dwarf.Data, unit *dwarf.Entry) error {
	l.files = nil
	r, err := d.LineReader(unit)
	if err != nil || r == nil {
		return err
	}
	dir, _ := unit.Val(dwarf.AttrCompDir).(string)
	l.dir = dir
	defer func() { l.files = r.Files() }()
	var row dwarf.LineEntry
	var last *dwarf.LineFile
	file := ""
	for {
		switch err := r.Next(&row); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case len(l.rows) >= maxRows:
			return errMalformed
		}
		pos := Line{Line: row.Line, Col: row.Column}
		if row.File != nil {
			if row.File != last {
				last, file = row.File, l.nameFor(row.File.Name, dir)
			}
			pos.File = file
		}
		for n := len(l.rows); row.EndSequence && n > 0 && l.rows[n-1].addr == row.Address && !l.rows[n-1].end; n-- {
			l.rows = l.rows[:n-1] // a row without code
		}
		l.rows = append(l.rows, lineRow{addr: row.Address, pos: pos, end: row.EndSequence})
	}
}

// addVariable enters the type of a variable that has an address.
func (l *Lines) addVariable(d *dwarf.Data, e *dwarf.Entry) {
	name, _ := e.Val(dwarf.AttrLinkageName).(string)
	if name == "" {
		name = l.nameOf(d, e, 0)
	}
	off, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if spec, has := e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok && has {
		r := d.Reader()
		r.Seek(spec)
		if other, err := r.Next(); err == nil && other != nil {
			off, ok = other.Val(dwarf.AttrType).(dwarf.Offset)
		}
	}
	loc, _ := e.Val(dwarf.AttrLocation).([]byte)
	if name == "" || !ok || len(loc) == 0 || loc[0] != 0x03 { // DW_OP_addr: not a local
		return
	}
	if t, err := d.Type(off); err == nil {
		if l.types == nil {
			l.types, l.typesAt = map[string]dwarf.Type{}, map[uint64]dwarf.Type{}
		}
		l.types[name] = t
		if len(loc) == 9 {
			l.typesAt[binary.LittleEndian.Uint64(loc[1:])] = t
		}
	}
}

// TypeOf returns the type of a variable that has a name or begins at an address, nil if it is not known.
func (l *Lines) TypeOf(name string, addr uint64) dwarf.Type {
	if t := l.typesAt[addr]; t != nil {
		return t
	}
	return l.types[name]
}

// nameFor returns the name of a file, as the compiler was given it unless another file, of another directory, has that name.
func (l *Lines) nameFor(name, dir string) string {
	short, full := relative(name, dir), path.Clean(name)
	if !path.IsAbs(full) {
		full = path.Join(dir, full)
	}
	if l.fulls == nil {
		l.fulls = map[string]string{}
	}
	if known, ok := l.fulls[short]; ok && known != full {
		short = full
	}
	if _, ok := l.fulls[short]; !ok {
		l.fulls[short], l.Dirs[short] = full, dir
	}
	return short
}

// relative returns the name of a file as the compiler was given it, if that is known.
func relative(name, dir string) string {
	name, dir = path.Clean(name), path.Clean(dir)
	if len(name) > len(dir)+1 && name[:len(dir)] == dir && name[len(dir)] == '/' {
		return name[len(dir)+1:]
	}
	return name
}

// addInlined enters a function that was put into another one.
func (l *Lines) addInlined(d *dwarf.Data, at *dwarf.Reader, e *dwarf.Entry, depth int) {
	ranges, err := d.Ranges(e)
	if err != nil {
		return
	}
	name, decl := l.declared(d, e, 0)
	entry := debugEntry{}
	if name == callOperator || name == allocate {
		entry = debugEntry{d, e.Offset} // the class may come later
	}
	line, _ := e.Val(dwarf.AttrCallLine).(int64)
	col, _ := e.Val(dwarf.AttrCallColumn).(int64)
	call := Line{Line: int(line), Col: int(col)}
	if n, ok := e.Val(dwarf.AttrCallFile).(int64); ok && n >= 0 && int(n) < len(l.files) && l.files[n] != nil {
		call.File = l.nameFor(l.files[n].Name, l.dir)
	}
	for _, r := range ranges {
		l.calls = append(l.calls, inlined{low: r[0], high: r[1], depth: depth, name: name, call: call, decl: decl, entry: entry})
	}
}

// nameOf returns the name of a function, which may stand at another entry.
func (l *Lines) nameOf(d *dwarf.Data, e *dwarf.Entry, depth int) string {
	if name, ok := e.Val(dwarf.AttrName).(string); ok {
		return name
	}
	for _, attr := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		off, ok := e.Val(attr).(dwarf.Offset)
		if !ok || depth > 8 {
			continue
		}
		r := d.Reader()
		r.Seek(off)
		if other, err := r.Next(); err == nil && other != nil {
			return l.nameOf(d, other, depth+1)
		}
	}
	return ""
}

// At returns the position of the code at an address.
func (l *Lines) At(addr uint64) Line {
	i := sort.Search(len(l.rows), func(i int) bool { return l.rows[i].addr > addr })
	if i == 0 || l.rows[i-1].end {
		return Line{}
	}
	return l.rows[i-1].pos
}

// callsPage is how many bits of an address say where it is in a stretch of addresses that has a list of calls.
const callsPage = 8

// listCalls makes the lists of the calls in each stretch of addresses.
func (l *Lines) listCalls() {
	l.callsAt = map[uint64][]int32{}
	for i, c := range l.calls {
		if c.high <= c.low || c.high-c.low > maxMemory {
			continue
		}
		for page := c.low >> callsPage; page <= (c.high-1)>>callsPage; page++ {
			l.callsAt[page] = append(l.callsAt[page], int32(i))
		}
	}
}

// Inlined returns the functions that were put into each other at an address, the outermost first.
func (l *Lines) Inlined(addr uint64) []Frame {
	var out []Frame
	if l.callsAt == nil {
		l.listCalls()
	}
	for _, i := range l.callsAt[addr>>callsPage] {
		if c := &l.calls[i]; addr >= c.low && addr < c.high {
			out = append(out, l.frame(c))
		}
	}
	return out
}
