package cli

import (
	"strings"

	"fencepost/query"
)

// Commands that several rows name.
const (
	onAnswers = "check robust fences orders lin fuzz prove litmus traces report"
	rootName  = "fencepost"
	onMachine = "check robust fences show traces"
	onRepairs = "fences orders"
)

// The texts of rows that several commands have.
const (
	jsonText  = "print the results as JSON"
	oneResult = "print the result as JSON"
	cacheText = "keep certificates of safe answers in this `directory`, and verify a stored one instead of searching"
	fileText  = "`file` to write (default: standard output)"
)

// commandTable has the rows of the options that no question reads: which files a command reads and writes, and what it
// prints. A command takes each with bind.
var commandTable = []option{
	{name: "model", short: "m", group: groupQuestion, on: "show", text: "with --flat: the memory model; c11 has a form of its own, the others share one"},
	{name: "model", short: "m", group: groupQuestion, on: "serve", text: "memory `model` to begin with: sc, tso or pso"},
	{name: "model", short: "m", group: groupQuestion, on: "traces", text: "memory model: sc, tso, pso, c11; with --count also several"},
	{name: "good", group: groupQuestion, on: "bisect", text: "`commit` with the answer that is expected"},
	{name: "bad", group: groupQuestion, on: "bisect", text: "`commit` with another answer"},
	{name: "flags", group: groupQuestion, on: "bisect", text: "`flags` of the compiler, in one word; repeat it in the order to try"},
	{name: "cc", group: groupQuestion, on: "bisect", text: "the `compiler` for --flags"},
	{name: "step", group: groupQuestion, on: "bisect", text: "check once, with the exit codes of git bisect run"},
	{name: "want", group: groupQuestion, on: "bisect", text: "with --step, the `answer` that is expected: safe or unsafe"},
	{name: "spec", group: groupQuestion, on: "lin", text: "what the object is to be: " + strings.Join(query.LinSpecs(), ", ") + ", or a C `file`"},
	{name: "cost", group: groupQuestion, on: onRepairs, text: "what a fence costs: uniform, loops, profile=FILE",
		other: map[string]string{"orders": "what an order costs: arm, arm-ldapr, x86, power, file=FILE; also loops, profile=FILE"}},
	{name: "count", group: groupQuestion, on: "traces", text: "only print the number of traces, those with a failing check included"},
	{name: "compare", group: groupQuestion, on: "litmus", text: "print which outcomes each model allows, and executions that SC forbids"},
	{name: "emit-instrumented", group: groupQuestion, on: "robust", text: "only print the instrumented program of an attack"},
	{name: "attack", value: count(1, maxCount), group: groupQuestion, on: "robust", text: "number of the attack to print"},
	{name: "flat", group: groupQuestion, on: "show", text: "print one automaton per thread, calls inlined"},
	{name: "run", value: steps, group: groupQuestion, on: "serve", text: "`steps` to begin with, as the page copies them"},
	{name: "merge", group: groupQuestion, on: "report", text: "add up the results of all shards of a check"},
	{name: "model", group: groupQuestion, on: "report", text: "FILE is a formula of export --dimacs or --smt2: show the execution of a solver's `answer`"},

	{name: "timeout", value: duration, group: groupLimits, on: "serve", text: "time limit per search, such as 90s or 5m; 0: none"},
	{name: "memory", value: size, group: groupLimits, on: "serve",
		text: "memory limit for the stored states of a search, such as 1GiB (default: an eighth of RAM)"},

	{name: "trace-refinement", group: groupEngines, on: "check", text: "engine lazy: print each refinement round to standard error"},
	{name: "dimacs", group: groupEngines, on: "check", text: "bmc: write the formula to this `file`"},
	{name: "choices", group: groupEngines, on: "export", text: "with --sequential, search for a violation and write the choices that lead to it to a `file`"},
	{name: "smt", group: groupEngines, on: "prove", text: "write every question into this `directory`, as SMT-LIB files with the expected answer"},
	{name: "checkpoint", value: file, group: groupEngines, on: "check",
		text: "store in a file how far the search is, every 30 s and when it ends; engine rf, or explicit if named",
		long: "A search that was killed goes on from the last checkpoint with --resume. The program and the question must be the same."},
	{name: "resume", value: file, group: groupEngines, on: "check", text: "continue from a checkpoint, and store further ones there"},
	{name: "checkpoint-every", value: duration, group: groupEngines, on: "check", text: "time between two checkpoints"},
	{name: "shard", group: groupEngines, on: "check", text: "explore shard i of n, from 0, such as 0/4; fencepost report --merge adds up the results; engine rf",
		long: "Every shard is an independent search, on any machine. An answer about the program needs the results of all n shards."},

	{name: "compile-commands", value: file, group: groupC, on: onC, text: "C: take the compiler flags of each file from this compilation database of a build"},
	{name: "compile", group: groupC, on: onMachine, text: "compile the files with this `command`, such as 'g++ -O2', and ask about the machine code"},
	{name: "binary", value: files, group: groupC, on: "check", text: "also check the machine code that a compiler made of the program, and compare (repeatable)"},

	{name: "certificate", value: file, group: groupOutput, on: "check robust fences orders lin report", text: "write the proof of a safe answer, which verify checks",
		other: map[string]string{
			"report": "with --merge: write the proof of a safe answer, which verify checks",
			"robust": "write the proof that the program is robust, which verify checks",
			"fences": "write the proof that the repaired program is right, which verify checks",
			"orders": "write the proof that the changed program is right, which verify checks",
			"lin":    "write the proof that the object is linearizable, which verify checks",
		}},
	{name: "proof", value: file, group: groupOutput, on: "prove", text: "write the proof, which verify-trace checks again without a search for invariants"},
	{name: "cache", group: groupOutput, on: "check test", text: cacheText},
	{name: "baseline", value: file, group: groupOutput, on: "test", text: "fail only on violations that this JSON or SARIF file of an earlier run does not have"},
	{name: "diff", group: groupOutput, on: onRepairs, text: "print only the patch, as a unified diff"},
	{name: "output", short: "o", group: groupOutput, on: "gen export " + onRepairs + " lin", text: fileText,
		other: map[string]string{
			"fences": "write the repaired program to a `file`", "orders": "write the changed program to a `file`", "lin": "write the client that goes wrong to a `file`",
		}},
	{name: "write", group: groupOutput, on: onRepairs, text: "write the fences into FILE", other: map[string]string{"orders": "write the orders into FILE"}},
	{name: "text", group: groupOutput, on: "report", text: "also print the text when a file is written"},
	{name: "json", group: groupOutput, on: "check fuzz litmus stress robust fences orders lin prove traces test report", text: jsonText,
		other: map[string]string{
			"robust": oneResult, "fences": oneResult, "orders": oneResult, "lin": oneResult, "prove": oneResult,
			"traces": "print the traces as JSON",
			"test":   "print the outcomes as JSON, with the answers that are not as expected",
			"report": "with --merge and --model, print the result as JSON",
		}},
	{name: "html", value: file, group: groupOutput, on: onAnswers + " test bench", text: "write an HTML page to step through the executions",
		other: map[string]string{
			"test":  "write one HTML page for the whole run, with the executions of what is not as expected",
			"bench": "write one page with the tables and plots",
		}},
	{name: "svg", value: file, group: groupOutput, on: onAnswers + " bench", text: "draw the happens-before relation of each execution as SVG",
		other: map[string]string{"bench": "draw our times against those of the papers"}},
	{name: "csv", value: file, group: groupOutput, on: "bench", text: "write the figures as CSV"},
	{name: "dot", group: groupOutput, on: "show robust traces", text: "print a graph for Graphviz",
		other: map[string]string{
			"robust": "print the happens-before relation of each attack for Graphviz",
			"traces": "print one graph per trace, for Graphviz",
		}},
	{name: "dot", value: file, group: groupOutput, on: "check fences orders lin fuzz prove litmus report",
		text: "write the happens-before relation for Graphviz (default: to standard output)"},
	{name: "relations", value: relationNames, group: groupOutput, on: onAnswers, text: "names of relations in pictures: herd (rf, co, fr) or papers (src, st, cf)"},
	{name: "junit", value: file, group: groupOutput, on: "test", text: "write the results as JUnit XML, for continuous integration"},
	{name: "sarif", value: file, group: groupOutput, on: "check robust fences orders lin fuzz prove litmus report test", text: "write SARIF, for code hosts and editors",
		other: map[string]string{"test": "write the answers that are not as expected as SARIF, for code hosts and editors"}},
	{name: "summary", value: file, group: groupOutput, on: "check robust fences orders lin fuzz prove litmus report test",
		text:  "write the answers as Markdown, for the summary of a pipeline",
		other: map[string]string{"test": "write the outcomes as Markdown, for the summary of a pipeline"}},
	{name: "github", group: groupOutput, on: "test", text: "print annotations for GitHub Actions"},
	{name: "verbose", short: "v", group: groupOutput, on: "check test", text: "print which engine runs to standard error",
		other: map[string]string{"test": "also print the answers that are as expected"}},
	{name: "full", group: groupOutput, on: onAnswers, text: "print every step of an execution: no rows are folded or left out"},
	{name: "asm", group: groupOutput, on: onAnswers, text: "machine code: print the instructions of an execution, not the lines of the source"},
	{name: "color", group: groupOutput, on: rootName, text: "when to use colours: auto, always, never; auto uses none if NO_COLOR is set"},
	{name: "listen", group: groupOutput, on: "serve", text: "`address` and port to listen on; port 0: any that is free"},
	{name: "token", group: groupOutput, on: "serve", text: "`text` that requests must carry (default: a random one)"},
	{name: "no-open", group: groupOutput, on: "serve", text: "do not open the page in the browser"},
	{name: "embed", group: groupOutput, on: "serve", text: "let other pages show this one in a frame"},
}
