package gcc

import (
	"fmt"
	"slices"
	"strings"
)

// Settings are the flags of one file that matter.
type Settings struct {
	Std string // of standards
	// Macros are the lines #define and #undef of -D and -U, in their order.
	Macros []string
	// Directories for included files, in the order in which they are searched: for names in
	// quotes, for all names, and after these as headers of the system.
	Quoted, Dirs, System []string
	Include              []string // files that are included first
	UnsignedChar         bool
	ShortEnums           bool // an enum has the smallest type that holds its values
	Wrap                 bool // signed overflow wraps
	GNUInline            bool // extern inline means what it meant before C99
	Files                []string

	machine machine
	changes []change
	after   []string // directories of -idirafter
}

// FlagError says why a flag is refused.
type FlagError struct{ Flag, Reason string }

func (e *FlagError) Error() string { return fmt.Sprintf("compiler flag %s: %s", e.Flag, e.Reason) }

// Parse reads flags. Arguments that are no flags are files.
func Parse(args []string) (*Settings, error) {
	s := &Settings{Std: DefaultStandard}
	for rest := args; len(rest) > 0; {
		used, err := s.flag(rest)
		if err != nil {
			return nil, err
		}
		rest = rest[used:]
	}
	s.System = append(s.System, s.after...)
	s.after = nil
	return s, nil
}

// joined are flags with an argument, which may be the next word.
var joined = []string{"-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I", "-D", "-U", "-MF", "-MT", "-MQ", "-o", "-x", "-L", "-l", "-T", "-z", "-u"}

// flag obeys the first of the words, and says how many words that took.
func (s *Settings) flag(words []string) (used int, err error) {
	flag := words[0]
	if !strings.HasPrefix(flag, "-") || flag == "-" {
		if strings.HasPrefix(flag, "@") {
			return 0, &FlagError{flag, "files with flags are not read"}
		}
		s.Files = append(s.Files, flag)
		return 1, nil
	}
	for _, name := range joined {
		value, ok := strings.CutPrefix(flag, name)
		if !ok {
			continue
		}
		used = 1
		if value == "" {
			if len(words) < 2 {
				return 0, &FlagError{flag, "its argument is missing"}
			}
			value, used = words[1], 2
		}
		return used, s.valued(name, value)
	}
	return 1, s.plain(flag)
}

// valued obeys a flag with an argument.
func (s *Settings) valued(name, value string) error {
	switch name {
	case "-D":
		macro, text, given := strings.Cut(value, "=")
		if !given {
			text = "1"
		}
		s.Macros = append(s.Macros, "#define "+macro+" "+text)
	case "-U":
		s.Macros = append(s.Macros, "#undef "+value)
	case "-I":
		if value == "-" {
			return &FlagError{"-I-", "it is obsolete, use -iquote"}
		}
		s.Dirs = append(s.Dirs, value)
	case "-isystem":
		s.System = append(s.System, value)
	case "-iquote":
		s.Quoted = append(s.Quoted, value)
	case "-idirafter":
		s.after = append(s.after, value)
	case "-include":
		s.Include = append(s.Include, value)
	case "-x":
		if value != "c" && value != "none" {
			return &FlagError{"-x " + value, "only C is supported"}
		}
	case "-imacros":
		return &FlagError{name, "it is not supported, use -include"}
	}
	return nil // the others are about output files and linking
}

// plain obeys a flag that is one word.
func (s *Settings) plain(flag string) error {
	if list, ok := strings.CutPrefix(flag, "-Wp,"); ok {
		for words := strings.Split(list, ","); len(words) > 0; {
			used, err := s.flag(words)
			if err != nil {
				return err
			}
			words = words[used:]
		}
		return nil
	}
	switch {
	case strings.HasPrefix(flag, "-std="), strings.HasPrefix(flag, "--std="):
		_, name, _ := strings.Cut(flag, "=")
		std, ok := standardOf(name)
		if !ok {
			return &FlagError{flag, "this standard is not supported"}
		}
		s.Std = std
	case flag == "-ansi":
		s.Std = "c89"
	case flag == "-pthread":
		s.define("_REENTRANT", "1")
	case strings.HasPrefix(flag, "-O"):
		return s.optimize(flag)
	case strings.HasPrefix(flag, "-W"), strings.HasPrefix(flag, "-g"), slices.Contains(ignored, flag):
	case strings.HasPrefix(flag, "-m"):
		return s.processor(flag)
	case strings.HasPrefix(flag, "-f"):
		return s.language(flag)
	default:
		return &FlagError{flag, "it is not supported"}
	}
	return nil
}

