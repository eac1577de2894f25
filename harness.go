package fencepost

import (
	"context"

	"fencepost/internal/question/harness"
)

// HarnessOptions are the options of Harness. Of the common options, Timeout, Memory and C count.
type HarnessOptions struct {
	Options
	// Output is the file that the test is to be written to, "" if it is not known. The test includes the
	// library as seen from there.
	Output string
}

// Harness writes a first test of a C library: two threads that call the functions of a header or C file, with
// room for assertions.
func Harness(ctx context.Context, in Input, opt HarnessOptions) (TextAnswer, error) {
	text, diags, err := harness.Run(ctx, in.internal(), harness.Options{Options: opt.Options.internal(), Output: opt.Output})
	return TextAnswer{Text: text, Diagnostics: diags}, public(err)
}
