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
	code, size, err := engine()
	if err != nil {
		return err
	}
	fmt.Printf("%s: engine.js holds %.1f MB of WebAssembly, compressed\n", dir, float64(size)/1e6)
	return os.WriteFile(filepath.Join(dir, "engine.js"), code, 0o644)
}

// engine returns the script with the worker and this program for WebAssembly, and the compressed size of the latter.
func engine() (script []byte, size int, err error) {
	temp, err := os.MkdirTemp("", "site")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(temp)
	wasm := filepath.Join(temp, "site.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", wasm, "fencepost/internal/site")
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
	script = fmt.Appendf(nil, "\"use strict\";\nfp.local.engine({worker: %s, wasm: \"%s\"});\n", worker, base64.StdEncoding.EncodeToString(packed.Bytes()))
	return script, packed.Len(), nil
}
