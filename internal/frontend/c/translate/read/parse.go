package read

import (
	"bytes"
	"embed"
	"slices"
	"strings"

	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/preprocess"
	"fencepost/internal/source"
)

//go:embed include
var headers embed.FS

// HeaderDir is the directory of our headers. No user file can be there.
const HeaderDir = "<fencepost>"

// predefinedName is the header that comes before every file.
const predefinedName = "predefined.h"

// endName is the name of the text after a file.
const endName = "<end>"

// builtins are the functions of our headers whose types depend on their arguments.
var builtins = map[string]byte{"__fp_init": 'v', "__fp_fetch_add": 'E', "__fp_fetch_sub": 'E'}

// Unit is a file that was read.
type Unit struct {
	*Input
	Tree *parse.Unit
	// presumed says that #line and the marks of a preprocessor are obeyed. Where fences are to be written they are not: the
	// file that was given is the one that is changed.
	presumed bool
}

// Parse reads a file with text before and after it that is not the user's. It returns
// nil if the file has errors.
func (c *Input) Parse(f *source.File, before, after string) *Unit {
	u := &Unit{Input: c, presumed: !c.opt.KeepMarks}
	if IsMarked(f.Text) {
		originals := unmark(f.Name, f.Text)
		if u.presumed = originals != nil && !c.opt.KeepMarks; u.presumed {
			for _, o := range originals {
				if c.Files[o.Name] == nil {
					c.Files[o.Name], c.rebuilt[o.Name] = o, true
				}
			}
		}
	}
	settings := c.Settings(f.Name)
	r := &reader{Input: c, originals: map[string]*source.File{}}
	opt := preprocess.ForGCC(settings)
	opt.Predefined += "#define __FENCEPOST__ 1\n"
	opt.Read = r.read
	opt.Dirs = append(opt.Dirs, preprocess.Dir{Name: HeaderDir, System: true})
	opt.Before = []preprocess.Text{{Name: HeaderDir + "/" + predefinedName, Text: predefined(), Hidden: true}, {Name: "<before>", Text: []byte(invariantPrototypes + before)}}
	opt.After = []preprocess.Text{{Name: endName, Text: []byte(after)}}
	source := preprocess.Run(f.Name, c.withInvariants(f.Name, f.Text), opt)
	for _, file := range source.Files[1:] {
		if c.Files[file.Name] != nil {
			continue
		}
		if o := r.originals[file.Name]; o != nil {
			c.Files[file.Name] = o
		} else if strings.HasPrefix(file.Name, HeaderDir+"/") {
			c.Files[file.Name] = file.File
		}
	}
	u.Tree = &parse.Unit{Source: source}
	problems := source.Problems
	if source.Missing { // what follows from a missing file is not worth saying
		problems = slices.DeleteFunc(problems, func(p lex.Problem) bool { return p.Kind != lex.Missing })
	}
	if !u.report(f, problems) || source.Missing {
		return nil
	}
	u.Tree = parse.Parse(source, parse.Options{Standard: opt.Standard, UnsignedChar: settings.UnsignedChar, ShortEnums: settings.ShortEnums, GNUInline: settings.GNUInline, Builtins: builtins})
	u.checkPragmas()
	u.readBodies()
	if !u.report(f, u.Tree.Problems) {
		return nil
	}
	u.collectStarts()
	return u
}

// reader reads included files.
type reader struct {
	*Input
	originals map[string]*source.File // those of the user as they are, without calls for their annotations
}

// read returns the text of a file.
func (r *reader) read(name string) ([]byte, bool) {
	if rest, ours := strings.CutPrefix(name, HeaderDir+"/"); ours {
		text, err := headers.ReadFile("include/" + rest)
		return text, err == nil && rest != predefinedName
	}
	var text []byte
	ok := false
	if r.opt.Include != nil {
		text, ok = r.opt.Include(name)
	}
	if f := r.Files[name]; !ok && r.given[name] {
		text, ok = f.Text, true
	}
	if ok {
		r.originals[name] = source.NewFile(name, text)
		text = r.withInvariants(name, text)
	}
	return text, ok
}

// predefined returns the text of the header before every file.
func predefined() []byte {
	text, err := headers.ReadFile("include/" + predefinedName)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return text
}

// readBodies parses the functions that the user wrote, so that all mistakes in them are found. Those of
// the system are parsed when they are needed.
func (u *Unit) readBodies() {
	if IsLibrary(u.Tree.Source.Files[0].Name) {
		return
	}
	for _, o := range u.Tree.Objects {
		if o.From > 0 && !u.inSystem(o.From) {
			u.Tree.Body(o)
		}
	}
}

// inSystem reports whether a token is in a header of the system.
func (u *Unit) inSystem(tok int32) bool {
	s := u.Tree.Source
	return s.Space.InSystem(s.Outermost(&s.Tokens[tok]))
}

// Body returns the body of a function. It panics with a refusal if the body is not supported.
func (u *Unit) Body(f *parse.Object) *parse.Stmt {
	found := len(u.Tree.Problems)
	body := u.Tree.Body(f)
	if body != nil {
		return body
	}
	for i := range u.Tree.Problems {
		p := &u.Tree.Problems[i]
		if i < found && (p.Kind != lex.Unsupported || !u.isIn(p, f)) {
			continue
		}
		if p.Kind == lex.Unsupported {
			panic(u.NotSupported(refusalCode(p), u.problemSpan(p), "%s", p.Message))
		}
		u.problem(p)
	}
	panic(Refusal{})
}

