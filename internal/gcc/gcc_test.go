package gcc

import (
	"flag"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// findGCC returns a gcc 12 for x86-64 Linux, or skips the test.
func findGCC(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("notice: no gcc here, so the facts are not compared with one")
	}
	version, _ := exec.Command(path, "-dumpversion").Output()
	target, _ := exec.Command(path, "-dumpmachine").Output()
	if !strings.HasPrefix(string(version), "12") || !strings.HasPrefix(string(target), "x86_64-linux") {
		t.Skipf("notice: the facts are those of gcc 12 for x86-64 Linux, and this is %s for %s", strings.TrimSpace(string(version)), strings.TrimSpace(string(target)))
	}
	return path
}

// predefinedBy is the sorted output of gcc -dM -E.
func predefinedBy(t *testing.T, gcc string, flags ...string) string {
	t.Helper()
	out, err := exec.Command(gcc, append(slices.Clone(flags), "-dM", "-E", "-x", "c", "/dev/null")...).Output()
	if err != nil {
		t.Fatalf("gcc %v: %v", flags, err)
	}
	lines := strings.SplitAfter(string(out), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// compare holds the macros of a set of flags against gcc's. A macro without a value is
// printed with a space at its end by gcc.
func compare(t *testing.T, gcc string, flags ...string) {
	t.Helper()
	s, err := Parse(flags)
	if err != nil {
		t.Errorf("%v: %v", flags, err)
		return
	}
	got, want := strings.SplitAfter(s.Predefined(), "\n"), strings.SplitAfter(predefinedBy(t, gcc, flags...), "\n")
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("%v: gcc does not predefine %q", flags, line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("%v: missing %q", flags, line)
		}
	}
}

func TestMacrosOfStandards(t *testing.T) {
	gcc := findGCC(t)
	compare(t, gcc)
	for _, std := range []string{"gnu89", "c90", "gnu99", "c99", "gnu11", "c11", "gnu17", "c17", "gnu2x", "c2x"} {
		compare(t, gcc, "-std="+std)
	}
	compare(t, gcc, "-ansi")
}

func TestMacrosOfFlags(t *testing.T) {
	gcc := findGCC(t)
	for _, flags := range []string{
		"-O0", "-O2", "-Os -O1", "-Oz", "-O2 -O0", "-pthread", "-fPIC", "-fpic", "-fpie", "-fno-pie", "-fno-pic", "-funsigned-char", "-fshort-enums", "-fwrapv",
		"-fsanitize=address", "-fsanitize=thread", "-fexceptions", "-ffreestanding", "-fstack-protector-strong", "-fstack-protector-all", "-fstack-protector",
		"-fstack-protector -fno-stack-protector", "-fcf-protection", "-fno-math-errno", "-fno-strict-aliasing", "-fvisibility=hidden", "-g3", "-Wall -Wextra",
		"-mcx16", "-mavx2 -mno-avx", "-march=haswell -mtune=skylake", "-march=skylake-avx512 -mno-avx512f", "-mno-sse4.1 -march=corei7", "-mtune=znver3", "-msse4",
		"-std=gnu99 -O2 -mcx16", "-march=znver2 -mno-avx -mbmi", "-march=sapphirerapids",
	} {
		compare(t, gcc, strings.Fields(flags)...)
	}
}

var allProcessors = flag.Bool("processors", false, "compare all processors and extensions with gcc, not a sample")

// TestMacrosOfProcessors compares extensions, alone and taken back, and processors.
func TestMacrosOfProcessors(t *testing.T) {
	gcc := findGCC(t)
	n, every := 0, 11
	if *allProcessors {
		every = 1
	}
	run := func(flags ...string) {
		if n++; n%every == 0 {
			compare(t, gcc, flags...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(extensions())) {
		run("-m" + name)
		run("-march=sapphirerapids", "-mno-"+name)
	}
	for _, name := range slices.Sorted(maps.Keys(processors())) {
		run("-march=" + name)
	}
	for _, name := range slices.Sorted(maps.Keys(tunings())) {
		run("-mtune=" + name)
	}
}

// TestHas compares the answers to __has_builtin and __has_attribute.
func TestHas(t *testing.T) {
	gcc := findGCC(t)
	var text strings.Builder
	ask := func(question, name string) {
		text.WriteString("#if " + question + "(" + name + ")\n+" + name + "\n#endif\n")
	}
	var want []string
	for _, name := range strings.Fields(builtinFacts) {
		ask("__has_builtin", name)
		want = append(want, "+"+name)
	}
	for _, name := range Attributes() {
		ask("__has_attribute", name)
		ask("__has_attribute", "__"+name+"__")
		want = append(want, "+"+name, "+__"+name+"__")
	}
	for _, name := range []string{"__builtin_no_such", "typeof", "_Static_assert", "f"} {
		ask("__has_builtin", name)
		if HasBuiltin(name) {
			want = append(want, "+"+name)
		}
	}
	for _, name := range []string{"no_such", "noreturn_", "_noreturn"} {
		ask("__has_attribute", name)
	}
	cmd := exec.Command(gcc, "-E", "-P", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(text.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(strings.ReplaceAll(string(out), "+ ", "+"))
	if !slices.Equal(got, want) {
		t.Errorf("gcc answers yes for %d names, the facts for %d", len(got), len(want))
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("gcc answers no for %s", name[1:])
			}
		}
	}
}

func TestFlags(t *testing.T) {
	s, err := Parse(strings.Fields("-std=gnu99 -O2 -I a -Ib -isystem sys -idirafter last -iquote q -include config.h -DX=3 -UX -D Y -DF(x)=x+1 " +
		"-funsigned-char -fshort-enums -fwrapv -c -o out.o main.c -MD -MF dep -Wp,-DZ=2 -pthread"))
	if err != nil {
		t.Fatal(err)
	}
	checks := []struct {
		name      string
		got, want []string
	}{
		{"Macros", s.Macros, []string{"#define X 3", "#undef X", "#define Y 1", "#define F(x) x+1", "#define Z 2"}},
		{"Dirs", s.Dirs, []string{"a", "b"}},
		{"System", s.System, []string{"sys", "last"}},
		{"Quoted", s.Quoted, []string{"q"}},
		{"Include", s.Include, []string{"config.h"}},
		{"Files", s.Files, []string{"main.c"}},
	}
	for _, c := range checks {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s = %q, want %q", c.name, c.got, c.want)
		}
	}
	if s.Std != "gnu99" || !s.UnsignedChar || !s.ShortEnums || !s.Wrap {
		t.Errorf("settings are %+v", s)
	}
}

// TestRefusedFlags has flags that are refused by name.
func TestRefusedFlags(t *testing.T) {
	for _, flag := range []string{
		"-m32", "-mx32", "-march=native", "-march=arm", "-fopenmp", "-ffast-math", "-Ofast", "-fpack-struct", "-ftrapv", "-fshort-wchar", "-std=c++17", "-nostdinc",
		"-imacros", "@flags", "-mno-sse", "-I-", "-xc++", "--no-such", "-D",
	} {
		args := []string{flag}
		if flag == "-imacros" {
			args = append(args, "x.h")
		}
		if _, err := Parse(args); err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(flag, "c++")) {
			t.Errorf("%s: error is %v", flag, err)
		}
	}
}
