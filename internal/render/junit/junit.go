package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"fencepost/internal/render/text"
	"fencepost/verdict"
)

type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	counts
	Suites []suite `xml:"testsuite"`
}

type suite struct {
	counts
	Cases []testCase `xml:"testcase"`
}

// counts are the attributes of one suite, and of all of them.
type counts struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type testCase struct {
	Name    string  `xml:"name,attr"`
	Class   string  `xml:"classname,attr"`
	File    string  `xml:"file,attr"`
	Line    int     `xml:"line,attr,omitempty"`
	Time    string  `xml:"time,attr"`
	Failure *detail `xml:"failure"`
	Error   *detail `xml:"error"`
	Skipped *detail `xml:"skipped"`
	Output  string  `xml:"system-out,omitempty"` // what an answer that was expected covers
}

type detail struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// Report writes the programs in their order.
func Report(w io.Writer, programs []*verdict.ProgramTest) error {
	all := suites{counts: counts{Name: "fencepost"}}
	seconds := 0.0
	for _, p := range programs {
		s := newSuite(p)
		all.Tests, all.Failures, all.Errors, all.Skipped = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors, all.Skipped+s.Skipped
		seconds += p.Seconds
		all.Suites = append(all.Suites, s)
	}
	all.Time = duration(seconds)
	text, err := xml.MarshalIndent(all, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	}
	if err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	return nil
}

func newSuite(p *verdict.ProgramTest) suite {
	s := suite{counts: counts{Name: clean(p.File), Time: duration(p.Seconds)}}
	add := func(c testCase) {
		c.Class, c.File = clean(strings.ReplaceAll(p.File, "/", ".")), clean(p.File)
		s.Tests++
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
		s.Cases = append(s.Cases, c)
	}
	if p.Problem != "" {
		add(testCase{Name: "expect", Line: p.Line, Time: duration(0), Error: &detail{Message: clean(p.Problem), Type: "problem"}})
	}
	for _, o := range p.Outcomes {
		c := testCase{Name: clean(o.Key + "=" + o.Want), Line: o.Line, Time: duration(o.Seconds)}
		switch o.Status {
		case verdict.TestPassed:
			if o.Result != nil {
				c.Output = clean(strings.Join(text.Covered(o.Result), "\n"))
			}
		case verdict.TestFailed:
			c.Failure = &detail{Message: clean(fmt.Sprintf("%s is %s, expected %s", o.Key, o.Got, o.Want)), Type: clean(o.Got), Text: clean(execution(&o))}
		case verdict.TestRefused:
			c.Error = &detail{Message: "the program cannot be read", Type: "refused", Text: clean(o.Detail)}
		case verdict.TestBroken:
			c.Error = &detail{Message: "internal error", Type: "broken", Text: clean(o.Detail)}
		case verdict.TestKnown:
			c.Skipped = &detail{Message: clean(fmt.Sprintf("%s is %s, expected %s, as in the earlier run", o.Key, o.Got, o.Want))}
		case verdict.TestNotChecked:
			c.Skipped = &detail{Message: "fencepost test does not check " + clean(o.Key)}
		default:
			panic("BUG: unset status of a test")
		}
		add(c)
	}
	return s
}

// execution returns what was found, with the execution that shows it.
func execution(o *verdict.TestOutcome) string {
	if o.Result == nil {
		return o.Detail
	}
	var out strings.Builder
	text.Result(&out, o.Result, text.Options{})
	return out.String()
}

func duration(seconds float64) string { return strconv.FormatFloat(seconds, 'f', 3, 64) }

// clean drops what XML cannot hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return '.'
		}
		return r
	}, s)
}
