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
	if mode := opt.C.Uninitialised; mode != "" && mode != query.UninitialisedZero {
		bad := &diag.List{}
		bad.Errorf("X0104", source.At(source.Pos{File: files[0].Name}), "--uninitialised %s is for C: memory of machine code that was never written reads as 0", mode)
		return &Unit{}, bad
	}
	asked := elf.Options{ExternPure: opt.C.ExternPure, ExternFence: opt.C.ExternFence, Finally: opt.C.Finally, Sites: opt.Sites, Fences: fenceKinds(opt.C.Fences)}
	for _, name := range opt.C.Entry {
		e, err := elf.ParseEntry(name)
		if err != nil {
			bad := &diag.List{}
			bad.Errorf("X0102", source.At(source.Pos{File: files[0].Name}), "--entry: %v", err)
			return &Unit{}, bad
		}
		asked.Entry = append(asked.Entry, e)
	}
	if n := len(files) - 1; n > 0 && path.Ext(files[n].Name) == ".c" {
		asked.Client, files = files[n], files[:n]
	}
	u, diags := elf.Parse(files, asked)
	out := &Unit{IR: u.Program, Props: u.Props, Sites: u.Sites, Kinds: allFences, Facts: Facts{Uninitialised: query.UninitialisedZero}}
	out.Before = func(fences []ir.FenceAt) map[uint64]string {
		at := map[uint64]string{}
		for _, f := range fences {
			at[u.Addresses[f.Site]] = f.Kind.String()
		}
		return at
	}
	if u.Listing != nil {
		out.Listing, out.Included = u.Listing, []*source.File{u.Listing}
		out.Locate = func(res any) { locate(reflect.ValueOf(res), u.Listing.Name, u.SourceLines) }
	}
	return out, diags
}

// fenceKinds returns fences by address as the front end takes them.
func fenceKinds(fences map[uint64]string) map[uint64]ir.FenceKind {
	out := map[uint64]ir.FenceKind{}
	for at, name := range fences {
		for _, kind := range allFences {
			if kind.String() == name {
				out[at] = kind
			}
		}
	}
	return out
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

func cOptions(opt ReadOptions) c.Options {
	var nondet *c.Range
	if r := opt.C.NondetRange; len(r) == 2 {
		nondet = &c.Range{Lo: r[0], Hi: r[1]}
	}
	return c.Options{
		Nondet:  nondet,
		Defines: opt.C.Defines, Undefines: opt.C.Undefines, IncludeDirs: opt.C.IncludeDirs, Include: opt.C.Include,
		Std: opt.C.Std, Flags: opt.C.Flags, FileFlags: opt.C.FileFlags,
		Invariants: opt.Annotations, Sites: opt.Sites, Orders: opt.Orders,
		ExternPure: opt.C.ExternPure, ExternFence: opt.C.ExternFence, CheckOverflow: opt.C.CheckOverflow, VolatileIsAtomic: opt.C.VolatileIsAtomic, Undefined: opt.C.Uninitialised != query.UninitialisedZero, Strict: opt.C.Strict,
	}
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

// locate gives all positions in a value that are about a listing the positions of the source.
func locate(v reflect.Value, listing string, lines map[int]string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			locate(v.Elem(), listing, lines)
		}
	case reflect.Slice:
		for i := range v.Len() {
			locate(v.Index(i), listing, lines)
		}
	case reflect.Struct:
		if pos, ok := v.Interface().(verdict.Pos); ok {
			if pos.File == listing && v.CanSet() {
				pos.Source = lines[pos.Line]
				v.Set(reflect.ValueOf(pos))
			}
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				locate(v.Field(i), listing, lines)
			}
		}
	}
}
