package cli

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost/query"
	"fencepost/render"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// option is a row of the tables of options: a flag of some commands, and the field of their options that it sets.
// Flags, help, manual pages, completion and docs/options.md are made from the rows.
type option struct {
	name, short string
	field       string // path in the struct of options, such as C.Defines; "": a command has it for itself, see bind
	value       value  // how the flag is read; nil: as the type of the field says
	group       string // heading in the help
	on          string // commands, separated by spaces
	text        string // one line for the help
	long        string // what else there is to know, for `fencepost help COMMAND OPTION` and docs/options.md
	// other has the lines of commands for which text is not right, by command.
	other map[string]string
}

// value makes the flag for a pointer to a field.
type value func(at any) pflag.Value

// The groups, in the order of the help. Flags outside the table are in the last one.
const (
	groupQuestion = "Question"
	groupProgram  = "Program"
	groupLimits   = "Limits and bounds"
	groupEngines  = "Engines"
	groupC        = "C and machine code"
	groupOutput   = "Output"
)

var groups = []string{groupQuestion, groupProgram, groupLimits, groupEngines, groupC, groupOutput}

// groupFirst has the flags that most people need, before all others.
const groupFirst = "The five flags that most people need"

// firstFlags has them, by command.
var firstFlags = map[string][]string{"check": {"model", "races", "timeout", "html", "include"}}

// groupKey annotates a flag with its group.
const groupKey = "fencepost_group"

// addOptions gives a command the flags that the table has for it. They set fields of opt, a pointer to a struct of
// options.
func addOptions(cmd *cobra.Command, opt any) {
	flags := cmd.Flags()
	flags.SortFlags = false
	cmd.SetUsageFunc(groupedUsage)
	for i := range table {
		o := &table[i]
		if o.has(cmd.Name()) {
			o.add(flags, fieldAt(opt, o.field), o.textFor(cmd.Name()))
		}
	}
}

// bind gives a command the flag that the table of commands has for it by a name. The flag sets what at points to, or is at
// itself.
func bind(cmd *cobra.Command, name string, at any) { bindIn(cmd.Flags(), cmd.Name(), name, at) }

func bindIn(flags *pflag.FlagSet, command, name string, at any) {
	for i := range commandTable {
		if o := &commandTable[i]; o.name == name && o.has(command) {
			o.add(flags, at, o.textFor(command))
			return
		}
	}
	panic(fmt.Sprintf("BUG: no row --%s for %s", name, command))
}

// has reports whether a command has the option.
func (o *option) has(command string) bool { return slices.Contains(strings.Fields(o.on), command) }

func (o *option) textFor(command string) string {
	if t, ok := o.other[command]; ok {
		return t
	}
	return o.text
}

// add makes the flag.
func (o *option) add(flags *pflag.FlagSet, at any, text string) {
	o.define(flags, at, text)
	flags.Lookup(o.name).Annotations = map[string][]string{groupKey: {o.group}}
}

func (o *option) define(flags *pflag.FlagSet, at any, text string) {
	v, is := at.(pflag.Value)
	if o.value != nil {
		v, is = o.value(at), true
	}
	if is {
		flags.VarP(v, o.name, o.short, text)
		if b, ok := v.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
			flags.Lookup(o.name).NoOptDefVal = "true"
		}
		return
	}
	switch at := at.(type) {
	case *bool:
		flags.BoolVarP(at, o.name, o.short, *at, text)
	case *string:
		flags.StringVarP(at, o.name, o.short, *at, text)
	case *[]string:
		flags.StringArrayVarP(at, o.name, o.short, nil, text)
	case *time.Duration:
		flags.VarP(timeoutValue{at}, o.name, o.short, text)
	default:
		panic(fmt.Sprintf("BUG: --%s sets a field of type %T", o.name, at))
	}
}

