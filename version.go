package fencepost

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"fencepost/internal/inputfile"
)

// modulePath is the path under which go.mod names this module.
const modulePath = "fencepost"

// Version returns the version of fencepost as the Go command recorded it in the binary: a
// tag, a pseudo-version with the time and commit, or "devel" where it recorded none, as in
// tests.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return devel
	}
	return versionIn(info)
}

const devel = "devel"

// versionIn finds the module in the build information of a program that is fencepost
// itself, or that imports it.
func versionIn(info *debug.BuildInfo) string {
	module := &info.Main
	if module.Path != modulePath {
		module = nil
		for _, m := range info.Deps {
			if m.Path == modulePath {
				module = m
			}
		}
	}
	switch {
	case module == nil:
		return devel
	case module.Replace != nil && strings.HasPrefix(info.Main.Path, modulePath+"/"):
		module = &info.Main // the other module of this repository
	case module.Replace != nil:
		module = module.Replace
	}
	if module.Version == "" || module.Version == "(devel)" {
		return devel
	}
	return module.Version
}

// BuildVersion returns the version for what is stored and continued, or divided: Version, and if that does not name a
// commit, a hash of the executable file, so that two builds are never mixed.
func BuildVersion() string { return buildVersion() }

var buildVersion = sync.OnceValue(func() string {
	v := Version()
	if v != devel && !strings.HasSuffix(v, "+dirty") {
		return v
	}
	return fmt.Sprintf("%s+%.16s", v, inputfile.ExecutableHash())
})
