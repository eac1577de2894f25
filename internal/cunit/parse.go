package cunit

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"modernc.org/cc/v4"

	"fencepost/internal/source"
)

// Reading. cc does the preprocessing, parsing and type checking; it reads
// included files through a file system that holds our headers and asks the
// caller for everything else.

//go:embed include/*.h include/fencepost/*.h
var headers embed.FS

// headerDir is where cc looks for our headers. No user file can be there.
const headerDir = "<fencepost>"

// endName is a source behind the user's: cc never returns from a file that ends
// behind a '*', so no file ends.
const endName = "<end>"

func (c *compiler) parseFile(f *source.File) { c.parseText(f, "", "") }

// endText is what follows a file.
const endText = "\n;\nextern int __fp_end;\n"

// parseText reads a file with text before and behind it that is not the user's.
func (c *compiler) parseText(f *source.File, before, behind string) {
	abi, err := cc.NewABI("linux", "amd64")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	predefined, err := headers.ReadFile("include/predefined.h")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	system := append(append([]string(nil), c.opt.IncludeDirs...), headerDir)
	config := &cc.Config{
		ABI: abi, FS: includes{c}, UnsignedEnums: true,
		IncludePaths:    append([]string{""}, system...),
		SysIncludePaths: system,
	}
	text := c.withClaims(f.Name, f.Text)
	if len(text) == 0 {
		text = []byte("\n")
	}
	config.PragmaHandler = c.pragma
	if at, tag, found := containsItself(f); found {
		c.errorf(codeSyntax, at, "%s contains itself", tag)
		return
	}
	ast, err := translate(config, []cc.Source{
		{Name: "<predefined>", Value: string(predefined) + claimPrototypes + c.defines() + before},
		{Name: f.Name, Value: text},
		{Name: endName, Value: endText + behind},
	})
	if err != nil {
		c.reportSyntax(f, err.Error())
		return
	}
	u := &unit{name: f.Name, ast: ast, static: map[string]*symbol{}}
	c.units = append(c.units, u)
	c.collectDeclared(ast.TranslationUnit)
	c.collectSymbols(u)
}

// translate is cc.Translate. cc gives up on some broken input with a panic.
func translate(config *cc.Config, sources []cc.Source) (ast *cc.AST, err error) {
	defer func() {
		if r := recover(); r != nil {
			ast, err = nil, fmt.Errorf("the C parser gives up: %v", r)
		}
	}()
	return cc.Translate(config, sources)
}

// pragma refuses the pragmas that change what a program means.
func (c *compiler) pragma(tokens []cc.Token) error {
	for i := range tokens {
		switch word := tokens[i].SrcStr(); word {
		case "omp", "pack", "acc":
			p := tokens[i].Position()
			at := source.At(source.Pos{File: p.Filename, Line: p.Line, Col: p.Column})
			c.errorf(codePragma, at, "#pragma %s is not supported", word)
		}
	}
	return nil
}

func (c *compiler) defines() string {
	var b strings.Builder
	for _, d := range c.opt.Defines {
		name, value, ok := strings.Cut(d, "=")
		if !ok {
			value = "1"
		}
		b.WriteString("#define " + name + " " + value + "\n")
	}
	for _, u := range c.opt.Undefines {
		b.WriteString("#undef " + u + "\n")
	}
	return b.String()
}

var (
	ccMessage = regexp.MustCompile(`^(.*?):(\d+):(\d+): (.*)$`)
	ccOrigin  = regexp.MustCompile(` \([a-z0-9]+\.go:\d+:[^)]*\)$`) // where in cc the message was made
	ccMissing = regexp.MustCompile(`include file not found|file not found|no such file`)
)

// reportSyntax turns cc's errors into diagnostics. Lines without a position
// repeat what other lines say.
func (c *compiler) reportSyntax(f *source.File, text string) {
	found := false
	for _, line := range strings.Split(text, "\n") {
		m := ccMessage.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		row, _ := strconv.Atoi(m[2])
		col, _ := strconv.Atoi(m[3])
		msg := strings.TrimPrefix(ccOrigin.ReplaceAllString(m[4], ""), "TODO ")
		if found && strings.HasPrefix(msg, "unexpected ") { // the parser has lost its way
			continue
		}
		code := codeSyntax
		if ccMissing.MatchString(msg) {
			code = codeInclude
		}
		found = true
		at := source.Pos{File: m[1], Line: row, Col: col}
		if at.File == endName {
			if l := c.locationAt(row); l != nil {
				c.errorf(codeType, l.At, "the type of %s is not known: %s", l.Name, l.Type)
				continue
			}
			at, msg = f.Pos(len(bytes.TrimRight(f.Text, " \t\r\n"))), "the file ends too early"
		}
		c.errorf(code, source.At(at), "%s", msg)
	}
	if !found {
		first, _, _ := strings.Cut(text, "\n")
		c.errorf(codeSyntax, source.At(source.Pos{File: f.Name, Line: 1, Col: 1}), "the C parser does not take this file, and does not say where: %s",
			strings.TrimPrefix(ccOrigin.ReplaceAllString(first, ""), "TODO "))
	}
}

// locationAt is the location of a test that a line behind the file declares, or nil.
func (c *compiler) locationAt(row int) *Location {
	i := row - strings.Count(endText, "\n") - 1
	if c.test == nil || i < 0 || i >= len(c.test.in.Locations) {
		return nil
	}
	return &c.test.in.Locations[i]
}

// includes is the file system cc sees.
type includes struct{ c *compiler }

var (
	includedName    = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]`)
	conditionalLine = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(if|pragma[ \t]+once)`)
)

// includesItself reports whether a file includes itself, perhaps through others, with no
// condition on the way: cc would read on until memory ends.
func (c *compiler) includesItself(name string, text []byte) bool {
	if !conditionalLine.Match(text) {
		for _, m := range includedName.FindAllSubmatch(text, -1) {
			c.opened[path.Base(name)] = append(c.opened[path.Base(name)], path.Base(string(m[1])))
		}
	}
	seen := map[string]bool{}
	work := slices.Clone(c.opened[path.Base(name)])
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at == path.Base(name) {
			return true
		}
		if !seen[at] {
			seen[at] = true
			work = append(work, c.opened[at]...)
		}
	}
	return false
}

// Open implements fs.FS.
func (i includes) Open(name string) (fs.File, error) {
	var text []byte
	if rest, ours := strings.CutPrefix(name, headerDir+"/"); ours {
		data, err := headers.ReadFile("include/" + rest)
		if err != nil || rest == "predefined.h" {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		text = data
	} else {
		if i.c.opt.Include == nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		data, ok := i.c.opt.Include(name)
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		text = data
	}
	if i.c.files[name] == nil {
		i.c.files[name] = source.NewFile(name, text)
	}
	if !strings.HasPrefix(name, headerDir+"/") {
		text = i.c.withClaims(name, text)
	}
	if at, tag, found := containsItself(i.c.files[name]); found {
		i.c.errorf(codeSyntax, at, "%s contains itself", tag)
		text = []byte("\n")
	}
	if i.c.includesItself(name, text) {
		i.c.errorf(codeInclude, i.c.files[name].Span(0, 0), "%s includes itself, and nothing ends it: it needs a guard, such as #pragma once", path.Base(name))
		text = []byte("\n")
	}
	return &openFile{name: path.Base(name), size: int64(len(text)), Reader: bytes.NewReader(text)}, nil
}

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
