package text

import (
	"fmt"
	"io"
	"path"
	"strings"

	"fencepost/internal/render/rows"
	"fencepost/verdict"
)

// IsCompiled reports whether results are about a source and the machine code that was made of it.
func IsCompiled(results []verdict.Result) bool {
	return len(results) > 1 && results[1].Compiled != nil
}

// Compiled prints the answers about a source and its machine code side by side, and then each by itself.
func Compiled(w io.Writer, results []verdict.Result, opt Options) {
	results = rows.AllForPeople(results)
	p := &printer{w: w, opt: opt}
	source, binary := path.Base(results[0].Program), path.Base(results[1].Program)
	width := max(len(source), len("unknown"))
	p.line("  %-5s  %-*s  %s", "model", width, oneLine(source), oneLine(binary))
	for i := 0; i+1 < len(results); i += 2 {
		s, b := &results[i], &results[i+1]
		_, color := verdictWord(s.Verdict)
		word := p.opt.paint(color, VerdictWord(s)) + pad("", width-len(VerdictWord(s)))
		_, color = verdictWord(b.Verdict)
		p.line("  %-5s  %s  %s", strings.ToUpper(s.Model), word, p.opt.paint(color, VerdictWord(b)))
	}
	for i := range results {
		p.line("")
		Result(w, &results[i], opt)
	}
}

// CompiledText returns what an answer about machine code says in comparison with its source, as sentences.
func CompiledText(r *verdict.Result) []string {
	c := r.Compiled
	if c == nil {
		return nil
	}
	name := path.Base(c.Source)
	var out []string
	add := func(format string, args ...any) { out = append(out, oneLine(fmt.Sprintf(format, args...))) }
	switch {
	case c.Blame == verdict.BlameRace:
		add("Only the machine code has this violation: %s is safe under %s.", name, strings.ToUpper(r.Model))
		add("A data race of the source permits it: %s.", Placed(c.Race, c.RacePos))
		add("Make the accesses atomic; the compiler takes it that there are no races.")
	case c.Blame == verdict.BlameCompiler:
		add("Only the machine code has this violation: %s is safe under %s.", name, strings.ToUpper(r.Model))
		add("The source has no data race: this is the compiler's doing.")
	case c.Blame == verdict.BlameUndecided:
		add("Only the machine code has this violation: %s is safe under %s.", name, strings.ToUpper(r.Model))
		add("It is the compiler's doing, or that of a data race in the source, which is not known: %s.", c.Race)
	case r.Verdict == verdict.Unsafe && c.Verdict == verdict.Unsafe:
		add("The source %s is unsafe, too.", name)
	case r.Verdict == verdict.Unsafe:
		add("Whether the source %s has a violation is not known.", name)
	case r.Verdict == verdict.Safe && c.Verdict == verdict.Unsafe:
		add("The source %s is unsafe: the compiler has left the violation out, and another one may not.", name)
	}
	if c.Instruction != "" && len(out) > 0 {
		add("It is seen at the instruction: %s", c.Instruction)
	}
	return out
}

// compiled prints them.
func (p *printer) compiled(r *verdict.Result) {
	for _, line := range CompiledText(r) {
		p.line("  %s", line)
	}
}
