package object

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compile runs a compiler of the machine, and skips the test with a notice where there is none.
func compile(t testing.TB, name, text string, flags ...string) []byte {
	t.Helper()
	cc := "gcc"
	if strings.HasSuffix(name, ".cc") {
		cc = "g++"
	}
	if _, err := exec.LookPath(cc); err != nil {
		t.Skipf("there is no %s here", cc)
	}
	dir := t.TempDir()
	src, out := filepath.Join(dir, name), filepath.Join(dir, "out")
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(cc, append(append([]string{}, flags...), "-o", out, name)...)
	cmd.Dir = dir
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func load(t *testing.T, files ...Input) *Image {
	t.Helper()
	im, err := Load(files)
	if err != nil {
		t.Fatal(err)
	}
	if len(im.Lines.Problems) > 0 {
		t.Error(im.Lines.Problems)
	}
	return im
}

func input(name string, data []byte) Input { return Input{Name: name, Data: data} }

const oneFile = `extern int other(int);
int shared = 7;
static int counter;
int zeroed[10];
const char *name = "hello";
__thread int mine = 3;
int get(void) {
  counter++;
  return mine + shared;
}
int main(void) { return other(get()); }
`

// TestObject: sections, symbols, relocations and lines of an object.
func TestObject(t *testing.T) {
	for _, level := range []string{"-O0", "-O2"} {
		im := load(t, input("a.o", compile(t, "a.c", oneFile, "-c", "-g", level)))
		main, get := im.Linked["main"], im.Linked["get"]
		if main == nil || main.Sec == nil || main.Kind != Function || !main.Sec.Exec || main.Size == 0 {
			t.Fatalf("main: %+v", main)
		}
		if o := im.Linked["other"]; o == nil || o.Sec != nil {
			t.Errorf("other: %+v", o)
		}
		shared := im.Linked["shared"]
		if shared.Size != 4 || !shared.Sec.Write || binary.LittleEndian.Uint32(shared.Sec.Data[shared.Off:]) != 7 {
			t.Errorf("shared: %+v", shared)
		}
		if z := im.Linked["zeroed"]; z.Size != 40 || z.Sec.Data != nil {
			t.Errorf("zeroed: %+v", z)
		}
		if m := im.Linked["mine"]; m.Kind != ThreadLocal || !m.Sec.TLS {
			t.Errorf("mine: %+v", m)
		}
		name := im.Linked["name"]
		r := name.Sec.RelocAt(name.Off)
		if r == nil || r.Kind != Abs64 || r.Sym == nil || !strings.HasPrefix(string(r.Sym.Sec.Data[int64(r.Sym.Off)+r.Addend:]), "hello\x00") {
			t.Errorf("the relocation of name: %+v", r)
		}
		// With -O2 the first instructions of both functions belong to the body of get.
		if at := im.Lines.At(get.Addr()); at.File != "a.c" || at.Line != 7 && level == "-O0" || at.Line < 7 || at.Line > 9 {
			t.Errorf("%s: get is at %+v", level, at)
		}
		if at := im.Lines.At(main.Addr()); at.Line != 11 && level == "-O0" || at.Line < 7 {
			t.Errorf("%s: main is at %+v", level, at)
		}
		if s := im.At(get.Sec, get.Off+1); s != get {
			t.Errorf("inside get: %+v", s)
		}
		if s := im.Find(main.Addr()); s != main.Sec {
			t.Errorf("the section of main: %+v", s)
		}
	}
}

// TestInlined: the functions that the compiler has put into others are known.
func TestInlined(t *testing.T) {
	im := load(t, input("a.o", compile(t, "a.c", `volatile int x;
static inline void put(int v) {
  x = v;
}
void f(void) {
  put(3);
}
`, "-c", "-g", "-O2")))
	f := im.Linked["f"]
	for off := uint64(0); off < f.Size; off++ {
		if frames := im.Lines.Inlined(f.Addr() + off); len(frames) == 1 && frames[0].Func == "put" && frames[0].Call.Line == 6 {
			return
		}
	}
	t.Errorf("put is not seen in f: %+v", im.Lines.calls)
}

// TestExecutable: a linked file has the same symbols and lines, and its words for other files'
// functions have relocations.
func TestExecutable(t *testing.T) {
	text := strings.Replace(oneFile, "extern int other(int);", "#include <stdlib.h>\n#define other abs", 1)
	for _, flags := range [][]string{{"-pie"}, {"-no-pie", "-fno-pie"}} {
		im := load(t, input("a.out", compile(t, "a.c", text, append([]string{"-g", "-fno-builtin"}, flags...)...)))
		main := im.Linked["main"]
		if main == nil || main.Sec == nil || !main.Sec.Linked || main.Sec.Name != ".text" {
			t.Fatalf("main: %+v", main)
		}
		if at := im.Lines.At(main.Addr()); at.File != "a.c" || at.Line != 12 {
			t.Errorf("main is at %+v", at)
		}
		found := false
		for _, s := range im.Sections {
			for _, r := range s.Relocs {
				found = found || r.Sym != nil && r.Sym.Name == "abs" && strings.HasPrefix(s.Name, ".got")
			}
		}
		if !found {
			t.Error("no word for abs")
		}
		if m := im.Linked["mine"]; m == nil || m.Kind != ThreadLocal || m.Sec == nil || m.Off != 0 {
			t.Errorf("mine: %+v", m)
		}
	}
}

// TestLinking: strong over weak, one copy of a COMDAT group, and two definitions.
func TestLinking(t *testing.T) {
	weak := input("weak.o", compile(t, "w.c", "__attribute__((weak)) int f(void) { return 1; }\nint g(void) { return f(); }\n", "-c"))
	strong := input("strong.o", compile(t, "s.c", "int f(void) { return 2; }\n", "-c"))
	for _, files := range [][]Input{{weak, strong}, {strong, weak}} {
		im := load(t, files...)
		if f := im.Linked["f"]; f.File != "strong.o" || f.Weak || !strings.HasPrefix(f.Sec.File, "strong") {
			t.Errorf("f: %+v", f)
		}
	}
	if _, err := Load([]Input{strong, {Name: "again.o", Data: strong.Data}}); err == nil || !strings.Contains(err.Error(), "f has two definitions") {
		t.Errorf("two definitions: %v", err)
	}
	inline := "struct s { int v; s(int); int get() const { return v; } };\ninline int twice(int x) { static int n; return n++ + 2*x; }\n"
	a := input("a.o", compile(t, "a.cc", inline+"int one() { return twice(1); }\n", "-c", "-O0"))
	b := input("b.o", compile(t, "b.cc", inline+"int two() { return twice(2); }\n", "-c", "-O0"))
	im := load(t, a, b)
	n := 0
	for _, s := range im.Sections {
		if strings.Contains(s.Name, "twice") && s.Exec {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d copies of twice", n)
	}
}

// TestArchive: a member is taken when it is needed.
func TestArchive(t *testing.T) {
	if _, err := exec.LookPath("ar"); err != nil {
		t.Skip("there is no ar here")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"used.c": "int inner(void);\nint f(void) { return inner(); }\n", "inner.c": "int inner(void) { return 1; }\n",
		"a_member_with_a_very_long_name.c": "int unused(void) { return 1; }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, strings.TrimSuffix(name, "c")+"o"), compile(t, name, text, "-c"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "lib.rmeta"), []byte("rust"), 0o644); err != nil { // as in an .rlib
		t.Fatal(err)
	}
	empty := compile(t, "empty.c", "\n", "-c")
	if err := os.WriteFile(filepath.Join(dir, "empty.o"), empty, 0o644); err != nil {
		t.Fatal(err)
	}
	strip := exec.Command("strip", "empty.o") // clang makes objects without a table of symbols
	strip.Dir = dir
	if msg, err := strip.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	cmd := exec.Command("ar", "rcs", "lib.a", "lib.rmeta", "empty.o", "a_member_with_a_very_long_name.o", "inner.o", "used.o")
	cmd.Dir = dir
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	data, err := os.ReadFile(filepath.Join(dir, "lib.a"))
	if err != nil {
		t.Fatal(err)
	}
	main := input("main.o", compile(t, "main.c", "int f(void);\nint main(void) { return f(); }\n", "-c"))
	im := load(t, input("lib.a", data), main)
	if f := im.Linked["inner"]; f == nil || f.Sec == nil || f.File != "lib.a(inner.o)" {
		t.Errorf("inner: %+v", f)
	}
	if im.Linked["unused"] != nil {
		t.Error("a member was taken that nothing needs")
	}
	if im := load(t, input("lib.a", data)); im.Linked["unused"] == nil || im.Linked["unused"].File != "lib.a(a_member_with_a_very_long_name.o)" {
		t.Error("an archive alone is not taken whole")
	}
	for _, cut := range []int{len(data) - 1, len(data) - 100, 90, 40, 9} {
		if _, err := Load([]Input{main, {Name: "lib.a", Data: data[:cut]}}); err == nil {
			t.Errorf("an archive of %d bytes is read", cut)
		}
	}
}

// TestRefusals: files that cannot be read get an error that says why.
func TestRefusals(t *testing.T) {
	good := compile(t, "a.c", "int main(void) { return 0; }\n", "-c")
	edit := func(off int, b ...byte) []byte {
		data := bytes.Clone(good)
		copy(data[off:], b)
		return data
	}
	symtab := 0 // the offset of the header of .symtab
	shoff, shnum := binary.LittleEndian.Uint64(good[40:]), int(binary.LittleEndian.Uint16(good[60:]))
	for i := range shnum {
		if h := int(shoff) + 64*i; binary.LittleEndian.Uint32(good[h+4:]) == 2 {
			symtab = h
		}
	}
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"empty", "is empty", nil},
		{"text", "neither ELF nor an archive", []byte("int main(void);\n")},
		{"cut at 50", "malformed or cut off", good[:50]},
		{"cut at the end", "malformed or cut off", good[:len(good)-20]},
		{"32 bits", "32-bit code", edit(18, 3)},
		{"x32", "x32", compileOr(t, edit(4, 1), "-mx32")},
		{"Arm", "another processor: AARCH64", edit(18, 183)},
		{"Mach-O", "Mach-O", []byte("\xcf\xfa\xed\xfe\x07\x00\x00\x01")},
		{"Windows", "a Windows executable", []byte("MZ\x90\x00")},
		{"LLVM", "LLVM bitcode", []byte("BC\xc0\xde\x35")},
		{"thin", "thin archive", []byte("!<thin>\n/               0 ")},
		{"core", "memory of a process", edit(16, 4)},
		{"type", "unknown type", edit(16, 9)},
		{"stripped", "stripped", edit(symtab+4, 1)},
		{"huge", "more than 1024 MiB of memory", compile(t, "h.c", "char x[1 << 30], y[1 << 30]; int main(void) { return x[1] + y[1]; }\n", "-c")},
		{"library", "dynamic library", compile(t, "l.c", "int f(void) { return 1; }\n", "-shared", "-fPIC")},
	} {
		_, err := Load([]Input{{Name: "x.o", Data: c.data}})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "x.o: ") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	exe := compile(t, "a.c", "int main(void) { return 0; }\n")
	if _, err := Load([]Input{{Name: "a.o", Data: good}, {Name: "a.out", Data: exe}}); err == nil || !strings.Contains(err.Error(), "a program by itself") {
		t.Errorf("an executable among others: %v", err)
	}
}

