package object

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"
)

// relocKinds are the relocations of objects that are read.
var relocKinds = map[elf.R_X86_64]RelocKind{
	elf.R_X86_64_64: Abs64, elf.R_X86_64_32: Abs32, elf.R_X86_64_32S: Abs32S,
	elf.R_X86_64_PC32: PC32, elf.R_X86_64_PLT32: PC32, elf.R_X86_64_PC64: PC64,
	elf.R_X86_64_GOTPCREL: GOTPC32, elf.R_X86_64_GOTPCRELX: GOTPC32, elf.R_X86_64_REX_GOTPCRELX: GOTPC32,
	elf.R_X86_64_TPOFF32: TPOff32, elf.R_X86_64_TPOFF64: TPOff64, elf.R_X86_64_GOTTPOFF: GOTTPOff32,
}

const relaSize = 24

// addRelocs reads the relocations of the sections of an object. What a linker has kept of them
// in a linked file (--emit-relocs) is passed over: the addresses say the same.
func (a *adder) addRelocs() *Error {
	if a.elf.Type != elf.ET_REL {
		return nil
	}
	for _, s := range a.elf.Sections {
		if s.Type == elf.SHT_REL && int(s.Info) < len(a.sections) && a.sections[s.Info] != nil {
			return problem(a.name, "the section %s has relocations without addends, which x86-64 does not have", s.Name)
		}
		if s.Type != elf.SHT_RELA || int(s.Info) >= len(a.sections) || a.sections[s.Info] == nil {
			continue
		}
		sec, models := a.sections[s.Info], false
		err := a.each(s, func(off uint64, typ elf.R_X86_64, sym uint32, addend int64) *Error {
			if typ == elf.R_X86_64_NONE {
				return nil
			}
			kind := relocKinds[typ]
			if kind == RelocUnset && strings.HasPrefix(sec.Name, ".eh_frame") { // what it says is not known then
				return nil
			}
			if kind == RelocUnset && sec.Exec {
				kind = threadModels[typ]
				models = models || kind != RelocUnset
			}
			if kind == RelocUnset {
				return refusedReloc(a.name, sec, off, typ)
			}
			if int(sym) >= len(a.byIndex) || a.byIndex[sym] == nil {
				return problem(a.name, "the relocation at byte %d of %s has no symbol", off, sec.Name)
			}
			if off > sec.Size || kind.Size() > sec.Size-off || sec.Data == nil {
				return problem(a.name, "the relocation at byte %d is outside its section %s", off, sec.Name)
			}
			sec.Relocs = append(sec.Relocs, Reloc{Off: off, Kind: kind, Sym: a.byIndex[sym], Addend: addend})
			return nil
		})
		if err != nil {
			return err
		}
		if models {
			sec.toLocal()
		}
	}
	return nil
}

// refusedReloc is a relocation that is not read.
func refusedReloc(name string, sec *Section, off uint64, typ elf.R_X86_64) *Error {
	err := problem(name, "the relocation %s at byte %d of %s is not supported", typ, off, sec.Name)
	switch typ {
	case elf.R_X86_64_DTPMOD64, elf.R_X86_64_DTPOFF64:
		return err.advise("it belongs to thread-local variables of dynamic libraries: compile without -fPIC, or with -ftls-model=initial-exec")
	case elf.R_X86_64_PC16, elf.R_X86_64_PC8, elf.R_X86_64_16, elf.R_X86_64_8:
		return err.advise("the code is not 64-bit code")
	}
	if strings.Contains(typ.String(), "TLSDESC") {
		return err.advise("compile with -mtls-dialect=gnu -ftls-model=initial-exec")
	}
	return err
}

// each calls f with the relocations of a section of the file.
func (a *adder) each(s *elf.Section, f func(off uint64, typ elf.R_X86_64, sym uint32, addend int64) *Error) *Error {
	data, err := s.Data()
	if err != nil || len(data)%relaSize != 0 {
		return problem(a.name, "the relocations in %s are malformed", s.Name)
	}
	for ; len(data) > 0; data = data[relaSize:] {
		info := binary.LittleEndian.Uint64(data[8:])
		bad := f(binary.LittleEndian.Uint64(data), elf.R_X86_64(info&0xffffffff), uint32(info>>32), int64(binary.LittleEndian.Uint64(data[16:])))
		if bad != nil {
			return bad
		}
	}
	return nil
}

// addDynamicRelocs reads what is left of the relocations of a linked file: addresses that move with
// the file, and words that get the addresses of other files' symbols.
func (a *adder) addDynamicRelocs() *Error {
	dynamic, err := a.elf.DynamicSymbols()
	if err != nil && err != elf.ErrNoSymbols {
		return problem(a.name, "the table of dynamic symbols is malformed: %v", err)
	}
	for _, s := range a.elf.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		bad := a.each(s, func(off uint64, typ elf.R_X86_64, sym uint32, addend int64) *Error {
			return a.dynamicReloc(dynamic, off, typ, sym, addend)
		})
		if bad != nil {
			return bad
		}
	}
	return nil
}

func (a *adder) dynamicReloc(dynamic []elf.Symbol, off uint64, typ elf.R_X86_64, index uint32, addend int64) *Error {
	if typ == elf.R_X86_64_NONE {
		return nil
	}
	var sec *Section
	base := uint64(0)
	for _, s := range a.sections {
		if s == nil || sec != nil && s.TLS {
			continue
		}
		from := s.Addr
		if s.TLS {
			from -= threadBase
		}
		if off >= from && off-from < s.Size {
			sec, base = s, from
		}
	}
	if sec == nil || sec.Size-(off-base) < 8 && typ != elf.R_X86_64_COPY {
		return problem(a.name, "a dynamic relocation is outside all sections, at 0x%x", off)
	}
	r := Reloc{Off: off - base, Kind: Abs64, Addend: addend}
	if index > 0 {
		if int(index) > len(dynamic) {
			return problem(a.name, "a dynamic relocation at 0x%x has no symbol", off)
		}
		name := dynamic[index-1].Name
		if r.Sym = a.image.Linked[name]; r.Sym == nil { // another file's, or one whose name has a version in the program
			sym, err := a.symbol(&dynamic[index-1])
			if err != nil {
				return err
			}
			r.Sym, a.image.Linked[name] = sym, sym
		}
	}
	switch typ {
	case elf.R_X86_64_RELATIVE, elf.R_X86_64_64:
	case elf.R_X86_64_GLOB_DAT, elf.R_X86_64_JMP_SLOT:
		r.Addend = 0
	case elf.R_X86_64_TPOFF64:
		r.Kind = TPOff64
	case elf.R_X86_64_COPY: // a variable of a library that the program refers to
		if index > 0 {
			a.copied(&dynamic[index-1], sec, r.Off)
		}
		return nil
	case elf.R_X86_64_IRELATIVE: // an indirect function: the addend is the address of the function that picks its code
		r.Sym, r.Addend = a.picked(uint64(addend)), 0
	default:
		return refusedReloc(a.name, sec, r.Off, typ)
	}
	sec.Relocs = append(sec.Relocs, r)
	return nil
}

// picked returns the indirect function whose code is picked by the function at an address.
func (a *adder) picked(addr uint64) *Symbol {
	for _, s := range a.byIndex {
		if s != nil && s.Kind == Indirect && s.Sec != nil && s.Addr() == addr {
			return s
		}
	}
	return &Symbol{Name: fmt.Sprintf("the function that 0x%x picks", addr), File: a.name, Kind: Indirect}
}
