package object

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
)

// Types with _Atomic. Package debug/dwarf does not read DW_TAG_atomic_type, and loses the type that is atomic. So the tag
// is changed to that of volatile types before: a tag stands once in a table of abbreviations [DWARF 5 §7.5.3].

// withoutAtomics changes the tags in the bytes of a file, and reports whether there were any. Compressed sections stay
// as they are.
func withoutAtomics(f *elf.File, data []byte) bool {
	s := f.Section(".debug_abbrev")
	if s == nil || s.Flags&elf.SHF_COMPRESSED != 0 || s.Type == elf.SHT_NOBITS || s.Offset > uint64(len(data)) || s.FileSize > uint64(len(data))-s.Offset {
		return false
	}
	table, changed := data[s.Offset:s.Offset+s.FileSize], false
	number := func() uint64 {
		v, n := binary.Uvarint(table)
		if n <= 0 {
			table = nil
			return 0
		}
		table = table[n:]
		return v
	}
	for len(table) > 0 {
		if number() == 0 { // the end of the abbreviations of a unit
			continue
		}
		if len(table) > 0 && table[0] == byte(dwarf.TagAtomicType) {
			table[0], changed = byte(dwarf.TagVolatileType), true
		}
		number()
		if len(table) > 0 {
			table = table[1:] // whether there are children
		}
		for len(table) > 0 {
			const implicit = 0x21 // a form whose number stands here
			attr, form := number(), number()
			if form == implicit {
				number()
			}
			if attr == 0 && form == 0 {
				break
			}
		}
	}
	return changed
}
