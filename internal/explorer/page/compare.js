// Compare: the same steps under two models. What is impossible on one side is struck out.
"use strict";
fp.compare = (() => {
  const run = fp.inOrder();
  let other = "sc", key = "";

  async function show() {
    if (!fp.tabShown("compare") || !fp.now.answer || !fp.now.answer.state) return;
    if (other === fp.now.model) other = fp.models.find((m) => m !== fp.now.model);
    const request = { ...fp.program(), run: fp.now.run, other };
    if (JSON.stringify(request) === key) return;
    key = JSON.stringify(request);
    try {
      const answer = await run((signal) => fp.ask("compare", request, { signal }));
      if (answer && answer.state) fp.keepFocus($("compare"), () => draw(answer));
    } catch (e) {
      key = "";
      $("compare").replaceChildren(el("p", { class: "bad" }, e.message));
    }
  }

  // row returns what became of a line of the history: the first of its steps that is different decides.
  function match(row, matches) {
    const mine = matches.slice(row.first, row.last + 1);
    return mine.find((m) => !m.possible) || mine.find((m) => m.instead) || mine.find((m) => m.nothing) || mine[0];
  }

  function cells(row, m, state) {
    const text = (row.flush ? "↦ " : "") + (row.flush ? row.effect.replace(/ \(step.*/, "") : row.text);
    const left = el("td", {}, el("code", {}, text), " ", el("span", { class: "dim" }, row.flush ? "" : row.effect));
    if (!m.possible) return [left, el("td", {}, el("s", {}, el("code", {}, text)), " ", el("span", { class: "bad" }, m.reason))];
    if (m.nothing) return [left, el("td", { class: "dim" }, "the store is in memory already")];
    if (m.instead) return [left, el("td", {}, el("s", {}, el("code", {}, row.text), " ", row.effect), " ", el("b", { class: "bad" }, "reads " + m.instead + " here"))];
    return [left, el("td", {}, el("code", {}, text), " ", el("span", { class: "dim" }, "the same"))];
  }

  function draw(answer) {
    const { rows, state } = fp.now.answer;
    const choose = el("select", { id: "other-model", "aria-label": "the other model", onchange: (e) => ((other = e.target.value), show()) },
      ...fp.models.filter((m) => m !== fp.now.model).map((m) => el("option", { value: m, selected: m === other }, m.toUpperCase())));
    const here = el("div", { class: "machine" }), there = el("div", { class: "machine" });
    fp.machine.draw(here, state, null);
    fp.machine.draw(there, answer.state, null);
    const body = rows.map((r) => el("tr", { class: fp.colour(r.thread) }, el("th", {}, state.threads[r.thread].name), ...cells(r, match(r, answer.matches), state)));
    $("compare").replaceChildren(
      el("p", {}, "The run under " + fp.now.model.toUpperCase() + ", and the same steps under ", choose),
      el("div", { class: "side" }, el("div", {}, el("h3", {}, fp.now.model.toUpperCase()), here), el("div", {}, el("h3", {}, other.toUpperCase()), there)),
      rows.length ? el("table", { class: "compare-table" }, el("thead", {}, el("tr", {}, el("td", {}), el("th", {}, fp.now.model.toUpperCase()), el("th", {}, other.toUpperCase()))), el("tbody", {}, ...body)) : el("p", { class: "dim" }, "No step yet."));
  }

  return { show };
})();
