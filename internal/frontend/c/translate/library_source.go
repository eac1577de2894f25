package translate

import (
	"strings"

	"fencepost/internal/lang/c/types"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/lazyregexp"
	"fencepost/internal/source"
)

// The part of the library that is written in C. A file of it becomes part of the
// program when the program mentions one of the functions it defines and has none of
// that name.
//
// The program and the library live apart, as a program and a C library do that were compiled
// on their own. The macros, flags and files of the user are not there when a file of the
// library is read, and names with external linkage are in two tables. A name in the program stands
// for what the program defines, or else for a function of the library; a name in the library
// stands for what the library defines. The exceptions are functions that C libraries let programs replace.

// replaceable are the functions that the library calls in the program if the program defines them: memory allocation.
var replaceable = map[string]bool{"malloc": true, "calloc": true, "realloc": true, "free": true, "aligned_alloc": true}

// libraryFile is one such file.
type libraryFile struct {
	file    *source.File
	defines []string
	taken   bool
}

var libraryFunction = lazyregexp.New(`^[A-Za-z][\w \t*]*?\**(\w+)\(.*\{$`)

// files returns the files of the library with what they define for others: in them a definition begins with
// its line, and nothing else does that ends with a brace and has parentheses.
func (lib *Library) files() []*libraryFile {
	lib.split.Do(func() {
		for _, f := range lib.Sources {
			var names []string
			for line := range strings.Lines(string(f.Text)) {
				if line = strings.TrimSuffix(line, "\n"); !strings.HasSuffix(line, "{") || strings.HasPrefix(line, "static ") {
					continue
				}
				if m := libraryFunction.FindStringSubmatch(line); m != nil {
					names = append(names, m[1])
				}
			}
			lib.defines = append(lib.defines, names)
		}
	})
	var out []*libraryFile
	for i, f := range lib.Sources {
		out = append(out, &libraryFile{file: f, defines: lib.defines[i]})
	}
	return out
}

// addLibrary parses the files of the library that the program needs.
func (c *Symbols) addLibrary(parse func(f *source.File)) {
	files := c.library.files()
	for name, callees := range c.library.Calls {
		if c.Names.Mentioned[name] || c.Names.Mentioned[BuiltinPrefix+name] {
			for _, callee := range callees {
				c.Names.mentionedInOurs[callee] = true
			}
		}
	}
	if c.wide {
		for _, name := range wideFunctions {
			c.Names.mentionedInOurs[name] = true
		}
	}
	for again := true; again; {
		again = false
		for _, l := range files {
			if !l.taken && c.needs(l) {
				l.taken, again = true, true
				c.In.Files[l.file.Name] = l.file
				parse(l.file)
			}
		}
	}
}

// ofLibrary reports whether a unit is a file of the library.
func (u *unit) ofLibrary() bool { return u != nil && read.IsLibrary(u.Name) }

// linkedIn returns the names with external linkage that a unit declares for others.
func (c *Symbols) linkedIn(u *unit) map[string]*symbol {
	if u.ofLibrary() {
		return c.Names.ours
	}
	return c.Names.Linked
}

// InLibrary returns the function of the library of that name that is written in C, nil if there is none or if
// its file is not part of the program.
func (c *Symbols) InLibrary(name string) *symbol {
	if s := c.Names.ours[name]; s != nil && s.Def != nil {
		return s
	}
	return nil
}

// named returns what a name with external linkage means in a unit, nil if no file declares it.
func (c *Symbols) named(u *unit, name string) *symbol {
	s := c.Names.Linked[name]
	if s != nil && s.alias != nil {
		s = s.alias
	}
	if u.ofLibrary() {
		if here := c.Names.ours[name]; !replaceable[name] || s == nil || s.Def == nil || here == nil || !sameKind(here.Decl.Type, s.Decl.Type) {
			return here
		}
		return s
	}
	body := c.InLibrary(name)
	if body == nil || s != nil && (s.Def != nil || s.Decl.Type.Kind != types.Function) {
		return s
	}
	if s != nil {
		c.checkSame(body, s.Unit, s.Decl)
	}
	return body
}

// builtin returns the function of the library that a builtin of compilers stands for, such as floor for
// __builtin_floor, nil if there is none.
func (c *Symbols) builtin(name string) *symbol {
	if plain, ok := strings.CutPrefix(name, BuiltinPrefix); ok {
		return c.InLibrary(plain)
	}
	return nil
}

// addressOf begins the names of the functions of the library that stand for functions without a body
// whose address is taken.
const addressOf = "__fp_address_"

// addressed returns the function with a body whose address is that of a function of the library, nil if
// there is none.
func (c *Symbols) addressed(name string) *symbol {
	return c.InLibrary(addressOf + name)
}

// needs reports whether the library or the program mentions a function of the file, and the program does not
// define what it mentions.
func (c *Symbols) needs(l *libraryFile) bool {
	for _, name := range l.defines {
		if c.Names.mentionedInOurs[name] || c.Names.Mentioned[BuiltinPrefix+name] {
			return true
		}
		if s := c.Names.Linked[strings.TrimPrefix(name, addressOf)]; c.Names.Mentioned[name] && (s == nil || s.Def == nil && s.Decl.Type.Kind == types.Function) {
			return true
		}
	}
	return false
}
