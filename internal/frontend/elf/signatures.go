package elf

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/lazyregexp"
	"fencepost/internal/source"
)

// Signatures: which functions does an object offer, and what do they take? The debug information says so. A client in C calls
// a function by a wrapper that has the types of C, and takes references as values.

// Signature is a function of an object.
type Signature struct {
	translate.Signature
	Wrapper string // its definition in C
}

// Library has the functions of an object and the types that they take, for clients in C.
type Library struct {
	Functions []Signature
	Structs   map[string]string // by type, its definition as so many bytes
}

// clientCall begins the names by which a client in C calls a function of the machine code, with six arguments; the name of the
// symbol comes after it.
const clientCall = "fencepost_code_"

var notInC = lazyregexp.New(`\W+`)

// Signatures reads the debug information of an object.
func Signatures(f *source.File) (*Library, error) {
	file, err := elf.NewFile(bytes.NewReader(f.Text))
	if err != nil {
		return nil, fmt.Errorf("it is no ELF file: %w", err)
	}
	data, err := file.DWARF()
	if err != nil {
		return nil, fmt.Errorf("its debug information cannot be read: %w", err)
	}
	r := &signatureReader{data: data, lib: &Library{Structs: map[string]string{}}, names: map[string]bool{}}
	if err := r.read(); err != nil {
		return nil, fmt.Errorf("its debug information cannot be read: %w", err)
	}
	if len(r.lib.Functions) == 0 {
		return nil, fmt.Errorf("it has no debug information about functions")
	}
	return r.lib, nil
}

// signatureReader reads functions.
type signatureReader struct {
	data  *dwarf.Data
	lib   *Library
	names map[string]bool
}

// maxScopes bounds how deep scopes are nested.
const maxScopes = 64

func (r *signatureReader) read() error {
	in := r.data.Reader()
	var scopes []string
	for {
		e, err := in.Next()
		switch {
		case err != nil:
			return err
		case e == nil:
			return nil
		case e.Tag == 0:
			if len(scopes) > 0 {
				scopes = scopes[:len(scopes)-1]
			}
			continue
		case e.Tag == dwarf.TagSubprogram:
			if e.Val(dwarf.AttrLowpc) != nil || e.Val(dwarf.AttrRanges) != nil {
				if err := r.function(e); err != nil {
					return err
				}
				in.Seek(e.Offset)
				if _, err := in.Next(); err != nil {
					return err
				}
			}
			in.SkipChildren()
			continue
		}
		if e.Children {
			if scopes = append(scopes, ""); len(scopes) > maxScopes {
				in.SkipChildren()
				scopes = scopes[:len(scopes)-1]
			}
		}
	}
}

// origins returns an entry and the entries that it completes.
func (r *signatureReader) origins(e *dwarf.Entry) ([]*dwarf.Entry, error) {
	out := []*dwarf.Entry{e}
	for range maxScopes {
		at, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if at, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				break
			}
		}
		in := r.data.Reader()
		in.Seek(at)
		next, err := in.Next()
		if err != nil || next == nil {
			return out, err
		}
		e = next
		out = append(out, e)
	}
	return out, nil
}

// text returns an attribute as a text, of the first entry that has it.
func textOf(list []*dwarf.Entry, attr dwarf.Attr) string {
	for _, e := range list {
		if s, ok := e.Val(attr).(string); ok {
			return s
		}
	}
	return ""
}

// typeOf returns the type of an entry; nil: it has none.
func (r *signatureReader) typeOf(list []*dwarf.Entry) (dwarf.Type, error) {
	for _, e := range list {
		at, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
		if !ok {
			continue
		}
		in := r.data.Reader()
		in.Seek(at)
		next, err := in.Next()
		if err != nil || next == nil {
			return nil, err
		}
		if next.Tag == dwarf.TagReferenceType || next.Tag == dwarf.TagRvalueReferenceType { // which the package of Go leaves out
			to, err := r.typeOf([]*dwarf.Entry{next})
			return &dwarf.PtrType{Type: to}, err
		}
		return r.data.Type(at)
	}
	return nil, nil
}

