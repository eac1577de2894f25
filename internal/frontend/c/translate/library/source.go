package library

import (
	"embed"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/source"
)

//go:embed source/*.c
var librarySources embed.FS

// sources returns the part of the library that is written in C.
func sources() []*source.File {
	entries, err := librarySources.ReadDir("source")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	var out []*source.File
	for _, e := range entries {
		text, err := librarySources.ReadFile("source/" + e.Name())
		if err != nil {
			panic("BUG: " + err.Error())
		}
		out = append(out, source.NewFile(read.HeaderDir+"/"+e.Name(), text))
	}
	return out
}
