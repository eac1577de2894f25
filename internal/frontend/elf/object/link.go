package object

import (
	"debug/elf"
	"encoding/binary"
	"strings"
)

// firstAddress is the address of the first section of objects. Linked files keep their own.
const firstAddress = 0x1000_0000

// maxMemory bounds the sections of a program: a file of some bytes can ask for any amount of zeros.
const maxMemory = 1 << 30

// linker builds an image, file by file.
type linker struct {
	image  *Image
	groups map[string]bool // COMDAT groups that the program has
	next   uint64
	any    bool // some file was added
	debug  []debugFile
	memory uint64
}

// needs reports whether a file defines a symbol that is missing.
func (l *linker) needs(f *file) bool {
	for i := range f.symbols {
		s := &f.symbols[i]
		if elf.ST_BIND(s.Info) == elf.STB_LOCAL || s.Section == elf.SHN_UNDEF {
			continue
		}
		if have := l.image.Linked[s.Name]; have != nil && have.Sec == nil && !have.Absolute && !have.Weak {
			return true
		}
	}
	return false
}

// add links a file.
func (l *linker) add(f *file) *Error {
	l.any = true
	a := &adder{linker: l, file: f, sections: make([]*Section, len(f.elf.Sections)), dropped: map[int]bool{}}
	steps := []func() *Error{a.dropGroups, a.addSections, a.addSymbols, a.addRelocs}
	if f.elf.Type != elf.ET_REL {
		steps = append(steps, a.addDynamicRelocs)
		l.image.Static, l.image.Fixed = !f.hasInterpreter(), f.elf.Type == elf.ET_EXEC
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	l.debug = append(l.debug, debugFile{file: f, sections: a.sections})
	return nil
}

// adder links one file.
type adder struct {
	*linker
	*file
	sections []*Section // by index in the file; nil: not in memory
	dropped  map[int]bool
	byIndex  []*Symbol // by index in the table of symbols
}

// dropGroups finds the COMDAT groups that the program has already.
func (a *adder) dropGroups() *Error {
	for _, s := range a.elf.Sections {
		if s.Type != elf.SHT_GROUP {
			continue
		}
		data, err := s.Data()
		if err != nil || len(data) < 4 || len(data)%4 != 0 {
			return problem(a.name, "the section group %s is malformed", s.Name)
		}
		if binary.LittleEndian.Uint32(data)&1 == 0 { // not COMDAT
			continue
		}
		i := int(s.Info) - 1
		if i < 0 || i >= len(a.symbols) {
			return problem(a.name, "a section group has no symbol")
		}
		key := a.symbols[i].Name
		if !a.groups[key] {
			a.groups[key] = true
			continue
		}
		for ; len(data) > 4; data = data[4:] {
			a.dropped[int(binary.LittleEndian.Uint32(data[4:]))] = true
		}
	}
	return nil
}

// addSections takes the sections that the program has in memory.
func (a *adder) addSections() *Error {
	linked := a.elf.Type != elf.ET_REL
	for i, s := range a.elf.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || a.dropped[i] || s.Type == elf.SHT_GROUP {
			continue
		}
		if s.Addralign > 1<<20 || s.Addralign&(s.Addralign-1) != 0 {
			return problem(a.name, "the section %s has the alignment %d", s.Name, s.Addralign)
		}
		a.memory += s.Size
		if s.Size > maxMemory || a.memory > maxMemory {
			return problem(a.name, "the program has more than %d MiB of memory at its beginning", maxMemory>>20)
		}
		sec := &Section{
			File: a.name, Name: s.Name, Addr: s.Addr, Size: s.Size, Align: max(1, s.Addralign), Linked: linked,
			Exec: s.Flags&elf.SHF_EXECINSTR != 0, Write: s.Flags&elf.SHF_WRITE != 0, TLS: s.Flags&elf.SHF_TLS != 0,
		}
		sec.RelRO = strings.HasPrefix(s.Name, ".data.rel.ro") || s.Name == ".got" || s.Name == ".got.plt" ||
			s.Name == ".init_array" || s.Name == ".fini_array" || s.Name == ".dynamic"
		if s.Type != elf.SHT_NOBITS {
			data, err := s.Data()
			if err != nil || uint64(len(data)) != s.Size {
				return problem(a.name, "the section %s cannot be read", s.Name)
			}
			sec.Data = data
		}
		if !linked {
			sec.Addr = (a.next + sec.Align - 1) &^ (sec.Align - 1)
			a.next = sec.Addr + sec.Size + 16
		} else if sec.Addr+sec.Size < sec.Addr {
			return problem(a.name, "the section %s does not fit into memory", s.Name)
		}
		a.sections[i] = sec
		if !linked || !sec.TLS {
			a.image.Sections = append(a.image.Sections, sec)
		}
	}
	a.threadSection()
	return nil
}

