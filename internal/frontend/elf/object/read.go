package object

import (
	"bytes"
	"debug/elf"
	"slices"
	"strings"
)

// Input is a file of the program.
type Input struct {
	Name string
	Data []byte
}

// maxFile bounds the size of a file: what is larger is a mistake, or a program that no search will
// get to the end of.
const maxFile = 512 << 20

// IsELF reports whether the bytes begin as an ELF file or an archive does.
func IsELF(data []byte) bool {
	return bytes.HasPrefix(data, []byte(elf.ELFMAG)) || bytes.HasPrefix(data, []byte(archiveMagic))
}

// foreign returns the name of a format of machine code that is not ELF.
func foreign(data []byte) string {
	switch {
	case len(data) < 4:
		return ""
	case bytes.Contains([]byte("\xfe\xed\xfa\xce\xce\xfa\xed\xfe\xfe\xed\xfa\xcf\xcf\xfa\xed\xfe"), data[:4]) && data[0] >= 0xce:
		return "Mach-O"
	case string(data[:4]) == "\xca\xfe\xba\xbe":
		return "Mach-O with several processors, or a Java class"
	case string(data[:2]) == "MZ":
		return "a Windows executable"
	case string(data[:4]) == "\x64\x86\x00\x00" || string(data[:2]) == "\x64\x86":
		return "a Windows object"
	case string(data[:4]) == "BC\xc0\xde":
		return "LLVM bitcode"
	case string(data[:4]) == "\x00asm":
		return "WebAssembly"
	}
	return ""
}

// Load reads and links the files of a program. The error is an *Error.
func Load(files []Input) (*Image, error) {
	l := &linker{image: &Image{Linked: map[string]*Symbol{}}, groups: map[string]bool{}, next: firstAddress}
	if err := l.load(files); err != nil {
		return nil, err
	}
	l.image.index()
	l.image.Lines = newLines(l.debug)
	return l.image, nil
}

