package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"fencepost/verdict"
)

// ReadError says why a stored report cannot be used, with the position.
type ReadError struct {
	Line, Col int
	Message   string
}

func (e *ReadError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Message) }

func readError(text []byte, offset int64, format string, args ...any) error {
	before := text[:max(0, min(offset, int64(len(text))))]
	line := 1 + bytes.Count(before, []byte("\n"))
	col := 1 + len(before) - (bytes.LastIndexByte(before, '\n') + 1)
	return &ReadError{Line: line, Col: col, Message: fmt.Sprintf(format, args...)}
}

// Read reads what Report wrote, and makes sure that all indices in it lead
// somewhere. Every error is a *ReadError. Fields it does not know are left out.
func Read(text []byte) ([]verdict.Result, error) {
	var report verdict.Report
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&report); err != nil {
		return nil, decodeError(text, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, readError(text, dec.InputOffset(), "text after the end of the report")
	}
	switch {
	case report.Schema == "":
		return nil, readError(text, 0, "no schema: this is not a report of fencepost")
	case report.Schema != verdict.Schema:
		return nil, readError(text, locate(text, "schema"), "schema %q: this version reads %q", report.Schema, verdict.Schema)
	case report.Results == nil:
		return nil, readError(text, 0, "there are no results in it")
	}
	for i := range report.Results {
		if err := report.Results[i].Validate(); err != nil {
			message := fmt.Sprintf("results[%d].%s", i, err)
			path, _, _ := strings.Cut(message, ":")
			return nil, readError(text, locate(text, path), "%s", message)
		}
	}
	return report.Results, nil
}

// decodeError puts an error of the decoder into words and finds its position.
func decodeError(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return readError(text, 0, "the file is empty")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return readError(text, int64(len(text)), "the text ends in the middle of the report")
	case errors.As(err, &syntax):
		return readError(text, syntax.Offset-1, "not JSON: %s", strings.TrimPrefix(syntax.Error(), "json: "))
	case errors.As(err, &kind):
		return readError(text, kind.Offset-1, "%sfound %s, want %s", fieldPath(kind.Field), kind.Value, plainType(kind.Type.Kind().String()))
	default: // a word that is no verdict or kind of step
		word := err.Error()
		if i := strings.IndexByte(word, '"'); i >= 0 {
			if w, uerr := strconv.Unquote(word[i:]); uerr == nil {
				return readError(text, locateWord(text, w), "%v", err)
			}
		}
		return readError(text, 0, "%v", err)
	}
}

func fieldPath(field string) string {
	if field == "" {
		return ""
	}
	return field + ": "
}

// plainType is a type as people who write JSON call it.
func plainType(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"), strings.HasPrefix(kind, "float"):
		return "a number that fits"
	case kind == "slice":
		return "a list"
	case kind == "struct", kind == "map", kind == "ptr":
		return "an object"
	default:
		return "a " + kind
	}
}

// locate is the offset of the value at a path such as results[0].witness, or of
// the last value on the way to it that is there.
func locate(text []byte, path string) int64 {
	best, length := int64(0), 0
	walk(text, func(at string, offset int64, _ json.Token) bool {
		if len(at) > length && strings.HasPrefix(path, at) && (len(at) == len(path) || strings.IndexByte(".[", path[len(at)]) >= 0) {
			best, length = offset, len(at)
		}
		return len(at) == len(path) && at == path
	})
	return best
}

// locateWord is the offset of the first value that is the word.
func locateWord(text []byte, word string) int64 {
	found := int64(0)
	walk(text, func(_ string, offset int64, v json.Token) bool {
		if v == json.Token(word) {
			found = offset
			return true
		}
		return false
	})
	return found
}

// walk visits the values of a document with their paths and offsets, until visit
// says that it has enough. A broken document ends it early.
func walk(text []byte, visit func(path string, offset int64, v json.Token) bool) {
	type level struct {
		path  string
		list  bool
		index int
		key   string
		value bool // a key has been read, its value comes next
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	var stack []level
	for {
		start := dec.InputOffset()
		for start < int64(len(text)) && strings.IndexByte(" \t\r\n:,", text[start]) >= 0 {
			start++
		}
		tok, err := dec.Token()
		if err != nil {
			return
		}
		var top *level
		if len(stack) > 0 {
			top = &stack[len(stack)-1]
		}
		if d, ok := tok.(json.Delim); ok && (d == '}' || d == ']') {
			stack = stack[:len(stack)-1]
			continue
		}
		path := ""
		switch {
		case top == nil:
		case top.list:
			path = fmt.Sprintf("%s[%d]", top.path, top.index)
			top.index++
		case !top.value:
			top.key, top.value = fmt.Sprint(tok), true
			continue
		default:
			path = strings.TrimPrefix(top.path+"."+top.key, ".")
			top.value = false
		}
		if visit(path, start, tok) {
			return
		}
		if d, ok := tok.(json.Delim); ok {
			stack = append(stack, level{path: path, list: d == '['})
		}
	}
}
