//go:build policy

// The table of the import policy: a row per package. layers_test.go checks it.

package house_test

import (
	"slices"
)

// rule lists what the code of a package may import besides the standard library.
type rule struct {
	ours     []string // packages of this module, relative to its root
	external []string // prefixes of import paths outside
}

// Shared parts of the table below.
var (
	frontEndMay = []string{"internal/source", "internal/diag", "internal/analysis", "internal/ir", "internal/property"}
	// langC is C without meaning.
	langC = []string{"internal/lang/c/lex", "internal/lang/c/parse", "internal/lang/c/preprocess", "internal/lang/c/types"}
	// translation is the translation of C, without main.
	translation = []string{"internal/frontend/c/translate", "internal/frontend/c/translate/read", "internal/frontend/c/translate/library"}
	passMay     = []string{"internal/analysis", "internal/digraph", "internal/ir", "internal/property"}
	engineMay   = []string{
		"internal/engine", "internal/analysis", "internal/budget", "internal/ir", "internal/ir/irtext", "internal/transform", "internal/transform/waiting", "internal/machine", "internal/memory", "internal/memory/reduce", "internal/memory/endless", "internal/property", "internal/rc11",
		"internal/search", "internal/solver/sat", "internal/source", "internal/trace", "query", "verdict",
	}
	questionMay = []string{
		"internal/pipeline", "internal/engine", "internal/ir", "internal/ir/irtext", "internal/memory", "internal/property", "internal/replay",
		"internal/source", "internal/supervise", "internal/trace", "query", "verdict",
	}
	exportMay = []string{"internal/export", "internal/analysis", "internal/source", "internal/ir", "internal/ir/irtext", "internal/property"}
	renderMay = []string{"verdict", "internal/render/relation", "internal/render/rows"}

	// frontEnds are the entry packages, one per input language. What two of them share
	// lies in a package below that is no entry: frontend/statement is the common part of
	// the languages of labelled instructions, and frontend/c/translate is C without main,
	// which litmus tests in C have too.
	frontEnds = []string{
		"internal/frontend/fp", "internal/frontend/trencher", "internal/frontend/memorax", "internal/frontend/litmus", "internal/frontend/c", "internal/frontend/elf",
	}

	// testLibraries are for tests, and for testkit, which only tests import.
	testLibraries = []string{
		"pgregory.net/rapid", "github.com/rogpeppe/go-internal", "github.com/google/go-cmp",
		"github.com/chromedp", "github.com/owenrumney/go-sarif/v3", "github.com/xeipuuv/gojsonschema", "github.com/sourcegraph/jsonrpc2",
	}
)