// load reads objects first, and then takes from archives what is missing.
func (l *linker) load(files []Input) *Error {
	type library struct {
		members []*file
		taken   []bool
	}
	var libraries []*library
	for _, in := range files {
		if len(in.Data) > maxFile {
			return problem(in.Name, "the file has more than %d MiB", maxFile>>20)
		}
		if !bytes.HasPrefix(in.Data, []byte(archiveMagic)) {
			f, err := open(in.Name, in.Data)
			if err != nil {
				return err
			}
			if f.elf.Type != elf.ET_REL && len(files) > 1 {
				return problem(in.Name, "a linked executable is a program by itself").advise("give either the executable, or the objects that it was linked of")
			}
			if err := l.add(f); err != nil {
				return err
			}
			continue
		}
		list, err := members(in.Name, in.Data)
		if err != nil {
			return err
		}
		lib := &library{taken: make([]bool, len(list))}
		for _, m := range list {
			f, err := open(m.name, m.data)
			if err != nil {
				return err
			}
			if f.elf.Type != elf.ET_REL {
				return problem(m.name, "the member of the archive is no relocatable object")
			}
			lib.members = append(lib.members, f)
		}
		libraries = append(libraries, lib)
	}
	all := !l.any // archives alone are taken whole: nothing asks for a part of them
	for again := true; again; {
		again = false
		for _, lib := range libraries {
			for i, f := range lib.members {
				if lib.taken[i] || !all && !l.needs(f) {
					continue
				}
				lib.taken[i], again = true, true
				if err := l.add(f); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// file is an ELF file that was opened.
type file struct {
	name    string
	data    []byte
	elf     *elf.File
	symbols []elf.Symbol // from index 1 on
}

// open checks that a file is one that can be read.
func open(name string, data []byte) (f *file, err *Error) {
	// debug/elf has been hardened against bad files; should one still panic, it is the file's fault.
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, problem(name, "the file is malformed: %v", r)
		}
	}()
	switch {
	case len(data) == 0:
		return nil, problem(name, "the file is empty")
	case bytes.HasPrefix(data, []byte(thinMagic)):
		return nil, problem(name, "a thin archive holds names of files and no code").advise("give the objects themselves, or make the archive without the letter T")
	case bytes.HasPrefix(data, []byte(archiveMagic)):
		return nil, problem(name, "an archive inside an archive")
	}
	if other := foreign(data); other != "" {
		return nil, problem(name, "the file is %s, not ELF for x86-64", other).advise("compile for Linux on x86-64, such as with -target x86_64-linux-gnu")
	}
	if !bytes.HasPrefix(data, []byte(elf.ELFMAG)) {
		return nil, problem(name, "the file is neither ELF nor an archive")
	}
	e, bad := elf.NewFile(bytes.NewReader(data))
	if bad != nil {
		return nil, problem(name, "the file is malformed or cut off: %v", bad)
	}
	f = &file{name: name, data: data, elf: e}
	if err := f.check(); err != nil {
		return nil, err
	}
	f.symbols, bad = e.Symbols()
	switch {
	case bad == elf.ErrNoSymbols && f.isEmpty():
		return f, nil
	case bad == elf.ErrNoSymbols || bad == nil && len(f.symbols) == 0:
		return nil, problem(name, "the file has no symbols: it was stripped").advise("link it without -s, and do not run strip on it")
	case bad != nil:
		return nil, problem(name, "the table of symbols is malformed: %v", bad)
	}
	return f, nil
}

// isEmpty reports whether a file has neither code nor data, as a member of an archive whose source has no declaration
// that counts.
func (f *file) isEmpty() bool {
	return f.elf.Type == elf.ET_REL && !slices.ContainsFunc(f.elf.Sections, func(s *elf.Section) bool {
		return s.Flags&elf.SHF_ALLOC != 0 && s.Size > 0 && (s.Type == elf.SHT_PROGBITS || s.Type == elf.SHT_NOBITS)
	})
}

// check refuses what is not x86-64 code for Linux.
func (f *file) check() *Error {
	e := f.elf
	switch {
	case e.Class != elf.ELFCLASS64 && e.Machine == elf.EM_X86_64:
		return problem(f.name, "code with 32-bit pointers (x32) is not supported").advise("compile without -mx32")
	case e.Machine == elf.EM_386:
		return problem(f.name, "32-bit code is not supported").advise("compile for x86-64: without -m32")
	case e.Machine != elf.EM_X86_64:
		name := strings.TrimPrefix(e.Machine.String(), "EM_")
		return problem(f.name, "the file is for another processor: %s", name).advise("compile for x86-64")
	case e.Data != elf.ELFDATA2LSB:
		return problem(f.name, "the file is malformed: x86-64 is little-endian")
	case e.Type == elf.ET_CORE:
		return problem(f.name, "the file is the memory of a process, not a program")
	case e.Type == elf.ET_DYN && !f.hasEntry():
		return problem(f.name, "the file is a dynamic library").advise("give the objects that it was linked of")
	case e.Type != elf.ET_REL && e.Type != elf.ET_EXEC && e.Type != elf.ET_DYN:
		return problem(f.name, "the file has the unknown type %d", e.Type)
	}
	for _, s := range e.Sections {
		if s.Flags&elf.SHF_COMPRESSED != 0 || s.Type == elf.SHT_NOBITS || s.Type == elf.SHT_NULL {
			continue
		}
		if s.Offset > uint64(len(f.data)) || s.FileSize > uint64(len(f.data))-s.Offset {
			return problem(f.name, "the file is cut off: the section %s ends outside it", s.Name)
		}
	}
	return nil
}

// hasInterpreter reports whether libraries are loaded with the file.
func (f *file) hasInterpreter() bool {
	return slices.ContainsFunc(f.elf.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}

// hasEntry tells an executable that can be loaded anywhere from a dynamic library.
func (f *file) hasEntry() bool {
	if f.hasInterpreter() {
		return true
	}
	flags, err := f.elf.DynValue(elf.DT_FLAGS_1)
	return err == nil && len(flags) > 0 && flags[0]&uint64(elf.DF_1_PIE) != 0
}
