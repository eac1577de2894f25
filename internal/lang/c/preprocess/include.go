package preprocess

import (
	"path"
	"strings"

	"fencepost/internal/lang/c/lex"
)

// maxIncluded is how deep files may include each other, as in gcc.
const maxIncluded = 200

// headerName reads the name of a file after #include or in __has_include, which macros may
// make.
func (p *preprocessor) headerName(t *lex.Token) (name string, angled, ok bool) {
	switch {
	case t.Kind == lex.Header || t.Kind == lex.String && p.text(t)[0] == '"':
		text := p.text(t)
		return text[1 : len(text)-1], t.Kind == lex.Header, true
	case t.Kind != lex.Less:
		return "", false, false
	}
	var b strings.Builder
	for {
		switch p.nextReal(t); t.Kind {
		case lex.Greater:
			return b.String(), true, true
		case lex.EOF:
			p.errorAt(t, "there is no > after the name of the file")
			return "", false, false
		}
		if t.Flags&lex.Spaced != 0 {
			b.WriteByte(' ')
		}
		b.Write(p.Space.Text(t))
	}
}

// includeDirective obeys #include.
func (p *preprocessor) includeDirective(directive *lex.Token) (after func()) {
	l := p.files.top().lexer
	l.Angled = true
	var t lex.Token
	p.state.padding = true
	p.nextReal(&t)
	l.Angled = false
	at := t
	found := len(p.Problems)
	name, angled, ok := p.headerName(&t)
	switch {
	case !ok:
		if len(p.Problems) == found {
			p.errorAt(&t, "#%s needs the name of a file, in quotes or angle brackets", p.text(directive))
		}
		return nil
	case name == "":
		p.errorAt(&at, "the name of the file is empty")
		return nil
	}
	next, once := directive.Name == nameIncludeNext, directive.Name == nameImport
	return func() { p.include(at, name, angled, next, once) }
}

// include begins to read a file.
func (p *preprocessor) include(at lex.Token, name string, angled, next, once bool) {
	file, dir, ok := p.find(name, angled, next)
	if !ok {
		spelled := "\"" + name + "\""
		if angled {
			spelled = "<" + name + ">"
		}
		p.Missing = true
		p.report(lex.Problem{Pos: at.Pos, From: at.From, Kind: lex.Missing, Message: "include file not found: " + spelled})
		return
	}
	clean := path.Clean(file)
	if p.files.once[clean] {
		return
	}
	if once {
		p.readOnce(clean)
	}
	if len(p.files.open) >= maxIncluded {
		if !p.gaveUp {
			p.gaveUp = true
			p.errorAt(&at, "files include each other %d deep: this does not seem to end", maxIncluded)
		}
		return
	}
	f := p.files.known[file]
	if f == nil {
		text := p.files.present[file].text
		if p.Space.Full(len(text)) {
			p.spend(p.steps+1, &at)
			return
		}
		f = p.Space.Add(file, text, p.dialect.Trigraphs)
		f.Included = at.Pos
		if p.files.known == nil {
			p.files.known = map[string]*lex.File{}
		}
		p.files.known[file] = f
		p.Files = append(p.Files, f)
	} else if name, guarded := p.files.guards[f]; guarded && p.macro(name) != nil {
		return
	}
	f.System = p.system(dir)
	p.enter(f, dir)
}

func (p *preprocessor) readOnce(clean string) {
	if p.files.once == nil {
		p.files.once = map[string]bool{}
	}
	p.files.once[clean] = true
}

// dirs returns the directories after that of the file: for names in quotes, then for all.
func (p *preprocessor) dir(i int) (Dir, bool) {
	if i < len(p.opt.Quoted) {
		return p.opt.Quoted[i], true
	}
	if i -= len(p.opt.Quoted); i < len(p.opt.Dirs) {
		return p.opt.Dirs[i], true
	}
	return Dir{}, false
}

func (p *preprocessor) system(dir int) bool {
	if dir < 0 {
		return p.inSystem()
	}
	d, _ := p.dir(dir)
	return d.System
}

// find returns the name of an included file, and the number of its directory.
func (p *preprocessor) find(name string, angled, next bool) (file string, dir int, ok bool) {
	if strings.HasPrefix(name, "/") {
		return name, -1, p.exists(name)
	}
	f := p.files.top()
	first := -1
	switch {
	case next && (f.dir >= 0 || len(p.files.open) > 1):
		first = f.dir + 1
	case angled:
		first = len(p.opt.Quoted)
	}
	if angled {
		first = max(first, len(p.opt.Quoted))
	}
	if first < 0 {
		if file = inDir(path.Dir(f.lexer.File.Name), name); f.lexer.File.Name == "" || !strings.Contains(f.lexer.File.Name, "/") {
			file = name
		}
		if p.exists(file) {
			return file, -1, true
		}
		first = 0
	}
	for i := first; ; i++ {
		d, more := p.dir(i)
		if !more {
			return "", 0, false
		}
		if file = inDir(d.Name, name); p.exists(file) {
			return file, i, true
		}
	}
}

func inDir(dir, name string) string {
	if dir == "" {
		return name
	}
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// exists reports whether there is a file, and keeps its text.
func (p *preprocessor) exists(file string) bool {
	if f, asked := p.files.present[file]; asked {
		return f.ok
	}
	var f presentFile
	if p.opt.Read != nil {
		f.text, f.ok = p.opt.Read(file)
	}
	if p.files.present == nil {
		p.files.present = map[string]presentFile{}
	}
	p.files.present[file] = f
	return f.ok
}
