// Package html renders results as one self-contained page: the verdict and what
// it covers, the source, a time line with a lane per thread and per store buffer,
// memory and buffers at every step, and the happens-before graph with the cycle
// in colour. The page loads nothing from anywhere.
//
// view.go, timeline.go, memory.go and source.go compute plain data from the
// verdict; page/ is the template, the style sheet and the script, which only
// shows and hides and moves from step to step. Without a script the page still
// has everything but the stepping. The same results give the same bytes.
package html
