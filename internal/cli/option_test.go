package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"fencepost"
)

// Every row of the table is a flag of the commands that it names, in its group.
func TestOptionTable(t *testing.T) {
	root := commands(t)
	for _, o := range slices.Concat(table, commandTable) {
		if o.text == "" || !slices.Contains(groups, o.group) {
			t.Errorf("--%s: text %q, group %q", o.name, o.text, o.group)
		}
		for _, name := range strings.Fields(o.on) {
			if name == rootName {
				continue
			}
			cmd, _, err := root.Find([]string{name})
			if err != nil || cmd.Name() != name {
				t.Errorf("--%s names the command %s: %v", o.name, name, err)
				continue
			}
			f := cmd.Flags().Lookup(o.name)
			if f == nil || f.Shorthand != o.short || !slices.Contains(f.Annotations[groupKey], o.group) {
				t.Errorf("%s has no flag --%s as the table says: %+v", name, o.name, f)
			}
		}
		for name := range o.other {
			if !slices.Contains(strings.Fields(o.on), name) {
				t.Errorf("--%s has a text for %s, which it is not on", o.name, name)
			}
		}
	}
}

// Every flag that the help shows is a row: no command declares one by hand.
func TestFlagsAreRows(t *testing.T) {
	root := commands(t)
	for _, cmd := range append(root.Commands(), root) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Annotations[groupKey] == nil && !f.Hidden && f.Name != "help" && f.Name != "version" {
				t.Errorf("%s --%s is not in the tables of options", cmd.Name(), f.Name)
			}
		})
	}
}

// The help of an option has what the tables say about it.
func TestOptionHelp(t *testing.T) {
	check, _, err := commands(t).Find([]string{"check"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"unroll": {"--unroll k", "where a bound is needed", "recursion", "Commands: check, robust", "In Go:    Unroll"},
		"json":   {"--json", "print the results as JSON", "Commands: check, fuzz"},
		"proof":  nil,
	} {
		text := optionHelp(check, name)
		if want == nil && text != "" {
			t.Errorf("%s: %q", name, text)
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: %q has no %q", name, text, w)
			}
		}
	}
}

// The help of a command has its flags under headings.
func TestGroupedHelp(t *testing.T) {
	root := commands(t)
	check, _, err := root.Find([]string{"check"})
	if err != nil {
		t.Fatal(err)
	}
	text, at := check.UsageString(), 0
	for _, want := range []string{"Usage:", "Examples:", "\nThe five flags", "--races", "\nQuestion:", "--deadlock", "\nLimits and bounds:", "--buffer k", "\nEngines:", "--rounds k", "\nC and machine code:", "--entry function", "\nOutput:", "--json", "--verbose"} {
		if i := strings.Index(text[at:], want); i < 0 && want != "--verbose" || !strings.Contains(text, want) {
			t.Errorf("%q is missing after %q", want, text[max(0, at-20):at])
		} else if i > 0 {
			at += i
		}
	}
}

// What stands for the value of a flag in the help is short: quotes of a command in the text of a flag would stand there.
func TestPlaceholders(t *testing.T) {
	for _, cmd := range append(commands(t).Commands(), commands(t)) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); strings.Contains(name, " ") || strings.HasPrefix(name, "fencepost") {
				t.Errorf("%s --%s has the value %q", cmd.Name(), f.Name, name)
			}
		})
	}
}

// docs/options.md is the table. With -update it is written.
func TestOptionsPage(t *testing.T) {
	const page = "../../docs/options.md"
	if *update {
		if err := os.WriteFile(page, []byte(optionsPage()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || string(got) != optionsPage() {
		t.Errorf("docs/options.md is not the table of options (%v): run `go test ./internal/cli -run TestOptionsPage -update`", err)
	}
}

// Completion offers every kind of file that is read, and every language.
func TestCompletionOfInputs(t *testing.T) {
	for _, e := range []string{"fp", "c", "i", "o", "a", "rlib", "litmus", "txt", "rmm"} {
		if !slices.Contains(programExtensions(), e) {
			t.Errorf("no file that ends in .%s", e)
		}
	}
	if !slices.Contains(fencepost.Languages(), "x86") {
		t.Error("no machine code")
	}
}
