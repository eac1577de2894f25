package explorer_test

import (
	"testing"
)

// TestLesson is the lesson of docs/explorer.md: store buffering, four keys, the cycle is red, insert the fences, and the
// outcome is gone.
func TestLesson(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.want(`document.querySelectorAll("#outcomes tr.weak").length`, "1")
		b.has("#outcomes tr.weak th", "t1:r1=0t2:r2=0")
		b.press("1", "1", "1", "1")
		b.picture("lesson-1")
		b.want(`document.body.classList.contains("cyclic")`, "true")
		b.want(`document.querySelectorAll("#relation .ed.c").length > 0`, "true")
		b.want(`getComputedStyle(document.querySelector("#relation .ed.c path")).stroke`, "rgb(200, 32, 63)")
		b.has("#cause", "x = 1")
		b.want(`document.querySelector(".chip.delayed").textContent.includes("x = 1")`, "true")
		b.press("f")
		b.picture("lesson-2")
		b.want(`fp.now.text.includes("x = 1;\n  fence;\n")`, "true")
		b.want(`document.body.classList.contains("cyclic")`, "false")
		b.has("#left", "buffer not empty")
		b.has(".step.blocked", "waits: buffer not empty")
		// One fence leaves the mirror image of the run: the other thread needs a fence, too.
		b.want(`document.querySelectorAll("#outcomes tr.weak").length`, "1")
		b.click("#outcomes tr.weak [data-model=tso]")
		b.want(`document.body.classList.contains("cyclic")`, "true")
		b.has("#verdict", "violates")
		b.picture("lesson-3")
		b.click("#insert")
		b.want(`fp.now.text.split("fence;").length`, "3")
		b.want(`document.querySelectorAll("#outcomes tr").length + " " + document.querySelectorAll("#outcomes tr.weak").length`, "4 0")
		b.want(`document.body.classList.contains("cyclic")`, "false")
		b.press("b")
		b.has("#answer", "robust against TSO")
		b.picture("lesson-4")
	})
}
