package elf

import (
	"fmt"
	"path"
	"strings"

	"fencepost/internal/source"
)

// list writes the code as text, and gives every instruction its position in it.
func (p *program) list(name string) *source.File {
	var b strings.Builder
	line := 0
	put := func(format string, args ...any) {
		fmt.Fprintf(&b, format+"\n", args...)
		line++
	}
	p.listing, p.mainAt, p.wordsAt = name, map[int]int{}, map[int]int{}
	for i, words := range p.mainText {
		put("  %s", words)
		p.mainAt[p.mainLine+i], p.wordsAt[line] = line, len(words)
	}
	for _, f := range p.funcs {
		put("%s:", f.sym.Name)
		for _, in := range f.order {
			text := in.refused
			if in.Inst != nil {
				text = in.Text
			}
			if in.callee != nil {
				text = "call " + in.callee.sym.Name
			} else if in.extern != "" {
				text = "call " + in.extern
			}
			if at := p.image.Lines.At(in.addr); at.Line > 0 {
				text = fmt.Sprintf("%s:%d: %s", path.Base(at.File), at.Line, text)
			}
			before := fmt.Sprintf("  +0x%x  ", in.addr-f.sym.Addr())
			put("%s%s", before, text)
			in.pos = source.Span{Pos: source.Pos{File: name, Line: line, Col: len(before) + 1}, EndLine: line, EndCol: len(before) + len(text) + 1}
		}
	}
	return source.NewFile(name, []byte(b.String()))
}
