// Lessons: tasks that are solved with fences. The file of a lesson is its task; an answer is graded here as by
// `fencepost test --tasks`: it differs from the task in fences alone, and it is safe under the models that the task names.
"use strict";
fp.lessons = (() => {
  let shown = null;
  const about = (name) => fp.start.lessons.find((l) => l.name === name) || null;

  // show shows the task of the program, if it is a lesson.
  async function show() {
    const lesson = about(fp.now.name);
    if (lesson !== shown) say("", "");
    else if (fp.now.text !== graded) say("", "");
    if (lesson === shown) return;
    shown = lesson;
    $("task").hidden = !lesson;
    fp.panes.show();
    if (!lesson) return;
    $("task-title").textContent = lesson.title.replace(/[^?]$/, "$&.");
    $("task-words").textContent = [...lesson.text.matchAll(/^\/\/ task: (.*)$/gm)].map((m) => m[1]).join(" ") + " At most " + fp.count(Number(/^\/\/ fences: at most (\d+)$/m.exec(lesson.text)[1]), "fence", "fences") + ".";
  }

  let graded = null; // the text that the words below the task are about
  function say(text, kind) {
    $("grade-answer").textContent = text;
    $("grade-answer").className = kind;
  }

  async function grade() {
    if (!shown || !(await fp.settled())) return;
    const { name, text } = fp.now, lesson = shown;
    graded = text;
    say("…", "dim");
    try {
      const task = await fp.ask("task", { name, text, task: lesson.text });
      if (task.problem) return say("Not solved: " + task.problem + ".", "bad");
      for (const model of task.models) {
        const answer = await fp.ask("check", { name, text, model }), error = answer.diagnostics.find((d) => d.severity === "error");
        if (text !== fp.now.text) return say("", "");
        if (error) return say("Not solved: line " + error.pos.line + ": " + error.message, "bad");
        const wrong = answer.findings.find((f) => f.verdict !== "safe");
        if (!wrong && answer.findings.length) continue;
        if (!wrong || wrong.verdict === "unknown") return say("No answer under " + model.toUpperCase() + ": " + (wrong ? wrong.title : "nothing was checked"), "open");
        say("Not solved: " + wrong.title + ". The execution is shown below.", "bad");
        if (wrong.witness) await fp.play(wrong.witness, model);
        return;
      }
      say("Solved: the program is safe under " + task.models.map((m) => m.toUpperCase()).join(" and ") + ", in all executions.", "good");
    } catch (e) {
      say(e.message, "bad");
    }
  }

  $("grade").addEventListener("click", () => fp.during(grade()));
  $("task-again").addEventListener("click", () => fp.during(fp.app.open(shown, fp.now.model)));
  return { show, grade: () => fp.during(grade()) };
})();
