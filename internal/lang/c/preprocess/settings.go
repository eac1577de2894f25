package preprocess

import (
	"strings"

	"fencepost/internal/gcc"
)

// ForGCC returns the options of a file that gcc would read with some settings. The caller
// adds a function that reads files, and directories of headers.
func ForGCC(s *gcc.Settings) *Options {
	o := &Options{Standard: standardOf(s.Std), Predefined: s.Predefined(), Include: s.Include, HasBuiltin: gcc.HasBuiltin, HasAttribute: hasAttribute}
	if len(s.Macros) > 0 {
		o.Commands = strings.Join(s.Macros, "\n") + "\n"
	}
	for _, d := range s.Quoted {
		o.Quoted = append(o.Quoted, Dir{Name: d})
	}
	for _, d := range s.Dirs {
		o.Dirs = append(o.Dirs, Dir{Name: d})
	}
	for _, d := range s.System {
		o.Dirs = append(o.Dirs, Dir{Name: d, System: true})
	}
	return o
}

func standardOf(name string) Standard {
	version, strict := strings.CutPrefix(name, "c")
	if !strict {
		version = strings.TrimPrefix(name, "gnu")
	}
	year := map[string]int{"89": 1989, "99": 1999, "11": 2011, "17": 2017, "23": 2023}[version]
	if year == 0 {
		panic("BUG: unknown standard " + name)
	}
	return Standard{Version: year, Strict: strict}
}

// hasAttribute answers as gcc does. Names may stand between underscores.
func hasAttribute(name string, standard bool) string {
	scope, plain, scoped := strings.Cut(name, "::")
	if !scoped {
		scope, plain = "", name
	}
	plain, scope = bare(plain), bare(scope)
	switch {
	case !scoped && gcc.CAttributes()[plain] != "":
		return gcc.CAttributes()[plain]
	case standard && !scoped, scoped && scope != "gnu":
		return ""
	}
	for _, known := range gcc.Attributes() {
		if known == plain {
			return "1"
		}
	}
	return ""
}

// bare returns a name without the underscores around it.
func bare(name string) string {
	if len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		return name[2 : len(name)-2]
	}
	return name
}
