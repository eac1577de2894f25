package fences

import (
	"path"
	"path/filepath"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/transform"
	"fencepost/query"
)

// Which of several cheapest sets is shown: the one that a maintainer would write. A fence belongs into the function of
// the store that it stops; a statement there comes before one in another function, that before a line of an included
// file, and the definition of a macro, which much code uses, comes last. A library has many clients, so among equals a
// fence belongs into the library. Then the site nearest to the store is best: the reader sees at once which store
// it is about. Position decides at last.

// The ranks of a fence. Cost comes before all of them.
const (
	rankNear            = 1 << 0  // times the distance to the store before it, at most mostNear
	rankPart            = 1 << 4  // it is in the other part
	rankWhere           = 1 << 6  // times the kind of site
	rankOtherPart       = 1 << 10 // it is in the other part, where the user has said which
	rankStrong          = 1 << 12 // it is a full fence
	mostNear      int64 = 3
)

// The kinds of sites, the best first.
const (
	inFunction int64 = iota // of the store before it
	inProgram
	inHeader
	inMacro
)

// rank returns what a fence counts among sets of the same cost: the smaller the sum, the better.
func (r *Repairer) rank() func(ir.FenceAt) int64 {
	sites := r.Fences.Sites()
	ranks := make([]int64, len(sites))
	near := r.storesBefore()
	otherPart := int64(rankPart)
	if r.opt.Prefer == query.PreferClient {
		otherPart = rankOtherPart
	}
	for i := range sites {
		ranks[i] = min(near[i].distance, mostNear) * rankNear
		if r.isLibrary(sites[i].Pos.File) != (r.opt.Prefer != query.PreferClient) {
			ranks[i] += otherPart
		}
		switch {
		case sites[i].Expansions > 0:
			ranks[i] += inMacro * rankWhere
		case near[i].sameFunction:
			ranks[i] += inFunction
		case r.given(sites[i].Pos.File):
			ranks[i] += inProgram * rankWhere
		default:
			ranks[i] += inHeader * rankWhere
		}
	}
	return func(at ir.FenceAt) int64 {
		if at.Kind == ir.FullFence {
			return ranks[at.Site] + rankStrong
		}
		return ranks[at.Site]
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

// storeBefore is the store that a fence site comes after.
type storeBefore struct {
	distance     int64 // how many loads and other sites come between, mostNear for many and for none
	sameFunction bool  // the store is in the function of the site
}

// storesBefore returns, by fence site, the nearest store before it in some thread.
func (r *Repairer) storesBefore() []storeBefore {
	out := make([]storeBefore, len(r.Fences.Sites()))
	for i := range out {
		out[i].distance = mostNear + 1
	}
	functions := map[ir.EdgeID]*ir.Func{}
	for _, f := range r.run.IR.Funcs {
		for i := range f.Edges {
			functions[f.Edges[i].ID] = f
		}
	}
	for _, f := range r.Flat.Funcs {
		into := make([][]int32, len(f.Locs))
		for i := range f.Edges {
			into[f.Edges[i].To] = append(into[f.Edges[i].To], int32(i))
		}
		for i := range f.Edges {
			e := &f.Edges[i]
			site, ok := siteOf(r.Fences, e)
			if !ok {
				continue
			}
			for distance, stores := range r.lastStores(f, into, e.From) {
				for _, s := range stores {
					out[site].add(int64(distance), functions[s.Origin] != nil && functions[s.Origin] == functions[e.Origin])
				}
			}
		}
	}
	return out
}

// siteOf returns the fence site of an edge. The sites around a store belong to its order, and are no fence sites.
func siteOf(fs *transform.Fences, e *ir.Edge) (ir.SiteID, bool) {
	site, ok := fs.SiteOf(e.ID)
	return site, ok && int(site) < len(fs.Sites())
}

// add notes a store before the site.
func (s *storeBefore) add(distance int64, same bool) {
	if distance < s.distance || distance == s.distance && same {
		s.distance, s.sameFunction = distance, same
	}
}

// lastStores goes back from a location, past at most mostNear loads and fence sites, and returns the stores that
// it comes to, by distance.
func (r *Repairer) lastStores(f *ir.Func, into [][]int32, at ir.Loc) [mostNear + 1][]*ir.Edge {
	var out [mostNear + 1][]*ir.Edge
	seen := map[ir.Loc]bool{at: true}
	level := []ir.Loc{at}
	for d := range out {
		var next []ir.Loc
		for k := 0; k < len(level); k++ {
			for _, i := range into[level[k]] {
				e := &f.Edges[i]
				_, site := siteOf(r.Fences, e)
				switch {
				case e.Op.Kind == ir.Store:
					out[d] = append(out[d], e)
				case seen[e.From] || e.Op.Kind == ir.RMW || e.Op.Kind == ir.Fence: // a store does not wait past these
				case e.Op.Local() && !site:
					seen[e.From] = true
					level = append(level, e.From)
				default:
					next = append(next, e.From)
				}
			}
		}
		level = level[:0]
		for _, l := range next {
			if !seen[l] {
				seen[l] = true
				level = append(level, l)
			}
		}
	}
	return out
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
