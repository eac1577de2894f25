//go:build !fencepost_small

package pipeline

import (
	"context"
	"strings"
	"time"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c"
	"fencepost/internal/frontend/elf"
	"fencepost/query"
	"fencepost/verdict"
)

// Signatures reads a C file or header only as far as its functions go, and lists them.
func Signatures(ctx context.Context, r *Run, opt query.Options) ([]c.Signature, error) {
	r.ctx = ctx
	if len(r.Input.More) > 0 {
		return nil, r.Refuse(verdict.Diagnostic{Code: "FP0909", Pos: verdict.Pos{File: r.Input.More[0].Name}, Message: "a harness is for one file"})
	}
	files := r.sourceFiles()
	if diags := badFlags(files[0], opt.C); diags != nil {
		r.report("c", diags)
		return nil, ErrRefused
	}
	var list []c.Signature
	var diags *diag.List
	if over := limited(ctx, opt, time.Now(), false, func() { list, diags = c.Signatures(files[0], cOptions(ReadOptions{Options: opt})) }); over != "" {
		return nil, &OverLimit{"the file could not be read " + over, "look for macros with a very long expansion"}
	}
	r.report("c", diags)
	if diags.HasErrors() {
		return nil, ErrRefused
	}
	return list, nil
}

// IsMachineCode reports whether a program is an object, and no text.
func IsMachineCode(text []byte) bool {
	return strings.HasPrefix(string(text[:min(len(text), 4)]), "\x7fELF")
}

// ObjectLibrary lists the functions of an object by its debug information.
func ObjectLibrary(r *Run) (*elf.Library, error) {
	lib, err := elf.Signatures(r.sourceFiles()[0])
	if err != nil {
		return nil, r.Refuse(verdict.Diagnostic{Code: "X0101", Message: err.Error(), Notes: []string{"compile it with -g"}})
	}
	return lib, nil
}
