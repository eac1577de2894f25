package browsertest

import (
	"encoding/json"
	"flag"
	"os"
	"sync"

	"github.com/chromedp/chromedp"
)

var axeFile = flag.String("fp.axe", "", "axe.min.js of axe-core, which `make axe` fetches: what it finds on a page is a failure")

var axeScript = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile(*axeFile)
	return string(text), err
})

// axeRun returns what all rules of axe-core find, its rules of best practice included. Movements come to their end before,
// so that it sees the colours that stay.
const axeRun = `(() => {
  for (const a of document.getAnimations()) a.finish();
  return axe.run(document, { resultTypes: ["violations"] }).then((r) => JSON.stringify(r.violations.flatMap((v) => v.nodes.slice(0, 4).map((n) => v.id + ": " + v.help + ": " + n.target.join(" ") + " " + n.failureSummary.replaceAll("\n", " ")))));
})()`

// AskAxe reports whether axe-core is asked.
func AskAxe() bool { return *axeFile != "" }

// Axe demands that axe-core finds nothing on the page as it is now. It does nothing without -fp.axe.
func (b *Tab) Axe(name string) {
	b.TB.Helper()
	if !AskAxe() {
		return
	}
	script, err := axeScript()
	if err != nil {
		b.TB.Fatal(err)
	}
	if !Eval[bool](b, `typeof axe === "object"`) {
		Eval[bool](b, script+"\n;true")
	}
	text, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](axeRun, chromedp.EvalAwaitPromise))
	if err != nil {
		b.TB.Fatal(err)
	}
	var findings []string
	if err := json.Unmarshal([]byte(text), &findings); err != nil {
		b.TB.Fatal(err)
	}
	for _, f := range findings {
		b.TB.Errorf("%s: axe: %s", name, f)
	}
}
