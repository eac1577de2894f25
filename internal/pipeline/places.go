package pipeline

import (
	"context"
	"fmt"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/litmus"
	"fencepost/internal/frontend/memorax"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/frontend/trencher"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/verdict"
)

// placed is a program with the places where fences can be written.
type placed struct {
	prog   *ir.Program
	props  *property.Set
	places []ir.Place
	kinds  []ir.FenceKind // that the language can express
	write  func([]ir.FenceAt) []source.Edit
	// included are files that the program includes.
	included []*source.File
}

var allFences = []ir.FenceKind{ir.FullFence, ir.StoreStoreFence}

// placers are the front ends that know places, by the name of the language.
var placers = map[string]func([]*source.File, FenceOptions) (*placed, *diag.List){
	"fp":       placeAutomaton(fp.Parse, allFences),
	"trencher": placeAutomaton(trencher.Parse, allFences[:1]),
	"memorax":  placeAutomaton(memorax.Parse, allFences),
	"c":        placeC,
	"litmus":   placeLitmus,
}

func placeAutomaton(
	parse func(*source.File, statement.Options) (*statement.Unit, *diag.List), kinds []ir.FenceKind,
) func([]*source.File, FenceOptions) (*placed, *diag.List) {
	return func(files []*source.File, opt FenceOptions) (*placed, *diag.List) {
		u, diags := parse(files[0], statement.Options{Threads: opt.Threads, Places: true})
		return &placed{prog: u.Program, props: u.Props, places: u.Places, kinds: kinds, write: u.Write}, diags
	}
}

func placeC(files []*source.File, opt FenceOptions) (*placed, *diag.List) {
	style, ok := translate.ParseFenceStyle(opt.Style)
	if !ok {
		panic(fmt.Sprintf("BUG: unknown style %q", opt.Style))
	}
	cOpt := cOptions(opt.Options)
	cOpt.Places = true
	u, diags := c.Parse(files, cOpt)
	return &placed{
		prog: u.Program, props: u.Props, places: u.Places, kinds: allFences, included: u.Included,
		write: func(fences []ir.FenceAt) []source.Edit { return u.Write(fences, style) },
	}, diags
}

// placeLitmus knows places in tests in C; columns of instructions have none.
func placeLitmus(files []*source.File, opt FenceOptions) (*placed, *diag.List) {
	style, ok := translate.ParseFenceStyle(opt.Style)
	if !ok {
		panic(fmt.Sprintf("BUG: unknown style %q", opt.Style))
	}
	cOpt := cOptions(opt.Options)
	cOpt.Places = true
	u, diags := litmus.Parse(files[0], litmus.Options{C: cOpt})
	if u.Program != nil && !u.InC() {
		diags.Errorf("FP0921", files[0].Span(0, 0), "fences are not written into litmus tests for %s", u.Arch).Note("a test in C or .fp can be repaired")
		return &placed{}, diags
	}
	return &placed{
		prog: u.Program, props: u.Props, places: u.Places, kinds: allFences, included: u.Included,
		write: func(fences []ir.FenceAt) []source.Edit { return u.Write(fences, u.FenceStyle(style)) },
	}, diags
}

// FenceStyles are the ways of writing a fence in C.
func FenceStyles() []string { return translate.FenceStyles() }

// loadPlaces is load with places.
func loadPlaces(ctx context.Context, in Input, opt FenceOptions) (*program, *placed) {
	p := newProgram(in)
	refuse := func(code, message string, notes ...string) (*program, *placed) {
		p.diags = append(p.diags, verdict.Diagnostic{
			Severity: verdict.SeverityError, Code: code, Pos: verdict.Pos{File: in.Name}, Message: message, Notes: notes,
		})
		return p, nil
	}
	lang, problem := chooseLanguage(in.Name, opt.Lang)
	if lang == nil {
		return refuse("FP0903", problem)
	}
	place := placers[lang.name]
	if place == nil {
		panic("BUG: a language without places")
	}
	if len(in.More) > 0 && lang.link == nil {
		return refuse("FP0909", "a program of several files must be C")
	}
	var pl *placed
	var diags *diag.List
	files := p.link()
	if over := within(ctx, opt.Options, func() { pl, diags = place(files, opt) }); over != "" {
		return unread(in, over), nil
	}
	for _, f := range pl.included {
		p.files[f.Name] = f
	}
	p.report(diags)
	if pl.prog == nil || diags.HasErrors() {
		return p, nil
	}
	if errs := ir.Verify(pl.prog); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: the front end made a broken program: %v", errs[0]))
	}
	p.ir, p.props = pl.prog, pl.props
	return p, pl
}
