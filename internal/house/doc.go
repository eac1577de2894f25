// Package house has the rules of the house as tests: which package may import which, how large files and types may be,
// which code stands twice, which words are gone, and whether the documents agree with the code.
//
// They read the whole repository, so they run in make lint and not with every go test:
//
//	go test -tags policy ./internal/house
package house
