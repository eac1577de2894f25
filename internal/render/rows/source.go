package rows

import (
	"cmp"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"fencepost/verdict"
)

// Machine code in the terms of its source. The steps of an execution are instructions. A reader who wrote C++ or Rust wants
// lines of that source instead: every step is given to a line, and what only the compiler or a library does has no words.

// bySource returns a witness whose steps are at lines of the source, with their texts, and says which steps are hidden: the
// steps of fencepost's own functions, and accesses to words on the stack that the source has no name for. A step of a library
// is at the line that calls the library. Without the source, or for other programs, the witness is returned as it is.
func bySource(w *verdict.Witness, key []bool) (*verdict.Witness, []bool) {
	if !hasSource(w) {
		return w, nil
	}
	out := *w
	out.Steps = make([]verdict.Step, len(w.Steps))
	hidden := make([]bool, len(w.Steps))
	shared := sharedBytes(w)
	type caller struct {
		depth int
		pos   *verdict.Pos
		text  string
	}
	open := make([][]caller, len(w.Threads))
	for i := range w.Steps {
		s := w.Steps[i]
		if s.Kind == verdict.StepFlush || s.Pos == nil || s.Thread < 0 || s.Thread >= len(open) {
			out.Steps[i] = s
			hidden[i] = s.Kind == verdict.StepFlush && s.Of == i-1 && i > 0 && hidden[i-1]
			continue
		}
		stack := open[s.Thread]
		for len(stack) > 0 && stack[len(stack)-1].depth > len(s.Stack) {
			stack = stack[:len(stack)-1]
		}
		switch {
		case s.Pos.Source != "":
			file, line := s.Pos.SourceLine()
			pos, text := &verdict.Pos{File: file, Line: line, Col: 1}, lineText(w, file, line)
			if text == "" {
				text = path.Base(file)
			}
			if n := len(stack); n > 0 && stack[n-1].depth == len(s.Stack) {
				stack = stack[:n-1]
			}
			stack = append(stack, caller{len(s.Stack), pos, text})
			s.Pos, s.Text = pos, text
		case len(stack) > 0:
			top := stack[len(stack)-1]
			s.Pos, s.Text, s.Stack = top.pos, top.text, s.Stack[:min(len(s.Stack), top.depth)]
		case s.Thread > 0 || isModel(s.Stack): // otherwise of a main that options made
			s.Pos, s.Text = nil, libraryText
		}
		open[s.Thread] = stack
		last := i+1 == len(w.Steps) || s.Kind == verdict.StepFail || key[i] || s.Note != "" || s.Other != 0 || s.Signals
		atOnce := !s.Buffered || i+1 < len(w.Steps) && w.Steps[i+1].Of == i
		switch {
		case last || s.Free && s.Pos != nil && !onStack(s.Location) || s.Kind != verdict.StepLoad && s.Kind != verdict.StepStore || s.Kind == verdict.StepStore && !atOnce:
		case isModel(w.Steps[i].Stack), inModel(&w.Steps[i]), s.Pos == nil, strings.HasPrefix(s.Location, "vtable for "), strings.HasSuffix(s.Location, "._vptr"), s.Free:
			hidden[i] = true
		case onStack(s.Location) && isPrivate(&w.Steps[i], shared):
			hidden[i] = s.Kind == verdict.StepLoad || strings.Contains(s.Location, ".frame@")
		}
		out.Steps[i] = s
	}
	out.Blocks = slices.Clone(w.Blocks)
	for i := range out.Blocks {
		if b := &out.Blocks[i]; b.Pos != nil && b.Pos.Source == "" && b.Step < len(out.Steps) {
			b.Pos = out.Steps[b.Step].Pos
		}
	}
	return &out, hidden
}

// InSource returns the witness of an execution by lines of the source, and which of its steps have no words. For what is no
// machine code, and where the source is not known, it returns the witness and nil.
func InSource(e *verdict.Execution) (w *verdict.Witness, hidden []bool) {
	return bySource(e.Witness, keySteps(e))
}

// libraryText stands for a step of a library that the program has not called.
const libraryText = "(library)"

// foldLibrary folds rows that only have steps of libraries.
func foldLibrary(list []Row) []Row {
	for i := range list {
		if r := &list[i]; r.quiet && r.Pos == nil && strings.HasPrefix(r.Text, libraryText) {
			list[i] = foldOf(Library, []Row{*r}, "steps of a library")
		}
	}
	return list
}

// hasSource reports whether the steps of a witness have another source, whose text is known.
func hasSource(w *verdict.Witness) bool {
	if w.Lines == nil {
		return false
	}
	for i := range w.Steps {
		if p := w.Steps[i].Pos; p != nil && p.Source != "" {
			if file, line := p.SourceLine(); lineText(w, file, line) != "" {
				return true
			}
		}
	}
	return false
}

// lineText returns a line of the source without the blanks around it.
func lineText(w *verdict.Witness, file string, n int) string {
	if lines := w.Lines[file]; n >= 1 && n <= len(lines) {
		return strings.Join(strings.Fields(lines[n-1]), " ")
	}
	return ""
}

// isModel reports whether a step is in a function of fencepost, which stands for one of a library.
func isModel(stack []string) bool {
	return len(stack) > 0 && !strings.Contains(stack[len(stack)-1], "#") && IsModel(stack[len(stack)-1])
}

// inModel reports whether a step is in a function of fencepost that one of its functions for machine code calls, such as atexit.
func inModel(s *verdict.Step) bool {
	return s.Pos != nil && strings.HasPrefix(s.Pos.File, "<fencepost>/") &&
		slices.ContainsFunc(s.Stack, func(name string) bool { return strings.HasPrefix(name, modelNames[0]) })
}