var symbolKinds = map[elf.SymType]SymbolKind{
	elf.STT_FUNC: Function, elf.STT_OBJECT: Data, elf.STT_TLS: ThreadLocal, elf.STT_SECTION: SectionStart,
	elf.STT_GNU_IFUNC: Indirect, elf.STT_COMMON: Data,
}

// addSymbols enters the symbols, and resolves the ones of several files.
func (a *adder) addSymbols() *Error {
	a.byIndex = make([]*Symbol, len(a.symbols)+1)
	for i := range a.symbols {
		es := &a.symbols[i]
		if elf.ST_TYPE(es.Info) == elf.STT_FILE {
			continue
		}
		sym, err := a.symbol(es)
		if err != nil {
			return err
		}
		if bind := elf.ST_BIND(es.Info); bind != elf.STB_LOCAL {
			sym.Weak = bind == elf.STB_WEAK
			if sym, err = a.resolve(sym, es); err != nil {
				return err
			}
		} else {
			sym.Local = true
			if sym.Sec != nil {
				a.image.Symbols = append(a.image.Symbols, sym)
			}
		}
		a.byIndex[i+1] = sym
	}
	return nil
}

// symbol makes a symbol of an entry of the table.
func (a *adder) symbol(es *elf.Symbol) (*Symbol, *Error) {
	sym := &Symbol{Name: es.Name, File: a.name, Size: es.Size, Kind: symbolKinds[elf.ST_TYPE(es.Info)], Version: es.Version}
	switch idx := int(es.Section); {
	case es.Section == elf.SHN_UNDEF:
	case es.Section == elf.SHN_ABS:
		sym.Absolute, sym.Off = true, es.Value
	case es.Section == elf.SHN_COMMON:
		a.common(sym, es.Value)
	case idx >= len(a.sections):
		return nil, problem(a.name, "the symbol %s is in a section that is not there", es.Name)
	case a.sections[idx] != nil:
		sym.Sec, sym.Off = a.sections[idx], es.Value
		if sym.Sec.Linked {
			base := sym.Sec.Addr
			if sym.Sec.TLS { // values are offsets in the block of a thread
				base = 0
			}
			if es.Value-base > sym.Sec.Size { // such as _end, which is beside its section
				sym.Absolute, sym.Sec = true, nil
				return sym, nil
			}
			sym.Off = es.Value - base
		}
		if sym.Off > sym.Sec.Size || sym.Size > sym.Sec.Size-sym.Off {
			return nil, problem(a.name, "the symbol %s ends outside its section %s", es.Name, sym.Sec.Name)
		}
	}
	return sym, nil
}

// common makes the section of a variable that every file may define.
func (a *adder) common(sym *Symbol, align uint64) {
	if align == 0 || align > 1<<20 || align&(align-1) != 0 {
		align = 16
	}
	sec := &Section{File: a.name, Name: "COMMON", Addr: (a.next + align - 1) &^ (align - 1), Size: min(sym.Size, maxMemory), Write: true, Align: align}
	sym.Size = sec.Size
	a.next = sec.Addr + sec.Size + 16
	a.image.Sections = append(a.image.Sections, sec)
	sym.Sec, sym.Kind = sec, Data
}

// resolve enters a symbol that files share, and returns the one that stands for it.
func (a *adder) resolve(sym *Symbol, es *elf.Symbol) (*Symbol, *Error) {
	defined := func(s *Symbol) bool { return s.Sec != nil || s.Absolute }
	have := a.image.Linked[sym.Name]
	switch {
	case have == nil:
		a.image.Linked[sym.Name] = sym
		have = sym
	case !defined(sym):
		have.Weak = have.Weak && (sym.Weak || defined(have))
		return have, nil
	case !defined(have) || have.Weak && !sym.Weak || isCommon(have) && !isCommon(sym) && !sym.Weak || isCommon(have) && isCommon(sym) && sym.Size > have.Size:
		old := *have
		*have = *sym // what refers to the other one refers to this one now
		if old.Sec != nil {
			return have, nil // it is in the list
		}
	case sym.Weak || isCommon(sym):
		return have, nil
	default:
		return nil, problem(a.name, "%s has two definitions", sym.Name).advise("the other one is in %s", have.File)
	}
	if have.Sec != nil {
		a.image.Symbols = append(a.image.Symbols, have)
	}
	return have, nil
}

func isCommon(s *Symbol) bool { return s.Sec != nil && s.Sec.Name == "COMMON" }
