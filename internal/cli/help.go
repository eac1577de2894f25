package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"fencepost/internal/editdistance"
	"fencepost/internal/lazyregexp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// topics are the texts of `fencepost help` that are not about one command.
var topics = []struct{ name, short, text string }{
	{"models", "The memory models sc, tso, pso and c11", `A processor does not write a store to memory at once. The store waits in a store
buffer, and the thread goes on. A load of the same thread reads the newest
waiting store to its cell; other threads read memory.

  sc    no buffers: the steps of the threads interleave
  tso   one buffer per thread, first in first out: x86, and SPARC by default
        (--model x86 and --model sparc mean this one)
  pso   one buffer per thread and memory cell: stores to different cells may also
        overtake each other; a mode of SPARC (--model sparc-pso)
  c11   no buffers: what the memory orders of C11 promise, in its repaired form RC11;
        for C and .fp

A fence, a read-modify-write and most calls of a thread library wait until the
buffer is empty. Compare the models with
  fencepost check dekker.fp --model sc,tso,pso
A program that is correct under sc but not under tso needs a fence: put a full
fence between the delayed store and the load that overtook it, or let
  fencepost fences dekker.fp
find the fewest fences.
`},
	{"exit-codes", "What the exit codes mean", `  0   holds: safe, robust, observed, as expected, replays
  1   violated: unsafe, not robust, not observed, not as expected, rejected
  2   unknown: a limit of time or memory, or a bound, was reached first
  3   bad input or usage: the message says where; also fencepost without a
      command, so that a script that lost its arguments has no answer
  4   internal error: a bug in fencepost; please report it

With several models or programs, the exit code is the first of 4, 3, 1, 2, 0
that occurs.
`},
	{"languages", "Which programs can be read", `The extension of a file tells its language; --lang NAME overrides it. A file with
another extension, and -, which is standard input, are recognised by their text.

  .fp       the language of the examples           --lang fp
  .c, .i    C11 with pthreads and atomics          --lang c
  .litmus   herd's litmus tests: X86, X86_64, C    --lang litmus
  .txt      Trencher's programs                    --lang trencher
  .rmm      Memorax's programs                     --lang memorax
  .o, .a, .rlib, and executables
            x86-64 machine code for Linux (ELF)    --lang x86

The command check needs something to check: an assertion, a goal or a final
condition. The command robust does not: it compares the behaviour of the program
on the processor with its behaviour under sequential consistency.
`},
	{"executions", "How to read an execution", `A violation comes with an execution: a table with one row per statement and one
column per thread. If such a table is too wide, one column names the thread of each
row. Set-up, local steps and rounds of loops are folded into rows that begin with
"..."; --full prints every step. A call with one access is one row, with the
line of the call; --full has the lines inside.

  x = 1 buffered            the store waits in the thread's buffer
  flush, x = 1 reaches memory (step 3)
                            from now on other threads can read it
  y -> 0 from memory        a load and the value it read
  y -> 1 from own buffer    a load that read a store waiting in its thread's buffer

The last column, or lines that begin with "buffers", show what the store buffers
contain. The text below the table names the store that was delayed and the access
that overtook it, and shows the cycle in the happens-before relation. No execution
without buffers has such a cycle. Its edges are

  po    program order
  src   from a store to a load that reads its value (herd: rf)
  cf    from a load to the store that overwrites the value it read (herd: fr)
  st    from a store to the next store to the same cell (herd: co)

Under c11, where an execution is a graph, its edges are po and

  rf    from a store to a load that reads its value
  mo    from a store to the next store to the same cell
  rb    from a load to the stores after the one that it read (herd: fr)
  sw    from a release to the acquire that reads what it wrote, or that follows such a
        read: what stands before the one happens before what stands after the other

--html FILE writes a page on which you can step through the execution. A second
implementation of the models has replayed every execution that is shown;
` + "`fencepost verify-trace`" + ` replays the executions of stored results.
`},
}

// Groups of commands in the help.
const (
	groupAsk   = "ask"
	groupShare = "share"
)

const startHere = `

Start here:
  fencepost check dekker.fp                      do the assertions hold on x86?
  fencepost check dekker.fp --model sc,tso,pso   under which model do they fail?
  fencepost check dekker.fp --html dekker.html   step through the execution in a browser
  fencepost robust dekker.fp                     does it behave on x86 as under SC?
  fencepost serve dekker.fp                      explore the store buffers in a browser
  fencepost test examples/                       compare with the answers in the comments`

