//go:build !fencepost_small

package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/frontend/elf"
	"fencepost/internal/lazyregexp"
	"fencepost/internal/source"
	"fencepost/verdict"
)

// What the compiler did to the source, for pages that show both. The idea: in a stretch of instructions that run one after
// the other, the accesses of one instance of a function have the order of their lines, unless the compiler has changed it; and
// a statement that no instruction was made of is removed, or a part of another one. Both are said only of lines whose text shows
// where statements end.

// listingOf says what the functions of a listing were made of that the witnesses of a result go through; nil if that is not known.
func listingOf(u *elf.Unit, res *verdict.Result, texts map[string]string) *verdict.Listing {
	steps := map[int]bool{}
	visitWitnesses(res, func(w *verdict.Witness) {
		for i := range w.Steps {
			if p := w.Steps[i].Pos; p != nil && p.File == u.Listing.Name {
				steps[p.Line] = true
			}
		}
	})
	symbols := map[int]bool{}
	for i := range u.Code {
		if c := &u.Code[i]; steps[c.Line] {
			symbols[c.Symbol] = true
		}
	}
	if len(symbols) == 0 {
		return nil
	}
	statements := map[string][]sourceLines{}
	for name, text := range texts {
		if name != u.Listing.Name {
			statements[name] = statementsOf(text)
		}
	}
	out := &verdict.Listing{File: u.Listing.Name, Lines: []verdict.ListingLine{}}
	latest := map[string]source.Pos{} // by instance: the access of the latest line in the block
	block := 0
	for i := range u.Code {
		c := &u.Code[i]
		if c.Block != block {
			block = c.Block
			clear(latest)
		}
		if !symbols[c.Symbol] {
			continue
		}
		line := verdict.ListingLine{Line: c.Line, Source: u.SourceLines[c.Line]}
		if old := latest[c.Instance]; c.Access && old.File == c.Source.File && inOrder(statements[c.Source.File], c.Source.Line, old.Line) {
			line.Before = old.Line
		} else if c.Access && (old.File != c.Source.File || c.Source.Line > old.Line) {
			latest[c.Instance] = c.Source
		}
		out.Lines = append(out.Lines, line)
	}
	out.Removed = removed(u, symbols, statements)
	return out
}

// visitWitnesses calls f for the witnesses of a result.
func visitWitnesses(res *verdict.Result, f func(*verdict.Witness)) {
	for _, e := range res.Executions() {
		if e.Witness != nil {
			f(e.Witness)
		}
	}
	for _, b := range res.Breaks() {
		if w := b.Witness(); w != nil {
			f(w)
		}
	}
}

// removed returns the statements with accesses or calls, in functions that have instructions in some symbols, of which no
// instruction was made.
func removed(u *elf.Unit, symbols map[int]bool, statements map[string][]sourceLines) []string {
	type function struct {
		file string
		line int
	}
	last := map[function]int{}
	made := map[source.Pos]bool{}
	for i := range u.Code {
		c := &u.Code[i]
		made[source.Pos{File: c.Source.File, Line: c.Source.Line}] = true
		if f := (function{c.Source.File, c.Declaration}); symbols[c.Symbol] && c.Declaration > 0 && c.Declaration <= c.Source.Line {
			last[f] = max(last[f], c.Source.Line)
		}
	}
	var out []string
	for f, end := range last {
		for _, s := range statements[f.file] {
			if s.first <= f.line || s.last > end || !s.acts {
				continue
			}
			has := false
			for n := s.first; n <= s.last; n++ {
				has = has || made[source.Pos{File: f.file, Line: n}]
			}
			if at := fmt.Sprintf("%s:%d", f.file, s.first); !has && !slices.Contains(out, at) {
				out = append(out, at)
			}
		}
	}
	slices.Sort(out)
	return out
}

// sourceLines is a statement: a stretch of lines that ends with a semicolon or a brace, or the head of a loop or branch.
type sourceLines struct {
	first, last int
	loop        bool // the head or the end of a loop, whose parts run in another order than they are written
	acts        bool // it accesses something, or calls a function
}

var (
	lineComments = lazyregexp.New(`//.*$`)
	literals     = lazyregexp.New(`"(\\.|[^"\\])*"|'(\\.|[^'\\])'`)
	loops        = lazyregexp.New(`^\}|\b(for|while|do|loop)\b`)
	declaring    = lazyregexp.New(`^(using|typedef|static_assert|case|default|public|private|protected|template|struct|class|enum|union|extern|friend|namespace|return|break|continue|goto|use|fn|impl|pub|mod|type|const fn|unsafe fn)\b`)
	assignments  = lazyregexp.New(`[^=!<>]=[^=]|\+\+|--`)
	callsOrTest  = lazyregexp.New(`^(\} *)?(else )?(if|switch|match)\b|\w *\(.*;$`)
)

// statementsOf cuts a text into statements. It knows no language: lines that it cannot tell apart are one statement.
func statementsOf(text string) []sourceLines {
	var out []sourceLines
	first, inside := 0, false
	var words []string
	for i, line := range strings.Split(text, "\n") {
		code := strings.TrimSpace(lineComments.ReplaceAllString(literals.ReplaceAllString(line, "0"), ""))
		if begin, rest, ok := strings.Cut(code, "/*"); ok && !inside {
			_, after, closed := strings.Cut(rest, "*/")
			inside, code = !closed, strings.TrimSpace(begin+" "+after)
		} else if inside {
			_, after, closed := strings.Cut(code, "*/")
			inside, code = !closed, strings.TrimSpace(after)
		}
		if code == "" || strings.HasPrefix(code, "#") {
			continue
		}
		if len(words) == 0 {
			first = i + 1
		}
		words = append(words, code)
		if !strings.ContainsAny(code[len(code)-1:], ";{}:") {
			continue
		}
		all := strings.Join(words, " ")
		one := sourceLines{first: first, last: i + 1, loop: loops.MatchString(all)}
		one.acts = !declaring.MatchString(all) && (assignments.MatchString(all) && all[len(all)-1] != '{' || callsOrTest.MatchString(all))
		out, words = append(out, one), nil
	}
	return out
}

// inOrder reports whether a line is of a statement before the one of a later line, neither of which is a loop's.
func inOrder(list []sourceLines, line, later int) bool {
	at := func(n int) int {
		return slices.IndexFunc(list, func(s sourceLines) bool { return s.first <= n && n <= s.last })
	}
	i, j := at(line), at(later)
	if i < 0 || j <= i {
		return false
	}
	return !slices.ContainsFunc(list[i:j+1], func(s sourceLines) bool { return s.loop })
}
