package pipeline

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/litmus"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// Unit is the result of a front end.
type Unit struct {
	IR       *ir.Program // structured; nil after errors
	Props    *property.Set
	Included []*source.File
	// LoopFree says that the program has no loops but those of library functions that are part of fencepost.
	LoopFree bool
	Notes    []annotation // comments //@ of C
	Litmus   *litmus.Unit // of litmus tests
	Facts
	// With ReadOptions.Sites: where fences can be written, the kinds of fences that the language
	// can express, and how fences become edits of the text.
	Sites []ir.FenceSite
	Kinds []ir.FenceKind
	Write func([]ir.FenceAt) []source.Edit
	// Before, instead of Write, returns fences as COptions.Fences of a language without text.
	Before func([]ir.FenceAt) map[uint64]string
}

// Facts say what later stages must know about the language of a program. The front end states them; no later stage
// asks which language it was.
type Facts struct {
	Listing *source.File // of a program without a text: what positions are about
	// Locate gives the positions of a result or witness that are about a listing those of the source.
	Locate func(resultOrWitness any)
	// MadeOf says what the functions of a listing were made of that a result goes through. Of the texts it has those of the result.
	MadeOf func(*verdict.Result) *verdict.Listing
	// SizedNumbers: numbers have sizes and wrap around, so a proof must not take them for integers.
	SizedNumbers bool
	// Errors: the language has errors, such as accesses to freed memory, that are always checked.
	Errors bool
	// BeginsAtMain: a program without further threads, or without assertions, is probably a mistake.
	BeginsAtMain bool
	// StarDeclares: a star before a name belongs to the type where the name is declared.
	StarDeclares bool
	// Uninitialised says what memory holds that was never written; "": the language has no such memory.
	Uninitialised query.Uninitialised
	// Orders says what the memory orders of C11 mean in the language.
	Orders Orders
	// Kernel: the program has words of the Linux kernel, whose model is not one of ours.
	Kernel bool
	// LeftOut lists what final states do not show of memory.
	LeftOut []string
}

// Orders says what a plain access is under C11's own model. The zero value: the language has no memory orders.
type Orders uint8

// The kinds of languages.
const (
	OrdersNone    Orders = iota
	OrdersPlain          // not atomic
	OrdersRelaxed        // relaxed
)

// ReadOptions say what a question needs of the front end beside the options of the user.
type ReadOptions struct {
	query.Options
	Annotations bool   // read the invariants in comments
	Sites       bool   // find fence sites; languages without any refuse
	Orders      bool   // with Sites: accesses with memory orders are sites, too
	FenceStyle  string // with Sites: how fences are written in C, one of FenceStyles
}

// language is a row of the table of languages.
type language struct {
	name    string
	exts    []string
	several bool // a program may have several files
	entries bool // threads begin at functions that options name
	parse   func([]*source.File, ReadOptions) (*Unit, *diag.List)
}

var allFences = []ir.FenceKind{ir.FullFence, ir.StoreStoreFence}

// languages is the table of languages.
var languages = []language{
	{name: "fp", exts: []string{".fp"}, parse: parseFP},
	{name: "trencher", exts: []string{".txt"}, parse: parseTrencher},
	{name: "memorax", exts: []string{".rmm"}, parse: parseMemorax},
	{name: "litmus", exts: []string{".litmus"}, parse: parseLitmus},
	{name: "c", exts: []string{".c", ".i"}, several: true, parse: parseC},
	{name: "x86", exts: []string{".o", ".a", ".rlib"}, several: true, entries: true, parse: parseMachineCode},
}

// LanguageNames lists the languages.
func LanguageNames() []string {
	var out []string
	for _, l := range languages {
		out = append(out, l.name)
	}
	return out
}

// Extensions lists the file name extensions of programs, such as .fp.
func Extensions() []string {
	var out []string
	for _, l := range languages {
		out = append(out, l.exts...)
	}
	return out
}

// parseAutomaton adapts a language of automata.
func parseAutomaton(
	parse func(*source.File, statement.Options) (*statement.Unit, *diag.List), kinds []ir.FenceKind,
) func([]*source.File, ReadOptions) (*Unit, *diag.List) {
	return func(files []*source.File, opt ReadOptions) (*Unit, *diag.List) {
		u, diags := parse(files[0], statement.Options{Threads: opt.Threads, Numbered: opt.Annotations, Ghosts: opt.Annotations, Sites: opt.Sites})
		if diags.HasErrors() || u == nil {
			return &Unit{}, diags
		}
		return &Unit{IR: u.Program, Props: u.Props, Sites: u.Sites, Kinds: kinds, Write: u.Write}, diags
	}
}

