package translate

import (
	"strings"

	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/parse"
)

// Mentions: which names of other files and of the library expressions use. A function of a header of the
// system, or of the library, is read when something mentions it.

// mentions collects those of one file.
type mentions struct {
	*Symbols
	u      *unit
	called map[*parse.Expr]bool // names of functions in calls
	seen   map[*parse.Object]bool
	todo   []*parse.Object
}

// collectMentions notes what a file mentions.
func (c *Symbols) collectMentions(u *unit) {
	m := &mentions{Symbols: c, u: u, called: map[*parse.Expr]bool{}, seen: map[*parse.Object]bool{}}
	v := &parse.Visitor{Stmt: m.stmt, Expr: m.expr, Object: m.object}
	tree := u.In.Tree
	for _, o := range tree.Objects {
		m.object(o)
		if o.Kind == parse.Variable && o.Init != nil {
			v.Inits(o.Init)
		}
		if o.Body != nil || u.ofLibrary() || o.Storage != parse.Static && !o.Inline {
			m.ask(o)
		}
	}
	for len(m.todo) > 0 {
		o := m.todo[0]
		m.todo = m.todo[1:]
		v.Stmts(tree.Body(o))
	}
	c.findWide(u)
}

// ask puts the body of a function on the list.
func (m *mentions) ask(o *parse.Object) {
	if o.From > 0 && !m.seen[o] {
		m.seen[o] = true
		m.todo = append(m.todo, o)
	}
}

func (m *mentions) stmt(s *parse.Stmt) bool {
	if s.Asm != nil && strings.Contains(s.Asm.Template, "syscall") {
		m.Names.mentionedInOurs[systemCall] = true
	}
	return true
}

func (m *mentions) expr(e *parse.Expr) bool {
	switch e.Op {
	case parse.Call:
		m.called[e.A.Bare()] = true
	case parse.Builtin:
		m.called[e.A] = true
	case parse.Name:
		m.mention(e.Obj, m.called[e])
	case parse.Constant:
		if e.Obj != nil {
			m.Names.Mentioned[e.Obj.Text] = true
		}
	}
	return true
}

// object notes the functions that the attributes of an object name.
func (m *mentions) object(o *parse.Object) {
	for _, a := range o.Attrs {
		switch a.Name {
		case "cleanup":
			m.cleanups = true
			if f := m.u.In.Tree.Lookup(m.u.argument(a)); f != nil {
				m.mention(f, true)
			}
		case "alias":
			if f := m.u.In.Tree.Lookup(m.u.argument(a)); f != nil {
				m.ask(f)
			}
		}
	}
}

// argument returns the only argument of an attribute, a name or a string, as text.
func (u *unit) argument(a parse.Attribute) string {
	if a.To-a.From != 1 {
		return ""
	}
	return strings.Trim(string(u.In.Text(a.From)), `"`)
}

// mention notes a name. That of a variable of a function is no mention of a function.
func (m *mentions) mention(o *parse.Object, called bool) {
	if linkage(o) == noLinkage {
		return
	}
	m.ask(o)
	names := []string{o.Text}
	if !called && o.Kind == parse.Function { // its address is taken
		names = append(names, addressOf+o.Text)
	}
	for _, n := range names {
		m.Names.Mentioned[n] = true
		if m.u.ofLibrary() {
			m.Names.mentionedInOurs[n] = true
		}
	}
}

// findWide notes that a file has integers of 128 bits.
func (c *Symbols) findWide(u *unit) {
	s := u.In.Tree.Source
	words := map[lex.Name]bool{}
	for _, word := range []string{"__int128", "__int128_t", "__uint128_t"} {
		words[s.Names.Of([]byte(word))] = true
	}
	for i := range s.Tokens {
		if c.wide = c.wide || s.Tokens[i].Kind == lex.Identifier && words[s.Tokens[i].Name]; c.wide {
			return
		}
	}
}

// linked is how far the name of an object is known.
type linked uint8

const (
	noLinkage linked = iota
	internalLinkage
	externalLinkage
)

func (l linked) String() string { return [...]string{"none", "internal", "external"}[l] }

// linkage returns how far the name of an object is known.
func linkage(o *parse.Object) linked {
	switch {
	case o.Kind != parse.Function && o.Kind != parse.Variable && o.Kind != parse.BuiltinFunction, o.Param, !o.Global:
		return noLinkage
	case o.Kind == parse.Variable && o.Storage == parse.Static && o.Depth > 0, o.Literal:
		return noLinkage
	case o.Storage == parse.Static:
		return internalLinkage
	default:
		return externalLinkage
	}
}
