//go:build fencepost_small

package memory

// HasC11 says that the build has the model C11. The playground does not offer it.
const HasC11 = false
