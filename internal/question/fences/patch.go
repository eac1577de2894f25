package fences

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/query"
	"fencepost/verdict"
)

// Fences in the text: the changed program and its patches.

// Rewrite writes fences into the text, and keeps the patches. ok is false if a fence is in none of the
// files.
func (r *Repairer) Rewrite(at []ir.FenceAt) (in query.Input, ok bool) {
	in = r.run.Input
	in.More = slices.Clone(in.More)
	r.Changed, r.before = nil, nil
	if r.run.Write == nil {
		r.before = r.run.Before(at)
		return in, true
	}
	edits := r.run.Write(r.changes(at))
	in.Text = r.change(in.Name, in.Text, edits)
	for i := range in.More {
		in.More[i].Text = r.change(in.More[i].Name, in.More[i].Text, edits)
	}
	r.included = map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(edited(edits))) {
		f := r.run.Files[name]
		if f != nil && !r.given(name) {
			r.included[name] = r.change(name, f.Text, edits)
		}
	}
	return in, len(r.Changed) == len(edited(edits))
}

// given reports whether a file was given, and not included.
func (r *Repairer) given(name string) bool {
	return name == r.run.Input.Name || slices.ContainsFunc(r.run.Input.More, func(f query.File) bool { return f.Name == name })
}

// patch shows the text that was confirmed last.
func (r *Repairer) patch(res *verdict.Result) {
	if len(res.Fences) > 0 || len(res.Repair.Orders) > 0 {
		res.Repair.Patches = r.Changed
		if r.run.Write == nil {
			res.Warnings = append(res.Warnings, verdict.Warning{
				Code: "X0301", Pos: &verdict.Pos{File: r.run.Input.Name},
				Message: "the code was checked again with the fences in front of these instructions, and no file was written: the compiler has not seen them",
			})
		}
	}
}

// patchName is the name of a file in a patch. `patch -p1` goes neither up nor to the
// root by itself, so a file that is not below the directory is named from the root.
func patchName(o *query.FenceOptions, name string) string {
	if o.Directory == "" {
		return name
	}
	full := name
	if !filepath.IsAbs(name) {
		full = filepath.Join(o.Directory, name)
	}
	if rel, err := filepath.Rel(cmp.Or(o.PatchRoot, o.Directory), full); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return strings.TrimPrefix(filepath.ToSlash(full), "/")
}

// change makes the edits of one file, and keeps the patch.
func (r *Repairer) change(name string, text []byte, edits []source.Edit) []byte {
	var mine []source.Edit
	for _, e := range edits {
		if e.File == name {
			mine = append(mine, e)
		}
	}
	if len(mine) == 0 {
		return text
	}
	after := source.Apply(source.NewFile(name, text), mine)
	r.Changed = append(r.Changed, verdict.Patch{File: name, Diff: source.Diff(patchName(&r.opt, name), text, after), Text: string(after)})
	return after
}

// edited is the files that edits are about.
func edited(edits []source.Edit) map[string]bool {
	files := map[string]bool{}
	for _, e := range edits {
		files[e.File] = true
	}
	return files
}
