package read

import (
	"strings"

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
