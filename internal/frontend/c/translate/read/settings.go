package read

import (
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"modernc.org/cc/v4"

	"fencepost/internal/gcc"
)

// What the flags of the user say about a file. A program is read as gcc would compile it:
// with its predefined macros, those of -D and -U, and the directories of -I.

// Settings returns the settings of a file. The flags were checked before. The files of the library have none
// of the user's.
func (c *Input) Settings(file string) *gcc.Settings {
	if s := c.settings[file]; s != nil {
		return s
	}
	if IsLibrary(file) {
		s, err := gcc.Parse(nil)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		c.settings[file] = s
		return s
	}
	flags := c.opt.Flags
	if more, ok := c.opt.FileFlags[file]; ok {
		flags = append(more[:len(more):len(more)], flags...)
	}
	s, err := gcc.Parse(flags)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	if c.opt.Std != "" {
		s.Std = c.opt.Std
	}
	for _, d := range c.opt.Defines {
		name, value, ok := strings.Cut(d, "=")
		if !ok {
			value = "1"
		}
		s.Macros = append(s.Macros, "#define "+name+" "+value)
	}
	for _, u := range c.opt.Undefines {
		s.Macros = append(s.Macros, "#undef "+u)
	}
	s.Dirs = append(c.opt.IncludeDirs[:len(c.opt.IncludeDirs):len(c.opt.IncludeDirs)], s.Dirs...)
	c.settings[file] = s
	return s
}

// config is the configuration of cc for a file.
func (c *Input) config(s *gcc.Settings, r *reader) *cc.Config {
	abi, err := cc.NewABI("linux", "amd64")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	abi.SignedChar = !s.UnsignedChar
	for _, kind := range []cc.Kind{cc.Float16, cc.BFloat16, cc.ComplexFloat16} { // cc has no sizes for them here
		size := int64(2)
		if kind == cc.ComplexFloat16 {
			size = 4
		}
		abi.Types[kind] = cc.AbiType{Size: size, Align: 2, FieldAlign: 2}
	}
	return &cc.Config{
		ABI: abi, FS: r, UnsignedEnums: true, PragmaHandler: r.pragma, HasBuiltin: gcc.HasBuiltin,
		IncludePaths: r.quoted, SysIncludePaths: r.angled,
	}
}

// searchPaths are the directories for names in quotes and in angle brackets.
func searchPaths(s *gcc.Settings) (quoted, angled []string) {
	angled = append(append(append(angled, s.Dirs...), s.System...), HeaderDir)
	return append(append([]string{""}, s.Quoted...), angled...), angled
}

// predefinedText returns the text before the first line of a file: gcc's macros, the
// answers of __has_attribute, our macros and functions that stand for its builtins, and
// the macros of the command line; of the first three what is selected, or all.
func (c *Input) predefinedText(file string, s *gcc.Settings, selected *selection) string {
	if selected == nil {
		return s.Predefined() + hasAttributes() + string(predefined()) + changingText(file, s)
	}
	ours, _ := selected.header(predefinedName)
	return selected.gccMacros() + selected.hasAttributes() + string(ours) + changingText(file, s)
}

// changingText returns the part of the text before a file that depends on the file and on the command line.
func changingText(file string, s *gcc.Settings) string {
	var b strings.Builder
	b.WriteString("#define __BASE_FILE__ \"" + quoted(file) + "\"\n#define __FILE_NAME__ \"" + quoted(path.Base(file)) + "\"\n")
	if s.C23() {
		b.WriteString("#define bool _Bool\n#define true 1\n#define false 0\n#define nullptr ((void *)0)\n#define static_assert _Static_assert\n" +
			"#define thread_local _Thread_local\n#define alignas _Alignas\n#define alignof _Alignof\n")
	}
	b.WriteString(strings.Join(s.Macros, "\n") + "\n")
	return b.String()
}

// quoted is a name for a string literal.
func quoted(name string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(name)
}

// includeText includes the files of -include.
func includeText(s *gcc.Settings) string {
	var b strings.Builder
	for _, name := range s.Include {
		b.WriteString("#include \"" + name + "\"\n")
	}
	return b.String()
}

// attributeMacros answer __has_attribute: the macro makes a name that has a value for the
// attributes gcc knows, and is 0 in an #if otherwise.
const attributeMacros = "#define __has_builtin(x) 0\n#define __has_attribute(x) __fp_has_attribute_##x\n#define __has_cpp_attribute(x) __fp_has_c_attribute_##x\n" +
	"#define __has_c_attribute(x) __fp_has_c_attribute_##x\n"

// attributeAnswers are the definitions of these names, by the words that are asked for.
var attributeAnswers = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, name := range gcc.Attributes() {
		for _, word := range []string{name, "__" + name + "__"} {
			out[word] += "#define __fp_has_attribute_" + word + " 1\n"
		}
	}
	for name, value := range gcc.CAttributes() {
		for _, word := range []string{name, "__" + name + "__"} {
			out[word] += "#define __fp_has_c_attribute_" + word + " " + value + "\n"
		}
	}
	return out
})

// hasAttributes are all answers of gcc to __has_attribute.
var hasAttributes = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString(attributeMacros)
	for _, name := range slices.Sorted(maps.Keys(attributeAnswers())) {
		b.WriteString(attributeAnswers()[name])
	}
	return b.String()
})
