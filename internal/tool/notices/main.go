// Command notices writes the licenses of the modules that are linked into binaries, and an SPDX document for each
// binary. `make dist` runs it.
//
// An argument is NAME=MODULES=DOCUMENT: the name of a binary, a file with a line "path version directory" per module,
// and the SPDX document to write.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.version, "version", "unknown", "version of the binaries")
	flag.StringVar(&o.goroot, "goroot", "", "directory of the Go distribution, whose library is linked in too")
	flag.StringVar(&o.goversion, "goversion", "", "version of Go")
	flag.StringVar(&o.notices, "notices", "", "file for the licenses")
	flag.Parse()
	o.now = time.Now()
	if err := run(&o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

type options struct {
	version, goroot, goversion, notices string
	now                                 time.Time
}

// module is a module with the texts of its licenses.
type module struct {
	path, version string
	license       string // SPDX's name, or NOASSERTION
	texts         []string
}

func run(o *options, binaries []string) error {
	all := map[string]*module{}
	for _, b := range binaries {
		parts := strings.Split(b, "=")
		if len(parts) != 3 {
			return fmt.Errorf("%q is not NAME=MODULES=DOCUMENT", b)
		}
		lines, err := os.ReadFile(parts[1])
		if err != nil {
			return err
		}
		modules, err := readModules(string(lines), o)
		if err != nil {
			return err
		}
		for _, m := range modules {
			all[m.path] = m
		}
		document, err := spdx(parts[0], o, modules)
		if err != nil {
			return err
		}
		if err := os.WriteFile(parts[2], document, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(o.notices, []byte(notices(all)), 0o644)
}

// readModules reads the licenses of the modules of a binary. Go's own library is the last module.
func readModules(lines string, o *options) ([]*module, error) {
	var list []*module
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		words := strings.Fields(line)
		if len(words) > 0 && words[0] == "fencepost" {
			continue // it has a license of its own, which is beside the notices
		}
		if len(words) != 3 {
			return nil, fmt.Errorf("%q is not a path, a version and a directory", line)
		}
		m, err := readModule(words[0], words[1], words[2])
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	std, err := readModule("std", strings.TrimPrefix(o.goversion, "go"), o.goroot)
	if err != nil {
		return nil, err
	}
	return append(list, std), nil
}

// licenseFiles are the beginnings of the names of files with licenses.
var licenseFiles = []string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"}

func readModule(path, version, dir string) (*module, error) {
	m := &module{path: path, version: version}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !slices.ContainsFunc(licenseFiles, func(f string) bool { return strings.HasPrefix(name, f) }) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		m.texts = append(m.texts, strings.TrimSpace(string(text)))
		if m.license == "" {
			m.license = identify(string(text))
		}
	}
	if len(m.texts) == 0 {
		return nil, fmt.Errorf("module %s: %w", path, errNoLicense)
	}
	return m, nil
}

var errNoLicense = errors.New("no file with a license")

// identify returns SPDX's name of a license by sentences that no other license has.
func identify(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, l := range []struct{ name, words string }{
		{"Apache-2.0", "Apache License Version 2.0"},
		{"MPL-2.0", "Mozilla Public License Version 2.0"},
		{"MPL-2.0", "Mozilla Public License, version 2.0"},
		{"MIT", "Permission is hereby granted, free of charge"},
		{"ISC", "Permission to use, copy, modify, and/or distribute this software"},
		{"BSD-3-Clause", "may be used to endorse or promote products"},
		{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
	} {
		if strings.Contains(text, l.words) {
			return l.name
		}
	}
	return "NOASSERTION"
}

// notices is the text with all licenses, by the paths of modules.
func notices(all map[string]*module) string {
	var b strings.Builder
	b.WriteString("The binaries of fencepost contain the modules below, which have these licenses.\n")
	paths := make([]string, 0, len(all))
	for p := range all {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		m := all[p]
		name := p
		if p == "std" {
			name = "Go's standard library"
		}
		fmt.Fprintf(&b, "\n%s\n%s %s\n\n%s\n", strings.Repeat("=", 80), name, m.version, strings.Join(m.texts, "\n\n"))
	}
	return b.String()
}
