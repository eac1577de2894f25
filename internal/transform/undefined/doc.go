// Package undefined is the pass that says which bits of values were never written. It adds masks to the
// operations of a flat program, beside the values, and an assertion or an unsupported construct where such bits
// decide something; or it gives what was never written any value of its type.
//
// Run is the pass, with Options that choose among these. docs/adr/0028 says where the masks are kept. Passes that
// come later drop masks that nothing asks for.
package undefined