// allCommands is the root command with the commands about results, and its help:
// groups, topics, completion.
func (a *app) allCommands() *cobra.Command {
	root := a.rootCommand()
	root.AddCommand(a.reportCommand(), a.verifyCommand(), a.testCommand(), a.benchCommand())
	root.AddGroup(&cobra.Group{ID: groupAsk, Title: "Ask about programs:"}, &cobra.Group{ID: groupShare, Title: "Show and share results:"})
	for _, c := range root.Commands() {
		switch c.Name() {
		case "report", "verify-trace", "serve", "show", "export", "explain":
			c.GroupID = groupShare
		case "version":
		default:
			c.GroupID = groupAsk
		}
		if slices.Contains(writers, c.Name()) {
			a.out.flags(c)
		}
		if slices.Contains(writers, c.Name()) || c.Name() == "litmus" {
			bind(c, "full", &a.full)
			bind(c, "asm", &a.asm)
		}
		a.completeArguments(c)
	}
	root.SetHelpCommand(a.helpCommand(root))
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(a.completionCommand())
	var b strings.Builder
	b.WriteString(startHere + "\n\nTopics:")
	for _, t := range topics {
		fmt.Fprintf(&b, "\n  fencepost help %-11s %s", t.name, t.short)
	}
	root.Long += b.String()
	return root
}

func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND [OPTION]|TOPIC]",
		Short:   "Show the help of a command, an option or a topic",
		Long:    "Show the help of a command, with examples, of one of its options, or of one of the topics\n" + topicNames(", ") + ".",
		Example: "  fencepost help check\n  fencepost help check unroll\n  fencepost help models",
		RunE: func(_ *cobra.Command, args []string) error {
			root.InitDefaultHelpFlag()
			root.InitDefaultVersionFlag()
			if len(args) == 0 {
				return root.Help()
			}
			for _, t := range topics {
				if t.name == args[0] && len(args) == 1 {
					_, err := io.WriteString(a.stdout, t.text)
					return err
				}
			}
			cmd, rest, err := root.Find(args)
			if err == nil && cmd != root && len(rest) == 1 {
				if text := optionHelp(cmd, rest[0]); text != "" {
					_, err := io.WriteString(a.stdout, text)
					return err
				}
			}
			if err != nil || cmd == root || len(rest) > 0 {
				return &usageError{fmt.Sprintf("there is no command or topic %q", strings.Join(args, " ")), helpHint(root, args[0])}
			}
			return cmd.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return optionNames(root, args), cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, c := range root.Commands() {
				if c.IsAvailableCommand() {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			for _, t := range topics {
				names = append(names, t.name+"\t"+t.short)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func topicNames(sep string) string {
	var names []string
	for _, t := range topics {
		names = append(names, t.name)
	}
	return strings.Join(names, sep)
}

func helpHint(root *cobra.Command, word string) string {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	for _, t := range topics {
		names = append(names, t.name)
	}
	if near := nearest(word, names); near != "" {
		return fmt.Sprintf("did you mean `fencepost help %s`?", near)
	}
	return "`fencepost help` lists commands and topics: " + topicNames(", ")
}

var gluedValue = lazyregexp.New(`^invalid argument "(.*)" for "-(.), --(.*)" flag`)

// flagHint suggests the flag that was meant.
func flagHint(cmd *cobra.Command, message string) string {
	hint := fmt.Sprintf("see `%s --help`", cmd.CommandPath())
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if word, ok := strings.CutPrefix(message, "unknown flag: --"); ok {
		if slices.Contains([]string{"checkpoint", "checkpoint-every", "resume", "shard"}, word) {
			return fmt.Sprintf("only `fencepost check` can be stored, continued and divided; %s asks several searches, and stores none of them", cmd.Name())
		}
		if near := nearest(word, names); near != "" {
			return fmt.Sprintf("did you mean --%s? %s", near, hint)
		}
	}
	// -model is read as -m odel, or as an unknown -o.
	if m := gluedValue.FindStringSubmatch(message); m != nil && m[2]+m[1] == m[3] {
		return fmt.Sprintf("did you mean --%s? %s", m[3], hint)
	}
	if _, rest, ok := strings.Cut(message, " in -"); ok && len(rest) > 1 {
		if name, _, _ := strings.Cut(rest, "="); slices.Contains(names, name) {
			return fmt.Sprintf("did you mean --%s? %s", name, hint)
		}
	}
	return hint
}

// nearest returns the name that is nearest to a misspelt word, or "" if none is near.
func nearest(word string, names []string) string {
	best, distance := "", 3
	for _, n := range names {
		if d := editdistance.Between(strings.ToLower(word), n); d < distance {
			best, distance = n, d
		}
	}
	if distance >= len(word) {
		return ""
	}
	return best
}
