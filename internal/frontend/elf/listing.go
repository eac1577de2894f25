package elf

import (
	"crypto/sha256"
	"fmt"
	"path"
	"strings"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
	"fencepost/internal/lazyregexp"
	"fencepost/internal/source"
)

// digest returns words that stand for the bytes of a file.
func digest(data []byte) string { return fmt.Sprintf("SHA-256 %x", sha256.Sum256(data)) }

// StoredText returns the text of any file in results; machine code has a digest there.
func StoredText(text []byte) string {
	if object.IsELF(text) {
		return digest(text) + "\n"
	}
	return string(text)
}

// list writes the code as text, and gives every instruction its position in it. The digests of the files come last: so
// a listing, which says nothing of data, belongs to one program.
func (p *program) list(files []*source.File) *source.File {
	name := files[0].Name
	var b strings.Builder
	line := 0
	put := func(format string, args ...any) {
		fmt.Fprintf(&b, format+"\n", args...)
		line++
	}
	p.listing, p.mainAt, p.wordsAt, p.sources = name, map[int]int{}, map[int]int{}, map[int]string{}
	p.runs = map[int]string{}
	for i, words := range p.mainText {
		put("  %s", words)
		p.mainAt[p.mainLine+i], p.wordsAt[line] = line, len(words)
	}
	for i, words := range p.runtimeText {
		put("  %s", words)
		p.mainAt[p.runtimeLine+i], p.wordsAt[line] = line, len(words)
	}
	for _, f := range p.funcs {
		put("%s:", f.sym.Name)
		for _, in := range f.order {
			text := in.refused
			if in.Inst != nil {
				text = f.target(in, p.named(in))
			}
			if in.callee != nil || in.extern != "" {
				text = in.words()
			}
			at, names, runs := p.sourceAt(f, in.addr)
			if at.Line > 0 {
				text = listed(at, names) + ": " + text
			}
			before := fmt.Sprintf("  +0x%x  ", in.addr-f.sym.Addr())
			put("%s%s", before, text)
			in.listed = text
			p.code.add(p, f, in, line, at)
			if at.Line > 0 && !isLibrary(at.File) {
				p.sources[line] = fmt.Sprintf("%s:%d", at.File, at.Line)
				if at.Col > 0 {
					p.sources[line] += fmt.Sprintf(":%d", at.Col)
				}
				p.runs[line] = runs
			}
			in.pos = source.Span{Pos: source.Pos{File: name, Line: line, Col: len(before) + 1}, EndLine: line, EndCol: len(before) + len(text) + 1}
		}
	}
	put("files:")
	for _, f := range files {
		put("  %s  %s", path.Base(f.Name), digest(f.Text))
	}
	return source.NewFile(name, []byte(b.String()))
}

// words returns the text of an instruction; a call has the name of the function.
func (in *inst) words() string {
	switch {
	case in.callee != nil:
		return "call " + shortName(in.callee.sym.Name)
	case in.extern != "":
		return "call " + shortName(in.extern)
	}
	return in.Text
}

// target returns the text of an instruction; a jump inside the function has the offset of its target, as the listing has
// it.
func (f *function) target(in *inst, text string) string {
	mnemonic, _, ok := strings.Cut(text, " 0x")
	if !ok || len(in.next) == 0 || in.End != lift.Jump && in.End != lift.Branch {
		return text
	}
	return fmt.Sprintf("%s +0x%x", mnemonic, in.next[0].addr-f.sym.Addr())
}

var relative = lazyregexp.New(`\[rip[^\]]*\]`)

// named returns the text of an instruction, with the name of a variable or function whose address is relative to the
// instruction.
func (p *program) named(in *inst) string {
	if !strings.Contains(in.Text, "[rip") || in.refused != "" {
		return in.Text
	}
	name := ""
	inspect := func(e *ir.Expr) *ir.Expr {
		e.Walk(func(e *ir.Expr) {
			switch {
			case name != "":
			case e.Op == ir.AddrOf:
				name = p.nameAt(p.data[e.Obj], e.Value)
			case e.Op == ir.FuncAddr && e.Func >= 0:
				name = shortName(p.funcs[e.Func].sym.Name)
			}
		})
		return e
	}
	for i := range in.Ops {
		in.Ops[i].Exprs(inspect)
	}
	if in.Cond != nil {
		inspect(in.Cond)
	}
	if name == "" {
		return in.Text
	}
	return relative.ReplaceAllStringFunc(in.Text, func(string) string { return "[" + name + "]" })
}

// nameAt returns the name of an address in a piece of data: that of the variable, and the offset in it.
func (p *program) nameAt(d *datum, off int64) string {
	name := shortName(d.name)
	for _, s := range d.parts {
		if at := int64(s.Off); at <= off && off < at+max(1, int64(s.Size)) {
			name, off = shortName(s.Name), off-at
			break
		}
	}
	switch {
	case off > 0:
		return fmt.Sprintf("%s+%d", name, off)
	case off < 0:
		return fmt.Sprintf("%s%d", name, off)
	}
	return name
}

// sourceAt returns the position of an instruction in the source, with the functions that the compiler has put into
// each other there. The position is the innermost one that is not in a library. Functions of a library that lead to one
// that is not are left out, and of those at the end only the first one stays. runs is the outermost function that is not
// of a library, with the line of its declaration.
func (p *program) sourceAt(f *function, addr uint64) (best object.Line, names []string, runs string) {
	at := p.image.Lines.At(addr)
	if at.Line == 0 {
		return at, nil, ""
	}
	best = at
	frames := p.image.Lines.Inlined(addr)
	inner := func(i int) object.Line { // the position in frame i, or in the function itself
		if i+1 < len(frames) {
			return frames[i+1].Call
		}
		return at
	}
	last := -1 // the innermost one that is not of a library
	for i, frame := range frames {
		if isLibrary(inner(i).File) && !isLibrary(frame.Call.File) && frame.Call.Line > 0 {
			best = frame.Call
		}
		if !isLibrary(inner(i).File) {
			last = i
		}
	}
	for i, frame := range frames {
		if !isLibrary(inner(i).File) || i == last+1 {
			names = append(names, shortName(frame.Func))
		}
		if !isLibrary(inner(i).File) && runs == "" {
			runs = running(shortName(frame.Func), frame.Decl)
		}
	}
	if !isLibrary(inner(-1).File) {
		if name, line := p.image.Lines.Function(f.sym.Addr()); name != "" {
			runs = running(name, line)
		}
	}
	return best, names, runs
}

// running returns a function and the line of its declaration as answers name what a thread runs.
func running(name string, line int) string {
	if line == 0 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, line)
}

// listed returns a position and its functions as a listing has them.
func listed(at object.Line, names []string) string {
	out := fmt.Sprintf("%s:%d", path.Base(at.File), at.Line)
	if len(names) > 0 {
		out += " in " + strings.Join(names, " > ")
	}
	return out
}

// isLibrary reports whether a file belongs to the compiler or the system.
func isLibrary(file string) bool {
	return strings.HasPrefix(file, "/usr/") || strings.HasPrefix(file, "/rustc/") || strings.Contains(file, "/rustlib/")
}
