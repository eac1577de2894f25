//go:build policy

package house_test

import (
	"io/fs"
	"path"
)

// eachGoFile calls visit with the name and text of every Go file below root, whatever its
// build tags, except in directories that the go command leaves out.
func eachGoFile(root fs.FS, visit func(name string, text []byte) error) error {
	return fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != "." && (base == "testdata" || base[0] == '.' || base[0] == '_') {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		return visit(name, text)
	})
}
