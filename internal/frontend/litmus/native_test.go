package litmus

import (
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/source"
	"fencepost/internal/stress"
	"fencepost/query"
)

// TestNative shows the instructions of tests as the assembler gets them.
func TestNative(t *testing.T) {
	const file = "testdata/native.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "\n-- ")
	update := flag.Lookup("update").Value.String() == "true"
	for i, part := range parts[1:] {
		name, rest, _ := strings.Cut(part, " --\n")
		program, want, _ := strings.Cut(rest, "\n=>")
		program += "\n"
		u, diags := Parse(source.NewFile(name, []byte(program)), Options{C: translate.Options{COptions: query.COptions{Uninitialised: query.UninitialisedZero}}})
		if u.Program == nil {
			t.Fatalf("%s: %v", name, diags.All)
		}
		got := strings.TrimSpace(showNative(u))
		if update {
			parts[i+1] = name + " --\n" + program + "=>\n" + got + "\n"
		} else if got != strings.TrimSpace(want) {
			t.Errorf("%s\ngot\n%s\nwant\n%s", name, got, want)
		}
	}
	if update {
		if err := os.WriteFile(file, []byte(strings.Join(parts, "\n-- ")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func showNative(u *Unit) string {
	test, reason := u.Native()
	if reason != "" {
		return "not run: " + reason + "\n"
	}
	var b strings.Builder
	for i, th := range test.Threads {
		if test.Program != nil {
			continue
		}
		b.WriteString(procName(int64(i)) + "\n")
		for _, in := range th.In {
			b.WriteString("  " + in.Register + " = ")
			if in.IsAddress {
				b.WriteString(test.Locations[in.Address.Location].Name)
			}
			if in.Number != 0 || !in.IsAddress {
				b.WriteString(decimal(in.Number))
			}
			if in.Address.Offset != 0 {
				b.WriteString("+" + decimal(in.Address.Offset))
			}
			b.WriteString("\n")
		}
		for _, a := range th.Asm {
			b.WriteString("    " + a + "\n")
		}
	}
	if test.Program != nil {
		text, err := stress.PrintCode(test)
		if err != nil {
			return "not run: " + err.Error() + "\n"
		}
		b.WriteString(text[strings.Index(text, "static int64_t fp_f"):])
	}
	return b.String()
}

// NativeValue leads back to the addresses of the model.
func TestNativeValue(t *testing.T) {
	u, _ := Parse(source.NewFile("t", []byte("X86_64 t\n{ 0:rdi=y; }\n P0 ;\n movl (x),%eax ;\n movl $1,(%rdi) ;\nexists (0:rdi=y)\n")), Options{})
	test, reason := u.Native()
	if reason != "" {
		t.Fatal(reason)
	}
	for i, l := range test.Locations {
		if l.Name != "y" {
			continue
		}
		v := u.NativeValue(stress.Value{IsAddress: true, Address: stress.Address{Location: i}})
		if s := u.State([]int64{v}); s != "0:rdi=y;" {
			t.Error(s)
		}
	}
	if s := u.State([]int64{u.NativeValue(stress.Value{Number: 5})}); s != "0:rdi=5;" {
		t.Error(s)
	}
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
