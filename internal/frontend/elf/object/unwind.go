package object

import (
	"sort"
	"strings"
)

// The section .eh_frame says for every stretch of code how an exception passes through it. Of that the table of
// its handlers counts here (handlers.go), and how many bytes of parameters are on the stack at a call: what a frame keeps of
// the registers of its caller is known otherwise.

// UnwindFrame says how an exception passes through a stretch of code.
type UnwindFrame struct {
	From, To uint64
	// Personality is the name of the function that reads the table of handlers; "": there is no table.
	Personality string
	// Linkage is the entry of the linkage table by which a linked file refers to that function; 0: there is none.
	Linkage uint64
	table   Ref
	pushed  []pushed
}

// pushed says how many bytes of parameters are on the stack from an address on.
type pushed struct {
	from  uint64
	bytes int64
}

// Pushed returns how many bytes of parameters are on the stack at an address, which are gone where an exception is handled.
func (f *UnwindFrame) Pushed(addr uint64) int64 {
	n := int64(0)
	for _, p := range f.pushed {
		if p.from <= addr {
			n = p.bytes
		}
	}
	return n
}

// FrameAt returns the frame of the code at an address; nil: an exception does not get through it.
func (im *Image) FrameAt(addr uint64) *UnwindFrame {
	if !im.framesRead {
		im.framesRead = true
		im.readFrames()
	}
	i := sort.Search(len(im.frames), func(i int) bool { return im.frames[i].From > addr })
	if i == 0 || addr >= im.frames[i-1].To {
		return nil
	}
	return im.frames[i-1]
}

// readFrames reads all frames. A section that is malformed has those in front of the mistake.
func (im *Image) readFrames() {
	for _, sec := range im.Sections {
		if !strings.HasPrefix(sec.Name, ".eh_frame") || sec.Name == ".eh_frame_hdr" || sec.Data == nil {
			continue
		}
		common := map[uint64]*commonFrame{}
		for at := uint64(0); at < sec.Size; {
			r := &encoded{image: im, sec: sec, at: at, end: sec.Size}
			length := r.uint32()
			if length == 0xffff_ffff {
				length = r.uint64()
			}
			if length == 0 && !r.bad { // the end of the part of one file
				at = r.at
				continue
			}
			if r.bad || length > r.end-r.at {
				break
			}
			r.end = r.at + length
			begin := r.at
			id := r.uint32()
			if id == 0 {
				common[at] = r.common()
			} else if c := common[begin-id]; c != nil && !c.bad {
				if f := r.frame(c); f != nil {
					im.frames = append(im.frames, f)
				}
			}
			at = r.end
		}
	}
	sort.SliceStable(im.frames, func(i, j int) bool { return im.frames[i].From < im.frames[j].From })
}

// commonFrame has the parts that frames share.
type commonFrame struct {
	bad               bool
	sized             bool // frames have the size of what belongs to the letters
	address, handlers byte // encodings
	personality       string
	linkage           uint64
	unit              uint64 // of distances between instructions
}

// common reads what frames have in common.
func (r *encoded) common() *commonFrame {
	c := &commonFrame{handlers: encodedOmit}
	version := r.byte()
	letters := r.text()
	c.unit = r.uleb()
	r.sleb()
	if version == 1 {
		r.byte()
	} else {
		r.uleb()
	}
	for i, letter := range letters {
		switch {
		case letter == 'z' && i == 0:
			c.sized = true
			r.uleb()
		case letter == 'R':
			c.address = r.byte()
		case letter == 'L':
			c.handlers = r.byte()
		case letter == 'P':
			encoding := r.byte()
			ref := r.pointer(encoding)
			c.personality = r.personality(ref)
			if addr, ok := ref.Known(); ok && ref.Sym == nil {
				c.linkage = addr
			}
		case letter == 'S' || letter == 'B':
		default:
			r.bad = true
		}
	}
	c.bad = r.bad || version != 1 && version != 3
	return c
}

// personality returns the name of the function that reads the tables of handlers.
func (r *encoded) personality(ref Ref) string {
	if ref.Sym != nil && ref.Sym.Kind != SectionStart {
		return ref.Sym.Name
	}
	addr, ok := ref.Known()
	sec := r.image.Find(addr)
	if !ok || sec == nil {
		return "a function that is not known"
	}
	for _, s := range r.image.Named(sec, addr-sec.Addr) {
		if s.Kind == Function {
			return s.Name
		}
	}
	return "a function that is not known"
}

// frame reads a frame; nil: its code is not in the program.
func (r *encoded) frame(c *commonFrame) *UnwindFrame {
	from, known := r.pointer(c.address).Known()
	size := uint64(r.number(c.address))
	f := &UnwindFrame{From: from, To: from + size}
	if c.sized {
		end := r.uleb()
		end += r.at
		if f.table = r.pointer(c.handlers); f.table != (Ref{}) {
			f.Personality, f.Linkage = c.personality, c.linkage
		}
		r.at = end
	}
	if r.bad || !known || f.To <= from || r.image.Find(from) == nil {
		return nil
	}
	f.pushed = r.parameters(f.From, c.unit)
	if r.bad {
		return nil
	}
	return f
}

// parameters reads the instructions of a frame, and returns what they say about parameters on the stack.
func (r *encoded) parameters(at, unit uint64) []pushed {
	var out []pushed
	for r.at < r.end && !r.bad {
		op := r.byte()
		switch {
		case op>>6 == 1:
			at += uint64(op&0x3f) * unit
		case op>>6 == 2: // where a register is kept
			r.uleb()
		case op>>6 == 3 || op == 0x00 || op == 0x0a || op == 0x0b || op == 0x2d:
		case op == 0x01:
			at = uint64(r.uint64())
		case op == 0x02:
			at += uint64(r.byte()) * unit
		case op == 0x03:
			b := r.bytes(2)
			at += (uint64(b[0]) | uint64(b[1])<<8) * unit
		case op == 0x04:
			at += r.uint32() * unit
		case op == 0x06 || op == 0x07 || op == 0x08 || op == 0x0d || op == 0x0e || op == 0x13:
			r.uleb()
		case op == 0x05 || op == 0x09 || op == 0x0c || op == 0x11 || op == 0x12 || op == 0x14 || op == 0x15 || op == 0x2f:
			r.uleb()
			r.uleb()
		case op == 0x0f: // an expression
			r.skip(r.uleb())
		case op == 0x10 || op == 0x16:
			r.uleb()
			r.skip(r.uleb())
		case op == 0x2e: // DW_CFA_GNU_args_size
			out = append(out, pushed{at, int64(r.uleb())})
		default:
			r.bad = true
		}
	}
	return out
}

func (r *encoded) skip(n uint64) {
	if r.at > r.end || n > r.end-r.at {
		r.bad = true
		return
	}
	r.at += n
}