// parseFP adapts .fp.
func parseFP(files []*source.File, opt ReadOptions) (*Unit, *diag.List) {
	u, diags := parseAutomaton(fp.Parse, allFences)(files, opt)
	u.Orders = OrdersRelaxed
	return u, diags
}

// parseLitmus adapts litmus tests. Tests in C have fence sites; columns of instructions have none.
func parseLitmus(files []*source.File, opt ReadOptions) (*Unit, *diag.List) {
	if bad := badFlags(files[0], opt.C); bad != nil {
		return &Unit{}, bad
	}
	u, diags := litmus.Parse(files[0], litmus.Options{C: cOptions(opt)})
	if opt.Sites && u.Program != nil && !u.InC() {
		diags.Errorf("FP0921", files[0].Span(0, 0), "fences cannot be written into litmus tests for %s", u.Arch).Note("write the test in C, or as a .fp program")
		return &Unit{}, diags
	}
	out := &Unit{
		IR: u.Program, Props: u.Props, Included: u.Included, Litmus: u, Sites: u.Sites, Kinds: allFences,
		Write: func(fences []ir.FenceAt) []source.Edit { return u.Write(fences, u.FenceStyle(fenceStyle(opt))) },
	}
	if u.Program != nil && u.InC() {
		out.Orders, out.Kernel = OrdersPlain, u.Kernel
	}
	return out, diags
}

// Program is an input after the front end.
type Program struct {
	Input       query.Input
	Unit                                // after Read
	Files       map[string]*source.File // the files of the program, and what they include
	Diagnostics []verdict.Diagnostic

	ctx     context.Context // of the reading; the passes check it too
	begun   time.Time
	limited *verdict.Pos // an input that takes only the values that the user named
}

func newProgram(in query.Input) *Program {
	p := &Program{Input: in, Files: map[string]*source.File{}, ctx: context.Background(), begun: time.Now()}
	for _, f := range p.sourceFiles() {
		p.Files[f.Name] = f
	}
	return p
}

// sourceFiles returns the files of the program, the first one first.
func (p *Program) sourceFiles() []*source.File {
	files := []*source.File{source.NewFile(p.Input.Name, p.Input.Text)}
	for _, more := range p.Input.More {
		files = append(files, source.NewFile(more.Name, more.Text))
	}
	return files
}

// With returns the program with other questions.
func (p *Program) With(props *property.Set) *Program {
	out := *p
	out.Props = props
	return &out
}

// Refuse adds an error and returns ErrRefused. A diagnostic without a file is about the input.
func (p *Program) Refuse(d verdict.Diagnostic) error {
	d.Severity = verdict.SeverityError
	if d.Pos.File == "" {
		d.Pos.File = p.Input.Name
	}
	p.Diagnostics = append(p.Diagnostics, d)
	return ErrRefused
}

// Read runs the front end that the input's name or Options.Lang asks for.
func (r *Run) Read(ctx context.Context, opt ReadOptions) error {
	p := r.Program
	p.ctx = ctx
	lang, problem := chooseLanguage(p.Input.Name, p.Input.Text, opt.Lang)
	if lang == nil {
		return p.Refuse(verdict.Diagnostic{Code: "FP0903", Message: problem})
	}
	if len(p.Input.More) > 0 && !lang.several {
		return p.Refuse(verdict.Diagnostic{
			Code: "FP0909", Pos: verdict.Pos{File: p.Input.More[0].Name}, Message: "only programs in C and machine code can have several files",
		})
	}
	if !lang.entries && (len(opt.C.Entry) > 0 || opt.C.Finally != "") {
		return p.Refuse(verdict.Diagnostic{Code: "X0102", Message: "--entry and --finally are for machine code"})
	}
	files := p.sourceFiles()
	var unit *Unit
	var diags *diag.List
	if over := limited(ctx, opt.Options, time.Now(), false, func() { unit, diags = readChecked(lang, files, opt) }); over != "" {
		return &OverLimit{"the program could not be read " + over, "look for macros with a very long expansion, and for expressions with thousands of operators"}
	}
	for _, f := range unit.Included {
		p.Files[f.Name] = f
	}
	p.report(lang.name, diags)
	if unit.Facts.Uninitialised == query.UninitialisedAny && len(opt.C.NondetRange) == 2 && p.limited == nil {
		p.limited = &verdict.Pos{File: p.Input.Name}
	}
	if unit.IR == nil || diags.HasErrors() {
		return ErrRefused
	}
	if opt.Replicate != "" && opt.Instances > 1 {
		more, err := transform.Replicate(unit.IR, opt.Replicate, opt.Instances)
		if err != nil {
			return p.Refuse(verdict.Diagnostic{Code: "FP0911", Message: err.Error()})
		}
		unit.IR = more
	}
	p.Unit = *unit
	return nil
}

