package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fencepost"
	"fencepost/query"

	"github.com/spf13/cobra"
)

const ordersHelp = `Find the cheapest memory orders with which a program is right.

The assertions hold, there is no data race, no memory error and no deadlock that ` + "`check --model c11`" + `
would find: on every processor, not only on x86. With --for robustness, the program behaves
as under sequential consistency. The answer has a table of the atomic
accesses with the order that is written and the one that is needed, an execution that goes
wrong without each order, and the patch. Orders are raised, and fences added where orders
are not enough. The patched program is read and checked from scratch, and no cheaper
orders are enough.

With --weaken, all accesses begin relaxed: which orders does the program need at all?
atomic_store(&x, v) and operators on _Atomic objects become calls with an order.

With --model tso or pso, orders mean the instructions that compilers choose for them: which
seq_cst stores can be release stores? With --weaken, accesses keep what costs nothing there.
With a list such as c11,tso the program is right under each of the models.

--cost says what an order costs:
  arm             ldar, stlr, dmb (the default); arm-ldapr has cheaper acquire loads
  x86             a seq_cst store costs 20, a read-modify-write as well, others 1
                  (the default without c11)
  power           lwsync, sync
  file=FILE       FILE has lines 'store seq_cst 20', and 'FILE:LINE 100' for lines that
                  count 100 times; what it does not name is as on Arm
  loops           also ten times as much for every loop around the access: x86,loops
  profile=FILE    also as many times as FILE says, in lines 'FILE:LINE TIMES': x86,profile=FILE
Accesses in the definition of a macro cost as much as all its expansions.

Exit codes: 0 the orders were found, perhaps those of the program; 1 no orders and fences
repair the program; 2 unknown; 3 bad input or usage; 4 internal error.`

const ordersExample = `  fencepost orders ring.c
  fencepost orders ring.c --weaken --cost x86
  fencepost orders ring.c --weaken --diff | patch -p1
  fencepost orders ring.c --weaken --model tso
  fencepost orders ring.c --weaken --model c11,tso --cost x86,loops
  fencepost orders lock.c --keep lock.c:12 --max lock.c:20=acquire`

func ordersCommand(a *app) *cobra.Command {
	f := &fencesFlags{opt: query.FenceOptions{Options: query.Defaults(), For: query.ForAssertions, Model: query.C11, Style: fencepost.FenceStyles()[0]}}
	f.opt.Orders.Accesses = true
	f.cost = costValue{scheme: query.CostUniform}
	cost := &processorValue{}
	cmd := &cobra.Command{
		Use:     "orders FILE...",
		Short:   "Find the cheapest memory orders",
		Long:    ordersHelp,
		Example: ordersExample,
		Args:    oneProgram,
		RunE: func(_ *cobra.Command, args []string) error {
			f.opt.Orders.Processor = cost.processor
			f.cost = costValue{scheme: cmp.Or(cost.hot, query.CostUniform), file: cost.profile}
			if cost.file != "" {
				in, err := a.read(cost.file)
				if err != nil {
					return err
				}
				f.opt.Orders.Costs = in
			}
			return a.fences(args, f)
		},
	}
	addOptions(cmd, &f.opt)
	readC(cmd, &f.opt.Options)
	bind(cmd, "certificate", &f.certificate)
	bind(cmd, "cost", cost)
	bind(cmd, "diff", &f.diff)
	bind(cmd, "output", &f.output)
	bind(cmd, "write", &f.write)
	bind(cmd, "json", &f.json)
	return cmd
}

// processorValue is the processor whose costs count, or a file with costs, and which accesses count more.
type processorValue struct {
	processor     query.Processor
	file, profile string
	hot           query.Cost
}

var processorNames = []query.Processor{query.ProcessorArm, query.ProcessorArmRCpc, query.ProcessorX86, query.ProcessorPower}

// words returns values for completion.
func (*processorValue) words() []string {
	return append(texts(processorNames), "file=", "loops", "profile=", "x86,loops")
}

func (v *processorValue) String() string {
	var out []string
	if v.file != "" {
		out = append(out, "file="+v.file)
	} else if v.processor != "" {
		out = append(out, string(v.processor))
	}
	if v.profile != "" {
		out = append(out, "profile="+v.profile)
	} else if v.hot != "" {
		out = append(out, string(v.hot))
	}
	return strings.Join(out, ",")
}

func (*processorValue) Type() string { return "cost" }

func (v *processorValue) Set(s string) error {
	var out processorValue
	for part := range strings.SplitSeq(s, ",") {
		name, file, given := strings.Cut(part, "=")
		switch {
		case out.processor == "" && given && name == "file" && file != "":
			out.processor, out.file = query.ProcessorFile, file
		case out.processor == "" && !given && slices.Contains(processorNames, query.Processor(name)):
			out.processor = query.Processor(name)
		case out.hot == "" && part == string(query.CostLoops):
			out.hot = query.CostLoops
		case out.hot == "" && given && name == string(query.CostProfile) && file != "":
			out.hot, out.profile = query.CostProfile, file
		default:
			return fmt.Errorf("want arm, arm-ldapr, x86, power or file=FILE, and loops or profile=FILE after a comma")
		}
	}
	*v = out
	return nil
}