// ignored are flags that change nothing here: they are about warnings, output files and
// linking.
var ignored = []string{
	"-c", "-S", "-w", "-v", "-s", "-p", "-pg", "-pipe", "-pedantic", "-pedantic-errors", "-M", "-MM", "-MD", "-MMD", "-MP", "-MG",
	"-shared", "-static", "-static-libgcc", "-rdynamic", "-pie", "-no-pie", "-nostdlib", "-nostartfiles", "-nodefaultlibs", "--coverage", "-save-temps",
}

// optimize obeys -O: the code is checked as it is written, and only macros differ.
func (s *Settings) optimize(flag string) error {
	switch level := strings.TrimPrefix(flag, "-O"); level {
	case "0":
		s.define("__NO_INLINE__", "1")
		s.undefine("__OPTIMIZE__", "__OPTIMIZE_SIZE__")
	case "", "1", "2", "3", "4", "5", "6", "g":
		s.undefine("__NO_INLINE__", "__OPTIMIZE_SIZE__")
		s.define("__OPTIMIZE__", "1")
	case "s", "z":
		s.undefine("__NO_INLINE__")
		s.define("__OPTIMIZE__", "1")
		s.define("__OPTIMIZE_SIZE__", "1")
	default:
		return &FlagError{flag, "it changes the meaning of floating point"}
	}
	return nil
}

// quietMachine are beginnings of flags about the processor that change neither macros nor
// the meaning of C.
var quietMachine = []string{
	"-m64", "-mno-red-zone", "-mred-zone", "-mstackrealign", "-mno-stackrealign", "-mpreferred-stack-boundary=", "-mincoming-stack-boundary=",
	"-maccumulate-outgoing-args", "-mno-accumulate-outgoing-args", "-mfentry", "-mno-fentry", "-mrecord-mcount", "-mindirect-branch", "-mfunction-return=",
	"-mharden-sls=", "-mprefer-vector-width=", "-mtls-dialect=", "-mtls-direct-seg-refs", "-mno-tls-direct-seg-refs", "-mvzeroupper", "-mno-vzeroupper",
	"-momit-leaf-frame-pointer", "-mno-omit-leaf-frame-pointer", "-mfpmath=sse", "-mbranch-cost=", "-mcmodel=small", "-mskip-rax-setup", "-mcld", "-mno-cld",
	"-minline-all-stringops", "-mno-align-stringops", "-mstringop-strategy=", "-mmemcpy-strategy=", "-mmemset-strategy=",
}

// processor obeys a flag that begins with -m.
func (s *Settings) processor(flag string) error {
	if flag == "-march=native" || flag == "-mtune=native" {
		return &FlagError{flag, "the answer must not depend on this machine; name the processor, such as -march=x86-64-v3"}
	}
	if s.machine.set(flag) {
		return nil
	}
	if slices.ContainsFunc(quietMachine, func(begin string) bool { return strings.HasPrefix(flag, begin) }) {
		return nil
	}
	return &FlagError{flag, "it is not supported"}
}

// quietLanguage are beginnings of flags that change neither macros nor the meaning of C as
// it is checked; "no-" may stand before each.
var quietLanguage = []string{
	"strict-aliasing", "common", "visibility=", "visibility-inlines", "omit-frame-pointer", "plt", "diagnostics-", "message-length=", "debug-prefix-map=",
	"asynchronous-unwind-tables", "unwind-tables", "function-sections", "data-sections", "lto", "fat-lto-objects", "use-ld=", "inline", "unroll-", "tree-",
	"stack-clash-protection", "stack-usage", "delete-null-pointer-checks", "builtin", "profile-", "test-coverage", "analyzer", "keep-", "semantic-interposition",
	"ident", "verbose-asm", "ipa-", "gcse", "reorder-", "align-", "split-", "merge-", "optimize-", "schedule-", "var-tracking", "eliminate-unused-", "zero-initialized-in-bss",
	"strict-overflow", "stack-check", "max-errors=", "working-directory", "record-gcc-switches", "toplevel-reorder", "conserve-stack", "crossjumping", "jump-tables",
	"stack-reuse=", "track-macro-expansion", "color-diagnostics", "sanitize-recover", "sanitize=undefined", "sanitize=bounds", "sanitize=leak", "random-seed=",
	"caller-saves", "code-hoisting", "combine-", "cprop-", "cse-", "dce", "dse", "forward-propagate", "if-conversion", "isolate-erroneous-", "lifetime-dse", "partial-inlining",
	"non-call-exceptions", "early-inlining", "ira-", "expensive-optimizations", "input-charset=utf-8", "input-charset=UTF-8",
	"peephole", "prefetch-loop-arrays", "ree", "rename-registers", "rerun-", "sched-", "section-anchors", "shrink-wrap", "ssa-", "store-merging", "thread-jumps", "vect-", "web",
}

