package query

import "strings"

// Input is a program: one source file, or several of C or of machine code. The extension of Name decides the language
// unless Options.Lang does.
type Input struct {
	Name string
	Text []byte
	More []File // the further files
}

// File is one of the further files of a program.
type File struct {
	Name string
	Text []byte
}

// Model is a memory model.
type Model string

// The memory models.
const (
	SC  Model = "sc"  // sequential consistency: no store buffers
	TSO Model = "tso" // x86, and SPARC by default: one store buffer per thread
	PSO Model = "pso" // a mode of SPARC: one store buffer per thread and variable
	C11 Model = "c11" // C11's own model, RC11; Check, Fences and Orders take it
)

// AllModels returns the memory models that every question takes, the strongest first: all but C11.
func AllModels() Models { return Models{SC, TSO, PSO} }

// NamedModels returns models by their names. A question refuses names that no model has.
func NamedModels(names ...string) Models {
	var out Models
	for _, name := range names {
		out = append(out, Model(name))
	}
	return out
}

// Models is a list of memory models. As a text, commas separate them.
type Models []Model

func (m Models) String() string { return join(m) }

// MarshalText returns the text of the list.
func (m Models) MarshalText() ([]byte, error) { return []byte(join(m)), nil }

// UnmarshalText reads the text of a list.
func (m *Models) UnmarshalText(text []byte) error {
	*m = split[Model](text)
	return nil
}

// OrTSO returns the list; TSO if it is empty.
func (m Models) OrTSO() Models {
	if len(m) == 0 {
		return Models{TSO}
	}
	return m
}

// Engine is the name of a search engine.
type Engine string

// Engines is a list of engines. As a text, commas separate them.
type Engines []Engine

// NamedEngines returns the engines that a text names, separated by commas; "": none. A question refuses names that no
// engine has.
func NamedEngines(text string) Engines { return split[Engine]([]byte(text)) }

func (e Engines) String() string { return join(e) }

// MarshalText returns the text of the list.
func (e Engines) MarshalText() ([]byte, error) { return []byte(join(e)), nil }

// UnmarshalText reads the text of a list.
func (e *Engines) UnmarshalText(text []byte) error {
	*e = split[Engine](text)
	return nil
}

func join[T ~string](list []T) string {
	var b strings.Builder
	for i, x := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(x))
	}
	return b.String()
}

func split[T ~string](text []byte) []T {
	var out []T
	if len(text) > 0 {
		for word := range strings.SplitSeq(string(text), ",") {
			out = append(out, T(word))
		}
	}
	return out
}