func (r *signatureReader) function(e *dwarf.Entry) error {
	whole, err := r.origins(e)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(whole, func(e *dwarf.Entry) bool { external, _ := e.Val(dwarf.AttrExternal).(bool); return external }) {
		return nil // of this file only
	}
	symbol := cmp.Or(textOf(whole[:1], dwarf.AttrLinkageName), textOf(whole, dwarf.AttrLinkageName), textOf(whole, dwarf.AttrName))
	short := shortName(symbol)
	name := strings.Trim(notInC.ReplaceAllString(short, "_"), "_")
	if symbol == "" || name == "" || strings.HasPrefix(short, "std::") || strings.HasPrefix(short, "__gnu_cxx::") || r.names[symbol] || notInC.MatchString(symbol) {
		return nil
	}
	r.names[symbol] = true
	for n := 2; r.names["\x00"+name]; n++ {
		name = fmt.Sprintf("%s_%d", strings.Trim(notInC.ReplaceAllString(short, "_"), "_"), n)
	}
	r.names["\x00"+name] = true
	s := Signature{Signature: translate.Signature{Name: name}}
	result, err := r.typeOf(whole)
	if err != nil {
		return err
	}
	s.Result = r.number(result)
	if parts := strings.Split(short, "::"); len(parts) > 1 && parts[len(parts)-1] == parts[len(parts)-2] {
		s.Name = name + "_init" // a constructor
	}
	params, args, before, err := r.parameters(e, &s)
	const registers = 6
	if err != nil || len(args) > registers {
		return err
	}
	for len(args) < registers {
		args = append(args, "0")
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	call := fmt.Sprintf("%s%s(%s)", clientCall, symbol, strings.Join(args, ", "))
	switch {
	case s.Result == "void":
	case strings.HasSuffix(s.Result, "*"):
		call = fmt.Sprintf("return (%s)%s", s.Result, call)
	case s.Result == "_Bool":
		call = fmt.Sprintf("return (unsigned char)(long)%s != 0", call)
	default:
		call = fmt.Sprintf("return (%s)(long)%s", s.Result, call)
	}
	s.Wrapper = fmt.Sprintf("static %s %s(%s) {\n%s  %s;\n}\n", s.Result, s.Name, strings.Join(params, ", "), before, call)
	r.lib.Functions = append(r.lib.Functions, s)
	return nil
}

// parameters adds the parameters of a function to its signature. It returns them as C declares them, what a call passes,
// and what stands before the call.
func (r *signatureReader) parameters(e *dwarf.Entry, s *Signature) (params, args []string, before string, err error) {
	in := r.data.Reader()
	in.Seek(e.Offset)
	if _, err := in.Next(); err != nil {
		return nil, nil, "", err
	}
	for e.Children {
		child, err := in.Next()
		if err != nil {
			return nil, nil, "", err
		}
		if child == nil || child.Tag == 0 {
			break
		}
		if child.Tag == dwarf.TagFormalParameter {
			list, err := r.origins(child)
			if err != nil {
				return nil, nil, "", err
			}
			t, err := r.typeOf(list)
			if err != nil {
				return nil, nil, "", err
			}
			p, byReference := r.parameter(t)
			p.Name = textOf(list, dwarf.AttrName)
			s.Params = append(s.Params, p)
			n := len(params)
			params = append(params, fmt.Sprintf("%s a%d", declared(&p), n))
			if byReference {
				before += fmt.Sprintf("  %s v%d = a%d;\n", p.Type, n, n)
				args = append(args, fmt.Sprintf("(void *)&v%d", n))
			} else {
				args = append(args, fmt.Sprintf("(void *)(long)a%d", n))
			}
		}
		if child.Children {
			in.SkipChildren()
		}
	}
	return params, args, before, nil
}

// declared returns the type of a parameter in C.
func declared(p *translate.Parameter) string {
	switch p.Kind {
	case translate.NumberParam:
		return p.Type
	case translate.AnyParam:
		return "void *"
	case translate.OpaqueParam:
		return p.Type
	case translate.ObjectParam:
		return p.Type + " *"
	}
	return "long" // no client calls it
}

// number returns the type in C of a result.
func (r *signatureReader) number(t dwarf.Type) string {
	sized := func(size int64, sign string) string {
		return sign + map[int64]string{1: "char", 2: "short", 4: "int", 8: "long"}[size]
	}
	switch u := object.Bare(t).(type) {
	case nil, *dwarf.VoidType:
		return "void"
	case *dwarf.BoolType:
		return "_Bool"
	case *dwarf.IntType, *dwarf.CharType:
		return sized(u.Size(), "signed ")
	case *dwarf.UintType, *dwarf.UcharType:
		return sized(u.Size(), "unsigned ")
	case *dwarf.EnumType:
		return sized(u.Size(), "signed ")
	case *dwarf.PtrType:
		if s, ok := object.Bare(u.Type).(*dwarf.StructType); ok && !s.Incomplete {
			return r.structType(s) + " *"
		}
		return "void *"
	case *dwarf.FloatType:
		return "double"
	}
	return "struct of_the_object" // which no client takes
}

// structType returns the name in C of a struct or class, whose definition is put down.
func (r *signatureReader) structType(s *dwarf.StructType) string {
	name := "struct " + strings.Trim(notInC.ReplaceAllString(cmp.Or(s.StructName, "unnamed"), "_"), "_")
	size := max(1, s.ByteSize)
	r.lib.Structs[name] = fmt.Sprintf("%s {\n  unsigned char bytes[%d];\n} __attribute__((aligned(64)));\n", name, size)
	return name
}

// parameter describes a parameter. byReference says that it takes the address of a number that does not change.
func (r *signatureReader) parameter(t dwarf.Type) (p translate.Parameter, byReference bool) {
	p.Kind = translate.StructParam
	switch u := object.Bare(t).(type) {
	case *dwarf.PtrType:
		elem := object.Bare(u.Type)
		switch e := elem.(type) {
		case nil, *dwarf.VoidType:
			p.Kind = translate.AnyParam
		case *dwarf.StructType:
			if e.Incomplete {
				p.Kind = translate.AnyParam
				break
			}
			p.Kind, p.Shared, p.Type = translate.ObjectParam, true, r.structType(e)
		case *dwarf.FuncType:
			p.Kind = translate.FunctionParam
		default:
			p.Kind, p.Type = translate.ObjectParam, r.number(elem)
			if q, ok := u.Type.(*dwarf.QualType); ok && q.Qual == "const" {
				p.Kind, byReference = translate.NumberParam, true
			}
		}
	case *dwarf.BoolType, *dwarf.IntType, *dwarf.CharType, *dwarf.UintType, *dwarf.UcharType, *dwarf.EnumType:
		p.Kind, p.Type = translate.NumberParam, r.number(u)
	}
	return p, byReference
}

// client is a program in C whose main calls functions of the machine code.
type client struct {
	text    string
	symbols []string
}

var clientCalls = lazyregexp.New(`\b` + clientCall + `(\w+)`)

// newClient reads which functions a client calls.
func newClient(f *source.File) *client {
	c := &client{text: string(f.Text)}
	for _, m := range clientCalls.FindAllStringSubmatch(c.text, -1) {
		if !slices.Contains(c.symbols, m[1]) {
			c.symbols = append(c.symbols, m[1])
		}
	}
	return c
}

// clientText returns the functions by which the client calls the machine code, each on a line, and the client.
func (p *program) clientText() (text string, words []string) {
	var b strings.Builder
	put := func(line, word string) {
		b.WriteString(line + "\n")
		words = append(words, word)
	}
	start := "static void fencepost_start(void) {"
	for _, f := range p.first {
		start += fmt.Sprintf(" %s(%s);", f.cName(), strings.TrimSuffix(strings.Repeat("0, ", f.arity()), ", "))
	}
	put(start+" }", "constructors")
	for _, symbol := range p.opt.client.symbols {
		f := p.byClient[symbol]
		var params, args []string
		for i := range 6 {
			params = append(params, fmt.Sprintf("void *a%d", i))
		}
		for i := range f.arity() {
			if i < len(params) {
				args = append(args, fmt.Sprintf("a%d", i))
			} else {
				args = append(args, "0")
			}
		}
		put(fmt.Sprintf("static void *%s%s(%s) { return %s(%s); }", clientCall, symbol, strings.Join(params, ", "), f.cName(), strings.Join(args, ", ")), "call "+shortName(symbol))
	}
	for line := range strings.Lines(p.opt.client.text) {
		put(strings.TrimSuffix(line, "\n"), strings.TrimSpace(line))
	}
	return b.String(), words
}
