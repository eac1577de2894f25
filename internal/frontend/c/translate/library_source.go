package translate

import (
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/lazyregexp"
	"fencepost/internal/source"
)

// The part of the library that is written in C. A file of it becomes part of the
// program when the program mentions one of the functions it defines and has none of
// that name; then its functions are functions like the program's own.

// libraryFile is one such file.
type libraryFile struct {
	file    *source.File
	defines []string
	taken   bool
}

var libraryFunction = lazyregexp.New(`^[A-Za-z][\w \t*]*?\**(\w+)\(.*\{$`)

// files returns the files of the library with what they define: in them a definition begins with its
// line, and nothing else does that ends with a brace and has parentheses.
func (lib *Library) files() []*libraryFile {
	lib.split.Do(func() {
		for _, f := range lib.Sources {
			var names []string
			for line := range strings.Lines(string(f.Text)) {
				if line = strings.TrimSuffix(line, "\n"); !strings.HasSuffix(line, "{") {
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
func (c *Symbols) addLibrary() {
	files := c.library.files()
	for _, name := range []string{"__fp_futex", "__fp_membarrier", "__fp_syscall"} {
		c.Mentioned[name] = c.Mentioned["syscall"] // which calls it
	}
	for _, name := range wideFunctions {
		c.Mentioned[name] = c.wide
	}
	for again := true; again; {
		again = false
		for _, l := range files {
			if !l.taken && c.needs(l) {
				l.taken, again = true, true
				c.In.Files[l.file.Name] = l.file
				c.parse(l.file, "", "")
			}
		}
	}
}

// builtin returns the function of the library that a builtin of compilers stands for, such as floor for
// __builtin_floor, nil if there is none.
func (c *Symbols) builtin(name string) *symbol {
	plain, ok := strings.CutPrefix(name, BuiltinPrefix)
	if s := c.Linked[plain]; ok && s != nil && s.Def != nil {
		return s
	}
	return nil
}

// addressOf begins the names of the functions of the library that stand for functions without a body
// whose address is taken.
const addressOf = "__fp_address_"

// addressed returns the function with a body whose address is that of a function of the library, nil if
// there is none.
func (c *Symbols) addressed(name string) *symbol {
	if s := c.Linked[addressOf+name]; s != nil && s.Def != nil {
		return s
	}
	return nil
}

// calledIdent returns the name that a call names its function by, nil if it is called otherwise.
func calledIdent(e cc.ExpressionNode) *cc.PrimaryExpression {
	p, _ := Unparen(e).(*cc.PrimaryExpression)
	return p
}

// needs reports whether the program mentions a function of the file that it does not
// define.
func (c *Symbols) needs(l *libraryFile) bool {
	for _, name := range l.defines {
		if s := c.Linked[name]; (c.Mentioned[name] || c.Mentioned[BuiltinPrefix+name]) && (s == nil || s.Def == nil && s.Decl.Type().Kind() == cc.Function) {
			return true
		}
	}
	return false
}
