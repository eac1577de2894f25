package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost/query"

	"github.com/spf13/pflag"
)

// Flag values that say what they want when they do not get it. All implement
// pflag.Value, whose Set error follows the words `invalid argument "x" for "--flag"`.

// noDefault keeps the defaults of flags out of the help, where the text of the flag says what the default is.
func noDefault(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		flags.Lookup(name).DefValue = ""
	}
}

// modelsValue is a list of memory models.
type modelsValue []query.Model

func (v *modelsValue) String() string { return strings.Join(texts(*v), ",") }

// texts are the names of typed words.
func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = string(x)
	}
	return out
}

func (*modelsValue) Type() string { return "models" }

// words returns values for completion.
func (*modelsValue) words() []string { return []string{"sc", "tso", "pso", "sc,tso", "sc,tso,pso"} }

func (v *modelsValue) Set(s string) error {
	var list []query.Model
	for name := range strings.SplitSeq(s, ",") {
		model, err := modelNamed(name)
		if err != nil {
			return err
		}
		if !slices.Contains(list, model) {
			list = append(list, model)
		}
	}
	*v = list
	return nil
}

// anyModelsValue is a list of memory models, with C11's own.
type anyModelsValue query.Models

func (v *anyModelsValue) String() string { return (*modelsValue)(v).String() }

func (*anyModelsValue) Type() string { return "models" }

// words returns values for completion.
func (v *anyModelsValue) words() []string {
	return append((*modelsValue)(v).words(), "c11", "sc,tso,c11")
}

func (v *anyModelsValue) Set(s string) error {
	var list []query.Model
	for name := range strings.SplitSeq(s, ",") {
		one := modelsValue{query.C11}
		if !isC11(strings.ToLower(strings.TrimSpace(name))) {
			if err := one.Set(name); err != nil {
				return err
			}
		}
		if !slices.Contains(list, one[0]) {
			list = append(list, one[0])
		}
	}
	*v = list
	return nil
}

// joinedModels reads a list of weak memory models, with C11's own.
func joinedModels(at any) pflag.Value { return joinedValue{at.(*query.Model)} }

type joinedValue struct{ at *query.Model }

func (v joinedValue) String() string {
	if v.at == nil {
		return ""
	}
	return string(*v.at)
}

func (joinedValue) Type() string { return "models" }

// words returns values for completion.
func (joinedValue) words() []string { return []string{"c11", "tso", "pso", "c11,tso"} }

func (v joinedValue) Set(s string) error {
	for name := range strings.SplitSeq(s, ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); slices.Contains(weaker, name) {
			return fmt.Errorf("the model %s is not supported, only c11, tso and pso are: orders that suffice under c11 suffice on every processor, and --cost says what they cost there", name)
		}
	}
	var list anyModelsValue
	if err := list.Set(s); err != nil {
		return fmt.Errorf("unknown model in %q, want one or more of c11, tso, pso, separated by commas", s)
	}
	if slices.Contains(list, query.SC) {
		return errors.New("want one or more of c11, tso, pso, separated by commas: under sc, orders make no difference")
	}
	*v.at = query.Model(list.String())
	return nil
}

// isC11 reports whether a name is that of C11's own model.
func isC11(name string) bool { return name == "c11" || name == "rc11" }

// machines are the models of processors, by their names.
var machines = map[string]query.Model{
	"x86": query.TSO, "x86-tso": query.TSO, "x86-64": query.TSO, "x86_64": query.TSO, "amd64": query.TSO,
	"sparc": query.TSO, "sparc-tso": query.TSO, "sparc-pso": query.PSO,
}

// weaker are models that allow more than PSO, and who has them.
var weaker = []string{"arm", "armv7", "armv8", "arm64", "aarch64", "power", "ppc", "riscv", "rvwmo", "lkmm", "linux", "linux-kernel", "imm", "alpha", "rmo", "sparc-rmo"}

// modelNamed returns the memory model with a name: of the model, or of a processor that has it.
func modelNamed(name string) (query.Model, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	if m, ok := machines[name]; ok {
		return m, nil
	}
	if m := query.Model(name); slices.Contains(query.AllModels(), m) {
		return m, nil
	}
	known := strings.Join(texts(query.AllModels()), ", ")
	if isC11(name) {
		return "", fmt.Errorf("the model c11 is for check, robust, orders, fences, litmus, traces, test and show; here one or more of %s are possible", known)
	}
	if slices.Contains(weaker, name) {
		return "", fmt.Errorf("the model %s is not supported, only %s are, and x86 and sparc for tso, sparc-pso for pso, and c11 for what C11 itself says (check); herd7 and Dartagnan check programs under weaker models", name, known)
	}
	return "", fmt.Errorf("unknown model %q, want one or more of %s, separated by commas", name, known)
}

// countValue is a whole number within limits.
type countValue struct {
	n        *int
	min, max int
}

func (v countValue) String() string {
	if v.n == nil {
		return "0"
	}
	return strconv.Itoa(*v.n)
}

func (countValue) Type() string { return "k" }

