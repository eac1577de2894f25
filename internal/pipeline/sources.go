package pipeline

import (
	"slices"

	"fencepost/verdict"
)

// The texts that answers carry, so that they can be shown later.

// Sources returns the texts that a result needs to be shown: the files of the program, and those
// included files that a step of the witnesses is in. The text of machine code is its listing.
func (p *Program) Sources(witnesses ...*verdict.Witness) map[string]string {
	out := map[string]string{p.Input.Name: StoredText(p.Input.Text)}
	for _, f := range p.Input.More {
		out[f.Name] = StoredText(f.Text)
	}
	if p.Listing != nil {
		out[p.Input.Name] = string(p.Listing.Text)
	}
	carried := map[string]bool{}
	for _, w := range witnesses {
		if w == nil {
			continue
		}
		for i := range w.Steps {
			pos := w.Steps[i].Pos
			if pos == nil {
				continue
			}
			at, _ := pos.SourceLine()
			for _, name := range []string{pos.File, at} {
				if !carried[name] && p.Files[name] != nil && (p.Listing == nil || name != p.Listing.Name) {
					carried[name] = true
					out[name] = string(p.Files[name].Text)
				}
			}
		}
	}
	return out
}

// CarrySources gives a result the texts that it needs to be shown, and its positions those of the source.
func (p *Program) CarrySources(res *verdict.Result) {
	if p.Locate != nil {
		p.Locate(res)
	}
	res.Sources = SourcesOf(p, res)
	if p.MadeOf != nil {
		res.Listing = p.MadeOf(res)
	}
}

// SourcesOf returns the texts that a result needs to be shown.
func SourcesOf(p *Program, res *verdict.Result) map[string]string {
	var witnesses []*verdict.Witness
	for _, e := range res.Executions() {
		witnesses = append(witnesses, e.Witness)
	}
	for _, b := range res.Breaks() {
		witnesses = append(witnesses, b.Witness())
	}
	out := p.Sources(witnesses...)
	if res.Repair == nil {
		return out
	}
	for _, f := range slices.Concat(res.Fences, res.Repair.Redundant, res.Repair.Elsewhere) {
		if f.Pos == nil || f.Pos.Source == "" {
			continue
		}
		if at, _ := f.Pos.SourceLine(); p.Files[at] != nil {
			out[at] = string(p.Files[at].Text)
		}
	}
	for _, patch := range res.Repair.Patches {
		if f := p.Files[patch.File]; f != nil {
			out[patch.File] = string(f.Text)
		}
	}
	return out
}
