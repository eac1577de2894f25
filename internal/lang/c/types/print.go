package types

import (
	"strconv"
	"strings"
)

// String returns a type as C writes it.
func (t *Type) String() string {
	if t == nil {
		return "?"
	}
	return strings.TrimSpace(t.declare(""))
}

// declare returns the declaration of a name with the type.
func (t *Type) declare(name string) string {
	switch t.Kind {
	case Pointer:
		inner := "*" + t.Qual.suffix()
		if inner != "*" && name != "" {
			inner += " "
		}
		inner += name
		if t.Elem.Kind == Array || t.Elem.Kind == Function {
			inner = "(" + inner + ")"
		}
		return t.Elem.declare(inner)
	case Array:
		length := ""
		switch {
		case t.Len >= 0:
			length = strconv.FormatInt(t.Len, 10)
		case t.Len == Variable:
			length = "*"
		}
		return t.Elem.declare(name + "[" + length + "]")
	case Function:
		var params []string
		for _, p := range t.Params {
			params = append(params, p.String())
		}
		if t.Variadic {
			params = append(params, "...")
		}
		if len(params) == 0 && !t.OldStyle {
			params = []string{"void"}
		}
		return t.Elem.declare(name + "(" + strings.Join(params, ", ") + ")")
	}
	base := t.base()
	if q := t.Qual.suffix(); q != "" {
		base = strings.TrimSpace(q) + " " + base
	}
	if name == "" {
		return base
	}
	return base + " " + name
}

func (t *Type) base() string {
	switch t.Kind {
	case Struct, Union, Enum:
		if t.Record.Tag == "" {
			return t.Kind.String() + " <unnamed>"
		}
		return t.Kind.String() + " " + t.Record.Tag
	case Complex:
		return "_Complex " + t.Elem.String()
	case Vector:
		return "vector of " + strconv.FormatInt(t.Len, 10) + " " + t.Elem.String()
	}
	if t.Name != "" {
		return t.Name
	}
	if t.Width != 0 {
		return t.Kind.String() + ":" + strconv.Itoa(int(t.Width))
	}
	return t.Kind.String()
}

func (q Qualifiers) suffix() string {
	var b strings.Builder
	for i, name := range []string{"const", "volatile", "restrict", "_Atomic"} {
		if q&(1<<i) != 0 {
			b.WriteString(" " + name)
		}
	}
	return b.String()
}
