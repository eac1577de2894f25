package cli

import "fencepost/query"

// Any number of threads: what robust, check and export refuse.

// anyThreads refuses options that only count for any number of threads.
func anyThreads(on bool, opt *query.Options, domain *query.Domain) error {
	if !on && (domain != nil || opt.Replicate != "") {
		return &usageError{"--domain and --replicate are options for any number of threads", "also give --param"}
	}
	return nil
}

// oneModel refuses several models, and all but SC and TSO.
func oneModel(models query.Models) error {
	if len(models) != 1 || models[0] != query.SC && models[0] != query.TSO {
		return &usageError{"for any number of threads, assertions and goals can be checked under one model, SC or TSO", "give --model sc or --model tso; `fencepost robust --param` says whether the program behaves under TSO as under SC"}
	}
	return nil
}
