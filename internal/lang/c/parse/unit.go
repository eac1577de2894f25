package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/preprocess"
	"fencepost/internal/lang/c/types"
)

// Unit is a file that was parsed.
type Unit struct {
	Source   *preprocess.Result
	Objects  []*Object // of the file, in the order of their declarations; one per name and linkage
	Problems []lex.Problem

	// Asms are the asm declarations of the file.
	Asms []*Stmt
	// Starts are the first tokens of the declarations of the file.
	Starts []int32

	parser     *parser
	vaListType *types.Type
	records    int32
}

// funcState is the function being parsed.
type funcState struct {
	obj    *Object
	labels map[lex.Name]*Label
	locals []*Label // of __label__, innermost last
	loops  int
	switchDepth,
	breaks int
	refused bool // something in it is not supported: what follows from that is not worth saying
}

// Parse parses a file. The bodies of functions are left for Body.
func Parse(r *preprocess.Result, opt Options) *Unit {
	u := &Unit{Source: r}
	p := &parser{Unit: u, toks: r.Tokens, dialect: dialect{unsigned: opt.UnsignedChar, short: opt.ShortEnums, c23: opt.Standard.Version >= 2023, gnuInline: opt.GNUInline || opt.Standard.Version < 1999, further: opt.Builtins}}
	u.parser = p
	p.keys = p.keywordTable(&opt)
	p.objects = make([]*Object, r.Names.Len()+64)
	p.tags = make([]*tag, r.Names.Len()+64)
	p.limit = int32(len(r.Tokens))
	p.findPrototypes()
	p.jump(0)
	for p.kind != lex.EOF {
		p.skipPrototypes()
		start := p.at
		if !p.try(p.external) {
			p.recover(start)
		}
	}
	for _, o := range u.Objects { // tentative definitions of arrays have one element
		if o.Kind == Variable && o.Type.Kind == types.Array && o.Type.Len == types.Incomplete && o.Storage != Extern {
			t := *o.Type
			t.Len = 1
			o.Type = &t
		}
	}
	return u
}

// recover moves to the next declaration of the file.
func (p *parser) recover(start int32) {
	for len(p.marks) > 0 {
		p.pop()
	}
	p.function = nil
	at := max(start, p.at)
	depth := p.bracesOpen(start, at)
	p.jump(at)
	for p.kind != lex.EOF {
		switch p.kind {
		case lex.LBrace:
			depth++
		case lex.RBrace:
			if depth--; depth <= 0 {
				p.next()
				if p.kind == lex.Semicolon {
					p.next()
				}
				return
			}
		case lex.Semicolon:
			if depth <= 0 {
				p.next()
				return
			}
		}
		p.next()
	}
}

// Body parses the body of a function, once. It returns nil if the function has none, or the
// body has a mistake, which is in Problems.
func (u *Unit) Body(f *Object) *Stmt {
	if f.read || f.From == 0 {
		return f.Body
	}
	f.read = true
	p := u.parser
	p.limit = f.From + 1
	p.pack, p.packs = 0, nil
	p.jump(f.From)
	ok := p.try(func() { p.body(f) })
	for len(p.marks) > 0 {
		p.pop()
	}
	p.function = nil
	p.limit = int32(len(p.toks))
	if !ok {
		f.Body = nil
	}
	return f.Body
}

func (p *parser) body(f *Object) {
	problems := len(p.Problems)
	p.function = &funcState{obj: f, labels: map[lex.Name]*Label{}}
	p.push()
	for _, o := range f.Params {
		if o.Name != 0 {
			p.declare(o)
		}
		if !o.Type.IsComplete() && o.Type.Kind != types.Error {
			p.errorf(o.Tok, "the parameter has an incomplete type: %s", o.Type)
		}
	}
	b := p.block(true)
	for _, l := range p.function.labels {
		if !l.Defined {
			p.errorf(l.Tok, "there is no label %s", p.name(l.Name))
		}
		f.Labels = append(f.Labels, l)
	}
	p.pop()
	if len(p.Problems) == problems {
		f.Body = b
	}
}

// Lookup returns the object of a name in the file, or nil.
func (u *Unit) Lookup(name string) *Object {
	n := u.Source.Names.Of([]byte(name))
	u.parser.parseSkipped(n)
	if int(n) >= len(u.parser.objects) {
		return nil
	}
	return u.parser.objects[n]
}

// Fold returns the value of a constant expression.
func (u *Unit) Fold(e *Expr) (Value, bool) { return u.parser.fold(e) }

// Argument returns the value of the first argument of an attribute, which is a constant.
func (u *Unit) Argument(a Attribute) (int64, bool) {
	u.parser.quiet++
	defer func() { u.parser.quiet-- }()
	n, ok := int64(0), false
	u.parser.try(func() { n, ok = u.parser.attributeInt(a) })
	return n, ok
}
