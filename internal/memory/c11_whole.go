//go:build !fencepost_small

package memory

// HasC11 says that the build has the model C11.
const HasC11 = true
