// Package bench measures fencepost against other tools on the same programs, in
// one run on one machine, so that the ratios mean something wherever it runs. It
// holds benchmarks only.
package bench
