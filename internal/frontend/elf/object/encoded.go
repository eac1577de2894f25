package object

import "encoding/binary"

// Numbers and pointers as the tables of exceptions have them: those of DWARF, and pointers whose first byte says
// how they are written (Linux Standard Base, "DWARF Extensions").

// The parts of the encoding of a pointer.
const (
	encodedOmit     = 0xff
	encodedIndirect = 0x80
	encodedRelative = 0x10 // to the address of the field
)

// Ref is an address in a table: a symbol and a distance, or an address of the image. The zero value is null.
type Ref struct {
	Sym *Symbol
	Off int64
}

// Known returns the address, if it is one of the image.
func (r Ref) Known() (addr uint64, ok bool) {
	switch {
	case r.Sym == nil:
		return uint64(r.Off), r.Off != 0
	case r.Sym.Sec == nil || r.Sym.Sec.TLS:
		return 0, false
	}
	return r.Sym.Addr() + uint64(r.Off), true
}

// encoded reads a section. What is malformed sets bad, and reads as 0.
type encoded struct {
	image *Image
	sec   *Section
	at    uint64
	end   uint64
	bad   bool
}

// bytes returns the next bytes, of which there are at most 8.
func (r *encoded) bytes(n uint64) []byte {
	if r.at > r.end || r.end-r.at < n || r.end > uint64(len(r.sec.Data)) {
		r.bad = true
		return make([]byte, n)
	}
	r.at += n
	return r.sec.Data[r.at-n : r.at]
}

func (r *encoded) byte() byte { return r.bytes(1)[0] }

func (r *encoded) uint32() uint64 { return uint64(binary.LittleEndian.Uint32(r.bytes(4))) }

func (r *encoded) uint64() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }

// uleb and sleb read numbers of any length, without a sign and with one.
func (r *encoded) uleb() uint64 { return uint64(r.leb(false)) }
func (r *encoded) sleb() int64  { return r.leb(true) }

func (r *encoded) leb(signed bool) int64 {
	v, shift := uint64(0), 0
	for {
		b := r.byte()
		if shift < 64 {
			v |= uint64(b&0x7f) << shift
		}
		shift += 7
		switch {
		case r.bad:
			return 0
		case b&0x80 != 0:
		case signed && b&0x40 != 0 && shift < 64:
			return int64(v | ^uint64(0)<<shift)
		default:
			return int64(v)
		}
	}
}

// text reads a string that a zero ends.
func (r *encoded) text() string {
	var out []byte
	for {
		b := r.byte()
		if b == 0 || r.bad {
			return string(out)
		}
		out = append(out, b)
	}
}

// number reads a number in the format of a pointer.
func (r *encoded) number(encoding byte) int64 {
	switch encoding & 0x0f {
	case 0x00, 0x04, 0x0c:
		return int64(r.uint64())
	case 0x01:
		return int64(r.uleb())
	case 0x02:
		return int64(binary.LittleEndian.Uint16(r.bytes(2)))
	case 0x03:
		return int64(r.uint32())
	case 0x09:
		return r.sleb()
	case 0x0a:
		return int64(int16(binary.LittleEndian.Uint16(r.bytes(2))))
	case 0x0b:
		return int64(int32(r.uint32()))
	}
	r.bad = true
	return 0
}

// pointer reads a pointer.
func (r *encoded) pointer(encoding byte) Ref {
	if encoding == encodedOmit {
		return Ref{}
	}
	at := r.at
	out := Ref{Off: r.number(encoding)}
	switch relocation := r.sec.RelocAt(at); {
	case relocation != nil:
		out = Ref{Sym: relocation.Sym, Off: relocation.Addend}
	case out.Off == 0:
		return Ref{}
	case encoding&0x70 == encodedRelative:
		out.Off += int64(r.sec.Addr + at)
	case encoding&0x70 != 0:
		r.bad = true
	}
	if encoding&encodedIndirect != 0 {
		return r.word(out)
	}
	return out
}

// word returns the pointer that a word of the image holds.
func (r *encoded) word(at Ref) Ref {
	addr, ok := at.Known()
	out, found := r.image.Word(addr)
	r.bad = r.bad || !ok || !found
	return out
}

// Word returns the address that the word at an address holds; ok is false if there is no such word, or the file does not
// say its value.
func (im *Image) Word(addr uint64) (ref Ref, ok bool) {
	sec := im.Find(addr)
	if sec == nil || sec.Size-(addr-sec.Addr) < 8 {
		return Ref{}, false
	}
	if relocation := sec.RelocAt(addr - sec.Addr); relocation != nil {
		return Ref{Sym: relocation.Sym, Off: relocation.Addend}, relocation.Kind == Abs64
	}
	if sec.Data == nil {
		return Ref{}, true
	}
	return Ref{Off: int64(binary.LittleEndian.Uint64(sec.Data[addr-sec.Addr:]))}, true
}
