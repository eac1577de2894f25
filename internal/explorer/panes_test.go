package explorer_test

import (
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// drag moves the mouse with its button held, from the middle of an element.
func (b *tab) drag(css string, dx, dy float64) {
	b.TB.Helper()
	at := eval[[]float64](b, `((r) => [r.left + r.width / 2, r.top + r.height / 2])(document.querySelector(`+strconv.Quote(css)+`).getBoundingClientRect())`)
	for _, e := range []input.DispatchMouseEventParams{
		{Type: input.DispatchMouseEventTypeMousePressed, X: at[0], Y: at[1], Button: input.MouseButtonLeft, ClickCount: 1},
		{Type: input.DispatchMouseEventTypeMouseMoved, X: at[0] + dx/2, Y: at[1] + dy/2, Button: input.MouseButtonLeft, Buttons: 1},
		{Type: input.DispatchMouseEventTypeMouseMoved, X: at[0] + dx, Y: at[1] + dy, Button: input.MouseButtonLeft, Buttons: 1},
		{Type: input.DispatchMouseEventTypeMouseReleased, X: at[0] + dx, Y: at[1] + dy, Button: input.MouseButtonLeft, ClickCount: 1},
	} {
		if _, err := chromedp.Call(b.Ctx, input.DispatchMouseEvent, e); err != nil {
			b.TB.Fatal(err)
		}
	}
	b.idle()
}

const (
	widthOf  = `Math.round(document.querySelector(".editor-card").offsetWidth)`
	heightOf = `Math.round(document.querySelector(".state-card").offsetHeight)`
)

// TestPanes: the panes fill the window; their borders can be moved with the mouse and the keyboard, and the page remembers
// them.
func TestPanes(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.Size(1440, 900)
		b.open("")
		eval[bool](b, `(localStorage.clear(), true)`)
		b.open("")
		for _, size := range [][2]int64{{1440, 900}, {1920, 1080}, {1280, 720}} {
			b.Size(size[0], size[1])
			// The first screen ends with the history, and nothing stands beside the panes.
			b.Want(`((bottom) => bottom <= innerHeight && bottom > innerHeight - 40)(document.querySelector(".history-card").getBoundingClientRect().bottom)`, "true")
			b.Want(`document.querySelector(".steps-card").getBoundingClientRect().right > innerWidth - 20`, "true")
			b.inspect("panes-" + strconv.FormatInt(size[0], 10))
		}
		b.Size(1440, 900)
		wide, high := eval[int](b, widthOf), eval[int](b, heightOf)
		b.drag("#split-left", 100, 0)
		b.Want(widthOf, strconv.Itoa(wide+100))
		b.drag("#split-upper", 0, -50)
		b.Want(heightOf, strconv.Itoa(high-50))
		b.open("") // as tomorrow
		b.Want(widthOf+` + " " + `+heightOf, strconv.Itoa(wide+100)+" "+strconv.Itoa(high-50))
		b.press("p")
		b.Want(`document.activeElement.id + " " + document.activeElement.getAttribute("aria-valuenow")`, "split-left "+strconv.Itoa(wide+100))
		b.press(kb.ArrowLeft)
		b.Want(widthOf+` + fp.now.run.join()`, strconv.Itoa(wide+76)) // and it takes no step
		b.press(kb.Enter, "p", "p", kb.Enter)
		b.Want(widthOf+` + " " + `+heightOf, strconv.Itoa(wide)+" "+strconv.Itoa(high))
		b.press("p", "p", "p", kb.ArrowRight) // the right border again: further right means fewer steps
		b.Want(`document.activeElement.id`, "split-right")
		b.Want(widthOf, strconv.Itoa(wide))
		// What was kept is from another window, or is no size at all.
		for _, kept := range []string{`{"left":99999,"upper":99999,"right":1}`, `{"left":"<b>","upper":-5}`, `[1`, `null`} {
			eval[bool](b, `(localStorage.setItem("fencepost.panes", `+strconv.Quote(kept)+`), true)`)
			b.open("")
			b.inspect("panes-kept")
			b.Want(`[...document.querySelectorAll(".editor-card, .state-card, .steps-card")].every((c) => c.offsetWidth >= 200)`, "true")
		}
	})
}

// TestSourceBesideState: what a thread of C does next can be read where the thread is drawn, and at 1,440 pixels the lines
// of a program in C are not cut off in the editor.
func TestSourceBesideState(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.Size(1440, 900)
		b.open("")
		b.example("dekker.c")
		b.press("1", "2")
		b.Want(`[...document.querySelectorAll(".box .at")].filter((e) => e.textContent.trim() && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)).length`, "0")
		b.Want(`$("text").value.split("\n").filter((l) => !l.startsWith("//") && l.length * 7.9 + 20 > $("text").clientWidth).join()`, "")
		b.Picture("beside")
	})
}

// TestProgramScrolls: the program scrolls to the line of the last step, unless the user is at work in the text.
func TestProgramScrolls(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.Size(1280, 700)
		b.open("")
		b.replace(deque)
		seen := `((line, t, h) => (line - 1) * h >= t.scrollTop && line * h <= t.scrollTop + t.clientHeight)(fp.now.answer.rows.at(-1).line, $("text"), parseFloat(getComputedStyle($("text")).lineHeight))`
		eval[bool](b, `($("text").blur(), $("text").scrollTop = 0, true)`)
		b.click("#outcomes tr.fails [data-model=tso]")
		b.Want(`fp.now.answer.rows.at(-1).line`, "26")
		b.Want(seen, "true")
		eval[bool](b, `($("text").focus(), $("text").scrollTop = 0, fp.editor.show(fp.now.answer.state, [], 26), true)`)
		b.Want(`$("text").scrollTop`, "0")
	})
}
