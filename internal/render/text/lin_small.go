//go:build fencepost_small

package text

import "fencepost/verdict"

// linearizability prints nothing: the small build does not ask this question.
func (p *printer) linearizability(*verdict.Result) {}

func (p *printer) linearizabilities([]verdict.Result) {}

func (p *printer) repaired(*verdict.Result) {}

func (p *printer) history(*verdict.Result) {}

// fuzzed returns nil: the small build does not ask this question.
func fuzzed(*verdict.Result) []string { return nil }

func (p *printer) again(*verdict.Result) {}
