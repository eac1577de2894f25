package gcc

import "slices"

// A standard is a value of -std.
type standard struct {
	version string // of __STDC_VERSION__, "" if it is not defined
	strict  bool   // without the extensions of GNU
	utf     bool   // char16_t and char32_t are UTF-16 and UTF-32
}

// standards are the values of -std. C23 is called c2x in gcc 12, and has the version
// that gcc 12 gives it.
var standards = map[string]standard{
	"gnu89": {}, "c89": {strict: true},
	"gnu99": {version: "199901L", utf: true}, "c99": {version: "199901L", strict: true},
	"gnu11": {version: "201112L", utf: true}, "c11": {version: "201112L", strict: true, utf: true},
	"gnu17": {version: "201710L", utf: true}, "c17": {version: "201710L", strict: true, utf: true},
	"gnu23": {version: "202000L", utf: true}, "c23": {version: "202000L", strict: true, utf: true},
}

// otherNames are further spellings of the standards.
var otherNames = map[string]string{
	"gnu90": "gnu89", "c90": "c89", "iso9899:1990": "c89", "gnu9x": "gnu99", "c9x": "c99", "iso9899:1999": "c99",
	"gnu1x": "gnu11", "c1x": "c11", "iso9899:2011": "c11", "gnu18": "gnu17", "c18": "c17", "iso9899:2017": "c17", "iso9899:2018": "c17",
	"gnu2x": "gnu23", "c2x": "c23",
}

// DefaultStandard is the standard without -std.
const DefaultStandard = "gnu17"

// Standards lists the standards that the option --std offers.
func Standards() []string { return []string{"c11", "gnu11", "c17", "gnu17", "c23", "gnu23"} }

// standardOf returns the standard that a value of -std names.
func standardOf(name string) (string, bool) {
	if other, ok := otherNames[name]; ok {
		name = other
	}
	_, ok := standards[name]
	return name, ok
}

// C23 reports whether the standard is C23, in which true, bool and others need no header.
func (s *Settings) C23() bool { return slices.Contains([]string{"c23", "gnu23"}, s.Std) }
