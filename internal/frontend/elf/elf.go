package elf

import (
	"fencepost/internal/diag"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// Options are the options of the user.
type Options struct {
	ExternPure, ExternFence []string
	// Entry are functions that run as threads of a program without main; Finally, if not "", runs after them.
	Entry   []Entry
	Finally string
	// Client, if not nil, is the program, and the machine code its library.
	Client *source.File
	// Sites asks for the fence sites; Fences are fences before instructions, by their addresses.
	client *client
	Sites  bool
	Fences map[uint64]ir.FenceKind
	// Nondet is the range of inputs and random numbers, nil for all values.
	Nondet *translate.Range
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
	if opt.Client != nil {
		opt.client = newClient(opt.Client)
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
		p = newProgram(image, opt, whole)
		p.begins(diags, at)
		if diags.HasErrors() {
			return &Unit{}, diags
		}
	}
	p.analyse()
	if p.checkEntries(diags, at); diags.HasErrors() {
		return &Unit{}, diags
	}
	text := p.stubs()
	listing := p.list(files)
	unit, more := translate.Program([]*source.File{text}, library.New(), translate.Options{Bodies: p.bodies(), Nondet: opt.Nondet})
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