func (v countValue) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < v.min || n > v.max {
		return fmt.Errorf("want a whole number from %d to %d", v.min, v.max)
	}
	*v.n = n
	return nil
}

// boundValue is a bound of the search: 0 while the user has not set it, and the default
// counts.
type boundValue struct {
	n        *int
	fallback int
}

func (v boundValue) String() string {
	if v.n == nil || *v.n == 0 {
		return strconv.Itoa(v.fallback)
	}
	return strconv.Itoa(*v.n)
}

func (boundValue) Type() string { return "k" }

func (v boundValue) Set(s string) error { return countValue{v.n, 1, maxCount}.Set(s) }

// loopsValue is the bound of loops in litmus tests. What the user writes as 0, loops as
// they are, is negative in the options.
type loopsValue struct{ n *int }

func (v loopsValue) String() string {
	if v.n != nil && *v.n < 0 {
		return "0"
	}
	return boundValue{v.n, query.DefaultUnroll}.String()
}

func (loopsValue) Type() string { return "k" }

func (v loopsValue) Set(s string) error {
	if err := (countValue{v.n, 0, maxCount}).Set(s); err != nil {
		return err
	}
	if *v.n == 0 {
		*v.n = -1
	}
	return nil
}

// timeoutValue is a duration that is not negative.
type timeoutValue struct{ d *time.Duration }

func (v timeoutValue) String() string {
	if v.d == nil {
		return "0s"
	}
	if *v.d == time.Minute {
		return "60s" // the default, as the manual has it
	}
	return v.d.String()
}

func (timeoutValue) Type() string { return "duration" }

func (v timeoutValue) Set(s string) error {
	d, err := time.ParseDuration(s)
	if _, numErr := strconv.ParseFloat(s, 64); err != nil && numErr == nil {
		return fmt.Errorf("the unit is missing, write %ss for seconds", s)
	}
	if err != nil {
		return fmt.Errorf("want a duration such as 90s, 5m or 1h30m")
	}
	if d < 0 {
		return fmt.Errorf("want a duration that is not negative; 0 means no limit")
	}
	*v.d = d
	return nil
}

// sizeValue is a number of bytes with a unit.
type sizeValue struct{ bytes *int64 }

func (v sizeValue) String() string {
	if v.bytes == nil || *v.bytes == 0 {
		return "half of RAM"
	}
	return strconv.FormatInt(*v.bytes, 10) + "B"
}

func (sizeValue) Type() string { return "size" }

func (v sizeValue) Set(s string) error {
	n, err := parseSize(s)
	if err != nil {
		return err
	}
	*v.bytes = n
	return nil
}

// units by lower-case suffix. As everywhere, GB is a power of ten; a bare G is
// read as GiB, as usual for memory.
var units = map[string]float64{
	"b": 1,
	"k": 1 << 10, "kib": 1 << 10, "kb": 1e3,
	"m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
	"g": 1 << 30, "gib": 1 << 30, "gb": 1e9,
	"t": 1 << 40, "tib": 1 << 40, "tb": 1e12,
}

const minMemory = 1 << 20

// parseSize reads sizes such as 8GiB, 512MiB and 1.5G.
func parseSize(s string) (int64, error) {
	s = strings.TrimSpace(s)
	end := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end < 0 {
		end = len(s)
	}
	number, err := strconv.ParseFloat(s[:end], 64)
	unit := strings.ToLower(strings.TrimSpace(s[end:]))
	factor, known := units[unit]
	switch {
	case err != nil:
		return 0, fmt.Errorf("want a size such as 8GiB, 512MiB or 1.5G")
	case unit == "":
		return 0, fmt.Errorf("the unit is missing, write %sGiB or %sMiB", s, s)
	case !known:
		return 0, fmt.Errorf("unknown unit %q, want KiB, MiB, GiB or TiB", s[end:])
	}
	bytes := number * factor
	if bytes < minMemory {
		return 0, fmt.Errorf("too small, want at least 1MiB")
	}
	if bytes >= math.MaxInt64 {
		return 0, fmt.Errorf("too large")
	}
	return int64(bytes), nil
}

// choiceValue is one of a few words.
type choiceValue struct {
	value   string
	choices []string
	code    string // of the diagnostic for another value, "" if there is none
	list    bool   // accepts several, separated by commas
}

func colorChoice() choiceValue {
	return choiceValue{value: "auto", choices: []string{"auto", "always", "never"}}
}

func (v *choiceValue) String() string { return v.value }

// words returns the values that the flag accepts, for completion.
func (v *choiceValue) words() []string { return v.choices }

func (*choiceValue) Type() string { return "when" }

func (v *choiceValue) Set(s string) error {
	if m, ok := machines[strings.ToLower(s)]; ok && slices.Contains(v.choices, string(query.TSO)) {
		s = string(m)
	}
	words, want := []string{s}, "want one of "
	if v.list {
		words, want = strings.Split(s, ","), "want one or more, separated by commas, of "
	}
	if slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(v.choices, w) }) {
		text := want + strings.Join(v.choices, ", ")
		if v.code != "" {
			text += " [" + v.code + "]"
		}
		return errors.New(text)
	}
	v.value = s
	return nil
}
