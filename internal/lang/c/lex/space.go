package lex

import (
	"sort"

	"fencepost/internal/source"
)

// Positions. Every file gets a stretch of one 32-bit space when it is read, beginning at a
// multiple of 64 KiB, so that the file of a position is found by an index. Spellings that
// # and ## make stand in stretches of the same space that belong to no file.

const pageBits = 16

// Space holds the text of all files of a run.
type Space struct {
	pages []int32 // by Pos >> pageBits: the number of the stretch
	parts []part
	room  []byte // the unused rest of the last stretch without a file
	free  Pos    // where it begins
}

type part struct {
	base Pos
	text []byte // without escaped newlines; ends with "\n\x00"
	file *File
}

// File is a file in a space.
type File struct {
	*source.File
	Base     Pos
	System   bool // a header of the system
	Included Pos  // where it was included first, 0: it was given
	text     []byte
	cuts     []cut
	marks    []mark // of #line, by position
}

// cut says that the text from an offset on stands in the original so much later.
type cut struct {
	at    uint32 // offset in text
	shift uint32
}

// mark is a #line directive: the line that follows has that number.
type mark struct {
	at     Pos
	line   int // the number of the line after the directive
	real   int // its number in the file
	name   string
	system bool // it is of a header of the system
}

// NewSpace returns an empty space.
func NewSpace() *Space {
	return &Space{pages: []int32{0}, parts: []part{{}}} // position 0 is none
}

// MaxText is how much text a space can hold, in bytes.
const MaxText = 1 << 31

// Full reports whether there is no room for a text of that length.
func (s *Space) Full(length int) bool {
	return len(s.pages)<<pageBits+length > MaxText
}

// Add adds a file. The caller asks Full first.
func (s *Space) Add(name string, text []byte, trigraphs bool) *File {
	f := &File{File: source.NewFile(name, text)}
	f.text, f.cuts = join(text, trigraphs)
	f.Base = s.stretch(f.text, f)
	return f
}

func (s *Space) stretch(text []byte, f *File) Pos {
	base := Pos(len(s.pages) << pageBits)
	s.parts = append(s.parts, part{base, text, f})
	for n := 0; n <= len(text); n += 1 << pageBits {
		s.pages = append(s.pages, int32(len(s.parts)-1))
	}
	return base
}

// Keep stores a spelling that stands in no file. It returns 0 if the space is full.
func (s *Space) Keep(text []byte) Pos {
	if len(text) > len(s.room) {
		size := max(1<<12, len(text)) // most runs make few spellings
		if s.free != 0 {
			size = max(1<<pageBits-1, len(text))
		}
		if s.Full(size) {
			return 0
		}
		s.room = make([]byte, size)
		s.free = s.stretch(s.room, nil)
	}
	at := s.free
	copy(s.room, text)
	s.room = s.room[len(text):]
	s.free += Pos(len(text))
	return at
}

func (s *Space) part(p Pos) *part { return &s.parts[s.pages[p>>pageBits]] }

// Text returns the spelling of a token, which is not to be changed.
func (s *Space) Text(t *Token) []byte {
	if t.Len == 0 {
		return nil
	}
	p := s.part(t.text)
	from := t.text - p.base
	return p.text[from : from+Pos(t.Len) : from+Pos(t.Len)]
}

// File returns the file of a position, or nil.
func (s *Space) File(p Pos) *File {
	if int(p>>pageBits) >= len(s.pages) {
		return nil
	}
	return s.part(p).file
}

// Length returns the length of the text that the lexer reads.
func (f *File) Length() int { return len(f.text) }

// Offset returns the offset of a position in the original text of its file.
func (f *File) Offset(p Pos) int {
	at := uint32(p - f.Base)
	i := sort.Search(len(f.cuts), func(i int) bool { return f.cuts[i].at > at })
	if i > 0 {
		at += f.cuts[i-1].shift
	}
	return int(at)
}

// Position returns the position in the file that was read. #line does not change it.
func (s *Space) Position(p Pos) source.Pos {
	f := s.File(p)
	if f == nil {
		return source.Pos{}
	}
	return f.File.Pos(f.Offset(p))
}

// Span returns the stretch of the original text from a position on.
func (s *Space) Span(p Pos, length uint32) source.Span {
	f := s.File(p)
	if f == nil {
		return source.Span{}
	}
	return f.File.Span(f.Offset(p), f.Offset(p+Pos(length)))
}

// Presumed returns the position as #line directives have it.
func (s *Space) Presumed(p Pos) source.Pos {
	at := s.Position(p)
	f := s.File(p)
	if f == nil {
		return at
	}
	i := sort.Search(len(f.marks), func(i int) bool { return f.marks[i].at > p })
	if i == 0 {
		return at
	}
	m := f.marks[i-1]
	at.File, at.Line = m.name, at.Line-m.real+m.line
	return at
}

// InSystem reports whether a position is in a header of the system.
func (s *Space) InSystem(p Pos) bool {
	f := s.File(p)
	if f == nil {
		return false
	}
	i := sort.Search(len(f.marks), func(i int) bool { return f.marks[i].at > p })
	return f.System || i > 0 && f.marks[i-1].system
}

// Mark records a #line directive: the next line has the number line and stands in a file
// of that name. "" keeps the name.
func (s *Space) Mark(at Pos, line int, name string, system bool) {
	f := s.File(at)
	if name == "" {
		if name = f.Name; len(f.marks) > 0 {
			name = f.marks[len(f.marks)-1].name
		}
	}
	if n := len(f.marks); n > 0 && f.marks[n-1].at >= at { // the file is included once more
		i := sort.Search(n, func(i int) bool { return f.marks[i].at >= at })
		f.marks = f.marks[:i]
	}
	f.marks = append(f.marks, mark{at, line, s.Position(at).Line + 1, name, system})
}

// Unmark forgets the #line directives of a file, which is read once more.
func (f *File) Unmark() { f.marks = nil }

// original returns the text that a stretch of the joined text came from.
func (f *File) original(from, to uint32) []byte {
	return f.Text[f.Offset(f.Base+Pos(from)):f.Offset(f.Base+Pos(to))]
}
