package harness

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"fencepost/internal/frontend/c"
	"fencepost/internal/pipeline"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Run writes a first test of the functions of a header or C file.
func Run(ctx context.Context, in query.Input, opt query.HarnessOptions) (query.TextAnswer, error) {
	run := pipeline.Open(in)
	text := ""
	err := run.Do(ctx, func(ctx context.Context) error {
		ctx, cancel := supervise.TimeLimit(ctx, opt.Timeout)
		defer cancel()
		list, err := pipeline.Signatures(ctx, run, opt.Options)
		if err != nil {
			return err
		}
		lib := Library{Include: included(in.Name, opt.Output)}
		for _, s := range list {
			if s.Name == "main" {
				return run.Refuse(verdict.Diagnostic{
					Code: "FP0936", Pos: verdict.Pos{File: s.Pos.File, Line: s.Pos.Line, Col: s.Pos.Col},
					Message: "the file has a main: it is a program already",
					Notes:   []string{"give the header or file of the library, or check the program as it is"},
				})
			}
			lib.Functions = append(lib.Functions, function(&s))
		}
		if len(lib.Functions) == 0 {
			return run.Refuse(verdict.Diagnostic{
				Code: "FP0936", Message: "the file declares no function",
				Notes: []string{"functions of files that it includes do not count: give the file that has them"},
			})
		}
		text = Write(lib, outputName(in.Name, opt.Output))
		return nil
	})
	return query.TextAnswer{Text: text, Diagnostics: run.Diagnostics}, err
}

// included returns how the test includes a file: as seen from the directory of the test.
func included(file, output string) string {
	if output != "" {
		if rel, err := filepath.Rel(filepath.Dir(output), file); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(file)
}

// outputName returns the name of the test.
func outputName(file, output string) string {
	if output != "" {
		return filepath.ToSlash(output)
	}
	base := path.Base(filepath.ToSlash(file))
	return strings.TrimSuffix(base, path.Ext(base)) + "_test.c"
}

// function converts a signature of the front end.
func function(s *c.Signature) Function {
	kinds := map[c.ParameterKind]Kind{
		c.NumberParam: Number, c.ObjectParam: Object, c.OpaqueParam: Opaque, c.AnyParam: Any, c.FunctionParam: Callback, c.StructParam: Struct,
	}
	f := Function{Name: s.Name, Result: s.Result}
	for _, p := range s.Params {
		f.Params = append(f.Params, Param{Name: p.Name, Kind: kinds[p.Kind], Type: p.Type, Shared: p.Shared})
	}
	return f
}