// compileOr compiles with a flag, and returns other bytes where the compiler does not know it.
func compileOr(t *testing.T, other []byte, flag string) []byte {
	dir := t.TempDir()
	src, out := filepath.Join(dir, "a.c"), filepath.Join(dir, "a.o")
	if err := os.WriteFile(src, []byte("int main(void) { return 0; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if exec.Command("gcc", flag, "-c", "-o", out, src).Run() != nil {
		return other
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestRelocations: a relocation of any number is one that is read, or it is refused by its name or number.
func TestRelocations(t *testing.T) {
	data := compile(t, "a.s", ".data\n.globl x\nx: .quad y\n.quad 0\n", "-c")
	at := 0 // of the only relocation
	shoff, shnum := binary.LittleEndian.Uint64(data[40:]), int(binary.LittleEndian.Uint16(data[60:]))
	for i := range shnum {
		if h := data[int(shoff)+64*i:]; binary.LittleEndian.Uint32(h[4:]) == 4 {
			at = int(binary.LittleEndian.Uint64(h[24:]))
		}
	}
	read := 0
	for typ := range uint32(64) {
		changed := bytes.Clone(data)
		binary.LittleEndian.PutUint32(changed[at+8:], typ)
		im, err := Load([]Input{{Name: "a.o", Data: changed}})
		kind := relocKinds[elf.R_X86_64(typ)]
		if typ == 0 || kind != RelocUnset {
			read++
			if err != nil || typ != 0 && im.Linked["x"].Sec.RelocAt(0).Kind != kind {
				t.Errorf("%s: %v", elf.R_X86_64(typ), err)
			}
		} else if want := elf.R_X86_64(typ).String() + " at byte 0 of .data is not supported"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", elf.R_X86_64(typ), err)
		}
	}
	if read != 13 {
		t.Errorf("%d kinds are read", read)
	}
}

// TestCutOff: no prefix of an object or of an executable panics.
func TestCutOff(t *testing.T) {
	for _, flags := range [][]string{{"-c", "-g"}, {"-g"}} {
		data := compile(t, "a.c", "int x = 1; int *p = &x; int main(void) { return *p; }\n", flags...)
		step := max(1, len(data)/500)
		for n := 0; n < len(data); n += step {
			Load([]Input{{Name: "a.o", Data: data[:n]}})
		}
	}
}

// TestMutations: objects with some bytes changed are read, or refused with an error.
func TestMutations(t *testing.T) {
	data := compile(t, "a.c", "static int s; __thread int t; int *p = &s; int main(void) { s++; return *p + t; }\n", "-c", "-g")
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 2000 {
		changed := bytes.Clone(data)
		for range 1 + r.IntN(5) {
			changed[r.IntN(len(data))] = byte(r.IntN(256))
		}
		im, err := Load([]Input{{Name: "a.o", Data: changed}})
		if (im == nil) == (err == nil) {
			t.Fatal("neither an image nor an error, or both")
		}
		if err != nil {
			refused++
		}
	}
	if refused == 0 || refused == 2000 {
		t.Errorf("%d of 2000 were refused", refused)
	}
}

// FuzzLoad: no bytes panic, hang or take much memory.
func FuzzLoad(f *testing.F) {
	text := "static int s; __thread int t; int *p = &s; int main(void) { s++; return *p + t; }\n"
	for _, flags := range [][]string{{"-c", "-g"}, {"-c", "-O2", "-fPIC", "-ftls-model=initial-exec"}, {}} {
		f.Add(compile(f, "a.c", text, flags...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		im, err := Load([]Input{{Name: "a.o", Data: data}})
		if (im == nil) == (err == nil) {
			t.Fatal("neither an image nor an error, or both")
		}
		if err != nil {
			return
		}
		for _, s := range im.Symbols {
			if s.Sec == nil || s.Off > s.Sec.Size || s.Size > s.Sec.Size-s.Off {
				t.Fatalf("the symbol %+v is outside its section", s)
			}
		}
		for _, s := range im.Sections {
			for _, r := range s.Relocs {
				if r.Off > s.Size || r.Kind.Size() > s.Size-r.Off {
					t.Fatalf("the relocation %+v is outside %s", r, s.Name)
				}
			}
		}
	})
}
