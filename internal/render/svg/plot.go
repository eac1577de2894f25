package svg

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"fencepost/verdict"
)

// Measures of a plot in pixels.
const (
	plotWidth  = 330
	plotHeight = 300
	plotLeft   = 58
	plotBottom = 44
	plotTop    = 34
	plotRight  = 26
	plotsAside = 3 // panels beside each other
)

// The range of times in seconds, as powers of ten.
const (
	leastPower = -3
	mostPower  = 3
)

const plotStyle = "<style>" + PlotSheet + "</style>\n"

// PlotSheet is the style sheet inside a plot. A page that shows plots must allow it.
const PlotSheet = `
.fp{--bg:#fff;--ink:#1c2430;--dim:#5b6675;--line:#d5dbe3;--us:#1d5fd1;--bad:#c8203f;font:11px system-ui,sans-serif}
@media (prefers-color-scheme:dark){.fp{--bg:#12161d;--ink:#e4e9f0;--dim:#9aa6b5;--line:#2b3440;--us:#7fb0ff;--bad:#ff7088}}
.fp .bg{fill:var(--bg)}.fp text{fill:var(--dim)}.fp .ti{fill:var(--ink);font-weight:600;font-size:13px}
.fp line{stroke:var(--line)}.fp .di{stroke:var(--dim);stroke-dasharray:4 4}.fp circle{fill:var(--us)}.fp .bad{fill:var(--bad)}.fp polyline{fill:none;stroke:var(--us);stroke-width:1.6}
.fp .th{fill:none;stroke:var(--dim);stroke-dasharray:3 3}.fp .tc{fill:var(--bg);stroke:var(--dim)}
`

// Plots writes tables of papers as plots: for each table our time against the time of the paper, and for each
// family time against N, all on logarithmic scales.
func Plots(w io.Writer, list []verdict.Bench) error {
	width, height, body := plots(list)
	_, err := fmt.Fprintf(w, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fp\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>Times of the papers and ours</title>\n%s<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n%s</svg>\n",
		width, height, width, height, plotStyle, body)
	if err != nil {
		return fmt.Errorf("writing SVG: %w", err)
	}
	return nil
}

// InlinePlots is the plots as an element of an HTML page.
func InlinePlots(list []verdict.Bench) string {
	width, height, body := plots(list)
	return fmt.Sprintf("<svg class=\"fp plots\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Times of the papers and ours\">\n%s%s</svg>", width, height, width, height, plotStyle, body)
}

// panel draws one plot with its left upper corner at x, y.
type panel func(b *strings.Builder, x, y int)

func plots(list []verdict.Bench) (width, height int, body string) {
	var panels []panel
	for i := range list {
		b := &list[i]
		if points := scatterPoints(b); len(points) > 0 {
			panels = append(panels, func(out *strings.Builder, x, y int) { scatter(out, x, y, b.Name, points) })
		}
		for _, family := range families(b) {
			panels = append(panels, func(out *strings.Builder, x, y int) { growth(out, x, y, family) })
		}
	}
	var out strings.Builder
	for i, draw := range panels {
		draw(&out, i%plotsAside*plotWidth, i/plotsAside*plotHeight)
	}
	if len(panels) == 0 {
		out.WriteString("<text x=\"16\" y=\"24\">No figures to draw.</text>\n")
	}
	return plotWidth * max(1, min(len(panels), plotsAside)), plotHeight * max(1, (len(panels)+plotsAside-1)/plotsAside), out.String()
}

// point is a time of ours and one of the paper.
type point struct {
	name         string
	ours, theirs float64
	differs      bool
}

func scatterPoints(b *verdict.Bench) []point {
	var out []point
	for i := range b.Rows {
		r := &b.Rows[i]
		if theirs, err := strconv.ParseFloat(r.PaperSeconds, 64); err == nil && r.Note == "" {
			out = append(out, point{fmt.Sprintf("%s %s", r.Program, strings.ToUpper(r.Model)), r.Seconds, theirs, r.Differs()})
		}
	}
	return out
}

