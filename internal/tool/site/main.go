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
	"path"
	"path/filepath"
	"slices"
	"strings"

	"fencepost"
	"fencepost/internal/explorer"
)

func main() {
	out := flag.String("out", "dist/site", "directory to write")
	check := flag.Bool("check", false, "only see whether the first load is small enough")
	flag.Parse()
	do := func() error { return write(*out) }
	if *check {
		do = func() error { return write("") }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// maxFirstLoad is how many bytes, compressed, a visitor loads for programs in .fp and for litmus tests.
const maxFirstLoad = 3_090_000

// write writes the site into a directory. Without a directory it only makes what a visitor loads first.
func write(dir string) error {
	page, err := explorer.SiteIndex(explorer.Start{Version: fencepost.Version()})
	if err != nil {
		return err
	}
	files, err := joined(page, explorer.Assets())
	if err != nil {
		return err
	}
	for _, p := range parts {
		if dir == "" && !p.first {
			continue
		}
		code, err := p.script()
		if err != nil {
			return err
		}
		files = append(files, explorer.Asset{Name: p.file, Text: code})
	}
	if err := measure(files); err != nil || dir == "" {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// allScripts is the script that has the scripts of the page in it, in their order.
const allScripts = "page.js"

// joined returns the page and what it loads, with one script instead of one per part of the page: a browser asks once,
// and what is alike in the parts is compressed once.
func joined(page []byte, assets []explorer.Asset) ([]explorer.Asset, error) {
	all := explorer.Asset{Name: allScripts, Text: []byte("\"use strict\";\n")}
	var rest []explorer.Asset
	byName := map[string][]byte{}
	for _, a := range assets {
		if path.Ext(a.Name) == ".js" {
			byName[a.Name] = slim(a)
		} else {
			rest = append(rest, a)
		}
	}
	var lines [][]byte
	for line := range bytes.Lines(page) {
		name, isScript := bytes.CutPrefix(line, []byte(`<script src="`))
		name, _, _ = bytes.Cut(name, []byte(`"`))
		if !isScript {
			lines = append(lines, line)
			continue
		}
		text, ok := byName[string(name)]
		if !ok {
			return nil, fmt.Errorf("the page loads %s, which is missing", name)
		}
		if delete(byName, string(name)); len(byName) == 0 {
			lines = append(lines, fmt.Appendf(nil, "<script src=\"%s\" defer></script>\n", allScripts))
		}
		all.Text = append(all.Text, bytes.TrimPrefix(text, []byte("\"use strict\";\n"))...)
	}
	if len(byName) > 0 {
		return nil, fmt.Errorf("the page does not load %d of its scripts", len(byName))
	}
	return append([]explorer.Asset{{Name: "index.html", Text: bytes.Join(lines, nil)}, all}, rest...), nil
}

// slim leaves comments and indentation out of a script. No text in the scripts goes over a line.
func slim(a explorer.Asset) []byte {
	if path.Ext(a.Name) != ".js" {
		return a.Text
	}
	var out bytes.Buffer
	for line := range bytes.Lines(a.Text) {
		if line = bytes.TrimLeft(line, " "); !bytes.HasPrefix(line, []byte("//")) && len(line) > 1 {
			out.Write(line)
		}
	}
	return out.Bytes()
}

// measure prints how much a visitor loads, and says whether the first load is too large.
func measure(files []explorer.Asset) error {
	first := 0
	for _, f := range files {
		packed, err := pack(f.Text)
		if err != nil {
			return err
		}
		later := slices.ContainsFunc(parts, func(p part) bool { return p.file == f.Name && !p.first })
		if later {
			fmt.Printf("%s, for other languages: %.2f MB, compressed\n", f.Name, float64(len(packed))/1e6)
			continue
		}
		first += len(packed)
	}
	fmt.Printf("the first load: %.4f MB, compressed\n", float64(first)/1e6)
	if first > maxFirstLoad {
		return fmt.Errorf("the first load has %d bytes, and may have %d: find out what the small part links (docs/adr/0023)", first, maxFirstLoad)
	}
	return nil
}

// pack compresses a text as web hosts do.
func pack(text []byte) ([]byte, error) {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// part is a script with this program for WebAssembly. The page loads the small one first, and the whole one when it is
// asked for something that the small one does not have.
type part struct {
	name, file string
	flags      []string // of the Go compiler
	first      bool     // it is loaded with the page
}

var parts = []part{
	// Functions that are not inlined cost some time and save an eighth of the size.
	{"small", "engine.js", []string{"-tags", "fencepost_small", "-gcflags=all=-l"}, true},
	{"whole", "engine-whole.js", nil, false},
}

// script returns the script with the worker and this program for WebAssembly.
func (p *part) script() ([]byte, error) {
	temp, err := os.MkdirTemp("", "site")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	wasm := filepath.Join(temp, "site.wasm")
	flags := append([]string{"build", "-trimpath", "-ldflags", "-s -w", "-o", wasm}, p.flags...)
	build := exec.Command("go", append(flags, "fencepost/internal/tool/site")...)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building the WebAssembly: %w", err)
	}
	code, err := os.ReadFile(wasm)
	if err != nil {
		return nil, err
	}
	// The runtime that Go's WebAssembly needs is part of the Go distribution.
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("finding Go: %w", err)
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("finding the runtime of Go's WebAssembly: %w", err)
	}
	packed, err := pack(code)
	if err != nil {
		return nil, err
	}
	worker, err := json.Marshal(string(support) + "\n" + explorer.Worker())
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "\"use strict\";\nfp.local.engine(\"%s\", {worker: %s, wasm: \"%s\"});\n", p.name, worker, base64.StdEncoding.EncodeToString(packed)), nil
}
