package elf

import (
	"fmt"
	"strings"
)

// Calls of printf and its like. Nothing is printed, but what such a function reads is read: the strings of %s, up to
// their ends. The format says which arguments these are, if it is a constant before the call: the call in C has only
// them, because numbers do not matter. A format that is known when the program runs is read there, and the execution is
// not supported if it asks for anything.

// printer says where a function that prints has its format; list: its arguments are a va_list.
type printer struct {
	format int
	list   bool
}

var printers = map[string]printer{
	"printf": {0, false}, "__printf_chk": {1, false}, "fprintf": {1, false}, "__fprintf_chk": {2, false}, "dprintf": {1, false}, "__dprintf_chk": {2, false},
	"syslog": {1, false}, "__syslog_chk": {2, false}, "warn": {0, false}, "warnx": {0, false},
	"vprintf": {0, true}, "__vprintf_chk": {1, true}, "vfprintf": {1, true}, "__vfprintf_chk": {2, true}, "vdprintf": {1, true}, "__vdprintf_chk": {2, true},
	"vsyslog": {1, true}, "__vsyslog_chk": {2, true}, "vwarn": {0, true}, "vwarnx": {0, true},
}

// print returns the prototype of a call of a function that prints, or why there is none.
func (p *program) print(f *function, in *inst, pr *prototype) (out *prototype, problem string) {
	of := printers[pr.name]
	out = &prototype{name: pr.name, result: pr.result}
	result := func(call string) string { // the numbers that printf may return are any
		if pr.result == "void" {
			return call
		}
		return fmt.Sprintf(`(%s, printf("text"))`, call)
	}
	parameters := func(n int) {
		for len(out.params) < n {
			out.params = append(out.params, "unsigned long")
		}
	}
	text, known := p.text(f.constant(in, argumentRegs[of.format]))
	switch {
	case of.list && known && !strings.Contains(text, "%"):
		out.call = pr.call
	case of.list:
		parameters(of.format + 2)
		out.params[of.format], out.params[of.format+1] = "const char *", "void *"
		out.call = result(fmt.Sprintf("fp_print_list($%d, $%d)", of.format, of.format+1))
	case !known:
		parameters(of.format + 1)
		out.params[of.format] = "const char *"
		out.call = result(fmt.Sprintf("fp_print_text($%d)", of.format))
	default:
		strs, problem := printedStrings(text, of.format+1)
		if problem != "" {
			return nil, problem
		}
		if len(strs) == 0 {
			out.call = pr.call
			break
		}
		format, args := "", ""
		for _, s := range strs {
			parameters(s.arg + 1)
			format += s.format
			if s.width >= 0 {
				args += fmt.Sprintf(", (int)$%d", s.width)
			}
			args += fmt.Sprintf(", (const char *)$%d", s.arg)
		}
		out.call = fmt.Sprintf(`printf("%s"%s)`, format, args)
	}
	out.fixed = len(out.params)
	return out, ""
}

// printedString is a string that a format prints: its conversion without what does not matter, and the numbers of its
// arguments in the call; width is that of its precision, or -1.
type printedString struct {
	format     string
	arg, width int
}

// printedStrings returns the strings that a format prints, whose arguments begin with the first. Those in registers of
// floating point are not among the others, unless there are more of them than registers.
func printedStrings(format string, first int) (out []printedString, problem string) {
	next, vectors, mixed := first, 0, false
	for _, m := range conversion.FindAllStringSubmatch(format, -1) {
		width := -1
		for i, star := range m[1:3] {
			if star == "*" {
				if i == 1 {
					width = next
				}
				next++
			}
		}
		long := strings.ContainsAny(m[0], "lL")
		switch verb := m[3]; {
		case verb == "%" || verb == "m":
		case verb == "" || !strings.Contains("diouxXcspeEfFgGaA", verb) || verb == "s" && long:
			return nil, "the conversion " + fmt.Sprintf("%q", m[0]) + " is not supported"
		case strings.Contains("eEfFgGaA", verb):
			vectors++
			mixed = mixed || vectors > vectorParams || strings.Contains(m[0], "L")
		default:
			if verb == "s" {
				s := printedString{format: "%s", arg: next, width: width}
				if m[2] != "" && m[2] != "*" {
					s.format = "%." + m[2] + "s"
				} else if width >= 0 {
					s.format = "%.*s"
				} else if strings.Contains(m[0], ".") {
					s.format = "%.0s"
				}
				if next >= len(argumentRegs) && mixed {
					return nil, "an argument after numbers in floating point on the stack is not supported"
				}
				if next > 9 {
					return nil, "a string after more than nine arguments is not supported"
				}
				out = append(out, s)
			}
			next++
		}
	}
	return out, ""
}
