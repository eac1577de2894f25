package elf

import (
	"encoding/binary"
	"slices"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/frontend/elf/object"
)

// All code of the program, instruction after instruction from the beginning of each function, whether it is reached or
// not: where instructions begin, and which addresses of data the program mentions. Compilers put no data between
// instructions. The table of a switch ends where something else begins that the program mentions.

type sweep struct {
	begins   map[uint64]bool // instructions
	mentions []uint64        // addresses of data, in order
}

// sweepAll goes through the code when a switch is first met.
func (p *program) sweepAll() *sweep {
	if p.swept != nil {
		return p.swept
	}
	s := &sweep{begins: map[uint64]bool{}}
	for _, sec := range p.image.Sections {
		if sec.Exec && sec.Data != nil {
			p.sweepCode(s, sec)
		} else if !sec.Exec {
			p.sweepData(s, sec)
		}
	}
	slices.Sort(s.mentions)
	s.mentions = slices.Compact(s.mentions)
	p.swept = s
	return s
}

// sweepCode goes through a section of code.
func (p *program) sweepCode(s *sweep, sec *object.Section) {
	var from []uint64
	for _, sym := range p.image.SymbolsIn(sec) {
		if sym.Kind == object.Function || sym.Kind == object.Indirect {
			from = append(from, sym.Off)
		}
	}
	from = append(from, sec.Size)
	for i := range len(from) - 1 {
		for at := from[i]; at < from[i+1]; {
			n, refers, ok := lift.Scan(sec.Data[at:], sec.Addr+at)
			if ok {
				s.begins[sec.Addr+at] = true
			}
			relocated := false
			for off := at; off < at+uint64(n) && len(sec.Relocs) > 0; off++ {
				r := sec.RelocAt(off)
				if r == nil || r.Sym == nil || r.Sym.Sec == nil {
					continue
				}
				relocated = true
				switch r.Kind {
				case object.PC32:
					s.mentions = append(s.mentions, r.Sym.Addr()+uint64(r.Addend)+at+uint64(n)-off)
				case object.Abs32, object.Abs32S, object.Abs64:
					s.mentions = append(s.mentions, r.Sym.Addr()+uint64(r.Addend))
				}
			}
			if sec.Linked && !relocated {
				s.mentions = append(s.mentions, refers...)
			}
			at += uint64(n)
		}
	}
}

// sweepData finds the variables of a section of data, and the addresses in its words.
func (p *program) sweepData(s *sweep, sec *object.Section) {
	for _, sym := range p.image.SymbolsIn(sec) {
		s.mentions = append(s.mentions, sym.Addr())
	}
	for _, r := range sec.Relocs {
		switch {
		case r.Kind != object.Abs64:
		case r.Sym == nil:
			s.mentions = append(s.mentions, uint64(r.Addend))
		case r.Sym.Sec != nil:
			s.mentions = append(s.mentions, r.Sym.Addr()+uint64(r.Addend))
		}
	}
	for at := uint64(0); p.image.Fixed && sec.Data != nil && at+8 <= sec.Size; at += 8 {
		s.mentions = append(s.mentions, binary.LittleEndian.Uint64(sec.Data[at:]))
	}
}

// next returns the first address after another one that the program mentions; ok is false if there is none.
func (s *sweep) next(addr uint64) (uint64, bool) {
	i, found := slices.BinarySearch(s.mentions, addr)
	if found {
		i++
	}
	if i == len(s.mentions) {
		return 0, false
	}
	return s.mentions[i], true
}
