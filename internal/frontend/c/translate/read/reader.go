package read

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"modernc.org/cc/v4"

	"fencepost/internal/gcc"
	"fencepost/internal/lazyregexp"
	"fencepost/internal/source"
)

// Included files. cc asks a file system for them, which holds our headers and asks
// the caller for everything else. A file that includes itself without end is cut off.
// Where nothing in it is conditional its text says so. Else, if it includes itself at
// all, it gets a first line that tells us whenever cc comes by: cc opens a file once,
// however often it is included.

// maxIncluded is how often a file may be included that includes itself. Compilers end
// at a depth of 200.
const maxIncluded = 1000

// includedPragma is the word of that first line; the second one says where the file
// begins.
const (
	includedPragma = "__fp_included"
	includedHead   = "#pragma " + includedPragma + "\n#line 1\n"
	missingPragma  = "__fp_missing" // stands for an #include of a file that does not exist
)

// reader is the file system of one run of the parser.
type reader struct {
	invariants func(name string, text []byte) []byte // turns invariants in comments into calls
	include    func(name string) (text []byte, ok bool)
	known      map[string]*source.File // those read before
	files      map[string]*source.File // those read now
	times      map[string]int          // how often each was included, if it includes itself
	opened     map[string][]string     // what each file includes, if nothing in it is conditional
	perhaps    map[string][]string     // what each file includes
	once       map[string]bool         // files that say so
	found      []problem
	parallel   []problem // pragmas that make several threads of one
	lacks      bool      // a file that is included does not exist
	packed     map[enumAt]bool
	// quoted and angled are the directories for names in quotes and in angle brackets; ""
	// is the directory of the file with the #include.
	quoted, angled []string
	present        map[string]bool // whether there is a file of that name
	selected       *selection      // what cc gets of our headers; nil: all
	searched       map[string]bool // files of the user whose names are selected
	unforeseen     bool            // cc opened another file
}

// problem is an error found on the way.
type problem struct {
	code, message string
	at            source.Span
}

func (c *Input) newReader(s *gcc.Settings) *reader {
	r := &reader{
		invariants: c.withInvariants, include: c.opt.Include, known: map[string]*source.File{}, files: map[string]*source.File{},
		times: map[string]int{}, packed: map[enumAt]bool{}, opened: map[string][]string{}, perhaps: map[string][]string{}, once: map[string]bool{},
	}
	r.quoted, r.angled = searchPaths(s)
	r.present, r.searched = map[string]bool{}, map[string]bool{}
	for name, f := range c.Files {
		r.known[name] = f
	}
	return r
}

// adopt takes over what a reader read and found.
func (c *Input) adopt(r *reader) {
	for name, f := range r.files {
		c.Files[name] = f
	}
	for _, p := range r.found {
		d := c.Errorf(p.code, p.at, "%s", p.message)
		if p.code == codeInclude && strings.Contains(p.message, "<") {
			d.Note(notBuiltIn)
		}
	}
	for _, p := range r.parallel {
		if c.opt.Strict {
			c.Errorf(p.code, p.at, "%s", p.message)
		}
	}
	c.parallel = append(c.parallel, r.parallel...)
}

func (r *reader) errorf(code string, at source.Span, message string) {
	r.found = append(r.found, problem{code, message, at})
}

// pragma refuses the pragmas that change what a program means, skips files that are
// to be read once, and counts how often files are included that include themselves.
func (r *reader) pragma(tokens []cc.Token) error {
	for i := range tokens {
		switch word := tokens[i].SrcStr(); word {
		case includedPragma:
			return r.again(tokens[i].Position().Filename)
		case missingPragma:
			r.missing(tokens[i].Position().Filename, tokens[i].Position().Line)
			return nil
		case "once":
			name := tokens[i].Position().Filename
			if r.once[name] {
				return cc.SkipSource
			}
			r.once[name] = true
		case "omp", "acc", "pack":
			p := tokens[i].Position()
			at := source.At(source.Pos{File: p.Filename, Line: p.Line, Col: p.Column})
			if word == "pack" {
				r.errorf(codePragma, at, "#pragma pack is not supported in this form")
			} else {
				r.parallel = append(r.parallel, problem{codePragma, "#pragma " + word + " is not supported", at})
			}
			return nil
		}
	}
	return nil
}

// missing reports an #include of a file that does not exist.
func (r *reader) missing(name string, line int) {
	r.lacks = true
	f := r.known[name]
	if f == nil {
		f = r.files[name]
	}
	if f != nil {
		lines := bytes.SplitAfterN(f.Text, []byte("\n"), line+1)
		if len(lines) >= line {
			if m := includeLine.FindSubmatchIndex(lines[line-1]); m != nil {
				begin := len(bytes.Join(lines[:line-1], nil))
				r.errorf(codeInclude, f.Span(begin+m[2], begin+m[3]), "include file not found: "+string(f.Text[begin+m[2]:begin+m[3]]))
				return
			}
		}
	}
	r.errorf(codeInclude, source.At(source.Pos{File: name, Line: line, Col: 1}), "include file not found")
}

// again notes that a file is included once more, and skips it if that is too often.
func (r *reader) again(name string) error {
	if r.times[name]++; r.times[name] < maxIncluded {
		return nil
	}
	if r.times[name] == maxIncluded {
		r.errorf(codeInclude, source.At(source.Pos{File: name, Line: 1, Col: 1}), path.Base(name)+" includes itself without end: the condition around the #include is always true")
	}
	return cc.SkipSource
}

