package read

import (
	"bytes"
	"embed"
	"fmt"
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/lazyregexp"
	"fencepost/internal/source"
)

// Reading. cc does the preprocessing, parsing and type checking.

//go:embed include
var headers embed.FS

// HeaderDir is where cc looks for our headers. No user file can be there.
const HeaderDir = "<fencepost>"

// predefinedName is the header that comes before every file.
const predefinedName = "predefined.h"

// predefined returns the text of that header.
func predefined() []byte {
	text, err := headers.ReadFile("include/" + predefinedName)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return text
}

// endName is a source after the user's: cc never returns from a file that ends
// after a '*', so no file ends.
const endName = "<end>"

// endText stands after a file.
const endText = "\n;\nextern int __fp_end;\n"

// Parse reads a file with text before and after it that is not the user's. It returns
// nil if the file has errors.
func (c *Input) Parse(f *source.File, before, after string) *cc.AST {
	text := c.withInvariants(f.Name, f.Text)
	if len(text) == 0 {
		text = []byte("\n")
	}
	if marked, originals := unmark(f.Name, text); marked != nil && !c.opt.KeepMarks {
		text = marked
		for _, o := range originals {
			if c.Files[o.Name] == nil {
				c.Files[o.Name], c.rebuilt[o.Name] = o, true
			}
		}
	}
	ast, r, err := c.parse(f, text, before, after, !c.opt.WholeHeaders)
	if r.selected != nil && (err != nil || r.unforeseen) {
		ast, r, err = c.parse(f, text, before, after, false)
	}
	c.adopt(r)
	switch {
	case r.lacks: // what follows from it is not worth saying
		return nil
	case err != nil:
		c.reportSyntax(f, err.Error())
		return nil
	}
	return ast
}

// parse reads a file; selecting leaves out what the file does not need of our headers.
func (c *Input) parse(f *source.File, text []byte, before, after string, selecting bool) (*cc.AST, *reader, error) {
	settings := c.Settings(f.Name)
	r := c.newReader(settings)
	text = r.guarded(f, text)
	before, after = invariantPrototypes+before, endText+after
	if selecting {
		r.selected = r.selects(settings, f.Name, changingText(f.Name, settings), includeText(settings), before, string(text), after)
	}
	sources := []cc.Source{
		{Name: "<predefined>", Value: c.predefinedText(f.Name, settings, r.selected) + before},
		{Name: "<command-line>", Value: includeText(settings)},
		{Name: f.Name, Value: text},
		{Name: endName, Value: after},
	}
	found := len(r.found)
	var known learned
	for times := 1; ; times++ {
		ast, more, err := translate(c.config(settings, r), sources, known, func() func(*cc.EnumSpecifier) bool { return r.shortEnums(settings.ShortEnums) })
		if !more.any() || times > maxQuestions {
			return ast, r, err
		}
		if len(more.enums) > 0 {
			known.enums = more.enums
		}
		if len(more.answers) > 0 {
			known.answers = more.answers
		}
		again := c.newReader(settings)
		again.selected, again.found, again.packed = r.selected, r.found[:found], r.packed
		r = again
	}
}

// learned has the facts about a file that was read before: the types of the enums that are shorter than cc
// makes them, and the answers to questions about types.
type learned struct {
	enums   []string
	answers answers
}

func (l *learned) any() bool { return len(l.enums) > 0 || len(l.answers) > 0 }

// translate is cc.Translate with a change of shape in between, see shaper. If the file must be read again, more
// has what was learned. cc gives up on some broken input with a panic.
func translate(config *cc.Config, sources []cc.Source, known learned, shortEnums func() func(*cc.EnumSpecifier) bool) (ast *cc.AST, more learned, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the C parser failed: %v", r)
		}
	}()
	if ast, err = parseMended(config, sources); err != nil {
		return nil, more, err
	}
	giveTypes(ast, known.enums)
	s := &shaper{answers: known.answers}
	s.shape(ast)
	_, err = checkAST(ast, config)
	if short := shortEnums(); len(known.enums) == 0 && (short != nil || len(s.packedEnums) > 0) {
		more.enums = enumTypes(ast, func(n *cc.EnumSpecifier) bool { return s.packedEnums[n] || short != nil && short(n) })
	}
	more.answers = s.differing()
	if err == nil {
		err = s.checkAlignments()
	}
	if err != nil {
		return nil, more, err
	}
	s.restore()
	return ast, more, nil
}

// notBuiltIn is the note to an included file in brackets that is not found.
const notBuiltIn = "it is not one of the built-in headers; -I names a directory that has it, -- -idirafter /usr/include one that is searched last"

var (
	ccMessage = lazyregexp.New(`^(.*?):(\d+):(\d+): (.*)$`)
	ccOrigin  = lazyregexp.New(` \([a-z0-9]+\.go:\d+:[^)]*\)$`) // where in cc the message was made
	ccMissing = lazyregexp.New(`include file not found|file not found|no such file`)
)

// ccText is a message of cc for users. cc ends many with the position in its own source
// that made them, and begins those it has no better words for with "TODO", which is a
// note of its authors to themselves.
func ccText(message string) string {
	return strings.TrimPrefix(ccOrigin.ReplaceAllString(message, ""), "TODO ")
}

// reportSyntax turns cc's errors into diagnostics. Lines without a position
// repeat what other lines say.
func (c *Input) reportSyntax(f *source.File, text string) {
	found := false
	for _, line := range strings.Split(text, "\n") {
		m := ccMessage.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		row, _ := strconv.Atoi(m[2])
		col, _ := strconv.Atoi(m[3])
		msg := ccText(m[4])
		if found && strings.HasPrefix(msg, "unexpected ") { // the parser has lost its way
			continue
		}
		code := CodeSyntax
		if ccMissing.MatchString(msg) {
			code = codeInclude
		}
		if strings.HasPrefix(msg, "unexpected '"+string(lonely)+"'") {
			msg = "this quote has no end on its line"
		}
		found = true
		at := source.Pos{File: m[1], Line: row, Col: col}
		if at.File == endName {
			if l := c.locationAt(row); l != nil {
				c.Errorf(CodeType, l.At, "the type of %s is not known: %s", l.Name, l.Type)
				continue
			}
			at, msg = f.Pos(len(bytes.TrimRight(f.Text, " \t\r\n"))), "the file ends too early"
		}
		d := c.Errorf(code, source.At(at), "%s", msg)
		if code == codeInclude && strings.Contains(msg, "<") {
			d.Note(notBuiltIn)
		}
	}
	if !found {
		first, _, _ := strings.Cut(text, "\n")
		c.Errorf(CodeSyntax, source.At(source.Pos{File: f.Name, Line: 1, Col: 1}), "the C parser rejects this file, at an unknown position: %s",
			ccText(first))
	}
}

// locationAt returns what a line after the file declares, or nil.
func (c *Input) locationAt(row int) *Line {
	i := row - strings.Count(endText, "\n") - 1
	if i < 0 || i >= len(c.After) {
		return nil
	}
	return &c.After[i]
}

// Header returns the text of one of our headers, such as "fencepost/linux.h", which
// compilers take as well.
func Header(name string) (string, bool) {
	text, err := headers.ReadFile("include/" + name)
	return string(text), err == nil
}
