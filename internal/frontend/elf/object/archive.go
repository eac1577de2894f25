package object

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Static archives, in the layout of System V and GNU: a line, then members, each a header of 60
// bytes and its bytes, padded to an even length. A member called / is the index of symbols, which
// is not needed here, and // holds the names that do not fit into a header.

const (
	archiveMagic = "!<arch>\n"
	thinMagic    = "!<thin>\n"
	headerSize   = 60
)

// member is a file in an archive.
type member struct {
	name string
	data []byte
}

// rustMetadata begins the names of the members of a Rust library (.rlib) that have no code: they are for the compiler.
const rustMetadata = "lib.rmeta"

// members takes an archive apart.
func members(file string, data []byte) ([]member, *Error) {
	var out []member
	var names []byte
	rest := data[len(archiveMagic):]
	for len(rest) > 0 {
		at := len(data) - len(rest)
		if len(rest) < headerSize {
			return nil, problem(file, "the archive ends inside the header of a member, at byte %d", at)
		}
		head := rest[:headerSize]
		if string(head[58:60]) != "`\n" {
			return nil, problem(file, "the archive has no header of a member at byte %d", at)
		}
		size, err := strconv.ParseInt(strings.TrimSpace(string(head[48:58])), 10, 64)
		if err != nil || size < 0 || size > int64(len(rest)-headerSize) {
			return nil, problem(file, "the archive ends inside the member at byte %d, or its size is wrong", at)
		}
		body := rest[headerSize : headerSize+size]
		rest = rest[headerSize+size:]
		if size%2 == 1 && len(rest) > 0 {
			rest = rest[1:]
		}
		name := strings.TrimRight(string(head[:16]), " ")
		switch {
		case name == "/" || name == "/SYM64/":
			continue
		case name == "//":
			names = body
			continue
		case strings.HasPrefix(name, "/"):
			off, err := strconv.Atoi(name[1:])
			if err != nil || off < 0 || off >= len(names) {
				return nil, problem(file, "the member at byte %d has a name outside the table of names", at)
			}
			long, _, _ := bytes.Cut(names[off:], []byte("/\n"))
			name = string(long)
		default:
			name = strings.TrimSuffix(name, "/")
		}
		if strings.HasPrefix(name, rustMetadata) {
			continue
		}
		out = append(out, member{name: fmt.Sprintf("%s(%s)", file, name), data: body})
	}
	return out, nil
}
