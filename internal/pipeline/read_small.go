//go:build fencepost_small

package pipeline

import (
	"fencepost/internal/diag"
	"fencepost/internal/frontend/litmus"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/source"
	"fencepost/query"
	"fencepost/verdict"
)

// The small part of the playground (docs/adr/0023): what only the whole build reads is refused with NeedsWhole, and
// the playground loads it then.

// Whole says that the build has all languages and engines.
const Whole = false

// annotation is a comment //@ of C, which this part does not read.
type annotation struct {
	Text string
	Next source.Pos
}

const rangeWarning = "C0806"

// FenceStyles lists the ways to write a fence in C. Every question has one, also about other languages.
func FenceStyles() []string { return []string{"c11"} }

var (
	parseTrencher    = needsWhole
	parseMemorax     = needsWhole
	parseC           = needsWhole
	parseMachineCode = needsWhole
)

func needsWhole(files []*source.File, _ ReadOptions) (*Unit, *diag.List) {
	diags := &diag.List{}
	diags.Errorf(NeedsWhole, files[0].Span(0, 0), "this part of fencepost does not read this language")
	return &Unit{}, diags
}

// guessLanguage leaves the guess to the whole build: it answers with a language that this part does not read. So this
// part needs no regular expressions, which have a thirtieth of its size.
func guessLanguage(string) string { return "c" }

func hasSigns(text, lang string) bool { return true }

// StoredText returns the text of a file of a program in results. This part reads no machine code.
func StoredText(text []byte) string { return string(text) }

func badFlags(*source.File, query.COptions) *diag.List { return nil }

func cOptions(ReadOptions) litmus.COptions { return litmus.COptions{} }

func fenceStyle(ReadOptions) litmus.FenceStyle { return 0 }

// uninitialisedWords says nothing: this part does not read C.
func uninitialisedWords(*ir.Program, memory.Model, *verdict.Witness) string { return "" }
