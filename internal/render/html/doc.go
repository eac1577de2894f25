// Package html renders answers as one self-contained page: the verdict and what it covers; the fences, the
// proof, the attacks or the outcomes under several models; and the executions, with a column per thread and per
// store buffer, memory and source at every step, and the happens-before graph with the cycle in colour. The
// page loads nothing from anywhere.
//
// view.go and the files beside it compute plain data from the verdict: execution.go the steps, memory.go the
// cells, source.go the files, fences.go a repair, proof.go a proof, outcomes.go models side by side. page/ is
// the template, the style sheet and the script. Executions go to the script as tables of numbers, and the
// script draws only the rows that are in view, so that an execution of ten thousand steps is a page of a few
// hundred kilobytes. Without a script the page has the answer, but no executions. The same results give the
// same bytes.
package html