// fieldAt returns a pointer to a field. A path that leads nowhere is a broken table.
func fieldAt(opt any, path string) any {
	v := reflect.ValueOf(opt).Elem()
	for name := range strings.SplitSeq(path, ".") {
		if v = v.FieldByName(name); !v.IsValid() {
			panic(fmt.Sprintf("BUG: %T has no field %s", opt, path))
		}
	}
	return v.Addr().Interface()
}

// count reads a whole number.
func count(least, most int) value {
	return func(at any) pflag.Value { return countValue{at.(*int), least, most} }
}

// bound reads a bound that has a default.
func bound(fallback int) value {
	return func(at any) pflag.Value { return boundValue{at.(*int), fallback} }
}

func loops(at any) pflag.Value    { return loopsValue{at.(*int)} }
func size(at any) pflag.Value     { return sizeValue{at.(*int64)} }
func seconds(at any) pflag.Value  { return secondsValue{at.(*float64)} }
func duration(at any) pflag.Value { return timeoutValue{at.(*time.Duration)} }
func file(at any) pflag.Value     { return fileValue{at.(*string)} }
func files(at any) pflag.Value    { return filesValue{at.(*[]string)} }

// relationNames are the names of relations in pictures.
func relationNames(at any) pflag.Value { return relationsValue{at.(*render.Relations)} }

// steps are separated by commas.
func steps(at any) pflag.Value {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.StringSliceVar(at.(*[]string), "steps", nil, "")
	return flags.Lookup("steps").Value
}

func lohi(at any) pflag.Value   { return rangeValue{at.(*[]int64)} }
func domain(at any) pflag.Value { return domainValue{at.(**query.Domain)} }

// anyModels is a list of memory models, with C11's own.
func anyModels(at any) pflag.Value { return (*anyModelsValue)(at.(*query.Models)) }

// names reads names of C, one per use of the flag; valued: a value may follow.
func names(valued bool) value {
	return func(at any) pflag.Value { return namesValue{at.(*[]string), valued} }
}

// word reads one of a few words into a field of a type of its own. what names the words in the help; fallback is the word
// that an empty field stands for.
func word[T ~string](what string, fallback T, choices ...T) value {
	return func(at any) pflag.Value {
		return wordValue[T]{at.(*T), what, fallback, choices, "want one of " + listed(choices, ", ")}
	}
}

// coded is word where the error about another word has the code of a diagnostic.
func coded[T ~string](code, what string, fallback T, choices ...T) value {
	want := "want one of " + listed(choices, ", ") + " [" + code + "]"
	return func(at any) pflag.Value { return wordValue[T]{at.(*T), what, fallback, choices, want} }
}

// either reads one of two words.
func either[T ~string](what string, fallback, first, second T) value {
	choices := []T{first, second}
	return func(at any) pflag.Value {
		return wordValue[T]{at.(*T), what, fallback, choices, "want " + listed(choices, " or ")}
	}
}

// anyWord reads any text, and completes it to one of several words. The command, or the question, refuses others.
func anyWord[T ~string](what string, choices ...T) value {
	return func(at any) pflag.Value { return wordValue[T]{at.(*T), what, "", choices, ""} }
}

func listed[T ~string](words []T, sep string) string { return strings.Join(texts(words), sep) }

type wordValue[T ~string] struct {
	at       *T
	what     string
	fallback T
	choices  []T
	want     string // the error about another word; "": every word is accepted
}

func (v wordValue[T]) Type() string { return v.what }

func (v wordValue[T]) String() string {
	if v.at == nil || *v.at == "" {
		return string(v.fallback)
	}
	return string(*v.at)
}

// words returns the values that the flag accepts, for completion.
func (v wordValue[T]) words() []string { return texts(v.choices) }

func (v wordValue[T]) Set(s string) error {
	if m, ok := machines[strings.ToLower(s)]; ok && slices.Contains(v.choices, T(query.TSO)) {
		s = string(m)
	}
	if v.want != "" && !slices.Contains(v.choices, T(s)) {
		return errors.New(v.want)
	}
	*v.at = T(s)
	return nil
}

// enginesValue is a list of engines.
type enginesValue struct{ at *query.Engines }

