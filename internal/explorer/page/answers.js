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

  // c11 asks about C11's own model, which has no buffers to step through: its executions are listed.
  const c11 = () => fp.during(c11Now());
  async function c11Now() {
    const line = el("span", { class: "progress" }, "…");
    if (!(await fp.settled()) || !fp.now.answer || !fp.now.answer.state) return;
    const words = fp.now.name + " under C11";
    const stop = el("button", { type: "button", class: "small", id: "cancel", onclick: run.cancel }, "Cancel");
    shown(el("h3", {}, words), line, stop);
    const parts = [el("h3", {}, words), el("p", { class: "dim" }, "C11 has no store buffers, so no steps can be taken under it. An execution is a graph, and its steps are shown in an order that reads-from respects.")];
    try {
      for (const kind of ["check", "robust", "outcomes"]) {
        const answer = await run((signal) => fp.ask(kind, { ...fp.program(), model: "c11" }, { signal, progress: (l) => (line.textContent = progressText(l)) }));
        if (!answer) return;
        parts.push(...(kind === "outcomes" ? ends(answer) : found(answer)));
        if (answer.diagnostics.some((d) => d.severity === "error")) break;
      }
    } catch (e) {
      parts.push(el("p", { class: e.kind === "canceled" ? "dim" : "bad" }, e.kind === "canceled" ? "Canceled." : e.message));
    }
    shown(...parts, close());
  }

  // ends lists the final states, and which of them SC does not have.
  const ends = (t) => t.outcomes.filter((o) => o.cells[1].reached).map((o) => {
    const weak = t.models[0].complete && !o.cells[0].reached;
    return el("details", {}, el("summary", { class: weak ? "bad" : "" }, o.state + (weak ? ": not under SC" : "")), o.cells[1].witness ? stepper(o.cells[1].witness) : "");
  });

  // stepper goes through the steps of a graph.
  function stepper(w) {
    const row = (s) => w.threads[s.thread] + ": " + (s.text || s.kind) + (s.location ? " (" + s.location + " = " + (s.value || 0) + ")" : "") + (s.note ? ": " + s.note : "");
    const rows = w.steps.map((s, i) => el("li", { onclick: () => go(i) }, row(s)));
    let at = 0;
    const go = (i) => {
      at = Math.max(0, Math.min(rows.length - 1, i));
      rows.forEach((r, k) => (r.className = k === at ? "now" : k > at ? "dim" : ""));
    };
    const move = (word, by) => el("button", { type: "button", class: "small", onclick: () => go(at + by) }, word);
    go(0);
    return el("div", { class: "graph-steps" }, move("← Back", -1), move("Step →", 1), el("ol", {}, ...rows));
  }

  function progressText(l) {
    if (l.waiting) return "waiting for other searches…";
    const p = l.progress;
    return [p.engine, p.executions ? fp.count(p.executions, "execution", "executions") : fp.count(p.states, "state", "states"), p.seconds + " s"].filter(Boolean).join(", ");
  }

  const close = () => el("button", { type: "button", class: "small", onclick: () => (card.hidden = true) }, "Close");

  function draw(kind, words, answer) {
    shown(el("h3", {}, words), ...found(answer), ...(answer.findings.length ? [] : [close()]));
  }

  // found returns what an answer shows.
  function found(answer) {
    const errors = answer.diagnostics.filter((d) => d.severity === "error"), parts = [];
    for (const d of errors) parts.push(el("p", { class: "bad" }, d.message));
    for (const f of answer.findings) {
      const good = f.verdict === "safe" || f.verdict === "not-observed" || f.verdict === "value-robust";
      parts.push(el("p", { class: "finding " + (f.verdict === "unknown" ? "open" : good ? "good" : "bad") }, f.title));
      const buttons = [];
      if (f.witness) buttons.push(el("button", { type: "button", id: "play", onclick: () => fp.play(f.witness, f.model) }, "Show the execution"));
      if (f.patched) buttons.push(el("button", { type: "button", id: "apply", onclick: () => fp.patch(f.patched) }, "Insert " + fp.count((f.diff.match(/^\+[^+]/gm) || []).length, "line", "lines")));
      if (f.model !== "c11") parts.push(el("p", { class: "moves" }, ...buttons, close()));
      if (f.graph) parts.push(stepper(f.graph));
      if (f.diff) parts.push(el("pre", { class: "diff", tabindex: "0", role: "group", "aria-label": "The change" }, ...f.diff.split("\n").slice(2).map((l) => el("span", { class: l[0] === "+" ? "add" : l[0] === "-" ? "del" : l[0] === "@" ? "dim" : "" }, l + "\n"))));
      parts.push(el("details", {}, el("summary", {}, "The whole answer"), el("pre", { tabindex: "0", role: "group", "aria-label": "The whole answer" }, f.text)));
    }
    return parts;
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

  return { search, violation, c11, cancel: run.cancel, clear: () => ((card.hidden = true), run.cancel()) };
})();
