// Package private has the passes that take variables of one thread out of shared memory. Localize turns
// automatic variables that no other thread can reach into static objects, and Registers turns
// objects whose addresses only one thread knows into registers, one for each of their lives.
//
// Input and output are flat programs; transform says when the passes run.
//
// Receivers: l is a localizer, r a registerMaker.
package private

// RegistersPass is the name of the pass Registers.
const RegistersPass = "registers"