// isIn reports whether a problem is about the body of a function.
func (u *Unit) isIn(p *lex.Problem, f *parse.Object) bool {
	for i := f.From; i <= f.To; i++ {
		if t := &u.Tree.Source.Tokens[i]; t.Pos == p.Pos && t.From == p.From {
			return true
		}
	}
	return false
}

// notBuiltIn is the note to an included file in brackets that is not found.
const notBuiltIn = "it is not one of the built-in headers; -I names a directory that has it, -- -idirafter /usr/include one that is searched last"

// report makes diagnostics of problems. It returns false if the file cannot be used. What is not supported
// in the body of a function is left for Body.
func (u *Unit) report(f *source.File, problems []lex.Problem) bool {
	ok := true
	for i := range problems {
		p := &problems[i]
		switch {
		case p.Kind == lex.Doubtful:
			continue
		case p.Kind == lex.Unsupported && u.inBody(p) && !u.opt.Strict:
			continue
		}
		ok = false
		at := u.problemSpan(p)
		if at.File == endName || at.File == "" {
			if l := u.locationAt(at.Line); l != nil {
				u.Errorf(CodeType, l.At, "the type of %s is not known: %s", l.Name, l.Type)
				continue
			}
			end := len(bytes.TrimRight(f.Text, " \t\r\n"))
			u.Errorf(CodeSyntax, source.At(f.Pos(end)), "the file ends too early: %s", p.Message)
			continue
		}
		u.problem(p)
	}
	return ok
}

// inBody reports whether a problem is about the body of a function.
func (u *Unit) inBody(p *lex.Problem) bool {
	for _, o := range u.Tree.Objects {
		if o.From > 0 && o.Body == nil && u.isIn(p, o) {
			return true
		}
	}
	return false
}

// refusalCode is the code of a problem with C that the parser does not support.
func refusalCode(p *lex.Problem) string {
	switch {
	case strings.HasPrefix(p.Message, "nested functions"):
		return codeNested
	case strings.HasPrefix(p.Message, "the attribute"):
		return codeAttribute
	default:
		return codeExpression
	}
}

// problem makes a diagnostic of a problem.
func (u *Unit) problem(p *lex.Problem) {
	code := CodeSyntax
	switch p.Kind {
	case lex.Missing:
		code = codeInclude
	case lex.Unsupported:
		code = refusalCode(p)
	}
	d := u.Errorf(code, u.problemSpan(p), "%s", p.Message)
	if p.Note != "" {
		d.Note("%s", p.Note)
	}
	if code == codeInclude && strings.Contains(p.Message, "<") {
		d.Note(notBuiltIn)
	}
	if p.From != 0 {
		s := u.Tree.Source
		e := &s.Expansions[p.From]
		if at := u.Position(p.Pos); at.File != "" && !e.IsArgument {
			d.Note("in the expansion of the macro %s, at %s", s.Names.String(e.Macro), at)
		}
	}
}

// problemSpan returns where a problem is.
func (u *Unit) problemSpan(p *lex.Problem) source.Span {
	t := lex.Token{Pos: p.Pos, From: p.From}
	at := u.Position(u.Tree.Source.Outermost(&t))
	f := u.Files[at.File]
	if f == nil {
		return source.At(at)
	}
	offset, ok := f.Offset(at)
	if !ok || offset >= len(f.Text) {
		return source.At(at)
	}
	return f.Span(offset, offset+wordLength(f.Text[offset:], p.Kind == lex.Missing))
}

// wordLength returns the length of the word, or of the name of a file, that a text begins with.
func wordLength(text []byte, file bool) int {
	n := 0
	for n < len(text) && IsWord(text[n]) {
		n++
	}
	closing := map[byte]byte{'"': '"', '<': '>'}[text[0]]
	if end := bytes.IndexByte(text[1:], closing); file && closing != 0 && end > 0 && bytes.IndexByte(text[:end+1], '\n') < 0 {
		return end + 2
	}
	return max(1, n)
}

// locationAt returns what a line after the file declares, or nil.
func (c *Input) locationAt(row int) *Line {
	if row < 1 || row > len(c.After) {
		return nil
	}
	return &c.After[row-1]
}

// checkPragmas refuses pragmas that make several threads of one, in strict mode.
func (u *Unit) checkPragmas() {
	if !u.opt.Strict {
		return
	}
	for i := range u.Tree.Source.Tokens {
		if r := u.parallel(int32(i)); r != nil {
			u.Report(r)
		}
	}
}

// PragmaIn returns the refusal of a pragma inside a function that makes several threads of one, nil if there
// is none.
func (u *Unit) PragmaIn(f *parse.Object) *Refusal {
	for i := f.From; i < f.To; i++ {
		if r := u.parallel(i); r != nil {
			return r
		}
	}
	return nil
}

// parallel returns the refusal of a token that is such a pragma, nil if it is none.
func (u *Unit) parallel(tok int32) *Refusal {
	s := u.Tree.Source
	if s.Tokens[tok].Kind != lex.Pragma {
		return nil
	}
	words := s.Pragmas[s.Tokens[tok].Name]
	if len(words) == 0 {
		return nil
	}
	word := string(s.Space.Text(&words[0]))
	if word != "omp" && word != "acc" {
		return nil
	}
	r := u.NotSupported(codePragma, source.At(u.Position(words[0].Pos)), "#pragma %s is not supported", word)
	return &r
}

// IsLibrary reports whether a file is one of the library's.
func IsLibrary(name string) bool {
	return strings.HasPrefix(name, HeaderDir+"/") && strings.HasSuffix(name, ".c")
}
