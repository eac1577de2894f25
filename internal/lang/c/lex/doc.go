// Package lex splits C text into preprocessing tokens.
//
// Input: the bytes of files, which get positions in one Space. Output: tokens without
// pointers, 28 bytes each: kind, spelling, position and, for identifiers, the number of
// the name. Nothing is allocated per token.
//
// Escaped newlines and trigraphs are removed when a file is added to the space, with a
// table that leads back to the original text; so the lexer sees none of them, and raw
// strings get theirs back. What a token means (keywords, values of numbers and strings)
// is decided by the parser. A leaf: it reads no file.
package lex
