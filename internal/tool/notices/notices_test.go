package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestNotices(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return at
	}
	write("go/LICENSE", "Copyright 2009 The Authors\nRedistribution and use in source and binary forms ... may be used to endorse or\npromote products\n")
	write("a/LICENSE.md", "MIT\nCopyright (c) 2020 A\nPermission is hereby granted, free\nof charge, to any person\n")
	write("a/NOTICE", "A has a notice\n")
	write("b/COPYING", "Apache License\n  Version 2.0, January 2004\nCopyright [yyyy] [name]\n")
	list := write("modules", "example.org/a v1.2.3 "+filepath.Join(dir, "a")+"\nfencepost v0 "+dir+"\nexample.org/b v0.1.0+incompatible "+filepath.Join(dir, "b")+"\n")
	o := &options{version: "v9", goroot: filepath.Join(dir, "go"), goversion: "go1.26.0", notices: filepath.Join(dir, "notices"), now: time.Unix(0, 0)}
	document := filepath.Join(dir, "spdx.json")
	if err := run(o, []string{"fencepost=" + list + "=" + document}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(o.notices)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"example.org/a v1.2.3\n\nMIT\nCopyright (c) 2020 A", "A has a notice", "example.org/b v0.1.0+incompatible", "Go's standard library 1.26.0\n\nCopyright 2009"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the notices do not have %q:\n%s", want, text)
		}
	}
	raw, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		SpdxVersion string
		Packages    []struct{ Name, VersionInfo, LicenseDeclared, CopyrightText string }
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range got.Packages {
		all = append(all, strings.Join([]string{p.Name, p.VersionInfo, p.LicenseDeclared, p.CopyrightText}, "|"))
	}
	want := "fencepost|v9|NOASSERTION|NOASSERTION example.org/a|v1.2.3|MIT|Copyright (c) 2020 A example.org/b|v0.1.0+incompatible|Apache-2.0|NOASSERTION std|1.26.0|BSD-3-Clause|Copyright 2009 The Authors"
	if got.SpdxVersion != "SPDX-2.3" || strings.Join(all, " ") != want {
		t.Errorf("%s %s", got.SpdxVersion, strings.Join(all, " "))
	}
	// A module without a license cannot be distributed.
	if err := os.MkdirAll(filepath.Join(dir, "c"), 0o755); err != nil {
		t.Fatal(err)
	}
	list = write("modules", "example.org/c v1 "+filepath.Join(dir, "c")+"\n")
	if err := run(o, []string{"fencepost=" + list + "=" + document}); err == nil {
		t.Error("a module without a license is accepted")
	}
}
