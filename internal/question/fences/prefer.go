package fences

import (
	"path"
	"path/filepath"
	"slices"

	"fencepost/internal/ir"
	"fencepost/query"
)

// Which of several cheapest sets is shown. A library has many clients, so a fence belongs into the
// library where that is enough. There a fence is best next to the store that is delayed: the
// reader sees at once which store it is about. Position decides at last.

// The ranks of a fence, from the most important on. Cost comes before all of them.
const (
	rankNear   = 1 << 0  // no store comes right before it
	rankPart   = 1 << 6  // it is in the other part
	rankStrong = 1 << 12 // it is a full fence
)

// rank returns what a fence counts among sets of the same cost: the smaller the sum, the better.
func (r *Repairer) rank() func(ir.FenceAt) int64 {
	sites := r.Fences.Sites()
	afterStore := r.comesAfterStore()
	other := make([]bool, len(sites))
	for i := range sites {
		other[i] = r.isLibrary(sites[i].Pos.File) != (r.opt.Prefer != query.PreferClient)
	}
	return func(at ir.FenceAt) int64 {
		var rank int64
		if !afterStore[at.Site] {
			rank += rankNear
		}
		if other[at.Site] {
			rank += rankPart
		}
		if at.Kind == ir.FullFence {
			rank += rankStrong
		}
		return rank
	}
}

// strength returns what a fence counts among the sets of the lowest cost, which are listed. Where there are weaker fences
// than full ones, a set in which a full fence could be a weaker one is not listed.
func (r *Repairer) strength() func(ir.FenceAt) int64 {
	weaker := len(r.FenceKinds()) > 1
	return func(at ir.FenceAt) int64 {
		if weaker && at.Kind == ir.FullFence {
			return 1
		}
		return 0
	}
}

// isLibrary reports whether a file belongs to the library.
func (r *Repairer) isLibrary(file string) bool {
	if !r.given(file) {
		return true
	}
	return len(r.run.Input.More) > 0 && r.Flat.Main != ir.NoThread && r.Flat.ThreadFunc(r.Flat.Main).Pos.File != file
}

// comesAfterStore returns, by fence site, whether a store is the last access before it in some thread.
func (r *Repairer) comesAfterStore() []bool {
	out := make([]bool, len(r.Fences.Sites()))
	for _, f := range r.Flat.Funcs {
		into := make([][]int32, len(f.Locs))
		for i := range f.Edges {
			into[f.Edges[i].To] = append(into[f.Edges[i].To], int32(i))
		}
		for i := range f.Edges {
			e := &f.Edges[i]
			if site, ok := r.Fences.SiteOf(e.ID); ok && !out[site] {
				out[site] = lastIsStore(f, into, e.From)
			}
		}
	}
	return out
}

// lastIsStore goes back from a location over local steps, and reports whether it comes to a store.
func lastIsStore(f *ir.Func, into [][]int32, at ir.Loc) bool {
	seen, work := map[ir.Loc]bool{at: true}, []ir.Loc{at}
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range into[l] {
			e := &f.Edges[i]
			switch {
			case e.Op.Kind == ir.Store:
				return true
			case e.Op.Local() && !seen[e.From]:
				seen[e.From] = true
				work = append(work, e.From)
			}
		}
	}
	return false
}

// limitFiles makes the fence sites in files that do not match the pattern read-only.
func (r *Repairer) limitFiles() {
	if r.opt.Files == "" {
		return
	}
	for i := range r.run.Sites {
		if !matches(r.opt.Files, r.run.Sites[i].Pos.File) {
			r.run.Sites[i].ReadOnly = true
		}
	}
}

// matches reports whether a pattern matches a file: its base name, or as many directories above it
// as the pattern has.
func matches(pattern, file string) bool {
	file = filepath.ToSlash(file)
	for rest := file; ; {
		if ok, _ := path.Match(pattern, rest); ok { // the pattern was checked
			return true
		}
		i := slices.Index([]byte(rest), '/')
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
}
