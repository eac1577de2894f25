package preprocess

import "fencepost/internal/lang/c/lex"

// substitution is the body of a macro while its arguments are put in.
type substitution struct {
	p    *preprocessor
	m    *macro
	args []argument
	from uint32
	out  []lex.Token

	last, lastFor uint32 // the record for arguments whose tokens came out of lastFor
}

// substitute returns the body of a macro with its arguments in it.
func (p *preprocessor) substitute(m *macro, args []argument, from uint32) []lex.Token {
	s := substitution{p: p, m: m, args: args, from: from, out: p.buffer()}
	opt := optional{s: &s, state: outside}
	for i := range m.body {
		t := &m.body[i]
		if opt.handles(i, t) {
			continue
		}
		if t.Kind != lex.Param {
			s.out = append(s.out, *t)
			s.out[len(s.out)-1].From = from
			continue
		}
		s.parameter(i, t, opt.start)
	}
	return s.out
}

// parameter puts an argument in. start is the length of the output where an __VA_OPT__
// began, -1 outside.
func (s *substitution) parameter(i int, t *lex.Token, start int) {
	p, arg := s.p, &s.args[t.Arg]
	pasted := i > 0 && s.m.body[i-1].Flags&lex.PasteLeft != 0
	var tokens []lex.Token
	flagged := -1 // the token that gets the flag of t
	switch {
	case t.Flags&lex.Stringify != 0:
		text := p.stringify(arg.raw, t)
		text.From = s.from
		tokens = []lex.Token{text}
	case t.Flags&lex.PasteLeft != 0 && !pasted:
		tokens = s.argument(arg.raw)
	case pasted:
		tokens = s.argument(arg.raw)
		if n := len(s.out); n > 0 {
			switch {
			case s.out[n-1].Kind == lex.Comma && s.m.variadic && int(t.Arg) == s.m.params-1:
				if arg.omitted {
					s.out = s.out[:n-1]
				} else {
					flagged = n - 1
				}
			case len(tokens) == 0 && n != start:
				flagged = n - 1
			}
		}
	default:
		p.expandArg(arg)
		expanded := arg.expanded
		for len(s.out) == start && len(expanded) > 0 && expanded[0].Kind == lex.Padding { // ## may stand before __VA_OPT__
			expanded = expanded[1:]
		}
		tokens = s.argument(expanded)
	}
	if (!p.state.directive || p.state.padding) && i > 0 && !pasted && len(s.out) != start {
		s.out = append(s.out, padding(t))
	}
	if len(tokens) > 0 {
		s.out = append(s.out, tokens...)
		if t.Flags&lex.Stringify == 0 {
			p.release(tokens)
		}
		if t.Flags&lex.PasteLeft != 0 {
			flagged = len(s.out) - 1
		}
	}
	if !p.state.directive && t.Flags&lex.PasteLeft == 0 && len(s.out) != start {
		s.out = append(s.out, separator)
	}
	if flagged >= 0 {
		s.copyPaste(flagged, t)
	}
	p.spend(len(tokens), t)
}

// copyPaste makes a token of the output be pasted if t is.
func (s *substitution) copyPaste(at int, t *lex.Token) {
	s.out[at].Flags = s.out[at].Flags&^lex.PasteLeft | t.Flags&lex.PasteLeft
}

// argument returns a copy of the tokens of an argument that says through which macro they
// came.
func (s *substitution) argument(tokens []lex.Token) []lex.Token {
	out := append(s.p.buffer(), tokens...)
	for i := range out {
		if t := &out[i]; t.Kind != lex.Padding {
			if s.last == 0 || s.lastFor != t.From {
				s.lastFor = t.From
				e := s.p.Expansions[s.from]
				e.IsArgument, e.Inner = true, t.From
				s.p.Expansions = append(s.p.Expansions, e)
				s.last = uint32(len(s.p.Expansions) - 1)
			}
			t.From = s.last
		}
	}
	return out
}

// optional treats __VA_OPT__ in the body of a macro.
type optional struct {
	s         *substitution
	state     int // see below; above inOptional: the depth of parentheses
	begin     int // length of the output where it began
	start     int // the same, -1: outside, or nothing stands before it
	keep      bool
	known     bool // keep is set
	stringify bool
	flags     lex.Flags
}

const (
	outside = iota
	wantOpen
	inOptional
)

// handles reports whether a token belongs to an __VA_OPT__ and needs no more treatment.
func (o *optional) handles(i int, t *lex.Token) bool {
	s := o.s
	if o.state == outside {
		o.start = -1
	}
	switch {
	case !s.m.variadic:
		return false
	case t.Kind == lex.Identifier && t.Name == nameVaOpt:
		o.state = wantOpen
		o.stringify, o.flags = t.Flags&lex.Stringify != 0, t.Flags
		if i > 0 && s.m.body[i-1].Flags&lex.PasteLeft == 0 {
			s.out = append(s.out, padding(t))
		}
		o.begin, o.start = len(s.out), len(s.out)
		if o.start == 0 {
			o.start = -1
		}
		return true
	case o.state == wantOpen:
		o.state = inOptional
		if !o.known {
			o.known = true
			last := &s.args[s.m.params-1]
			s.p.expandArg(last)
			for j := range last.expanded {
				o.keep = o.keep || last.expanded[j].Kind != lex.Padding
			}
		}
		return true
	case o.state == outside:
		return false
	case t.Kind == lex.LParen:
		o.state++
	case t.Kind == lex.RParen:
		if o.state == inOptional {
			o.end(t)
			return true
		}
		o.state--
	}
	return !o.keep
}

// end treats the parenthesis that ends an __VA_OPT__.
func (o *optional) end(t *lex.Token) {
	s, begin := o.s, o.begin
	o.state, o.start = outside, -1
	switch {
	case o.stringify:
		text := s.p.stringify(s.p.pasteFlagged(s.out[begin:]), &lex.Token{Flags: o.flags, Pos: t.Pos})
		text.From = s.from
		text.Flags |= t.Flags & lex.PasteLeft
		s.out = append(s.out[:begin], text)
	case t.Flags&lex.PasteLeft != 0:
		for len(s.out) > begin && s.out[len(s.out)-1].Flags&lex.NoSource != 0 {
			s.out = s.out[:len(s.out)-1]
		}
		if n := len(s.out); n > 0 && s.out[n-1].Kind != lex.Padding {
			s.copyPaste(n-1, t)
		}
	default:
		s.out = append(s.out, separator)
	}
}
