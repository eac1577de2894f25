package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sort"
	"strings"
	"time"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c"
	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/litmus"
	"fencepost/internal/frontend/memorax"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/frontend/trencher"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// program is an input after the front end.
type program struct {
	input Input
	file  *source.File
	files map[string]*source.File // all of them, and what they include
	ir    *ir.Program             // structured
	props *property.Set
	diags []verdict.Diagnostic
	notes []c.Annotation // comments //@ of C

	language string
	ctx      context.Context // of the reading; the passes look at it too
	begun    time.Time
	limited  *verdict.Pos // an input that takes only the values that the user named
}

// ok reports whether there is a program to work on.
func (p *program) ok() bool { return p.ir != nil }

// language is a front end.
type language struct {
	name  string
	exts  []string
	parse func(*source.File, Options) (*ir.Program, *property.Set, *diag.List)
	// link is for languages whose programs may have several files; it gives the files
	// that were included, too.
	link func([]*source.File, Options) (*ir.Program, *property.Set, *diag.List, []*source.File, []c.Annotation)
}

var languages = []language{
	{name: "fp", exts: []string{".fp"}, parse: parseAutomaton(fp.Parse)},
	{name: "trencher", exts: []string{".txt"}, parse: parseAutomaton(trencher.Parse)},
	{name: "memorax", exts: []string{".rmm"}, parse: parseAutomaton(memorax.Parse)},
	{name: "litmus", exts: []string{".litmus"}, parse: parseLitmus},
	{name: "c", exts: []string{".c"}, link: parseC},
}

// parseAutomaton adapts one of the languages of package automaton.
func parseAutomaton(parse func(*source.File, statement.Options) (*statement.Unit, *diag.List)) func(*source.File, Options) (*ir.Program, *property.Set, *diag.List) {
	return func(f *source.File, opt Options) (*ir.Program, *property.Set, *diag.List) {
		unit, diags := parse(f, statement.Options{Threads: opt.Threads, Numbered: opt.claims})
		if diags.HasErrors() || unit == nil {
			return nil, nil, diags
		}
		return unit.Program, unit.Props, diags
	}
}

// parseLitmus adapts litmus tests.
func parseLitmus(f *source.File, opt Options) (*ir.Program, *property.Set, *diag.List) {
	unit, diags := litmus.Parse(f, litmus.Options{C: cOptions(opt)})
	return unit.Program, unit.Props, diags
}

// parseC adapts C.
func parseC(files []*source.File, opt Options) (*ir.Program, *property.Set, *diag.List, []*source.File, []c.Annotation) {
	unit, diags := c.Parse(files, cOptions(opt))
	return unit.Program, unit.Props, diags, unit.Included, unit.Annotations
}

func cOptions(opt Options) c.Options {
	var nondet *c.Range
	if r := opt.C.NondetRange; len(r) == 2 {
		nondet = &c.Range{Lo: r[0], Hi: r[1]}
	}
	return c.Options{
		Nondet:  nondet,
		Defines: opt.C.Defines, Undefines: opt.C.Undefines, IncludeDirs: opt.C.IncludeDirs, Include: opt.C.Include,
		Claims:     opt.claims,
		ExternPure: opt.C.ExternPure, ExternFence: opt.C.ExternFence, CheckOverflow: opt.C.CheckOverflow,
	}
}

func newProgram(in Input) *program {
	f := source.NewFile(in.Name, in.Text)
	return &program{
		input: in, file: f, files: map[string]*source.File{in.Name: f},
		ctx: context.Background(), begun: time.Now(),
	}
}

// load runs the front end that the input's name or --lang asks for.
func load(ctx context.Context, in Input, opt Options) *program {
	p := newProgram(in)
	p.ctx = ctx
	lang, problem := chooseLanguage(in.Name, opt.Lang)
	if lang == nil {
		p.diags = append(p.diags, verdict.Diagnostic{
			Severity: verdict.SeverityError, Code: "FP0903", Pos: verdict.Pos{File: in.Name}, Message: problem,
		})
		return p
	}
	if len(in.More) > 0 && lang.link == nil {
		p.diags = append(p.diags, verdict.Diagnostic{
			Severity: verdict.SeverityError, Code: "FP0909", Pos: verdict.Pos{File: in.More[0].Name},
			Message: "a program of several files must be C",
		})
		return p
	}
	p.language = lang.name
	var prog *ir.Program
	var props *property.Set
	var diags *diag.List
	if over := within(ctx, opt, func() { prog, props, diags = p.parse(lang, opt) }); over != "" {
		return unread(in, over)
	}
	p.report(diags)
	if prog == nil || diags.HasErrors() {
		return p
	}
	if errs := ir.Verify(prog); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: the front end made a broken program: %v", errs[0]))
	}
	if opt.Replicate != "" && opt.Instances > 1 {
		more, err := transform.Replicate(prog, opt.Replicate, opt.Instances)
		if err != nil {
			p.diags = append(p.diags, verdict.Diagnostic{Severity: verdict.SeverityError, Code: "FP0911", Pos: verdict.Pos{File: in.Name}, Message: err.Error()})
			return p
		}
		prog = more
	}
	p.ir, p.props = prog, props
	return p
}

// parse runs the front end on all files.
func (p *program) parse(lang *language, opt Options) (*ir.Program, *property.Set, *diag.List) {
	if lang.link == nil {
		return lang.parse(p.file, opt)
	}
	prog, props, diags, included, notes := lang.link(p.link(), opt)
	p.notes = notes
	for _, f := range included {
		p.files[f.Name] = f
	}
	return prog, props, diags
}