// policy has a row per package. "." is the root.
var policy = map[string]rule{
	".": {ours: []string{
		"internal/pipeline", "internal/supervise", "internal/engine/rf",
		"internal/question/check", "internal/question/explore", "internal/question/export", "internal/question/fences", "internal/question/fuzz", "internal/question/harness", "internal/question/lin", "internal/question/litmus", "internal/question/param",
		"internal/question/prove", "internal/question/robust", "internal/question/traces", "internal/question/verify",
		"internal/inputfile", "internal/native", "internal/suite", "internal/family", "internal/papers", "internal/codes", "query", "verdict",
	}},
	// The public renderers see results, as those below internal/render do.
	"render": {ours: []string{
		"internal/render/dot", "internal/render/html", "internal/render/json", "internal/render/junit", "internal/render/sarif",
		"internal/render/relation", "internal/render/svg", "internal/render/text", "verdict",
	}},
	"fenceposttest":            {ours: []string{".", "query", "render", "verdict"}},
	"internal/tool/modulepath": {}, "internal/tool/testreport": {}, "internal/tool/updates": {}, "internal/tool/notices": {}, "cmd/fencepost": {ours: []string{"internal/cli"}},
	"verdict": {},
	// What callers pass in and get back: every layer takes the options from here.
	"query": {ours: []string{"verdict"}},
	"bench": {ours: []string{".", "query", "verdict"}},

	"internal/source": {},
	"internal/diag":   {ours: []string{"internal/source"}},
	// Expected diagnostics in comments, for tests.
	"internal/diag/diagtest": {ours: []string{"internal/source", "internal/diag"}},
	"internal/ir":            {ours: []string{"internal/source"}},
	"internal/ir/irtext":     {ours: []string{"internal/source", "internal/diag", "internal/ir"}},
	"internal/property":      {ours: []string{"internal/source", "internal/ir"}},
	"internal/analysis":      {ours: []string{"internal/digraph", "internal/ir"}},

	// C without meaning: tokens, the preprocessor, types, trees.
	"internal/lang/c/lex":        {ours: []string{"internal/source"}},
	"internal/lang/c/types":      {},
	"internal/lang/c/parse":      {ours: []string{"internal/lang/c/lex", "internal/lang/c/preprocess", "internal/lang/c/types", "internal/editdistance", "internal/gcc"}},
	"internal/lang/c/preprocess": {ours: []string{"internal/lang/c/lex", "internal/source", "internal/gcc", "internal/editdistance"}},

	// read makes checked syntax trees, translate lowers them, library lowers the functions
	// that programs call without defining them; the front ends hand it to translate.
	"internal/frontend/c/translate/read":    {ours: append([]string{"internal/source", "internal/diag", "internal/gcc", "internal/lazyregexp", "query"}, langC...)},
	"internal/frontend/c/translate":         {ours: append(append([]string{"internal/frontend/c/translate/read", "internal/lazyregexp", "internal/x86", "query"}, langC...), frontEndMay...)},
	"internal/frontend/c/translate/library": {ours: append(append(append(slices.Clone(translation[:2]), "internal/lazyregexp"), langC...), frontEndMay...)},
	// Three languages of labelled instructions share trees, lowering and fence sites.
	"internal/frontend/statement":               {ours: append([]string{"internal/editdistance"}, frontEndMay...)},
	"internal/frontend/statement/statementtest": {ours: append([]string{"internal/frontend/statement", "internal/diag/diagtest", "internal/ir/irtext"}, frontEndMay...)},
	"internal/frontend/fp":                      {ours: append([]string{"internal/frontend/statement"}, frontEndMay...)},
	"internal/frontend/trencher":                {ours: append([]string{"internal/frontend/statement"}, frontEndMay...)},
	"internal/frontend/memorax":                 {ours: append([]string{"internal/frontend/statement"}, frontEndMay...)},
	"internal/frontend/litmus/dialect":          {ours: []string{"internal/lazyregexp", "internal/source"}},
	"internal/frontend/litmus":                  {ours: append(append([]string{"internal/frontend/litmus/dialect", "internal/stress", "internal/lazyregexp", "internal/x86", "internal/x86/word", "query"}, translation...), frontEndMay...)},
	"internal/frontend/c":                       {ours: append(slices.Clone(translation), frontEndMay...)},
	// Machine code: object reads and links files, and knows nothing of programs; lift translates single
	// instructions. The library is the one of the translation of C.
	"internal/frontend/elf":        {ours: append(append([]string{"internal/frontend/elf/object", "internal/frontend/elf/lift", "internal/lazyregexp", "query"}, translation...), frontEndMay...), external: []string{"github.com/ianlancetaylor/demangle"}},
	"internal/frontend/elf/object": {},
	"internal/frontend/elf/lift":   {ours: []string{"internal/frontend/elf/object", "internal/ir", "internal/x86", "internal/x86/word"}, external: []string{"golang.org/x/arch/x86/x86asm"}},
	// The meaning of x86's instructions, for machine code, inline assembly and litmus tests.
	"internal/x86":      {ours: []string{"internal/ir", "internal/x86/word"}},
	"internal/x86/word": {ours: []string{"internal/ir"}},

	// transform has the table of passes. What several passes do for one purpose is a package below it, and
	// looptest has random functions for their tests.
	"internal/transform":           {ours: append([]string{"internal/source", "internal/transform/private", "internal/transform/undefined", "internal/transform/waiting"}, passMay...)},
	"internal/transform/private":   {ours: append([]string{"internal/source"}, passMay...)},
	"internal/transform/undefined": {ours: append([]string{"internal/source"}, passMay...)},
	"internal/transform/waiting":   {ours: append([]string{"internal/source"}, passMay...)},
	"internal/transform/looptest":  {ours: []string{"internal/ir"}},
	"internal/memory":              {ours: passMay},
	// Reductions see what memory exports, so that the rules stay the rules.
	"internal/memory/reduce":  {ours: append([]string{"internal/memory"}, passMay...)},
	"internal/memory/endless": {ours: append([]string{"internal/budget", "internal/memory"}, passMay...)},
	"internal/machine":        {ours: append([]string{"internal/memory", "internal/transform"}, passMay...)},
	// The axioms of C11's model over plain graphs.
	"internal/rc11":      {},
	"internal/trace":     {ours: append([]string{"verdict"}, passMay...)},
	"internal/budget":    {},
	"internal/supervise": {ours: []string{"internal/budget"}},
	"internal/search":    {ours: []string{"internal/budget"}},

	"internal/solver/sat": {ours: []string{"internal/budget", "internal/scratch"}},

	// Writers for other tools, one per language; export has what they share.
	"internal/export":            {ours: []string{"internal/source", "internal/ir"}},
	"internal/export/cexpr":      {ours: []string{"internal/export", "internal/ir"}},
	"internal/export/promela":    {ours: exportMay},
	"internal/export/herd":       {ours: exportMay},
	"internal/export/c11":        {ours: append([]string{"internal/export/cexpr"}, exportMay...)},
	"internal/export/sequential": {ours: append([]string{"internal/export/cexpr"}, exportMay...)},

	"internal/engine":            {ours: []string{"internal/source", "internal/analysis", "internal/budget", "internal/ir", "internal/ir/irtext", "internal/property", "internal/memory", "internal/memory/reduce", "internal/search", "query", "verdict"}},
	"internal/engine/bmc":        {ours: engineMay},
	"internal/engine/explicit":   {ours: append([]string{"internal/fairness"}, engineMay...)},
	"internal/fairness":          {ours: append([]string{"internal/digraph"}, engineMay...)},
	"internal/lts":               {ours: engineMay},
	"internal/engine/robust":     {ours: engineMay},
	"internal/engine/instrument": {ours: engineMay},
	"internal/engine/lazy":       {ours: engineMay},
	"internal/engine/fences":     {ours: append([]string{"internal/solver/pb", "internal/rc11"}, engineMay...)},
	"internal/solver/pb":         {},
	"internal/engine/param":      {ours: append([]string{"internal/lts", "internal/solver/smt"}, engineMay...)},
	"internal/engine/smc":        {ours: engineMay},
	"internal/engine/dual":       {ours: append([]string{"internal/lts"}, engineMay...)},
	"internal/engine/rf":         {ours: engineMay},
	"internal/engine/fuzz":       {ours: engineMay},
	"internal/engine/mover":      {ours: []string{"internal/proof/program", "internal/proof/encode", "internal/proof/invariant", "internal/engine", "internal/analysis", "internal/ir", "internal/property", "internal/solver/smt", "internal/source", "query", "verdict"}},

	// Proofs, each on the one before: the program without a solver, its terms, its invariants.
	"internal/proof/program":   {ours: []string{"internal/engine", "internal/analysis", "internal/ir", "internal/property", "internal/source", "verdict"}},
	"internal/proof/encode":    {ours: []string{"internal/proof/program", "internal/analysis", "internal/ir", "internal/property", "internal/solver/smt", "query", "verdict"}},
	"internal/proof/invariant": {ours: []string{"internal/proof/program", "internal/proof/encode", "internal/ir", "internal/property", "internal/solver/smt", "internal/source", "verdict"}},

	"internal/solver/smt": {},
	"internal/shorten":    {ours: []string{"internal/engine", "internal/ir", "internal/memory", "internal/memory/endless", "internal/memory/reduce", "verdict"}},
	"internal/replay":     {ours: []string{"internal/source", "internal/ir", "internal/property", "verdict"}},

	// The checker of certificates knows the rules, and nothing of those whose answers it checks.
	"internal/certificate/clauses": {ours: []string{"internal/ir", "internal/property", "internal/replay"}},
	"internal/certificate":         {ours: []string{"internal/certificate/clauses", "internal/ir", "internal/ir/irtext", "internal/property", "internal/replay", "verdict"}, external: []string{"github.com/klauspost/compress/zstd"}},

	// pipeline has the stages. It knows the front ends and the engines that answer tasks; the
	// questions know it.
	"internal/pipeline": {ours: []string{
		"internal/budget", "internal/lazyregexp",
		"internal/analysis",
		"internal/source", "internal/diag", "internal/frontend/elf", "internal/gcc", "internal/ir", "internal/property", "internal/transform", "internal/transform/undefined", "internal/memory", "internal/memory/endless",
		"internal/frontend/c", "internal/frontend/c/translate", "internal/frontend/fp", "internal/frontend/litmus",
		"internal/frontend/memorax", "internal/frontend/statement", "internal/frontend/trencher",
		"internal/engine", "internal/engine/bmc", "internal/engine/dual", "internal/engine/explicit", "internal/engine/fuzz", "internal/engine/instrument",
		"internal/engine/lazy", "internal/engine/rf", "internal/engine/robust", "internal/engine/smc",
		"internal/shorten", "internal/supervise", "internal/render/relation", "internal/trace", "internal/replay", "query", "verdict",
	}},

	// A question knows the stages, the procedures it needs, and the questions it asks in turn: fences
	// checks the program with fences, param asks about instances, verify asks again.
	"internal/question/check":   {ours: append([]string{"internal/analysis", "internal/budget", "internal/certificate", "internal/engine/bmc", "internal/engine/explicit", "internal/engine/rf", "internal/engine/smc", "internal/solver/sat", "internal/transform"}, questionMay...)},
	"internal/question/robust":  {ours: append([]string{"internal/certificate", "internal/question/check"}, questionMay...)},
	"internal/question/harness": {ours: []string{"internal/lazyregexp", "internal/pipeline", "internal/supervise", "internal/frontend/c", "query", "verdict"}},
	"internal/question/fences": {ours: append([]string{
		"internal/engine/fences", "internal/transform", "internal/question/check", "internal/question/robust",
	}, questionMay...)},
	"internal/question/fuzz":   {ours: append([]string{"internal/engine/fuzz", "internal/engine/rf", "internal/question/check"}, questionMay...)},
	"internal/question/lin":    {ours: append([]string{"internal/certificate", "internal/engine/fuzz", "internal/engine/rf", "internal/frontend/c", "internal/frontend/elf", "internal/lazyregexp", "internal/question/check", "internal/question/fences", "internal/question/fuzz", "internal/question/harness"}, questionMay...)},
	"internal/question/prove":  {ours: append([]string{"internal/engine/explicit", "internal/engine/mover", "internal/proof/encode", "internal/proof/program", "internal/question/check", "internal/transform"}, questionMay...)},
	"internal/question/param":  {ours: append([]string{"internal/engine/dual", "internal/engine/param", "internal/transform", "internal/question/check", "internal/question/robust"}, questionMay...)},
	"internal/question/litmus": {ours: append([]string{"internal/frontend/litmus", "internal/stress", "internal/transform"}, questionMay...)},
	"internal/question/traces": {ours: append([]string{"internal/engine/rf", "internal/engine/smc"}, questionMay...)},
	"internal/question/export": {ours: append([]string{"internal/engine/bmc", "internal/engine/instrument", "internal/engine/param", "internal/export", "internal/export/c11", "internal/export/herd", "internal/export/promela", "internal/export/sequential", "internal/question/check", "internal/transform"}, questionMay...)},

	"internal/question/explore": {ours: questionMay},

	"internal/question/verify": {ours: append([]string{
		"internal/certificate", "internal/engine/fences", "internal/shorten", "internal/transform", "internal/question/check", "internal/question/fences", "internal/question/fuzz", "internal/question/lin", "internal/question/litmus",
		"internal/question/param", "internal/question/prove", "internal/question/robust", "internal/question/traces",
	}, questionMay...)},

	// stress writes the text of a program; native starts the compiler and the program.
	"internal/stress": {ours: []string{"internal/ir"}},
	"internal/native": {ours: []string{"internal/scratch", "internal/stress", "query"}},

	"internal/inputfile": {},
	"internal/scratch":   {},
	// What gcc predefines and what its flags mean.
	"internal/gcc":     {},
	"internal/digraph": {},
	"internal/house":   {},
	// Misspelt names, in programs and on the command line.
	"internal/editdistance": {},
	"internal/lazyregexp":   {},
	"internal/suite":        {ours: []string{"internal/inputfile", "internal/lesson", "query", "verdict"}},
	"internal/lesson":       {},
	"internal/family":       {}, "internal/papers": {},
	"internal/codes": {},

	// What the steps of a witness imply, for renderings and for the words of a cause.
	"internal/render/relation": {ours: []string{"internal/digraph", "verdict"}},
	// Executions as rows for people: what is folded, and the words.
	"internal/render/rows":     {ours: []string{"verdict", "internal/render/relation"}},
	"internal/render/text":     {ours: renderMay},
	"internal/render/json":     {ours: renderMay},
	"internal/render/dot":      {ours: renderMay},
	"internal/render/junit":    {ours: append([]string{"internal/render/text"}, renderMay...)},
	"internal/render/svg":      {ours: renderMay},
	"internal/render/html":     {ours: append([]string{"internal/render/text", "internal/render/svg"}, renderMay...)},
	"internal/render/markdown": {ours: append([]string{"internal/render/text"}, renderMay...)},
	"internal/render/sarif":    {ours: append([]string{"internal/render/text"}, renderMay...)},
	// Pages in a browser, for tests.
	"internal/browsertest": {external: []string{"github.com/chromedp"}},
	// The explorer page and the answers to its requests, and the server that sends both.
	// It asks the questions itself, beside the root package, so that the playground holds only what it asks.
	"internal/explorer": {ours: []string{
		"internal/pipeline", "internal/question/check", "internal/question/explore", "internal/question/export", "internal/question/fences", "internal/question/robust", "query", "verdict",
		"internal/render/relation", "internal/render/rows", "internal/render/svg", "internal/render/text", "internal/lesson",
	}},
	"internal/serve": {ours: []string{"internal/explorer", "internal/supervise"}},
	// The language server asks through functions that the command line passes in.
	"internal/lsp": {ours: []string{"query", "verdict"}, external: []string{"github.com/sourcegraph/jsonrpc2"}},
	// The playground: a program that writes it, and answers its requests in a browser.
	"internal/tool/site": {ours: []string{".", "internal/explorer"}},
	"internal/cli": {
		ours:     []string{".", "query", "render", "verdict", "internal/explorer", "internal/serve", "internal/lsp", "internal/supervise", "internal/gcc", "internal/inputfile", "internal/scratch", "internal/editdistance", "internal/lazyregexp", "internal/render/text", "internal/render/json", "internal/render/dot", "internal/render/svg", "internal/render/html", "internal/render/sarif", "internal/render/junit", "internal/render/markdown"},
		external: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"},
	},

	// A program that writes the man pages from the commands.
	"internal/tool/manual": {ours: []string{".", "internal/cli"}, external: []string{"github.com/spf13/cobra"}},

	// A program that measures a binary of fencepost.
	"internal/tool/measure": {ours: []string{".", "query", "internal/budget", "internal/family", "internal/papers"}},

	"internal/testkit": {ours: []string{everything}, external: testLibraries},

	// The second module, for checks on several machines. task has the data and the rule that keeps counts exact,
	// store keeps them in JetStream, and worker explores.
	"cluster/internal/task":            {},
	"cluster/internal/store":           {ours: []string{"cluster/internal/task"}, external: []string{"github.com/nats-io"}},
	"cluster/internal/store/storetest": {ours: []string{"cluster/internal/server", "cluster/internal/store"}, external: []string{"github.com/nats-io"}},
	"cluster/internal/server":          {external: []string{"github.com/nats-io"}},
	"cluster/internal/worker":          {ours: []string{"cluster/internal/store", "cluster/internal/task"}, external: []string{"github.com/nats-io"}},
	// program is the only package that knows the root package's explorations; asker waits for answers.
	"cluster/internal/program": {ours: []string{".", "query", "verdict", "cluster/internal/store", "cluster/internal/task", "cluster/internal/worker"}},
	"cluster/internal/asker":   {ours: []string{".", "query", "verdict", "internal/render/text", "cluster/internal/program", "cluster/internal/store", "cluster/internal/task"}},
	"cluster/internal/command": {
		ours:     []string{".", "query", "render", "verdict", "internal/cli", "internal/render/text", "cluster/internal/asker", "cluster/internal/program", "cluster/internal/server", "cluster/internal/store", "cluster/internal/worker"},
		external: []string{"github.com/nats-io", "github.com/spf13/cobra", "github.com/spf13/pflag"},
	},
	"cluster/cmd/fencepost-cluster": {ours: []string{"cluster/internal/command"}},
	"cluster/internal/synthetic":    {ours: []string{"cluster/internal/task", "cluster/internal/worker"}},
}

const (
	everything = "*"
	testkit    = "internal/testkit"
	looptest   = "internal/transform/looptest"
	irtext     = "internal/ir/irtext" // the text form in which tests write programs

	// statementtest and diagtest are apart from testkit, which imports the front ends: their
	// inner tests cannot import testkit.
	statementtest = "internal/frontend/statement/statementtest"
	browsertest   = "internal/browsertest"
	diagtest      = "internal/diag/diagtest"
)
