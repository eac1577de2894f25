package gcc

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed facts/macros.txt
var macroFacts string

//go:embed facts/isa.txt
var isaFacts string

//go:embed facts/arch.txt
var archFacts string

//go:embed facts/tune.txt
var tuneFacts string

//go:embed facts/builtins.txt
var builtinFacts string

//go:embed facts/attributes.txt
var attributeFacts string

// Predefined returns the macros that gcc predefines, as text for a preprocessor, before
// -D and -U change them.
func (s *Settings) Predefined() string {
	lines := s.PredefinedMacros()
	var b strings.Builder
	b.Grow(2 * len(macroFacts))
	write := func(name string) {
		if line, ok := lines[name]; ok {
			b.WriteString("#define ")
			b.WriteString(line)
			b.WriteByte('\n')
			delete(lines, name)
		}
	}
	for line := range strings.Lines(macroFacts) {
		write(macroName(strings.TrimSuffix(line, "\n")))
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		write(name)
	}
	return b.String()
}

// commonMacros are the macros that do not depend on flags, unless flags change them.
var commonMacros = sync.OnceValue(func() map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(macroFacts) {
		line = strings.TrimSuffix(line, "\n")
		lines[macroName(line)] = line
	}
	return lines
})

// PredefinedMacros returns the macros that gcc predefines, before -D and -U change them: by name, what
// comes after #define.
func (s *Settings) PredefinedMacros() map[string]string {
	lines := maps.Clone(commonMacros())
	define := func(name, value string) { lines[name] = name + " " + value }
	ones, others := s.machine.macros()
	for _, name := range ones {
		define(name, "1")
	}
	for name, value := range others {
		define(name, value)
	}
	std := standards[s.Std]
	define("__STDC_VERSION__", std.version)
	if std.version == "" {
		for _, name := range []string{"__STDC_VERSION__", "__GNUC_STDC_INLINE__"} {
			delete(lines, name)
		}
		define("__GNUC_GNU_INLINE__", "1")
	}
	if !std.utf {
		delete(lines, "__STDC_UTF_16__")
		delete(lines, "__STDC_UTF_32__")
	}
	if std.strict {
		delete(lines, "linux")
		delete(lines, "unix")
		define("__STRICT_ANSI__", "1")
	}
	if s.UnsignedChar {
		define("__CHAR_UNSIGNED__", "1")
	}
	for _, change := range s.changes {
		if change.value == nil {
			delete(lines, change.name)
		} else {
			define(change.name, *change.value)
		}
	}
	return lines
}

// macroName is the name in the definition of a macro.
func macroName(definition string) string {
	end := strings.IndexAny(definition, " (")
	if end < 0 {
		return definition
	}
	return definition[:end]
}

// change is the effect of a flag on a predefined macro: a new value, or none.
type change struct {
	name  string
	value *string
}

func (s *Settings) define(name, value string) { s.changes = append(s.changes, change{name, &value}) }

func (s *Settings) undefine(names ...string) {
	for _, name := range names {
		s.changes = append(s.changes, change{name, nil})
	}
}

// HasBuiltin reports what gcc answers to __has_builtin. The builtins that only some
// processors have count if the default processor has them.
func HasBuiltin(name string) bool { return name != "" && hasLine(builtinFacts, name) }

// Attributes lists the attributes for which gcc answers 1 to __has_attribute, which may
// also be written between underscores.
func Attributes() []string { return strings.Fields(attributeFacts) }

// CAttributes are the answers of gcc to __has_c_attribute, which do not depend on the
// standard.
func CAttributes() map[string]string {
	return map[string]string{"deprecated": "201904", "fallthrough": "201904", "maybe_unused": "201904", "nodiscard": "202003"}
}

func hasLine(facts, line string) bool {
	return strings.HasPrefix(facts, line+"\n") || strings.Contains(facts, "\n"+line+"\n")
}
