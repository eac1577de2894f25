package cli

import (
	"testing"
)

func TestParseSize(t *testing.T) {
	for s, want := range map[string]int64{
		"8GiB": 8 << 30, "512MiB": 512 << 20, "1.5G": 3 << 29, "1.5g": 3 << 29, "2 GiB": 2 << 30, "1TiB": 1 << 40,
		"1GB": 1e9, "2000kb": 2e6, "1048576B": 1 << 20, "4096K": 4 << 20,
	} {
		if got, err := parseSize(s); err != nil || got != want {
			t.Errorf("parseSize(%q) = %d, %v, want %d", s, got, err, want)
		}
	}
	for s, want := range map[string]string{
		"":                           "want a size such as 8GiB, 512MiB or 1.5G",
		"GiB":                        "want a size such as 8GiB, 512MiB or 1.5G",
		"1.2.3G":                     "want a size such as 8GiB, 512MiB or 1.5G",
		"-1G":                        "want a size such as 8GiB, 512MiB or 1.5G",
		"8":                          "the unit is missing, write 8GiB or 8MiB",
		"8 Gigs":                     `unknown unit " Gigs", want KiB, MiB, GiB or TiB`,
		"1KiB":                       "too small, want at least 1MiB",
		"0G":                         "too small, want at least 1MiB",
		"99999999999999999999999TiB": "too large",
		"8388608TiB":                 "too large",
		"1e3G":                       `unknown unit "e3G", want KiB, MiB, GiB or TiB`,
	} {
		if got, err := parseSize(s); err == nil || err.Error() != want {
			t.Errorf("parseSize(%q) = %d, %v, want error %q", s, got, err, want)
		}
	}
}
