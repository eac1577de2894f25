//go:build !fencepost_small

package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/elf"
	"fencepost/internal/frontend/memorax"
	"fencepost/internal/frontend/trencher"
	"fencepost/internal/gcc"
	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/query"
	"fencepost/verdict"
)

// The languages of the whole build: C, what shares its translation, and the automata of other tools.
// read_small.go stands for this file in the small part of the playground.

// Whole says that the build has all languages and engines.
const Whole = true

// annotation is a comment //@ of C.
type annotation = c.Annotation

// rangeWarning is the code of the warning that an input takes some of its values only.
const rangeWarning = c.RangeWarning

// FenceStyles lists the ways to write a fence in C, the default first.
func FenceStyles() []string { return translate.FenceStyles() }

var (
	parseTrencher = parseAutomaton(trencher.Parse, allFences[:1])
	parseMemorax  = parseAutomaton(memorax.Parse, allFences)
)

// parseC adapts C.
func parseC(files []*source.File, opt ReadOptions) (*Unit, *diag.List) {
	if bad := badFlags(files[0], opt.C); bad != nil {
		return &Unit{}, bad
	}
	mode := cmp.Or(opt.C.Uninitialised, query.UninitialisedError)
	u, diags := c.Parse(files, cOptions(opt))
	return &Unit{
		IR: u.Program, Props: u.Props, Included: u.Included, LoopFree: !u.Loops, Notes: u.Annotations, Sites: u.Sites, Kinds: allFences,
		Write: func(fences []ir.FenceAt) []source.Edit { return u.Write(fences, fenceStyle(opt)) },
		Facts: Facts{
			SizedNumbers: true, Errors: true, BeginsAtMain: true, StarDeclares: true, Uninitialised: mode, Orders: OrdersPlain, Kernel: u.Kernel,
			LeftOut: []string{"freed blocks", "automatic and thread-local objects, whose functions and threads have ended"},
		},
	}, diags
}

// parseMachineCode adapts machine code. It has no text that fences could be written into: they are named only.
func parseMachineCode(files []*source.File, opt ReadOptions) (*Unit, *diag.List) {
	asked := elf.Options{COptions: opt.C, Sites: opt.Sites}
	if n := len(files) - 1; n > 0 && path.Ext(files[n].Name) == ".c" {
		asked.Client, files = files[n], files[:n]
	}
	u, diags := elf.Parse(files, asked)
	out := &Unit{IR: u.Program, Props: u.Props, Sites: u.Sites, Kinds: allFences, Facts: Facts{Uninitialised: query.UninitialisedZero}}
	out.Before = func(fences []ir.FenceAt) map[uint64]string {
		at := map[uint64]string{}
		for _, f := range fences {
			for _, addr := range u.Addresses[f.Site] {
				at[addr] = f.Kind.String()
			}
		}
		return at
	}
	if u.Listing != nil {
		out.Listing, out.Included = u.Listing, []*source.File{u.Listing}
		out.Locate = func(res any) { locate(reflect.ValueOf(res), u) }
		out.MadeOf = func(res *verdict.Result) *verdict.Listing { return listingOf(u, res, res.Sources) }
		out.Included = append(out.Included, sourcesOf(u, opt.C.Include)...)
	}
	return out, diags
}

// badFlags returns what is wrong with the flags of a compiler, or nil.
func badFlags(first *source.File, opt query.COptions) *diag.List {
	diags := &diag.List{}
	for _, flags := range append(slices.Collect(maps.Values(opt.FileFlags)), opt.Flags) {
		if _, err := gcc.Parse(flags); err != nil {
			diags.Errorf("FP0918", first.Span(0, 0), "%v", err)
		}
	}
	if _, err := gcc.Parse([]string{"-std=" + opt.Std}); opt.Std != "" && err != nil {
		diags.Errorf("FP0918", first.Span(0, 0), "%v", err)
	}
	if !diags.HasErrors() {
		return nil
	}
	return diags
}

// cOptions returns what C is read with.
func cOptions(opt ReadOptions) c.Options {
	return c.Options{COptions: opt.C, Invariants: opt.Annotations, Sites: opt.Sites, Orders: opt.Orders}
}

// fenceStyle returns the style of fences, which the question has checked.
func fenceStyle(opt ReadOptions) translate.FenceStyle {
	style, ok := translate.ParseFenceStyle(opt.FenceStyle)
	if !ok {
		panic(fmt.Sprintf("BUG: unknown style %q", opt.FenceStyle))
	}
	return style
}

// StoredText returns the text of a file of a program in results; machine code has a digest there.
func StoredText(text []byte) string { return elf.StoredText(text) }

// locate gives the positions of a value that are about the listing those of the source, and the threads the names of what
// they run.
func locate(v reflect.Value, u *elf.Unit) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			locate(v.Elem(), u)
		}
	case reflect.Slice:
		for i := range v.Len() {
			locate(v.Index(i), u)
		}
	case reflect.Struct:
		switch x := v.Interface().(type) {
		case verdict.Pos:
			if x.File == u.Listing.Name && v.CanSet() {
				x.Source = u.SourceLines[x.Line]
				v.Set(reflect.ValueOf(x))
			}
			return
		case verdict.Witness:
			if v.CanSet() {
				x.Names = threadNames(&x, u)
				v.Set(reflect.ValueOf(x))
			}
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				locate(v.Field(i), u)
			}
		}
	}
}

// threadNames names the threads that begin in a function of a library by what they run; nil if there are none.
func threadNames(w *verdict.Witness, u *elf.Unit) []string {
	out, count, named := make([]string, len(w.Threads)), map[string]int{}, false
	for i := range w.Steps {
		s := &w.Steps[i]
		if s.Pos == nil || s.Thread < 0 || s.Thread >= len(out) || out[s.Thread] != "" || s.Pos.File != u.Listing.Name {
			continue
		}
		if runs := u.Runs[s.Pos.Line]; runs != "" && elf.StartsThreads(w.Threads[s.Thread]) {
			out[s.Thread], named = runs, true
			count[runs]++
		}
	}
	if !named {
		return nil
	}
	number := map[string]int{}
	for t, name := range out {
		if name != "" && count[name] > 1 {
			number[name]++
			out[t] = fmt.Sprintf("%s#%d", name, number[name])
		}
	}
	return out
}

// maxSources bounds the files of the source that are read for machine code.
const maxSources = 200

// sourcesOf reads the files that machine code was made of, as far as they are there: by the name that the compiler was
// given, in the directory in which it was, or beside the machine code.
func sourcesOf(u *elf.Unit, include func(string) ([]byte, bool)) []*source.File {
	if include == nil {
		return nil
	}
	var out []*source.File
	seen := map[string]bool{}
	for _, at := range slices.Sorted(maps.Values(u.SourceLines)) {
		name, _ := verdict.Pos{Source: at}.SourceLine()
		if seen[name] || len(seen) == maxSources || !slices.Contains(sourceExts, path.Ext(name)) {
			continue
		}
		seen[name] = true
		tries := []string{name, path.Join(u.SourceDirs[name], name), path.Join(path.Dir(u.Listing.Name), name), path.Join(path.Dir(u.Listing.Name), path.Base(name))}
		if path.IsAbs(name) {
			tries = []string{name, tries[3]}
		}
		for _, try := range tries {
			if text, ok := include(try); ok {
				out = append(out, source.NewFile(name, text))
				break
			}
		}
	}
	return out
}

// sourceExts are the ends of names of files with source text.
var sourceExts = []string{".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".h", ".hh", ".hpp", ".hxx", ".ipp", ".inl", ".tcc", ".rs"}
