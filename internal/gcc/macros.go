package gcc

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
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
	changed := s.changedMacros()
	var b strings.Builder
	b.Grow(2 * len(macroFacts))
	write := func(line string) {
		if line != "" {
			b.WriteString("#define ")
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	for line := range strings.Lines(macroFacts) {
		line = strings.TrimSuffix(line, "\n")
		name := macroName(line)
		if now, ok := changed[name]; ok {
			line = now
			delete(changed, name)
		}
		write(line)
	}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		write(changed[name])
	}
	return b.String()
}

// PredefinedMacros returns the macros that gcc predefines, before -D and -U change them: by name, what
// comes after #define.
func (s *Settings) PredefinedMacros() map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(macroFacts) {
		line = strings.TrimSuffix(line, "\n")
		lines[macroName(line)] = line
	}
	for name, line := range s.changedMacros() {
		if line == "" {
			delete(lines, name)
		} else {
			lines[name] = line
		}
	}
	return lines
}

// changedMacros returns the macros that depend on flags: by name, what comes after #define, "" for a macro that is not
// defined.
func (s *Settings) changedMacros() map[string]string {
	lines := map[string]string{}
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
		lines["__STDC_VERSION__"], lines["__GNUC_STDC_INLINE__"] = "", ""
		define("__GNUC_GNU_INLINE__", "1")
	}
	if !std.utf {
		lines["__STDC_UTF_16__"], lines["__STDC_UTF_32__"] = "", ""
	}
	if std.strict {
		lines["linux"], lines["unix"] = "", ""
		define("__STRICT_ANSI__", "1")
	}
	if s.UnsignedChar {
		define("__CHAR_UNSIGNED__", "1")
	}
	for _, change := range s.changes {
		if change.value == nil {
			lines[change.name] = ""
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
