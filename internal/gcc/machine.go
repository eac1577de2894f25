package gcc

import (
	"slices"
	"strings"
	"sync"
)

// Flags about the processor. Each -mNAME of facts/isa.txt defines the macros before the
// bar, and -mno-NAME takes back the macros after it. -march=CPU
// is the start from which the others go, in any order; without -mtune=CPU it also says
// which processor the code is tuned for.

// machine is the processor that flags describe.
type machine struct {
	arch, tune string
	isa        []string // names of facts/isa.txt, in the order of the flags; "no-" begins one that is taken back
}

// tunings returns the macros of each value of -mtune.
var tunings = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(tuneFacts) {
		words := strings.Fields(line)
		out[words[0]] = words[1:]
	}
	return out
})

// extension has the macros that -mNAME defines, and the macros that -mno-NAME takes back.
type extension struct{ on, off []string }

var extensions = sync.OnceValue(func() map[string]extension {
	out := map[string]extension{}
	for line := range strings.Lines(isaFacts) {
		on, off, _ := strings.Cut(line, "|")
		words := strings.Fields(on)
		out[words[0]] = extension{words[1:], strings.Fields(off)}
	}
	return out
})

// processor is a value of -march.
type processor struct{ isa, arch, tune []string }

var processors = sync.OnceValue(func() map[string]processor {
	out := map[string]processor{}
	for line := range strings.Lines(archFacts) {
		parts := strings.Split(line, "|")
		first := strings.Fields(parts[0])
		out[first[0]] = processor{first[1:], strings.Fields(parts[1]), strings.Fields(parts[2])}
	}
	return out
})

// set obeys a flag that begins with -m. It reports whether it knows the flag.
func (m *machine) set(flag string) bool {
	name := strings.TrimPrefix(flag, "-m")
	if cpu, ok := strings.CutPrefix(name, "arch="); ok {
		_, known := processors()[cpu]
		m.arch = cpu
		return known
	}
	if cpu, ok := strings.CutPrefix(name, "tune="); ok {
		_, known := tunings()[cpu]
		m.tune = cpu
		return known
	}
	if _, known := extensions()[strings.TrimPrefix(name, "no-")]; !known {
		return false
	}
	m.isa = append(m.isa, name)
	return true
}

// macros returns the names of the macros of the processor with the value 1, and the
// other macros with their values.
func (m *machine) macros() (ones []string, others map[string]string) {
	arch := m.arch
	if arch == "" {
		arch = "x86-64"
	}
	cpu, known := processors()[arch], extensions()
	have := map[string]bool{}
	for _, macro := range cpu.isa {
		have[macro] = true
	}
	for _, name := range m.isa {
		if off, no := strings.CutPrefix(name, "no-"); no {
			for _, macro := range known[off].off {
				delete(have, macro)
			}
			continue
		}
		for _, macro := range known[name].on {
			have[macro] = true
		}
	}
	if have["__SSE4_2__"] && !slices.Contains(m.isa, "no-crc32") {
		have["__CRC32__"] = true
	}
	tune := cpu.tune
	if m.tune != "" {
		tune = tunings()[m.tune]
	}
	others = map[string]string{"__BIGGEST_ALIGNMENT__": "16", "__FLT_EVAL_METHOD__": "0", "__FLT_EVAL_METHOD_TS_18661_3__": "0"}
	switch {
	case have["__AVX512F__"]:
		others["__BIGGEST_ALIGNMENT__"] = "64"
	case have["__AVX__"]:
		others["__BIGGEST_ALIGNMENT__"] = "32"
	}
	if have["__AVX512FP16__"] {
		others["__FLT_EVAL_METHOD__"], others["__FLT_EVAL_METHOD_TS_18661_3__"] = "16", "16"
	}
	if have["__FMA__"] || have["__FMA4__"] || have["__AVX512F__"] {
		ones = append(ones, "__FP_FAST_FMA", "__FP_FAST_FMAF", "__FP_FAST_FMAF32", "__FP_FAST_FMAF32x", "__FP_FAST_FMAF64")
	}
	for macro := range have {
		ones = append(ones, macro)
	}
	ones = append(append(ones, cpu.arch...), tune...)
	slices.Sort(ones)
	return ones, others
}