// IsModel reports whether a name in the stack of a step of machine code is that of a function of fencepost.
func IsModel(function string) bool {
	for _, begin := range modelNames {
		if strings.HasPrefix(function, begin) {
			return true
		}
	}
	i := strings.LastIndexByte(function, '#')
	return i >= 0 && i+1 < len(function) && strings.Trim(function[i+1:], "0123456789") == ""
}

// modelNames are how the names of fencepost's functions begin.
var modelNames = []string{"fp_", "std_thread", "rust_thread"}

// onStack reports whether a location is a variable of a function.
func onStack(location string) bool { return strings.Contains(location, "@") }

// ForPeople returns a result in which the threads have the names that people call them by, and the witnesses have the source
// that they need to be shown by. It is a copy where that changes something.
func ForPeople(r *verdict.Result) *verdict.Result {
	var from, to []string
	lines := map[string][]string{}
	library := false
	for _, w := range witnesses(r) {
		library = library || w.Names != nil
		for t, name := range headerThreads(w) {
			if name != "" {
				from, to = append(from, w.Threads[t]), append(to, name)
			}
		}
	}
	sourced := false
	for name, text := range r.Sources {
		lines[name] = strings.Split(text, "\n")
		sourced = sourced || name != r.Program
	}
	if len(from) == 0 && !sourced {
		return r
	}
	names := map[string]string{}
	for i, f := range from {
		if names[f] == "" {
			names[f] = to[i]
		}
	}
	c := &copier{names: names, lines: lines, library: library, seen: map[string]string{}, origins: linesOf(r)}
	out := c.copy(reflect.ValueOf(*r), "").Interface().(verdict.Result)
	return &out
}

// witnesses returns the witnesses of a result.
func witnesses(r *verdict.Result) []*verdict.Witness {
	var out []*verdict.Witness
	for _, e := range r.Executions() {
		if e.Witness != nil {
			out = append(out, e.Witness)
		}
	}
	for _, b := range r.Breaks() {
		if w := b.Witness(); w != nil {
			out = append(out, w)
		}
	}
	if u := r.Coverage.Unsupported; u != nil && u.Witness != nil {
		out = append(out, u.Witness)
	}
	return out
}

// AllForPeople is ForPeople for several results.
func AllForPeople(results []verdict.Result) []verdict.Result {
	out := make([]verdict.Result, len(results))
	for i := range results {
		out[i] = *ForPeople(&results[i])
	}
	return out
}

// copier copies a result with other names of threads.
type copier struct {
	names map[string]string
	lines map[string][]string
	seen  map[string]string // strings that were renamed before
	// library says that threads begin in functions of a library, which have these names in stacks, too.
	library bool
	// origins are lines of the source, by the lines of the listing that were made of them.
	origins map[string]string
}

// linesOf returns the lines of the source that lines of the listing stand for.
func linesOf(r *verdict.Result) map[string]string {
	out := map[string]string{}
	add := func(p *verdict.Pos) {
		if p != nil && p.Source != "" {
			out[fmt.Sprintf("%s:%d", path.Base(p.File), p.Line)] = p.Brief()
		}
	}
	for _, w := range witnesses(r) {
		for i := range w.Steps {
			add(w.Steps[i].Pos)
		}
	}
	if u := r.Coverage.Unsupported; u != nil {
		add(u.Pos)
	}
	return out
}

func (c *copier) copy(v reflect.Value, field string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		out.SetString(c.rename(v.String()))
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(c.copy(v.Elem(), field))
		out.Set(p)
	case reflect.Slice:
		if v.IsNil() || field == "Stack" && !c.library {
			return v
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(c.copy(v.Index(i), field))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[verdict.Pos]() || v.Type() == reflect.TypeFor[verdict.Asked]() {
			return v
		}
		out.Set(v)
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && f.Name != "Sources" && f.Name != "Program" {
				out.Field(i).Set(c.copy(v.Field(i), f.Name))
			}
		}
		if w, ok := out.Addr().Interface().(*verdict.Witness); ok {
			w.Names, w.Lines = nil, c.lines
		}
	default:
		return v
	}
	return out
}

// rename puts the names of people into a text.
func (c *copier) rename(text string) string {
	if !strings.Contains(text, "thread") && !strings.Contains(text, ":") {
		return text
	}
	if out, ok := c.seen[text]; ok {
		return out
	}
	isWord := func(r byte) bool {
		return r == '_' || r == '#' || r == '.' || r == ':' || r == '-' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z'
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && isWord(text[end]) {
			end++
		}
		if end == i {
			end++
		}
		word := text[i:end]
		bare := strings.TrimRight(word, ".:-")
		line := bare // without a column
		if i := strings.LastIndexByte(bare, ':'); strings.Count(bare, ":") == 2 {
			line = bare[:i]
		}
		if to := cmp.Or(c.names[bare], c.origins[line]); to != "" {
			word = to + word[len(bare):]
		}
		out.WriteString(word)
		i = end
	}
	c.seen[text] = out.String()
	return out.String()
}

// Stack returns the functions that lead to a step, as indices, without those of fencepost and, of machine code, of C++'s
// library.
func Stack(s *verdict.Step) []int {
	machine := s.Pos != nil && (s.Pos.Source != "" || isModel(s.Stack))
	var out []int
	for i, f := range s.Stack {
		if !machine || !IsModel(f) && !strings.HasPrefix(f, "std::") && !strings.HasPrefix(f, "__gnu_cxx::") {
			out = append(out, i)
		}
	}
	return out
}
