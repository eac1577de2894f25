// Check, robust and fences: a search with progress that can be canceled, and what its answer allows.
"use strict";
fp.answers = (() => {
  const run = fp.inOrder();
  const card = $("answer");
  const titles = { check: "Check", robust: "Robust", fences: "Fences" };

  function shown(...children) {
    card.hidden = false;
    card.replaceChildren(...children);
    card.scrollIntoView({ block: "nearest" });
  }

  // search asks and shows the answer. It returns the findings, or null.
  const search = (kind) => fp.during(searchNow(kind));

  async function searchNow(kind) {
    const line = el("span", { class: "progress" }, "…");
    // The program may be on its way: the answer is about what the editor shows.
    if (!(await fp.settled()) || !fp.now.answer || !fp.now.answer.state) return null;
    const words = titles[kind] + " of " + fp.now.name + " under " + fp.now.model.toUpperCase();
    shown(el("h3", {}, words), line, el("button", { type: "button", class: "small", id: "cancel", onclick: run.cancel }, "Cancel"));
    try {
      const answer = await run((signal) => fp.ask(kind, fp.program(), { signal, progress: (l) => (line.textContent = progressText(l)) }));
      if (!answer) return null;
      draw(kind, words, answer);
      return answer.findings;
    } catch (e) {
      shown(el("h3", {}, words), el("p", { class: e.kind === "canceled" ? "dim" : "bad" }, e.kind === "canceled" ? "Canceled." : e.message), close());
      return null;
    }
  }

  function progressText(l) {
    if (l.waiting) return "waiting for other searches…";
    const p = l.progress;
    return [p.engine, p.executions ? fp.count(p.executions, "execution", "executions") : fp.count(p.states, "state", "states"), p.seconds + " s"].filter(Boolean).join(", ");
  }

  const close = () => el("button", { type: "button", class: "small", onclick: () => (card.hidden = true) }, "Close");

  function draw(kind, words, answer) {
    const errors = answer.diagnostics.filter((d) => d.severity === "error");
    const parts = [el("h3", {}, words)];
    for (const d of errors) parts.push(el("p", { class: "bad" }, d.message));
    for (const f of answer.findings) {
      const good = f.verdict === "safe" || f.verdict === "not-observed" || f.verdict === "value-robust";
      parts.push(el("p", { class: "finding " + (f.verdict === "unknown" ? "open" : good ? "good" : "bad") }, f.title));
      const buttons = [];
      if (f.witness) buttons.push(el("button", { type: "button", id: "play", onclick: () => fp.play(f.witness, f.model) }, "Show the execution"));
      if (f.patched) buttons.push(el("button", { type: "button", id: "apply", onclick: () => fp.patch(f.patched) }, "Insert " + fp.count((f.diff.match(/^\+[^+]/gm) || []).length, "line", "lines")));
      parts.push(el("p", { class: "moves" }, ...buttons, close()));
      if (f.diff) parts.push(el("pre", { class: "diff" }, ...f.diff.split("\n").slice(2).map((l) => el("span", { class: l[0] === "+" ? "add" : l[0] === "-" ? "del" : l[0] === "@" ? "dim" : "" }, l + "\n"))));
      parts.push(el("details", {}, el("summary", {}, "The whole answer"), el("pre", {}, f.text)));
    }
    if (!answer.findings.length) parts.push(close());
    shown(...parts);
  }

  // violation plays an execution that breaks the program or, if there is none, one that SC does not have.
  async function violation() {
    const found = await search("check");
    if (!found) return;
    let f = found.find((f) => f.witness);
    if (!f && fp.now.model !== "sc") {
      const more = await search("robust");
      f = more && more.find((f) => f.witness);
    }
    if (f) await fp.play(f.witness, f.model);
  }

  return { search, violation, cancel: run.cancel, clear: () => ((card.hidden = true), run.cancel()) };
})();