// language obeys a flag that begins with -f.
func (s *Settings) language(flag string) error {
	if s.charOrEnum(flag) || s.macrosOf(flag) {
		return nil
	}
	name := strings.TrimPrefix(strings.TrimPrefix(flag, "-f"), "no-")
	if slices.ContainsFunc(quietLanguage, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
		return nil
	}
	return &FlagError{flag, "it is not supported"}
}

// charOrEnum obeys the flags that change the meaning of C.
func (s *Settings) charOrEnum(flag string) bool {
	switch flag {
	case "-fsigned-char", "-fno-unsigned-char":
		s.UnsignedChar = false
	case "-funsigned-char", "-fno-signed-char":
		s.UnsignedChar = true
	case "-fshort-enums":
		s.ShortEnums = true
	case "-fno-short-enums":
		s.ShortEnums = false
	case "-fwrapv":
		s.Wrap = true
	case "-fno-wrapv":
		s.Wrap = false
	case "-fgnu89-inline":
		s.GNUInline = true
		s.define("__GNUC_GNU_INLINE__", "1")
		s.undefine("__GNUC_STDC_INLINE__")
	default:
		return false
	}
	return true
}

// macrosOf obeys flags that define macros and change nothing else here.
func (s *Settings) macrosOf(flag string) bool {
	pic, pie := []string{"__PIC__", "__pic__"}, []string{"__PIE__", "__pie__"}
	all := func(names []string, value string) {
		for _, name := range names {
			s.define(name, value)
		}
	}
	protector := []string{"__SSP__", "__SSP_STRONG__", "__SSP_ALL__", "__SSP_EXPLICIT__"}
	switch flag {
	case "-fPIC":
		all(pic, "2")
		s.undefine(pie...)
	case "-fpic":
		all(pic, "1")
		s.undefine(pie...)
	case "-fPIE":
		all(append(pic, pie...), "2")
	case "-fpie":
		all(append(pic, pie...), "1")
	case "-fno-pic", "-fno-PIC", "-fno-pie", "-fno-PIE":
		s.undefine(append(pic, pie...)...)
	case "-fstack-protector":
		s.undefine(protector...)
		s.define("__SSP__", "1")
	case "-fstack-protector-strong":
		s.undefine(protector...)
		s.define("__SSP_STRONG__", "3")
	case "-fstack-protector-all":
		s.undefine(protector...)
		s.define("__SSP_ALL__", "2")
	case "-fno-stack-protector":
		s.undefine(protector...)
	case "-fcf-protection", "-fcf-protection=full":
		s.define("__CET__", "3")
	case "-fcf-protection=none":
		s.undefine("__CET__")
	case "-fexceptions":
		s.define("__EXCEPTIONS", "1")
	case "-fno-exceptions":
		s.undefine("__EXCEPTIONS")
	case "-fno-math-errno":
		s.define("__NO_MATH_ERRNO__", "1")
	case "-fsanitize=address":
		s.define("__SANITIZE_ADDRESS__", "1")
	case "-fsanitize=thread":
		s.define("__SANITIZE_THREAD__", "1")
	case "-ffreestanding":
		s.define("__STDC_HOSTED__", "0")
		s.undefine("_STDC_PREDEF_H", "__STDC_IEC_559__", "__STDC_IEC_559_COMPLEX__", "__STDC_IEC_60559_BFP__", "__STDC_IEC_60559_COMPLEX__", "__STDC_ISO_10646__")
	default:
		return false
	}
	return true
}

// Relocate returns the flags of a command that ran in another directory, without the files
// that it compiles. The functions say where a directory and a file of -include lie.
func Relocate(args []string, dir, file func(path string) string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		word := args[i]
		if !strings.HasPrefix(word, "-") {
			continue
		}
		name := ""
		for _, j := range joined {
			if strings.HasPrefix(word, j) {
				name = j
				break
			}
		}
		value := strings.TrimPrefix(word, name)
		if name != "" && value == "" && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch name {
		case "":
			out = append(out, word)
		case "-I", "-isystem", "-iquote", "-idirafter":
			out = append(out, name, dir(value))
		case "-include":
			out = append(out, name, file(value))
		default:
			out = append(out, name, value)
		}
	}
	return out
}