// readChecked runs a front end, and checks what it made.
func readChecked(lang *language, files []*source.File, opt ReadOptions) (*Unit, *diag.List) {
	unit, diags := lang.parse(files, opt)
	if unit.IR == nil || diags.HasErrors() {
		return unit, diags
	}
	if errs := ir.Verify(unit.IR); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: the front end made a broken program: %v", errs[0]))
	}
	return unit, diags
}

// report takes over what the front end said.
func (p *Program) report(lang string, diags *diag.List) {
	diags.Sort()
	for _, d := range diags.All {
		p.Diagnostics = append(p.Diagnostics, p.diagnostic(lang, d))
		if d.Code == rangeWarning && p.limited == nil {
			pos := Position(d.Span)
			p.limited = &pos
		}
	}
	if diags.Dropped > 0 {
		p.Refuse(verdict.Diagnostic{Code: "FP0904", Message: fmt.Sprintf("%d more errors not shown", diags.Dropped)})
	}
}

func (p *Program) diagnostic(lang string, d diag.Diagnostic) verdict.Diagnostic {
	out := verdict.Diagnostic{
		Severity: verdict.Severity(d.Severity.String()), Code: d.Code, Pos: Position(d.Span), Message: d.Message, Notes: d.Notes,
		Help: helpFor(lang, &d),
	}
	name := d.Span.File
	if name == "" {
		name = p.Input.Name
	}
	if file := p.Files[name]; file != nil {
		out.Excerpt = diag.Excerpt(file, d)
	}
	return out
}

// Position converts a span of a source text.
func Position(s source.Span) verdict.Pos {
	return verdict.Pos{File: s.File, Line: s.Line, Col: s.Col, EndLine: s.EndLine, EndCol: s.EndCol}
}

// Slice returns the text of a span.
func (p *Program) Slice(s source.Span) string {
	if f := p.Files[s.File]; f != nil {
		return f.Slice(s)
	}
	return ""
}

// excerpt returns the line of the source that a diagnostic is about.
func excerpt(p *Program, at verdict.Pos) string {
	f := p.Files[at.File]
	if f == nil || at.Line == 0 {
		return ""
	}
	span := source.Span{Pos: source.Pos{File: at.File, Line: at.Line, Col: at.Col}, EndLine: at.EndLine, EndCol: at.EndCol}
	return diag.Excerpt(f, diag.Diagnostic{Span: span})
}

// TextAt returns the source text at a position on one line, "" if it is not known.
func (p *Program) TextAt(pos *verdict.Pos) string {
	if pos == nil || p.Files[pos.File] == nil {
		return ""
	}
	file := p.Files[pos.File]
	span := file.Span(0, 0)
	span.Line, span.Col, span.EndLine, span.EndCol = pos.Line, pos.Col, pos.EndLine, pos.EndCol
	text := strings.Join(strings.Fields(file.Slice(span)), " ")
	if strings.HasPrefix(text, "*") && p.StarDeclares && declares(file.Line(pos.Line), pos.Col) {
		return strings.TrimLeft(text, "* ")
	}
	return text
}

// declares reports whether a name that begins with a star in column col is declared there, and not
// an lvalue: a type stands before it.
func declares(line string, col int) bool {
	if col < 1 || col-1 > len(line) {
		return false
	}
	before := strings.TrimRight(line[:col-1], " \t")
	word := before[strings.LastIndexFunc(before, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})+1:]
	return word != "" && word != "else" && word != "do" && word != "return"
}
