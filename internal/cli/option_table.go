package cli

import (
	"strings"

	"fencepost"
	"fencepost/internal/gcc"
	"fencepost/query"
)

func engineNames() []string { return texts(fencepost.Engines()) }

// Commands that several rows name.
const (
	onPrograms = "check robust fences orders traces prove show export"
	onSearches = "check robust fences orders"
	onC        = onPrograms + " lin init test verify-trace"
)

// loopBound is the text of --unroll.
const loopBound = "iterations of a loop, where a bound is needed"

// table is the table of options: every flag that sets a field of a struct of package query. The order is that of the
// help.
var table = []option{
	{name: "model", short: "m", field: "Models", value: anyModels, group: groupQuestion, on: "check litmus lsp bisect lin",
		text: "memory models, separated by commas: sc, tso, pso, c11"},
	{name: "model", short: "m", field: "Models", value: anyModels, group: groupQuestion, on: "robust",
		text: "memory models, separated by commas: tso, pso, c11"},
	{name: "model", short: "m", field: "Model", value: word("model", "", query.TSO, query.PSO, query.C11), group: groupQuestion, on: "fences",
		text: "memory model: tso, pso, c11"},
	{name: "calls", field: "Calls", value: count(0, 8), group: groupQuestion, on: "lin", text: "concurrent calls of the largest clients, 2 to 8; 0: as many as the time allows"},
	{name: "ops", field: "Ops", group: groupQuestion, on: "lin", text: "the `operations`, separated by commas (default: by their signatures)"},
	{name: "init", field: "Init", group: groupQuestion, on: "lin", text: "the `function` that prepares the object (default: by its name)"},
	{name: "destroy", field: "Destroy", group: groupQuestion, on: "lin", text: "the `function` that ends the life of the object (default: by its name)"},
	{name: "weaken", field: "Orders.Weaken", group: groupQuestion, on: "orders", text: "begin with relaxed accesses: which orders are needed at all?"},
	{name: "keep", field: "Orders.Keep", group: groupQuestion, on: "orders", text: "leave the accesses of this `line` as they are: FILE:LINE"},
	{name: "max", field: "Orders.Max", group: groupQuestion, on: "orders", text: "give the accesses of a line at most this `order`: FILE:LINE=ORDER"},
	{name: "model", short: "m", field: "Model", value: either("tso|pso", "", query.TSO, query.PSO), group: groupQuestion, on: "prove",
		text: "memory model: tso or pso"},
	{name: "model", short: "m", field: "Model", value: coded("FP0951", "model", query.TSO, query.SC, query.TSO, query.PSO), group: groupQuestion, on: "export",
		text: "memory model: sc, tso, or pso (not with --promela and --pnml)"},
	{name: "promela", field: "Format", value: format(query.ExportPromela), group: groupQuestion, on: "export", text: "write Promela, for SPIN"},
	{name: "pnml", field: "Format", value: format(query.ExportPNML), group: groupQuestion, on: "export",
		text: "write a Petri net for any number of threads: that of the program with --model sc, otherwise that of the robustness question"},
	{name: "litmus", field: "Format", value: format(query.ExportLitmus), group: groupQuestion, on: "export", text: "write a litmus test for X86_64, for herd7, litmus7 and others"},
	{name: "c", field: "Format", value: format(query.ExportC), group: groupQuestion, on: "export", text: "write C11 with pthreads and atomics, for verifiers of C and for compilers"},
	{name: "dimacs", field: "Format", value: format(query.ExportDIMACS), group: groupQuestion, on: "export", text: "write the formula of the engine bmc, for SAT solvers"},
	{name: "smt2", field: "Format", value: format(query.ExportSMT2), group: groupQuestion, on: "export", text: "write the formula of the engine bmc, for SMT solvers"},
	{name: "sequential", field: "Format", value: format(query.ExportSequential), group: groupQuestion, on: "export", text: "write the sequential program that the engine bmc encodes with rounds, in C"},
	{name: "races", field: "Races", group: groupQuestion, on: "check lsp bisect", text: "also check for data races on objects that are not atomic"},
	{name: "robustness", field: "Robustness", group: groupQuestion, on: "check", text: "check robustness instead, by exploring all traces"},
	{name: "criterion", field: "Criterion", value: anyWord("criterion", query.CriterionTrace, query.CriterionTRF, query.CriterionState), group: groupQuestion, on: "robust",
		text: "trace (robustness), trf (no triangular races) or state (equal final states)"},
	{name: "all", field: "KeepGoing", group: groupQuestion, on: "robust", text: "report every attack, not only the first"},
	{name: "for", field: "For", value: word("goal", "", query.ForRobustness, query.ForAssertions), group: groupQuestion, on: "fences",
		text: "what the fences are to achieve: robustness, assertions"},
	{name: "deadlock", field: "Deadlock", group: groupQuestion, on: "check fences orders export",
		text:  "also check for deadlocks",
		other: map[string]string{"fences": "with --for assertions, also prevent deadlocks"}},
	{name: "liveness", field: "Liveness", value: word("loops", "", query.LivenessOff, query.LivenessSpin, query.LivenessFair), group: groupQuestion, on: "check fences",
		text:  "which loops must end: off (none), spin (loops that only wait) or fair (all) (default: spin for C and with --deadlock)",
		other: map[string]string{"fences": "with --for assertions, which loops must end: off, spin or fair (default: as for check)"}},
	{name: "fairness", field: "Fairness", value: word("kind", "", query.FairnessRandom, query.FairnessWeak), group: groupQuestion, on: "check",
		text: "with --liveness fair, which executions count: random (what can happen again and again does, the default) or weak"},
	{name: "starvation", field: "Starvation", group: groupQuestion, on: "check",
		text: "with --liveness fair, the `thread` that must not wait for ever while others go on"},
	{name: "keep-going", field: "KeepGoing", group: groupQuestion, on: "check", text: "report every violation, not only the first"},
	{name: "final-states", field: "Finals", group: groupQuestion, on: "check", text: "print the distinct final states; of several models, which model has which"},
	{name: "by", field: "By", value: either("name", query.ByTrace, query.ByTrace, query.ByReadsFrom), group: groupQuestion, on: "traces",
		text: "what is listed once: trace or reads-from"},
	{name: "fence-style", field: "Style", value: word("style", "", fencepost.FenceStyles()...), group: groupQuestion, on: "fences orders",
		text: "form of fences in C: " + strings.Join(texts(fencepost.FenceStyles()), ", ")},
	{name: "prefer", field: "Prefer", value: word("part", query.PreferLibrary, query.PreferLibrary, query.PreferClient), group: groupQuestion, on: "fences orders",
		text: "of sets with the same cost, the one in this part: library, client"},
	{name: "files", field: "Files", group: groupQuestion, on: "fences orders", text: "change only files that match this `pattern`, such as '*.h'"},
	{name: "remove", field: "Remove", group: groupQuestion, on: "fences", text: "instead, list the fences of the program that are not needed"},
	{name: "all-optimal", field: "AllOptimal", group: groupQuestion, on: "fences orders", text: "list all sets of fences that have the lowest cost"},
	{name: "no-inference", field: "NoInference", group: groupQuestion, on: "prove", text: "use only the invariants in the program, and find no others"},
	{name: "no-abstraction", field: "NoAbstraction", group: groupQuestion, on: "prove", text: "do not abstract loads"},
	{name: "arithmetic", field: "Arithmetic", value: either("int|bv", "", query.Integers, query.BitVectors), group: groupQuestion, on: "prove",
		text: "numbers: int (unbounded integers) or bv (bit vectors, exact) (default: chosen by the program)"},
	{name: "attack", field: "Attack", value: count(0, maxCount), group: groupQuestion, on: "export",
		text: "write the instrumented program of this attack; robust --emit-instrumented lists the numbers"},

	{name: "lang", field: "Lang", value: anyWord("language", fencepost.Languages()...), group: groupProgram, on: onPrograms + " verify-trace",
		text:  "language of the program: " + strings.Join(fencepost.Languages(), ", ") + " (default: by the file's extension)",
		other: map[string]string{"verify-trace": "language of the program (default: as in the first run)"}},
	{name: "param", field: "AnyThreads", group: groupProgram, on: "check robust",
		text:  "check for any number of threads per template, under SC or TSO",
		other: map[string]string{"robust": "check for any number of threads per template"}},
	{name: "replicate", field: "Replicate", group: groupProgram, on: "check robust prove export",
		text: "C: the `function` that any number of threads run; several are separated by commas"},
	{name: "domain", field: "Domain", value: domain, group: groupProgram, on: "check robust export",
		text: "with any number of threads: range of the values in memory, such as 0..3 (default: computed)"},
	{name: "threads", field: "Threads", value: count(1, maxCount), group: groupProgram, on: onPrograms + " test",
		text:  "number of threads per template",
		other: map[string]string{"prove": "prove for this number of threads per template, instead of any number"}},
	{name: "threads", field: "Threads", value: count(0, maxCount), group: groupProgram, on: "verify-trace",
		text: "number of threads per template (default: as in the first run)"},

	{name: "timeout", field: "Timeout", group: groupLimits, on: onPrograms + " lin litmus stress test bench verify-trace lsp bisect",
		text: "time limit, such as 90s or 5m; 0: none",
		other: map[string]string{
			"litmus": "time limit per test, such as 90s or 5m; 0: none",
			"stress": "time limit per test to compute what the model allows; 0: none",
			"test":   "time limit per program, such as 90s or 5m; 0: none", "bench": "time limit per program, such as 90s or 5m; 0: none",
			"verify-trace": "time limit for each answer that is computed again (default: as in the first run)",
		}},
	{name: "memory", field: "Memory", value: size, group: groupLimits, on: onSearches + " lin traces prove litmus stress test bench verify-trace lsp bisect",
		text: "memory limit for stored states, such as 8GiB or 512MiB",
		other: map[string]string{
			"traces": "memory limit for what an exploration stores, such as 8GiB or 512MiB",
			"prove":  "memory limit for the solver and for the stored states of instances, such as 8GiB",
			"litmus": "memory limit for the stored states of a test, such as 8GiB or 512MiB",
			"stress": "memory limit for the stored states of a test, such as 8GiB or 512MiB",
			"test":   "memory limit for the stored states of a program, such as 8GiB (default half of RAM for all programs together)",
			"bench":  "memory limit for the stored states of a program, such as 8GiB",

			"verify-trace": "memory limit for stored states, such as 8GiB or 512MiB (default: as in the first run)",
		}},
	{name: "buffer", field: "Buffer", value: bound(query.DefaultBuffer), group: groupLimits, on: onSearches + " lin lsp bisect litmus stress test export",
		text: "entries per store buffer in programs with loops",
		other: map[string]string{
			"robust": "entries per store buffer in programs with loops, with --criterion state",
			"litmus": "entries per store buffer in tests with loops, with --unroll 0",
			"stress": "entries per store buffer in tests with loops, with --unroll 0",
			"export": "entries per store buffer, for threads that store in loops",
		}},
	{name: "unroll", field: "Unroll", value: bound(query.DefaultUnroll), group: groupLimits, on: onSearches + " lin lsp bisect traces show export test", text: loopBound},
	{name: "unroll", field: "Unroll", value: loops, group: groupLimits, on: "litmus stress verify-trace",
		text: "iterations of a loop; 0: do not unroll loops",
		other: map[string]string{
			"stress":       "iterations of a loop in the model; 0: do not unroll loops",
			"verify-trace": "iterations of a loop (default: as in the first run)",
		}},
	{name: "workers", field: "Workers", value: count(0, maxWorkers), group: groupLimits, on: onSearches + " lin lsp bisect traces litmus test",
		text: "parallel workers; 0: one per core",
		other: map[string]string{
			"traces": "parallel workers, where traces are only counted; 0: one per core",
			"litmus": "parallel tests; 0: one per core",
			"test":   "number of programs checked in parallel; 0: one per core",
		}},

	{name: "engine", field: "Engines", value: enginesOf, group: groupEngines, on: "check",
		text: "engines, separated by commas: " + strings.Join(engineNames(), ", ") + " (default: all that support the program)"},
	{name: "cross-check", field: "CrossCheck", group: groupEngines, on: "check traces",
		text:  "wait for all engines until the time limit, and compare their answers",
		other: map[string]string{"traces": "compare with an exploration by another algorithm"}},
	{name: "certified", field: "Certified", group: groupEngines, on: "check",
		text: "say safe only if a proof of it is accepted by a checker that shares no code with the engines"},
	{name: "no-reduction", field: "NoReduction", group: groupEngines, on: "check robust litmus",
		text: "explore every interleaving, without partial-order and symmetry reduction",
		other: map[string]string{
			"robust": "search every attack, without ruling some out first; with --criterion state, explore every interleaving",
			"litmus": "explore every interleaving, without partial-order reduction",
		}},
	{name: "method", field: "Method", value: word("method", "", query.MethodSearch, query.MethodInstrument), group: groupEngines, on: "robust",
		text: "search: one search for all attacks; instrument: one program per attack"},
	{name: "algorithm", field: "Algorithm", value: either("name", query.OptimalDPOR, query.OptimalDPOR, query.SourceDPOR), group: groupEngines, on: "check traces",
		text:  "how executions are explored: optimal or source (source-DPOR)",
		other: map[string]string{"check": "engine smc: how executions are explored: optimal or source (source-DPOR)"}},
	{name: "mode", field: "Lazy", value: word("mode", query.LazyPractical, query.LazyPractical, query.LazyExact), group: groupEngines, on: "check",
		text: "engine lazy: practical, or exact for programs without loops"},
	{name: "rounds", field: "BMC.Rounds", value: count(1, maxCount), group: groupEngines, on: "check export", text: "bmc: number of rounds; every thread gets one turn per round"},
	{name: "clock", field: "BMC.Clock", value: count(1, maxCount), group: groupEngines, on: "check export", text: "bmc: number of times at which stores can reach memory; 1 is SC"},
	{name: "queue", field: "BMC.Queue", value: count(2, maxCount), group: groupEngines, on: "check export", text: "bmc: number of writes kept per memory cell: one in memory, the rest buffered"},
	{name: "width", field: "BMC.Width", value: count(0, wordBits), group: groupEngines, on: "check export", text: "bmc: bits of the results of arithmetic; 0: as many as needed"},
	{name: "encoding", field: "BMC.Encoding", value: word("what", "", query.EncodingRounds, query.EncodingOrder), group: groupEngines, on: "check export",
		text: "bmc: what the formula is about: order of all events, or rounds (default: order, if it fits and no bound of rounds is set)"},
	{name: "auto", field: "BMC.Auto", group: groupEngines, on: "check", text: "bmc: raise the bounds step by step"},
	{name: "solver", field: "BMC.Solver", group: groupEngines, on: "check", text: "bmc: a SAT `solver` on the PATH, such as cadical (default: the built-in solver)"},
	{name: "check-with", field: "CheckWith", value: either[string]("z3|cvc5", "", "z3", "cvc5"), group: groupEngines, on: "prove", text: "ask a second solver every question"},

	{name: "std", field: "C.Std", value: word("standard", "", gcc.Standards()...), group: groupC, on: onC,
		text: "C: standard: " + strings.Join(gcc.Standards(), ", ") + " (default gnu17)"},
	{name: "define", short: "D", field: "C.Defines", value: names(true), group: groupC, on: onC + " lsp bisect", text: "C: define a macro, NAME or NAME=VALUE"},
	{name: "undefine", short: "U", field: "C.Undefines", value: names(false), group: groupC, on: onC + " lsp bisect", text: "C: undefine a macro"},
	{name: "include", short: "I", field: "C.IncludeDirs", group: groupC, on: onC + " lsp bisect", text: "C: also search this `directory` for headers"},
	{name: "check-overflow", field: "C.CheckOverflow", group: groupC, on: onC, text: "C: report signed overflow and shifts out of range as errors"},
	{name: "uninitialised", field: "C.Uninitialised", value: word("value", "", query.UninitialisedError, query.UninitialisedZero, query.UninitialisedAny), group: groupC, on: onC,
		text: "C: what memory holds that was never written: error (it must not decide anything), zero, or any (each value is any value) (default error)"},
	{name: "strict", field: "C.Strict", group: groupC, on: onC, text: "C: refuse every construct that is not supported, whether or not an execution reaches it"},
	{name: "extern-pure", field: "C.ExternPure", value: names(false), group: groupC, on: onC, text: "C: name of a function without a body that does nothing"},
	{name: "extern-fence", field: "C.ExternFence", value: names(false), group: groupC, on: onC, text: "C: name of a function without a body that acts as a full fence"},
	{name: "entry", field: "C.Entry", group: groupC, on: onC, text: "machine code: `function` that runs as a thread, instead of main; F(3) has the argument 3"},
	{name: "finally", field: "C.Finally", group: groupC, on: onC, text: "machine code: `function` that runs when those of --entry have returned"},
	{name: "nondet-range", field: "C.NondetRange", value: lohi, group: groupC, on: onC, text: "C: values to try for each nondeterministic input, such as -1..4"},
}
