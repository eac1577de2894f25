//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"fencepost"
	"fencepost/internal/explorer"
)

func main() {
	out := flag.String("out", "dist/site", "directory to write")
	flag.Parse()
	if err := write(*out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the site.
func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	page, err := explorer.SiteIndex(explorer.Start{Version: fencepost.Version()})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html"), page, 0o644); err != nil {
		return err
	}
	for _, a := range explorer.Assets() {
		if err := os.WriteFile(filepath.Join(dir, a.Name), a.Text, 0o644); err != nil {
			return err
		}
	}
	for _, p := range parts {
		code, size, err := p.script()
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s holds %.2f MB of WebAssembly, compressed\n", dir, p.file, float64(size)/1e6)
		if err := os.WriteFile(filepath.Join(dir, p.file), code, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// part is a script with this program for WebAssembly. The page loads the small one first, and the whole one when it is
// asked for something that the small one does not have.
type part struct {
	name, file string
	flags      []string // of the Go compiler
}

var parts = []part{
	// Functions that are not inlined cost some time and save an eighth of the size.
	{"small", "engine.js", []string{"-tags", "fencepost_small", "-gcflags=all=-l"}},
	{"whole", "engine-whole.js", nil},
}

// script returns the script with the worker and this program for WebAssembly, and the compressed size of the latter.
func (p *part) script() (script []byte, size int, err error) {
	temp, err := os.MkdirTemp("", "site")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(temp)
	wasm := filepath.Join(temp, "site.wasm")
	flags := append([]string{"build", "-trimpath", "-ldflags", "-s -w", "-o", wasm}, p.flags...)
	build := exec.Command("go", append(flags, "fencepost/internal/site")...)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, 0, fmt.Errorf("building the WebAssembly: %w", err)
	}
	code, err := os.ReadFile(wasm)
	if err != nil {
		return nil, 0, err
	}
	// The runtime that Go's WebAssembly needs is part of the Go distribution.
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, 0, fmt.Errorf("finding Go: %w", err)
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, 0, fmt.Errorf("finding the runtime of Go's WebAssembly: %w", err)
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, 0, err
	}
	if _, err := z.Write(code); err != nil {
		return nil, 0, err
	}
	if err := z.Close(); err != nil {
		return nil, 0, err
	}
	worker, err := json.Marshal(string(support) + "\n" + explorer.Worker())
	if err != nil {
		return nil, 0, err
	}
	script = fmt.Appendf(nil, "\"use strict\";\nfp.local.engine(\"%s\", {worker: %s, wasm: \"%s\"});\n", p.name, worker, base64.StdEncoding.EncodeToString(packed.Bytes()))
	return script, packed.Len(), nil
}
