package object

import "debug/elf"

// threadBase is added to the addresses of the thread-local variables of a linked file: no memory is there, because each
// thread has a copy, and what takes no room in the file (.tbss) has addresses that belong to the sections after it.
const threadBase = 1 << 60

// threadSection makes one section of the thread-local sections of a linked file, because code computes addresses from
// the end of all of them.
func (a *adder) threadSection() {
	for _, p := range a.elf.Progs {
		if p.Type != elf.PT_TLS {
			continue
		}
		align := max(1, min(p.Align, 1<<20))
		all := &Section{File: a.name, Name: ".tdata", Addr: p.Vaddr + threadBase, Align: align, Linked: true, Write: true, TLS: true}
		var parts []int
		for i, s := range a.sections {
			if s != nil && s.Linked && s.TLS && s.Addr >= p.Vaddr {
				parts = append(parts, i)
				all.Size = max(all.Size, s.Addr-p.Vaddr+s.Size)
			}
		}
		if len(parts) == 0 || all.Size > maxMemory {
			continue
		}
		all.Data = make([]byte, all.Size)
		for _, i := range parts {
			copy(all.Data[a.sections[i].Addr-p.Vaddr:], a.sections[i].Data)
			a.sections[i] = all
		}
		a.image.ThreadSize = (all.Size + align - 1) / align * align
		a.image.Sections = append(a.image.Sections, all)
		return
	}
	for i, s := range a.sections { // no segment: no thread has them
		if s != nil && s.Linked && s.TLS {
			a.sections[i] = nil
		}
	}
}

// copied marks a variable of a library whose memory is in the program: all its names there.
func (a *adder) copied(es *elf.Symbol, sec *Section, off uint64) {
	found := false
	if es.Size > sec.Size-off {
		return
	}
	for _, s := range a.image.Symbols {
		if s.Sec == sec && s.Off == off && s.Kind == Data && s.Size == es.Size {
			s.Copied, found = true, true
		}
	}
	if !found {
		a.image.Symbols = append(a.image.Symbols, &Symbol{Name: es.Name, File: a.name, Sec: sec, Off: off, Size: es.Size, Kind: Data, Copied: true})
	}
}
