package elf

import (
	"fencepost/internal/diag"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/query"
)

// Options has the options of the user, and the wishes of a question.
type Options struct {
	query.COptions
	// Client, if not nil, is the program, and the machine code its library.
	Client *source.File
	// Sites asks for the fence sites.
	Sites bool
}

// request has the options as the translation takes them.
type request struct {
	Options
	entries []Entry
	fences  map[uint64]ir.FenceKind
	client  *client
}

func newRequest(opt Options, diags *diag.List, at source.Span) *request {
	r := &request{Options: opt, fences: map[uint64]ir.FenceKind{}}
	if mode := opt.Uninitialised; mode != "" && mode != query.UninitialisedZero {
		diags.Errorf(codeUninitialised, at, "--uninitialised %s is for C: memory of machine code that was never written reads as 0", mode)
		return r
	}
	for _, name := range opt.Entry {
		e, err := parseEntry(name)
		if err != nil {
			diags.Errorf(codeMain, at, "--entry: %v", err)
			return r
		}
		r.entries = append(r.entries, e)
	}
	for at, name := range opt.Fences {
		for _, kind := range []ir.FenceKind{ir.FullFence, ir.StoreStoreFence} {
			if kind.String() == name {
				r.fences[at] = kind
			}
		}
	}
	if opt.Client != nil {
		r.client = newClient(opt.Client)
	}
	return r
}

// Unit is a translated program and what is asked of it.
type Unit struct {
	translate.Unit
	Props *property.Set
	// Listing is the code as text, which the positions refer to; it has the name of the first file.
	Listing *source.File
	// SourceLines says which line of the user's source a line of the listing was made of, as file:line:column.
	SourceLines map[int]string
	// Runs says which function of the source a line of the listing is in, the outermost one that is not of a library, with the
	// line of its declaration. SourceDirs are the directories in which the compiler was, by the files of SourceLines.
	Runs       map[int]string
	SourceDirs map[string]string
	// Code has the instructions that were made of the user's source, in the order of the listing.
	Code []CodeLine
	// Sites are in front of instructions that access memory and of calls, those of one position in the source together, in the
	// order of the listing; Addresses has the addresses of the instructions of each.
	Sites     []ir.FenceSite
	Addresses [][]uint64
}

// Parse translates the files of a program. The unit is never nil; its Program is nil exactly if the list
// has errors.
func Parse(files []*source.File, opt Options) (*Unit, *diag.List) {
	diags := &diag.List{}
	at := source.At(source.Pos{File: files[0].Name})
	asked := newRequest(opt, diags, at)
	if diags.HasErrors() {
		return &Unit{}, diags
	}
	var inputs []object.Input
	for _, f := range files {
		inputs = append(inputs, object.Input{Name: f.Name, Data: f.Text})
	}
	image, err := object.Load(inputs)
	if err != nil {
		bad := err.(*object.Error)
		d := diags.Errorf(codeFile, source.At(source.Pos{File: bad.File}), "%s", bad.Message)
		if bad.Advice != "" {
			d.Note("%s", bad.Advice)
		}
		return &Unit{}, diags
	}
	var p *program
	for whole := map[*object.Section]bool{}; p == nil || p.changed; {
		p = newProgram(image, asked, whole)
		p.begins(diags, at)
		if diags.HasErrors() {
			return &Unit{}, diags
		}
		p.findHandlers()
	}
	p.analyse()
	if p.checkEntries(diags, at); diags.HasErrors() {
		return &Unit{}, diags
	}
	text := p.stubs()
	listing := p.list(files)
	zeroed := query.COptions{NondetRange: opt.NondetRange, Uninitialised: query.UninitialisedZero} // the other options are about texts of the user
	unit, more := translate.Program([]*source.File{text}, library.New(), translate.Options{COptions: zeroed, Bodies: p.bodies()})
	for _, d := range more.All {
		switch {
		case d.Severity == diag.Error:
			diags.Errorf(d.Code, at, "%s", d.Message)
		case d.Code == translate.RangeWarning:
			diags.Warnf(d.Code, at, "%s", d.Message)
		}
	}
	u := &Unit{Unit: *unit, Listing: listing, SourceLines: p.sources, Runs: p.runs, SourceDirs: image.Lines.Dirs, Code: p.code.all}
	if diags.HasErrors() || unit.Program == nil {
		u.Program = nil
		return u, diags
	}
	p.fillIn(unit.Program)
	p.locate(unit.Program)
	p.forbid(unit.Program)
	u.Objects = p.shown()
	u.Sites, u.Addresses = p.fenceSites()
	u.Loops = true
	u.Props = &property.Set{Checks: true, Deadlock: true, Whole: true, Objects: u.Objects}
	return u, diags
}
