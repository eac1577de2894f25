package explorer_test

import (
	"strings"
	"testing"

	"fencepost/internal/explorer"
	"fencepost/internal/lesson"
)

// solved reports whether an answer to a lesson keeps to its task and is safe under the models that the task names.
func solved(t *testing.T, task explorer.Program, text string) bool {
	t.Helper()
	kept := asked[*explorer.TaskAnswer](t, "task", explorer.Request{Name: task.Name, Text: text, Task: task.Text})
	if kept.Problem != "" {
		return false
	}
	for _, m := range kept.Models {
		found := asked[*explorer.SearchAnswer](t, "check", explorer.Request{Name: task.Name, Text: text, Model: m})
		if len(found.Findings) != 1 || found.Findings[0].Verdict != "safe" {
			return false
		}
	}
	return len(kept.Models) > 1
}

// choices calls visit with every way to put n fences after the semicolons of a program, until it returns true.
func choices(text, fence string, from, n int, visit func(string) bool) bool {
	if n == 0 {
		return visit(text)
	}
	for at := from; at < len(text); at++ {
		if text[at] == ';' && choices(text[:at+1]+" "+fence+text[at+1:], fence, at+1+len(fence)+1, n-1, visit) {
			return true
		}
	}
	return false
}

// TestLessonsCanBeSolved: no lesson is solved as it stands; each can be solved with the fences that it allows, and none
// with one fence less. Every way to insert fences is tried.
func TestLessonsCanBeSolved(t *testing.T) {
	lessons := explorer.Lessons()
	if len(lessons) < 7 {
		t.Fatalf("only %d lessons", len(lessons))
	}
	for _, l := range lessons {
		task, ok := lesson.Read(l.Text)
		if !ok || !strings.HasPrefix(l.Title, "Lesson ") || len(l.Title) > 50 {
			t.Errorf("%s is no task", l.Name)
			continue
		}
		if solved(t, l, l.Text) {
			t.Errorf("%s is solved before anything is done", l.Name)
		}
		fence, body := "fence;", strings.ReplaceAll(l.Text, "  fence;\n", "")
		if strings.HasSuffix(l.Name, ".c") {
			fence = "atomic_thread_fence(memory_order_seq_cst);"
		}
		first := strings.Index(body, "{")
		for n := range task.Fences + 1 {
			tried, answer := 0, ""
			choices(body, fence, first, n, func(text string) bool {
				tried++
				if solved(t, l, text) {
					answer = text
				}
				return answer != ""
			})
			if (answer != "") != (n == task.Fences) {
				t.Errorf("%s with %d fences, of %d: solved %v, %d ways were tried", l.Name, n, task.Fences, answer != "", tried)
			}
		}
	}
}

// TestLessonInPage: a lesson shows its task; the page refuses answers that change something else or have too many fences,
// shows why an answer is wrong, and says when it is right.
func TestLessonInPage(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.Want(`$("task").hidden + " " + document.querySelectorAll("#examples optgroup option").length`, "true 7")
		at := eval[string](b, `String([...$("examples").options].findIndex((o) => o.textContent.startsWith("Lesson 2")))`)
		eval[bool](b, `($("examples").value = $("examples").options[`+at+`].value, $("examples").dispatchEvent(new Event("change")))`)
		b.idle()
		b.Has("#task", "Lesson 2: where is the store that waits?")
		b.Has("#task", "At most 1 fence.")
		b.inspect("lesson-task")
		b.click("#grade")
		b.Has("#grade-answer", "Not solved")
		b.Has("#verdict", "violates")
		text := eval[string](b, `fp.now.text`)
		b.replace(strings.Replace(text, "x = 1;", "x = 1; fence;", 1))
		b.Want(`$("grade-answer").textContent`, "")
		b.press("t")
		b.Has("#grade-answer", "Not solved")
		b.replace(strings.Replace(strings.Replace(text, "x = 1;", "x = 1; fence;", 1), "y = 2;", "y = 2; fence;", 1))
		b.press("t")
		b.Has("#grade-answer", "2 fences are too many: the task allows 1")
		b.replace(strings.Replace(text, "r = x;", "r = y;", 1))
		b.press("t")
		b.Has("#grade-answer", "only fences may be changed")
		b.replace(strings.Replace(text, "y = 2;", "y = 2; fenc;", 1))
		b.click("#grade")
		b.Has("#grade-answer", "Not solved")
		b.replace(strings.Replace(text, "y = 2;", "y = 2;\n  fence; // the store of y waits", 1))
		b.press("t")
		b.Has("#grade-answer", "Solved: the program is safe under SC and TSO")
		b.inspect("lesson-solved")
		b.click("#task-again")
		b.Want(`fp.now.text === `+"`"+text+"`"+` && $("grade-answer").textContent === ""`, "true")
		b.example("sb.fp")
		b.Want(`$("task").hidden`, "true")
	})
}
