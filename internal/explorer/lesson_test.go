package explorer_test

import (
	"testing"
)

// TestLesson is the lesson of docs/explorer.md: store buffering, four keys, the cycle is red, insert the fences, and the
// outcome is gone.
func TestLesson(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.Want(`document.querySelectorAll("#outcomes tr.weak").length`, "1")
		b.Has("#outcomes tr.weak th", "t1:r1=0t2:r2=0")
		b.press("1", "1", "1", "1")
		b.Picture("lesson-1")
		b.Want(`document.body.classList.contains("cyclic")`, "true")
		b.Want(`document.querySelectorAll("#relation .ed.c").length > 0`, "true")
		b.Want(`getComputedStyle(document.querySelector("#relation .ed.c path")).stroke`, "rgb(200, 32, 63)")
		b.Has("#cause", "x = 1")
		b.Want(`document.querySelector(".chip.delayed").textContent.includes("x = 1")`, "true")
		b.press("f")
		b.Picture("lesson-2")
		b.Want(`fp.now.text.includes("x = 1;\n  fence;\n")`, "true")
		b.Want(`document.body.classList.contains("cyclic")`, "false")
		b.Has("#left", "buffer not empty")
		b.Has(".step.blocked", "waits: buffer not empty")
		// One fence leaves the mirror image of the run: the other thread needs a fence, too.
		b.Want(`document.querySelectorAll("#outcomes tr.weak").length`, "1")
		b.click("#outcomes tr.weak [data-model=tso]")
		b.Want(`document.body.classList.contains("cyclic")`, "true")
		b.Has("#verdict", "violates")
		b.Picture("lesson-3")
		b.click("#insert")
		b.Want(`fp.now.text.split("fence;").length`, "3")
		b.Want(`document.querySelectorAll("#outcomes tr").length + " " + document.querySelectorAll("#outcomes tr.weak").length`, "4 0")
		b.Want(`document.body.classList.contains("cyclic")`, "false")
		b.press("b")
		b.Has("#answer", "robust against TSO")
		b.Picture("lesson-4")
	})
}

// TestLessonReaders is the part about independent readers: no model has an outcome that SC has not, and the readers
// never disagree on the order of the stores.
func TestLessonReaders(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.example("iriw.fp")
		b.Want(`[...document.querySelectorAll("#outcomes tbody tr")].length`, "15")
		b.Want(`document.querySelectorAll("#outcomes tr.weak").length`, "0")
		b.Want(`document.querySelectorAll("#outcomes tr[data-state] button").length`, "45") // every row under every model
		b.click("#outcomes tbody tr:last-child [data-model=pso]")
		b.Want(`document.querySelector("#outcomes tr.now") !== null`, "true")
		b.Want(`document.body.classList.contains("cyclic")`, "false")
		b.press("m", "m")
		b.Want(`fp.now.model`, "tso")
		b.click("#check")
		b.Has("#answer", "safe")
	})
}