// families returns the rows of programs with at least two sizes, by program.
func families(b *verdict.Bench) [][]verdict.BenchRow {
	var order []string
	rows := map[string][]verdict.BenchRow{}
	for _, r := range b.Rows {
		if r.N == 0 || r.Note != "" {
			continue
		}
		if rows[r.Program] == nil {
			order = append(order, r.Program)
		}
		rows[r.Program] = append(rows[r.Program], r)
	}
	var out [][]verdict.BenchRow
	for _, name := range order {
		if list := rows[name]; slices.ContainsFunc(list, func(r verdict.BenchRow) bool { return r.N != list[0].N }) {
			out = append(out, rows[name])
		}
	}
	return out
}

// along maps seconds to the part of an axis, from 0 to 1.
func along(seconds float64) float64 {
	power := math.Log10(math.Max(seconds, math.Pow10(leastPower)))
	return (math.Min(power, mostPower) - leastPower) / (mostPower - leastPower)
}

func axisY(y int, seconds float64) float64 {
	return float64(y+plotHeight-plotBottom) - float64(plotHeight-plotBottom-plotTop)*along(seconds)
}

// timeAxis draws the axis of our seconds.
func timeAxis(b *strings.Builder, x, y int, title string) {
	fmt.Fprintf(b, "<text class=\"ti\" x=\"%d\" y=\"%d\">%s</text>\n", x+plotLeft, y+20, escape(title))
	for p := leastPower; p <= mostPower; p++ {
		at := axisY(y, math.Pow10(p))
		fmt.Fprintf(b, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g s</text>\n",
			x+plotLeft, x+plotWidth-plotRight, at, at, x+plotLeft-5, at+4, math.Pow10(p))
	}
}

// scatter draws our times against those of the paper; below the diagonal we are faster.
func scatter(b *strings.Builder, x, y int, title string, points []point) {
	timeAxis(b, x, y, title+": ours up, the paper's right")
	axisX := func(seconds float64) float64 {
		return float64(x+plotLeft) + float64(plotWidth-plotLeft-plotRight)*along(seconds)
	}
	for p := leastPower; p <= mostPower; p++ {
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g s</text>\n", axisX(math.Pow10(p)), y+plotHeight-plotBottom+18, math.Pow10(p))
	}
	least, most := math.Pow10(leastPower), math.Pow10(mostPower)
	fmt.Fprintf(b, "<line class=\"di\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", axisX(least), axisY(y, least), axisX(most), axisY(y, most))
	for _, p := range points {
		class := ""
		if p.differs {
			class = " class=\"bad\""
		}
		fmt.Fprintf(b, "<circle%s cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>%s: %.3f s, paper %g s</title></circle>\n", class, axisX(p.theirs), axisY(y, p.ours), escape(p.name), p.ours, p.theirs)
	}
}

// growth draws the times of a family against N, with the paper's dashed.
func growth(b *strings.Builder, x, y int, rows []verdict.BenchRow) {
	timeAxis(b, x, y, rows[0].Program+": time against N")
	least, most := float64(rows[0].N), float64(rows[len(rows)-1].N)
	axisX := func(n int) float64 {
		part := 0.5
		if most > least {
			part = math.Log(float64(n)/least) / math.Log(most/least)
		}
		return float64(x+plotLeft+10) + float64(plotWidth-plotLeft-plotRight-20)*part
	}
	var ours, theirs []string
	var dots strings.Builder
	for _, r := range rows {
		at := axisX(r.N)
		fmt.Fprintf(&dots, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", at, y+plotHeight-plotBottom+18, r.N)
		if seconds, err := strconv.ParseFloat(r.PaperSeconds, 64); err == nil {
			theirs = append(theirs, fmt.Sprintf("%.1f,%.1f", at, axisY(y, seconds)))
			fmt.Fprintf(&dots, "<circle class=\"tc\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>paper: %g s</title></circle>\n", at, axisY(y, seconds), seconds)
		}
		ours = append(ours, fmt.Sprintf("%.1f,%.1f", at, axisY(y, r.Seconds)))
		fmt.Fprintf(&dots, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>N = %d: %.3f s</title></circle>\n", at, axisY(y, r.Seconds), r.N, r.Seconds)
	}
	fmt.Fprintf(b, "<polyline class=\"th\" points=\"%s\"/>\n<polyline points=\"%s\"/>\n%s", strings.Join(theirs, " "), strings.Join(ours, " "), dots.String())
}
