// The outcomes: every final state, and which models have it. A click plays an execution.
"use strict";
fp.outcomes = (() => {
  const run = fp.inOrder();
  let table = null;

  const TIME = 15000; // ms that a table which was not asked for may take

  // search finds the outcomes of the program. It keeps the old table until there is a new one.
  async function search(patient) {
    const note = $("outcomes-note");
    let timer, late = false;
    note.replaceChildren("searching…", stopButton());
    try {
      const answer = await run((signal) => {
        const all = new AbortController();
        signal.addEventListener("abort", () => all.abort());
        if (!patient) timer = setTimeout(() => ((late = true), all.abort()), TIME);
        return fp.ask("outcomes", fp.program(), { signal: all.signal, progress: (l) => note.replaceChildren(progressText(l), stopButton()) });
      });
      if (!answer) return;
      table = answer;
      draw();
    } catch (e) {
      table = null;
      note.textContent = "";
      const more = el("button", { type: "button", onclick: () => search(true) }, late ? "Search longer" : "Search");
      $("outcomes").replaceChildren(el("p", { class: "dim" }, late ? "The program has many states. " : e.kind === "canceled" ? "Not searched. " : e.message + " ", more));
    } finally {
      clearTimeout(timer);
    }
  }

  const stopButton = () => el("button", { type: "button", class: "small", onclick: run.cancel }, "Stop");

  function progressText(l) {
    if (l.waiting) return "waiting for other searches… ";
    return l.progress.model.toUpperCase() + ": " + fp.count(l.progress.states || l.progress.executions || 0, "state", "states") + " ";
  }

  function draw() {
    const note = $("outcomes-note"), into = $("outcomes");
    if (!table) return;
    note.textContent = table.outcomes.length + table.failures.length ? "click one to see an execution" : "";
    const open = table.models.filter((m) => !m.complete);
    const left = open.length ? [el("p", { class: "dim" }, "* not all executions of " + open.map((m) => m.model.toUpperCase()).join(", ") + " were searched" + (open[0].why ? ": " + open[0].why : ""))] : [];
    if (!table.models.length || !(table.outcomes.length + table.failures.length)) {
      const none = open.length ? "No execution that was searched comes to an end." : "No execution comes to an end.";
      into.replaceChildren(el("p", { class: "dim" }, table.models.length ? none : "The program has errors."), ...left);
      return;
    }
    const final = fp.now.answer && fp.now.answer.state && fp.now.answer.state.final;
    const sc = table.models.findIndex((m) => m.model === "sc");
    const cells = (o) => o.cells.map((c, k) => el("td", { class: table.models[k].model === fp.now.model ? "mine" : "" }, cell(o, c, table.models[k])));
    const failing = table.failures.map((o) => el("tr", { class: "fails" }, el("th", { scope: "row" }, o.state + (o.line ? " (line " + o.line + ")" : "")), ...cells(o)));
    const rows = table.outcomes.map((o) => {
      const weak = sc >= 0 && table.models[sc].complete && !o.cells[sc].reached;
      return el("tr", { class: (weak ? "weak" : "") + (o.state === final ? " now" : ""), "data-state": o.state },
        el("th", { scope: "row" }, ...o.state.split(" ").map((p) => el("span", {}, p))),
        ...cells(o));
    });
    into.replaceChildren(el("table", { class: "outcome-table" },
      el("thead", {}, el("tr", {}, el("th", {}, "how a run ends"), ...table.models.map((m) => el("th", { class: m.model === fp.now.model ? "mine" : "" }, m.model.toUpperCase() + (m.complete ? "" : " *"))))),
      el("tbody", {}, ...failing, ...rows)));
    into.append(...left);
    if (rows.some((r) => r.classList.contains("weak"))) into.append(el("p", { class: "dim" }, el("span", { class: "swatch" }), " no execution of SC ends like this: only store buffers make it possible"));
  }

  function cell(outcome, c, model) {
    if (!c.reached) return el("span", { class: "no", title: model.complete ? "impossible" : "not found" }, model.complete ? "–" : "?");
    if (!c.witness) return el("span", { title: "possible" }, "yes");
    return el("button", { type: "button", title: "play an execution under " + model.model.toUpperCase(), "data-model": model.model, onclick: () => fp.play(c.witness, model.model) }, "yes ▸");
  }

  return {
    search,
    draw,
    // clear forgets the table of another program.
    clear() {
      table = null;
      run.cancel();
      $("outcomes-note").textContent = "";
      $("outcomes").replaceChildren();
    },
  };
})();
