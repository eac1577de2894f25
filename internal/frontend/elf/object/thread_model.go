package object

import (
	"bytes"
	"debug/elf"
	"sort"
)

// Thread-local variables of code that may become part of a dynamic library: such code calls __tls_get_addr, or a function
// that a descriptor names, for the address of a variable. A linker that makes a program replaces these calls, because the
// offsets of the variables are known then; the ABI fixes what the instructions are, so that it can. The same is done here. Code that is not as the ABI has it keeps its
// relocations, which instructions are refused for.

// threadModels are the relocations of such code.
var threadModels = map[elf.R_X86_64]RelocKind{
	elf.R_X86_64_TLSGD: generalDynamic, elf.R_X86_64_TLSLD: localDynamic, elf.R_X86_64_DTPOFF32: localOffset,
	elf.R_X86_64_GOTPC32_TLSDESC: descriptor, elf.R_X86_64_TLSDESC_CALL: descriptorCall,
}

var (
	leaRDI     = []byte("\x48\x8d\x3d")                         // lea rdi, [rip+...]
	callDirect = []byte("\xe8")                                 // call ...
	callWord   = []byte("\xff\x15")                             // call [rip+...]
	block      = []byte("\x64\x48\x8b\x04\x25\x00\x00\x00\x00") // mov rax, fs:0
	nop3, nop4 = []byte("\x0f\x1f\x00"), []byte("\x0f\x1f\x40\x00")
)

// toLocal replaces the sequences of a section.
func (s *Section) toLocal() {
	sort.SliceStable(s.Relocs, func(i, j int) bool { return s.Relocs[i].Off < s.Relocs[j].Off })
	out := s.Relocs[:0]
	offsets := true // of local-dynamic code: all its calls have been replaced
	for i := 0; i < len(s.Relocs); i++ {
		r := s.Relocs[i]
		call := uint64(0)
		if i+1 < len(s.Relocs) {
			call = s.Relocs[i+1].Off
		}
		switch {
		case r.Kind == generalDynamic && call == r.Off+8 && s.has(r.Off-4, "\x66", leaRDI) && (s.has(r.Off+4, "\x66\x66\x48", callDirect) || s.has(r.Off+4, "\x66\x48", callWord)):
			s.put(r.Off-4, block, []byte("\x48\x8d\x80\x00\x00\x00\x00")) // lea rax, [rax+...]
			r = Reloc{Off: r.Off + 8, Kind: TPOff32, Sym: r.Sym, Addend: r.Addend + 4}
			i++
		case r.Kind == localDynamic && call == r.Off+5 && s.has(r.Off-3, "", leaRDI) && s.has(r.Off+4, "", callDirect):
			s.put(r.Off-3, block, nop3)
			i++
			continue
		case r.Kind == localDynamic && call == r.Off+6 && s.has(r.Off-3, "", leaRDI) && s.has(r.Off+4, "", callWord):
			s.put(r.Off-3, block, nop4)
			i++
			continue
		case r.Kind == localDynamic:
			offsets = false
		case r.Kind == descriptor && r.Off >= 3 && s.Data[r.Off-3]&^4 == 0x48 && s.Data[r.Off-2] == 0x8d && s.Data[r.Off-1]&^0x38 == 5: // lea register, [rip+...]
			reg := s.Data[r.Off-1] >> 3
			s.put(r.Off-3, []byte{0x48 | s.Data[r.Off-3]>>2&1, 0xc7, 0xc0 | reg}) // mov register, number
			r.Kind, r.Addend = TPOff32, r.Addend+4
		case r.Kind == descriptorCall && s.has(r.Off, "\xff", []byte("\x10")): // call [rax]
			s.put(r.Off, []byte("\x66\x90"))
			continue
		}
		out = append(out, r)
	}
	for i := range out {
		if out[i].Kind == localOffset && offsets {
			out[i].Kind = TPOff32
		}
	}
	s.Relocs = out
}

// has reports whether bytes stand at an offset.
func (s *Section) has(off uint64, prefix string, then []byte) bool {
	return off < uint64(len(s.Data)) && bytes.HasPrefix(s.Data[off:], append([]byte(prefix), then...))
}

// put writes bytes at an offset.
func (s *Section) put(off uint64, parts ...[]byte) {
	for _, b := range parts {
		off += uint64(copy(s.Data[off:], b))
	}
}

// LocalDynamic reports whether a load of the address of a thread's block, after which an address is, stands for a call for
// the base of the variables of a file. Code only adds offsets to it, wherever it keeps it.
func (s *Section) LocalDynamic(addr uint64) bool {
	return !s.Linked && (s.has(addr-s.Addr, "", nop3) || s.has(addr-s.Addr, "", nop4))
}
