package translate

import (
	"bytes"
	"fmt"
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/source"
)

// Fence sites in the definitions of macros. A fence can stand between two tokens of a definition if
// they are directly inside a block of the definition, and the first ends a statement or begins
// the block: then a statement begins there, or the block ends, in every expansion. Such a fence is a
// fence in all expansions, so all of them share one mark.
//
// The first token of a statement can come from an argument or from another macro. So the mark is found
// by the token before the statement.

// definedAt is a site in the definition of a macro.
type definedAt struct {
	macro  string
	file   *source.File
	offset int
}

// item is where something stands in a block.
type item struct {
	block *cc.CompoundStatement
	prev  *cc.BlockItem // nil: it is the first
}

// addMacros notes the fence sites in the definitions of macros, by the tokens before them. A token of
// an expansion has the text of the definition: the same bytes.
func (m *marks) addMacros(macros map[string]*cc.Macro) {
	for name, macro := range macros {
		var open []byte
		var prev []byte
		for _, t := range macro.ReplacementList() {
			src := t.Src()
			if len(src) == 0 {
				continue
			}
			p := t.Position()
			file := m.files[p.Filename]
			if file == nil {
				break
			}
			offset, ok := file.Offset(source.Pos{Line: p.Line, Col: p.Column})
			if ok && len(open) > 0 && open[len(open)-1] == '{' && strings.ContainsAny(string(prev), ";{}") && bytes.HasPrefix(file.Text[offset:], src) {
				m.defined[&prev[0]] = definedAt{name, file, offset}
			}
			switch c := src[0]; c {
			case '(', '{', '[':
				open = append(open, c)
			case ')', '}', ']':
				open = open[:max(0, len(open)-1)]
			}
			prev = src
		}
	}
}

// noteItems notes the items of a block.
func (m *marks) noteItems(s *cc.CompoundStatement) {
	var prev *cc.BlockItem
	for l := s.BlockItemList; l != nil; l = l.BlockItemList {
		switch it := l.BlockItem; {
		case it.Statement != nil:
			m.items[it.Statement] = item{s, prev}
			prev = it
		case it.Declaration != nil:
			if l := it.Declaration.InitDeclaratorList; l != nil && l.InitDeclarator.Declarator.Name() == "__func__" {
				continue // cc declares it at the beginning of a function
			}
			m.items[it.Declaration] = item{s, prev}
			prev = it
		default:
			prev = it
		}
	}
	m.ending[s] = prev
}

// markDefinition marks the fence site in the definition of a macro before n, or at the end of a block
// if n is the block. It returns false if there is none.
func (f *siteMarks) markDefinition(n cc.Node) bool {
	m := f.marks
	it, ok := m.items[n]
	block, end := n.(*cc.CompoundStatement)
	if end {
		it, ok = item{block, m.ending[block]}, true
	}
	if !ok {
		return false
	}
	last := it.block.Token
	if it.prev != nil {
		tokens := cc.NodeTokens(it.prev)
		last = tokens[len(tokens)-1]
	}
	src := last.Src()
	if len(src) == 0 {
		return false
	}
	at, ok := m.defined[&src[0]]
	if !ok {
		return false
	}
	text := "the end of the block"
	if !end {
		text = statementLine(at.file.Text[at.offset:])
	}
	return f.mark(&mark{file: at.file, offset: at.offset, end: end, macro: true, text: fmt.Sprintf("%s in the macro %s", text, at.macro)})
}

// statementLine is the beginning of a text up to the end of a statement or line.
func statementLine(text []byte) string {
	for i, c := range text {
		switch {
		case c == ';':
			return firstLine(string(text[:i+1]))
		case c == '\n' || c == '\\':
			return firstLine(string(text[:i]))
		}
	}
	return firstLine(string(text))
}
