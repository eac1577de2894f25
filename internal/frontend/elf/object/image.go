package object

import (
	"fmt"
	"sort"
)

// Image is a linked program.
type Image struct {
	Sections []*Section
	// Symbols has the symbols that have an address, in the order of the files.
	Symbols []*Symbol
	// Linked has the symbols that several files share, by name; one without a section is missing.
	Linked map[string]*Symbol
	// Lines knows the source of the code; never nil.
	Lines *Lines
	// Static says that the program is a linked file that has its libraries in it; Fixed, that its addresses are
	// numbers in its code, which nothing marks.
	Static, Fixed bool
	// ThreadSize is the size of the block of a thread of a linked file: its end is at offset 0.
	ThreadSize uint64

	bases []*Section // by address
	bySec map[*Section][]*Symbol
	// How exceptions pass through the code, by address; it is read when it is first asked for.
	frames     []*UnwindFrame
	framesRead bool
	handlers   map[*UnwindFrame]*Handlers // nil in it: malformed
}

// Section is a stretch of memory of the program.
type Section struct {
	File string // the input, with the member of an archive in parentheses
	Name string
	Addr uint64
	Size uint64
	Data []byte // nil: zeros
	Exec bool
	// Write says that the program may write to it; RelRO, that it may not any more when main begins.
	Write, RelRO bool
	TLS          bool
	Align        uint64
	Relocs       []Reloc // by offset
	// Linked says that the section belongs to a linked file, whose code has addresses in it.
	Linked bool
}

// Symbol is a name of an address.
type Symbol struct {
	Name string
	File string
	Sec  *Section // nil: the symbol is defined nowhere, or is an absolute number
	Off  uint64   // in the section; the value of an absolute number
	Size uint64
	Kind SymbolKind
	// Weak says that a missing definition is no error, Local that other files cannot refer to it.
	Weak, Local, Absolute bool
	// Copied says that it is a variable of a dynamic library, which gets its value when the program is loaded, in memory
	// of the program.
	Copied bool
	// Version is the version of a library's symbol that a linked file asks for.
	Version string
}

// Addr returns the address of a symbol that has a section.
func (s *Symbol) Addr() uint64 { return s.Sec.Addr + s.Off }

// SymbolKind gives the kind of thing that a symbol names. The zero value: the file does not say.
type SymbolKind uint8

// The kinds of symbols.
const (
	NoKind SymbolKind = iota
	Function
	Data
	ThreadLocal
	SectionStart
	Indirect // a function that picks a function when the program is loaded
)

func (k SymbolKind) String() string {
	names := [...]string{"no kind", "function", "object", "thread-local object", "section", "indirect function"}
	if int(k) >= len(names) {
		panic(fmt.Sprintf("BUG: unknown kind of symbol %d", k))
	}
	return names[k]
}

// RelocKind says what a relocation puts into its field, in the words of the ABI: S is the symbol, A
// the addend, P the address of the field.
type RelocKind uint8

// The relocations.
const (
	RelocUnset RelocKind = iota
	Abs64                // S + A
	Abs32                // S + A, which the processor extends with zeros
	Abs32S               // S + A, which the processor extends with its sign
	PC32                 // S + A - P
	PC64                 // S + A - P, of 64 bits
	GOTPC32              // G + A - P, where G is the address of a word that holds S
	TPOff32              // the offset of S in the block of a thread, below its end
	TPOff64
	GOTTPOff32 // as GOTPC32, but the word holds a TPOff64
	// Those of code for dynamic libraries, which thread_model.go replaces.
	generalDynamic
	localDynamic
	localOffset
	descriptor
	descriptorCall
)

func (k RelocKind) String() string {
	names := [...]string{"", "R_X86_64_64", "R_X86_64_32", "R_X86_64_32S", "R_X86_64_PC32", "R_X86_64_PC64", "R_X86_64_GOTPCREL", "R_X86_64_TPOFF32", "R_X86_64_TPOFF64", "R_X86_64_GOTTPOFF",
		"R_X86_64_TLSGD", "R_X86_64_TLSLD", "R_X86_64_DTPOFF32", "R_X86_64_GOTPC32_TLSDESC", "R_X86_64_TLSDESC_CALL"}
	if int(k) >= len(names) {
		panic(fmt.Sprintf("BUG: unknown relocation %d", k))
	}
	return names[k]
}

// Size returns how many bytes the field has.
func (k RelocKind) Size() uint64 {
	switch k {
	case Abs64, PC64, TPOff64:
		return 8
	case descriptorCall:
		return 2
	}
	return 4
}

// Reloc is a relocation that is left to the reader of the image. An executable's relocations have
// a symbol only where the symbol is another file's: the rest are addresses of the image.
type Reloc struct {
	Off    uint64
	Kind   RelocKind
	Sym    *Symbol // nil: the addend is an address of the image
	Addend int64
}

// RelocAt returns the relocation of the field at an offset of a section, nil if there is none.
func (s *Section) RelocAt(off uint64) *Reloc {
	i := sort.Search(len(s.Relocs), func(i int) bool { return s.Relocs[i].Off >= off })
	if i < len(s.Relocs) && s.Relocs[i].Off == off {
		return &s.Relocs[i]
	}
	return nil
}

// Find returns the section that has an address, nil if there is none.
func (im *Image) Find(addr uint64) *Section {
	i := sort.Search(len(im.bases), func(i int) bool { return im.bases[i].Addr > addr })
	if i == 0 || addr-im.bases[i-1].Addr >= im.bases[i-1].Size {
		return nil
	}
	return im.bases[i-1]
}

// index makes Find and At work.
func (im *Image) index() {
	im.bases = append([]*Section(nil), im.Sections...)
	sort.SliceStable(im.bases, func(i, j int) bool { return im.bases[i].Addr < im.bases[j].Addr })
	im.bySec = map[*Section][]*Symbol{}
	for _, s := range im.Symbols {
		im.bySec[s.Sec] = append(im.bySec[s.Sec], s)
	}
	for _, list := range im.bySec {
		sort.SliceStable(list, func(i, j int) bool { return list[i].Off < list[j].Off })
	}
	for _, s := range im.Sections {
		sort.SliceStable(s.Relocs, func(i, j int) bool { return s.Relocs[i].Off < s.Relocs[j].Off })
	}
}

// SymbolsIn returns the symbols of a section, by offset.
func (im *Image) SymbolsIn(s *Section) []*Symbol { return im.bySec[s] }

// At returns the last symbol of a section that begins at an offset or before it and that is no
// section symbol, nil if there is none. Among the symbols of one address it prefers a linked one.
func (im *Image) At(s *Section, off uint64) *Symbol {
	list := im.bySec[s]
	var best *Symbol
	for i := sort.Search(len(list), func(i int) bool { return list[i].Off > off }) - 1; i >= 0; i-- {
		sym := list[i]
		if best != nil && sym.Off < best.Off {
			break
		}
		if sym.Kind == SectionStart {
			continue
		}
		if best == nil || best.Local && !sym.Local || best.Kind == NoKind && sym.Kind != NoKind || best.Local == sym.Local && best.Kind == sym.Kind {
			best = sym // among equals the first one
		}
	}
	return best
}

// Named returns the symbols of a section that begin at an offset.
func (im *Image) Named(s *Section, off uint64) []*Symbol {
	list := im.bySec[s]
	from := sort.Search(len(list), func(i int) bool { return list[i].Off >= off })
	to := from
	for to < len(list) && list[to].Off == off {
		to++
	}
	return list[from:to]
}
