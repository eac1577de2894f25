package parse

import (
	"fencepost/internal/lang/c/lex"
)

// Prototypes of system headers are most of what a small program reads, and it uses few of
// them. A prototype whose name stands nowhere else is not parsed: only its position is kept, for
// Lookup. What is parsed is parsed in the order of the text, so the tree of the rest is the same.

// prototype is a declaration of a function in a system header.
type prototype struct {
	name     lex.Name
	from, to int32 // the first token, and that after the semicolon
	tag      lex.Name
}

// prototypes holds the prototypes of a file, in the order of the text.
type prototypes struct {
	all       []prototype
	mentioned []bool // by name: it stands outside the prototypes
	next      int
	skipped   map[lex.Name][]prototype
}

// findPrototypes finds the prototypes of system headers, and the names that stand elsewhere.
func (p *parser) findPrototypes() {
	s := &p.prototypes
	s.mentioned = make([]bool, p.Source.Names.Len())
	for i := int32(0); p.toks[i].Kind != lex.EOF; {
		t := &p.toks[i]
		if t.From == 0 && t.Kind == lex.Identifier && p.Source.Space.InSystem(t.Pos) {
			if found, ok := p.prototypeAt(i); ok {
				s.all = append(s.all, found)
				i = found.to
				continue
			}
		}
		i = p.mention(i)
	}
	for _, tokens := range p.Source.Pragmas {
		for i := range tokens {
			s.mentioned[tokens[i].Name] = true
		}
	}
}

// mention notes the names of a declaration of the file. It returns the token after it.
func (p *parser) mention(i int32) int32 {
	depth, body := 0, false
	for ; ; i++ {
		switch t := &p.toks[i]; t.Kind {
		case lex.Identifier:
			p.prototypes.mentioned[t.Name] = true
		case lex.LBrace:
			if depth == 0 {
				body = i > 0 && p.toks[i-1].Kind == lex.RParen
			}
			depth++
		case lex.LParen, lex.LBracket:
			depth++
		case lex.RParen, lex.RBracket:
			depth--
		case lex.RBrace:
			if depth--; depth <= 0 && body {
				return i + 1
			}
		case lex.Semicolon:
			if depth <= 0 {
				return i + 1
			}
		case lex.EOF:
			return i
		}
	}
}

// prototypeAt returns the prototype that begins at a token, if there is one of the usual form:
// types, a name, parameters, and attributes.
func (p *parser) prototypeAt(from int32) (found prototype, ok bool) {
	found.from = from
	for i := from; ; i++ {
		t := &p.toks[i]
		switch t.Kind {
		case lex.Identifier:
			switch p.keys[t.Name] {
			case kTypedef:
				return found, false
			case kStruct, kUnion, kEnum:
				if i++; found.tag != 0 || p.toks[i].Kind != lex.Identifier || p.keys[p.toks[i].Name] != noKey {
					return found, false
				}
				found.tag = p.toks[i].Name
			}
		case lex.Star:
		case lex.LParen:
			before := &p.toks[i-1]
			switch {
			case i == from || before.Kind != lex.Identifier || i-2 >= from && p.isTagKey(i-2):
				return found, false
			case p.keys[before.Name] == noKey:
				if found.name != 0 {
					return found, false
				}
				found.name = before.Name
			}
			if i = p.closing(i); i < 0 {
				return found, false
			}
		case lex.Semicolon:
			found.to = i + 1
			return found, found.name != 0
		default:
			return found, false
		}
	}
}

func (p *parser) isTagKey(i int32) bool {
	if p.toks[i].Kind != lex.Identifier {
		return false
	}
	k := p.keys[p.toks[i].Name]
	return k == kStruct || k == kUnion || k == kEnum
}

// closing returns the parenthesis that closes the one at a token, -1 if other brackets than
// parentheses or the end of the file come first.
func (p *parser) closing(i int32) int32 {
	for depth := 0; ; i++ {
		switch p.toks[i].Kind {
		case lex.LParen:
			depth++
		case lex.RParen:
			if depth--; depth == 0 {
				return i
			}
		case lex.LBrace, lex.RBrace, lex.Semicolon, lex.Pragma, lex.EOF:
			return -1
		}
	}
}

// skipPrototypes moves past prototypes that nothing mentions.
func (p *parser) skipPrototypes() {
	s := &p.prototypes
	for s.next < len(s.all) {
		f := &s.all[s.next]
		if f.from > p.at {
			return
		}
		s.next++
		if f.from < p.at || s.mentioned[f.name] || f.tag != 0 && p.findTag(f.tag, true) == nil {
			continue
		}
		if s.skipped == nil {
			s.skipped = map[lex.Name][]prototype{}
		}
		s.skipped[f.name] = append(s.skipped[f.name], *f)
		p.jump(f.to)
	}
}

// parseSkipped parses the prototypes of a name that were skipped.
func (p *parser) parseSkipped(n lex.Name) {
	for _, f := range p.prototypes.skipped[n] {
		p.limit = f.from
		p.jump(f.from)
		p.try(p.external)
	}
	delete(p.prototypes.skipped, n)
	p.limit = int32(len(p.toks))
}