func enginesOf(at any) pflag.Value { return enginesValue{at.(*query.Engines)} }

func (enginesValue) Type() string     { return "name" }
func (v enginesValue) String() string { return v.at.String() }
func (enginesValue) words() []string  { return engineNames() }

func (v enginesValue) Set(s string) error {
	var list query.Engines
	for name := range strings.SplitSeq(s, ",") {
		if !slices.Contains(engineNames(), name) {
			return fmt.Errorf("want one or more, separated by commas, of %s [FP0912]", strings.Join(engineNames(), ", "))
		}
		list = append(list, query.Engine(name))
	}
	*v.at = list
	return nil
}

// domainValue is a range of the values in memory.
type domainValue struct{ at **query.Domain }

func (domainValue) Type() string { return "range" }

func (v domainValue) String() string {
	if v.at == nil || *v.at == nil {
		return ""
	}
	return fmt.Sprintf("%d..%d", (*v.at).Lo, (*v.at).Hi)
}

func (v domainValue) Set(s string) error {
	lo, hi, ok := strings.Cut(s, "..")
	from, err1 := strconv.ParseInt(lo, 10, 64)
	to, err2 := strconv.ParseInt(hi, 10, 64)
	if !ok || err1 != nil || err2 != nil || from > to {
		return errors.New("it is not a range of numbers: write two numbers, such as 0..3")
	}
	*v.at = &query.Domain{Lo: from, Hi: to}
	return nil
}

// groupedUsage prints the usage of a command with its flags in groups.
func groupedUsage(cmd *cobra.Command) error {
	var b strings.Builder
	if cmd.Runnable() {
		fmt.Fprintf(&b, "Usage:\n  %s\n", cmd.UseLine())
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	sets := map[string]*pflag.FlagSet{}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		group := groupOutput
		if slices.Contains(firstFlags[cmd.Name()], f.Name) {
			group = groupFirst
		} else if named := f.Annotations[groupKey]; len(named) == 1 {
			group = named[0]
		}
		if sets[group] == nil {
			sets[group] = pflag.NewFlagSet(group, pflag.ContinueOnError)
			sets[group].SortFlags = false
		}
		sets[group].AddFlag(f)
	})
	for _, group := range append([]string{groupFirst}, groups...) {
		if set := sets[group]; set != nil && set.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", group, set.FlagUsages())
		}
	}
	if cmd.HasAvailableInheritedFlags() {
		fmt.Fprintf(&b, "\nGlobal flags:\n%s", cmd.InheritedFlags().FlagUsages())
	}
	_, err := io.WriteString(cmd.OutOrStderr(), b.String())
	return err
}

// optionsPage returns the page of the documentation with all rows of the table.
func optionsPage() string {
	var b strings.Builder
	b.WriteString("# Options\n\nThe options of the commands, by the headings of `fencepost help COMMAND`.\n" +
		"`query` has the same options for Go programs, in the fields of the third column.\nOptions without a field are about files and output.\n" +
		"`fencepost help COMMAND OPTION` has the text of one option.\n" +
		"The page is made from the tables in `internal/cli/option_table.go` and `internal/cli/option_table_commands.go`.\n")
	for _, group := range groups {
		head := "\n## " + group + "\n\n| option | commands | field | meaning |\n|---|---|---|---|\n"
		for _, o := range slices.Concat(table, commandTable) {
			if o.group != group {
				continue
			}
			name := "--" + o.name
			if o.short != "" {
				name += ", -" + o.short
			}
			cell := strings.NewReplacer("|", "\\|", "`", "")
			meaning, field := cell.Replace(o.text), ""
			if o.long != "" {
				meaning += "<br>" + strings.ReplaceAll(o.long, "|", "\\|")
			}
			if o.field != "" {
				field = "`" + o.field + "`"
			}
			fmt.Fprintf(&b, "%s| `%s` | %s | %s | %s |\n", head, name, strings.ReplaceAll(o.on, " ", ", "), field, meaning)
			head = ""
		}
	}
	return b.String()
}
