package pipeline

import (
	"fmt"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/automaton"
	"fencepost/internal/frontend/c"
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
}

var allFences = []ir.FenceKind{ir.FullFence, ir.StoreStoreFence}

// placers are the front ends that know places, by the name of the language.
var placers = map[string]func(*source.File, FenceOptions) (*placed, *diag.List){
	"fp":       placeAutomaton(automaton.Parse, allFences),
	"trencher": placeAutomaton(automaton.ParseTrencher, allFences[:1]),
	"memorax":  placeAutomaton(automaton.ParseMemorax, allFences),
	"c":        placeC,
}

func placeAutomaton(
	parse func(*source.File, automaton.Options) (*automaton.Unit, *diag.List), kinds []ir.FenceKind,
) func(*source.File, FenceOptions) (*placed, *diag.List) {
	return func(f *source.File, opt FenceOptions) (*placed, *diag.List) {
		u, diags := parse(f, automaton.Options{Threads: opt.Threads, Places: true})
		return &placed{prog: u.Program, props: u.Props, places: u.Places, kinds: kinds, write: u.Write}, diags
	}
}

func placeC(f *source.File, opt FenceOptions) (*placed, *diag.List) {
	style, ok := c.ParseFenceStyle(opt.Style)
	if !ok {
		panic(fmt.Sprintf("BUG: unknown style %q", opt.Style))
	}
	cOpt := cOptions(opt.Options)
	cOpt.Places = true
	u, diags := c.Parse([]*source.File{f}, cOpt)
	return &placed{
		prog: u.Program, props: u.Props, places: u.Places, kinds: allFences,
		write: func(fences []ir.FenceAt) []source.Edit { return u.Write(fences, style) },
	}, diags
}

// FenceStyles are the ways of writing a fence in C.
func FenceStyles() []string { return c.FenceStyles() }

// loadPlaces is load with places.
func loadPlaces(in Input, opt FenceOptions) (*program, *placed) {
	p := &program{input: in, file: source.NewFile(in.Name, in.Text)}
	refuse := func(code, message string, notes ...string) (*program, *placed) {
		p.diags = append(p.diags, verdict.Diagnostic{
			Severity: "error", Code: code, Pos: verdict.Pos{File: in.Name}, Message: message, Notes: notes,
		})
		return p, nil
	}
	lang, problem := chooseLanguage(in.Name, opt.Lang)
	if lang == nil {
		return refuse("FP0903", problem)
	}
	place := placers[lang.name]
	if place == nil {
		return refuse("FP0921", "fences are not written into litmus tests", "a test in C or .fp can be repaired")
	}
	pl, diags := place(p.file, opt)
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
