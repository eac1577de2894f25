// Package lsp is a language server: it checks programs in an editor, over the Language Server Protocol 3.17.
//
//	server.go     the requests and notifications of a client
//	protocol.go   the messages of the protocol that are in use
//	document.go   open texts, and positions in UTF-16
//	directive.go  comments that say what to check
//	question.go   what is asked about a program, with progress, and the answers that are kept
//	publish.go    answers as diagnostics
//	lens.go       answers as code lenses
//	action.go     fences as code actions
//
// The package asks through functions that it is given, and reads files through one of them, so that it does no I/O of
// its own but the connection. An answer is kept with the contents of the files that were read for it, and is given again
// while they are the same. Each message names its model and what it covers.
package lsp
