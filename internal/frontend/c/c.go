package c

import (
	"fencepost/internal/diag"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// What the translation of C brings along.
type (
	Options    = translate.Options
	Range      = translate.Range
	Annotation = read.Annotation
)

// RangeWarning is the code of the warning that an input takes some of its values only.
const RangeWarning = translate.RangeWarning

// Unit is a translated program and what is asked of it.
type Unit struct {
	translate.Unit
	Props *property.Set
}

// Parse translates the files of one program. The unit is never nil; its Program
// is nil exactly if the list has errors.
func Parse(files []*source.File, opt Options) (*Unit, *diag.List) {
	translated, diags := translate.Program(files, library.New(), opt)
	u := &Unit{Unit: *translated}
	if u.Program != nil {
		u.Props = &property.Set{Checks: true, Deadlock: true, Whole: true, Objects: u.Objects, CodeInvariants: u.Invariants}
	}
	return u, diags
}

// Signature is a function that a file declares or defines, and Parameter one of its parameters.
type (
	Signature     = translate.Signature
	Parameter     = translate.Parameter
	ParameterKind = translate.ParameterKind
)

// The kinds of parameters.
const (
	NumberParam   = translate.NumberParam
	ObjectParam   = translate.ObjectParam
	OpaqueParam   = translate.OpaqueParam
	AnyParam      = translate.AnyParam
	FunctionParam = translate.FunctionParam
	StructParam   = translate.StructParam
)

// Signatures returns the functions of a file.
func Signatures(f *source.File, opt Options) ([]Signature, *diag.List) {
	return translate.Signatures(f, library.New(), opt)
}