// link is all files of the program.
func (p *program) link() []*source.File {
	files := []*source.File{p.file}
	for _, more := range p.input.More {
		f := source.NewFile(more.Name, more.Text)
		files = append(files, f)
		p.files[f.Name] = f
	}
	return files
}

// sources are the texts a result needs to be shown: the files of the program, and
// of what they include that which the answer points at.
func (p *program) sources(witnesses ...*verdict.Witness) map[string]string {
	out := map[string]string{p.input.Name: string(p.input.Text)}
	for _, f := range p.input.More {
		out[f.Name] = string(f.Text)
	}
	for _, w := range witnesses {
		if w == nil {
			continue
		}
		for i := range w.Steps {
			if pos := w.Steps[i].Pos; pos != nil && p.files[pos.File] != nil {
				out[pos.File] = string(p.files[pos.File].Text)
			}
		}
	}
	return out
}

// carrySources gives a result the texts it needs to be shown.
func (p *program) carrySources(res *verdict.Result) {
	var witnesses []*verdict.Witness
	for _, e := range res.Executions() {
		witnesses = append(witnesses, e.Witness)
	}
	for _, b := range res.Breaks() {
		witnesses = append(witnesses, b.Witness())
	}
	res.Sources = p.sources(witnesses...)
}

// report takes over what the front end said.
func (p *program) report(diags *diag.List) {
	diags.Sort()
	for _, d := range diags.All {
		p.diags = append(p.diags, p.diagnostic(d))
		if d.Code == c.RangeWarning && p.limited == nil {
			pos := position(d.Span)
			p.limited = &pos
		}
	}
	if diags.Dropped > 0 {
		p.diags = append(p.diags, verdict.Diagnostic{
			Severity: verdict.SeverityError, Code: "FP0904", Pos: verdict.Pos{File: p.input.Name},
			Message: fmt.Sprintf("%d more errors not shown", diags.Dropped),
		})
	}
}

func chooseLanguage(name, lang string) (*language, string) {
	var names, exts []string
	for i := range languages {
		l := &languages[i]
		names, exts = append(names, l.name), append(exts, l.exts...)
		if lang == l.name {
			return l, ""
		}
		for _, ext := range l.exts {
			if lang == "" && strings.EqualFold(path.Ext(name), ext) {
				return l, ""
			}
		}
	}
	sort.Strings(names)
	sort.Strings(exts)
	if lang != "" {
		return nil, fmt.Sprintf("unknown language %q; known: %s", lang, strings.Join(names, ", "))
	}
	return nil, fmt.Sprintf("cannot tell the language from the file name; known extensions: %s; or give --lang %s",
		strings.Join(exts, ", "), strings.Join(names, "|"))
}

func (p *program) diagnostic(d diag.Diagnostic) verdict.Diagnostic {
	out := verdict.Diagnostic{
		Severity: verdict.Severity(d.Severity.String()), Code: d.Code, Pos: position(d.Span), Message: d.Message, Notes: d.Notes,
	}
	file := p.file
	if d.Span.File != "" {
		file = p.files[d.Span.File]
	}
	if file != nil {
		out.Excerpt = diag.Excerpt(file, d)
	}
	return out
}

func position(s source.Span) verdict.Pos {
	return verdict.Pos{File: s.File, Line: s.Line, Col: s.Col, EndLine: s.EndLine, EndCol: s.EndCol}
}

// flat runs the passes. A program that does not fit their limits is refused with
// a diagnostic.
func (p *program) flat(opt Options) *ir.Program {
	limit := p.limit(opt)
	flat, err := transform.Run(p.ir, transform.Options{Unroll: opt.unroll(), Stop: limit}, nil)
	var over *overLimit
	switch {
	case errors.As(err, &over):
		p.diags = append(p.diags, verdict.Diagnostic{
			Severity: verdict.SeverityError, Code: "FP0916", Pos: verdict.Pos{File: p.input.Name},
			Message: "calls were not replaced by what they call " + over.limit,
			Notes:   []string{"look for recursion, which is followed up to --unroll, and for calls through pointers, which lead to every function of that kind whose address is taken"},
		})
		return nil
	case err != nil:
		p.diags = append(p.diags, verdict.Diagnostic{
			Severity: verdict.SeverityError, Code: "FP0905", Pos: verdict.Pos{File: p.input.Name}, Message: err.Error(),
		})
		return nil
	}
	return flat
}

// limit makes a function that says which limit the passes have met. Time counts from
// the beginning of the reading.
func (p *program) limit(opt Options) func() error {
	before := heapBytes()
	return func() error {
		now := heapBytes()
		before = min(before, now)
		switch {
		case p.ctx.Err() != nil:
			return &overLimit{"before the interruption"}
		case opt.Timeout > 0 && time.Since(p.begun) >= opt.Timeout:
			return &overLimit{fmt.Sprintf("within the time limit of %s", opt.Timeout)}
		case opt.Memory > 0 && now-before > opt.Memory:
			return &overLimit{fmt.Sprintf("within the memory limit of %d MiB", opt.Memory>>20)}
		}
		return nil
	}
}

// overLimit says which limit ended the passes.
type overLimit struct{ limit string }

func (o *overLimit) Error() string { return "not done " + o.limit }