var (
	includedName    = lazyregexp.New(`(?m)^[ \t]*#[ \t]*include(?:_next)?[ \t]*(<[^>\n]+>|"[^"\n]+")`)
	includedMacro   = lazyregexp.New(`(?m)^[ \t]*#[ \t]*include(?:_next)?[ \t]*[A-Za-z_]`)
	conditionalLine = lazyregexp.New(`(?m)^[ \t]*#[ \t]*(if|pragma[ \t]+once)`)
)

// includesItself reports whether a file includes itself, perhaps through others: never
// ending, with no condition on the way, so that cc would read on until memory ends; or
// possibly.
func (r *reader) includesItself(name string, text []byte) (endless, possibly bool) {
	if name = path.Clean(name); r.perhaps[name] == nil {
		r.perhaps[name] = []string{}
		for _, m := range includedName.FindAllSubmatch(text, -1) {
			if file, ok := r.resolve(name, string(m[1])); ok {
				r.perhaps[name] = append(r.perhaps[name], file)
			}
		}
		if !conditionalLine.Match(text) {
			r.opened[name] = r.perhaps[name]
		}
	}
	return leadsTo(r.opened, name), includedMacro.Match(text) || leadsTo(r.perhaps, name)
}

// leadsTo reports whether a way leads from a name back to itself.
func leadsTo(graph map[string][]string, name string) bool {
	seen := map[string]bool{}
	work := slices.Clone(graph[name])
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at == name {
			return true
		}
		if !seen[at] {
			seen[at] = true
			work = append(work, graph[at]...)
		}
	}
	return false
}

// Open implements fs.FS. A file that is missing can be opened and fails when it is
// read: cc would look for it on the machine if Open failed, past the caller's Include.
func (r *reader) Open(name string) (fs.File, error) {
	text, ok := r.text(name)
	if !ok {
		return missingFile{&fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}}, nil
	}
	file := r.known[name]
	if file == nil {
		if file = r.files[name]; file == nil {
			file = source.NewFile(name, text)
			r.files[name] = file
		}
	}
	switch ours := isOurs(name); {
	case !ours:
		r.unforeseen = r.unforeseen || !r.searched[path.Clean(name)]
		text = r.guarded(file, r.invariants(name, text))
	case r.selected != nil:
		some, ok := r.selected.header(strings.TrimPrefix(name, HeaderDir+"/"))
		if r.unforeseen = r.unforeseen || !ok; ok {
			text = some
		}
	}
	return &openFile{name: path.Base(name), size: int64(len(text)), Reader: bytes.NewReader(text)}, nil
}

// guarded is a file's text as cc gets it: without what would never end.
func (r *reader) guarded(f *source.File, text []byte) []byte {
	if isOurs(f.Name) { // ours have include guards
		return text
	}
	if at, tag, found := containsItself(f); found {
		r.errorf(CodeSyntax, at, tag+" contains itself")
		return []byte("\n")
	}
	if at := bytes.Index(text, includeLevel); at >= 0 {
		r.errorf(CodeSyntax, f.Span(min(at, len(f.Text)), min(at+len(includeLevel), len(f.Text))), string(includeLevel)+" is not supported")
	}
	text = r.enumAttributes(f.Name, r.directives(f, text))
	switch endless, possibly := r.includesItself(f.Name, text); {
	case endless:
		r.errorf(codeInclude, f.Span(0, 0), path.Base(f.Name)+" includes itself without end: add an include guard, such as #pragma once")
		return []byte("\n")
	case possibly:
		return append([]byte(includedHead), text...)
	}
	return text
}

// text returns the text of a file.
func (r *reader) text(name string) ([]byte, bool) {
	if rest, ours := strings.CutPrefix(name, HeaderDir+"/"); ours {
		data, err := headers.ReadFile("include/" + rest)
		return data, err == nil && rest != predefinedName
	}
	if r.include == nil {
		return nil, false
	}
	return r.include(name)
}

// missingFile is a file that does not exist.
type missingFile struct{ err error }

func (f missingFile) Stat() (fs.FileInfo, error) { return nil, f.err }
func (f missingFile) Read([]byte) (int, error)   { return 0, f.err }
func (f missingFile) Close() error               { return nil }

// openFile is an included file; it describes itself too.
type openFile struct {
	*bytes.Reader
	name string
	size int64
}

func (f *openFile) Stat() (fs.FileInfo, error) { return fileInfo{f.name, f.size}, nil }
func (f *openFile) Close() error               { return nil }

type fileInfo struct {
	name string
	size int64
}

func (f fileInfo) Name() string       { return f.name }
func (f fileInfo) Size() int64        { return f.size }
func (f fileInfo) Mode() fs.FileMode  { return 0o444 }
func (f fileInfo) ModTime() time.Time { return time.Time{} }
func (f fileInfo) IsDir() bool        { return false }
func (f fileInfo) Sys() any           { return nil }

// IsLibrary reports whether a file is one of the library's.
func IsLibrary(name string) bool {
	return strings.HasPrefix(name, HeaderDir+"/") && strings.HasSuffix(name, ".c")
}
