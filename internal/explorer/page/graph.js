// The state graph of a small program: a node for every state in which there is something to choose, by the number of
// steps to it. Final states are named, states that SC does not have are outlined.
"use strict";
fp.graph = (() => {
  const run = fp.inOrder();
  let graph = null, key = "", error = "";

  // show draws the graph if its tab is open, and asks for it if the program or the model is another one.
  async function show() {
    if (!fp.tabShown("graph") || !fp.now.answer || !fp.now.answer.state) return;
    const wanted = JSON.stringify(fp.program());
    if (wanted === key) return fp.keepFocus($("graph"), draw);
    key = wanted;
    graph = null;
    $("graph").replaceChildren(el("p", { class: "dim" }, "searching… ", el("button", { type: "button", class: "small", onclick: run.cancel }, "Stop")));
    try {
      const answer = await run((signal) => fp.ask("graph", { ...fp.program(), limit: 300 }, { signal }));
      if (!answer) return;
      graph = answer.graph;
      error = graph ? "" : "The program has errors.";
    } catch (e) {
      error = e.kind === "canceled" ? "Not searched." : e.message;
      key = "";
    }
    draw();
  }

  const same = (a, b) => a.thread === b.thread && a.kind === b.kind && a.edge === b.edge && (a.choice || 0) === (b.choice || 0) && (a.kind !== "flush" || (a.location === b.location && (a.value || 0) === (b.value || 0)));

  // current returns the node of the state that the page shows, or -1.
  function current() {
    const { state } = fp.now.answer;
    let at = 0;
    for (const stop of state.stops) {
      const step = state.witness.steps[stop];
      const edge = graph.edges.find((e) => e.from === at && same(e.step, step));
      if (!edge) return -1;
      at = edge.to;
    }
    return at;
  }

  const DX = 74, DY = 78, R = 15;

  // layout gives every node its position: a row per depth, and in a row an order that keeps edges short.
  function layout() {
    const rows = [];
    graph.nodes.forEach((n, i) => (rows[n.depth] = rows[n.depth] || []).push(i));
    const x = [], before = graph.nodes.map(() => []);
    for (const e of graph.edges) if (graph.nodes[e.from].depth < graph.nodes[e.to].depth) before[e.to].push(e.from);
    const width = Math.max(...rows.map((r) => r.length)) * DX;
    for (const row of rows) {
      const mean = (i) => (before[i].length ? before[i].reduce((sum, k) => sum + x[k], 0) / before[i].length : width / 2);
      const order = row.map((i) => ({ i, at: mean(i) })).sort((a, b) => a.at - b.at || a.i - b.i);
      order.forEach((o, k) => (x[o.i] = width / 2 + (k - (order.length - 1) / 2) * DX));
    }
    return { x: x.map((v) => v + 40), y: graph.nodes.map((n) => 30 + n.depth * DY), width: width + 80, height: 60 + (rows.length - 1) * DY + 30 };
  }

  function draw() {
    const into = $("graph");
    if (!graph) return into.replaceChildren(el("p", { class: "dim" }, error));
    const { x, y, width, height } = layout(), at = current();
    const outcomes = [...new Set(graph.nodes.map((n) => n.final).filter(Boolean))].sort();
    const drawing = svgEl("svg", { class: "states", width, height, viewBox: "0 0 " + width + " " + height, role: "group", "aria-label": "state graph" });
    for (const e of graph.edges) {
      const line = svgEl("path", { class: "edge " + fp.colour(e.step.thread) + (e.step.kind === "flush" ? " flush" : ""), d: "M" + x[e.from] + " " + (y[e.from] + R) + "L" + x[e.to] + " " + (y[e.to] - R) });
      line.append(svgEl("title", {}, fp.now.answer.state.threads[e.step.thread].name + ": " + (e.step.kind === "flush" ? e.step.location + " = " + fp.machine.valueOf(e.step) + " reaches memory" : e.step.text || e.step.kind)));
      drawing.append(line);
    }
    graph.nodes.forEach((n, i) => {
      const cls = "state" + (n.final ? " final o" + (outcomes.indexOf(n.final) % 6) : "") + (n.weak ? " weak" : "") + (n.bad ? " wrong-end" : "") + (i === at ? " now" : "");
      const g = svgEl("g", { class: cls, tabindex: 0, role: "button", "data-node": i, transform: "translate(" + x[i] + " " + y[i] + ")" }, svgEl("circle", { r: R }), svgEl("text", { y: 4 }, n.final ? String.fromCharCode(65 + (outcomes.indexOf(n.final) % 26)) : n.waiting ? String(n.waiting) : ""));
      g.append(svgEl("title", {}, (n.final ? "final: " + n.final : fp.count(n.waiting, "store waits", "stores wait")) + (n.weak ? "; SC has no such state" : "") + (n.bad ? "; violates the program's property" : "")));
      const go = () => fp.app.load(() => ({ request: { run: n.run } }));
      g.addEventListener("click", go);
      g.addEventListener("keydown", (e) => (e.key === "Enter" || e.key === " ") && (go(), e.preventDefault(), e.stopPropagation()));
      drawing.append(g);
    });
    const legend = outcomes.map((o, i) => el("li", { class: "o" + (i % 6) }, el("b", {}, String.fromCharCode(65 + (i % 26))), " ", el("code", {}, o)));
    into.replaceChildren(
      el("p", { class: "dim" }, fp.count(graph.nodes.length, "state", "states") + (graph.complete ? "" : " (there are more: the limit is " + graph.limit + ")") + ". A number says how many stores wait in buffers. Dashed edges bring a store to memory. ", graph.compared ? (graph.nodes.some((n) => n.weak) ? el("span", { class: "bad" }, "States that SC does not have are outlined.") : "SC has all of these states.") : "The states of SC are too many to compare."),
      el("ul", { class: "legend" }, ...legend), el("div", { class: "drawing" }, drawing));
    // On a small screen the state that is shown would often be out of sight.
    const box = drawing.parentElement;
    if (at >= 0) box.scrollTo(x[at] - box.clientWidth / 2, y[at] - box.clientHeight / 2);
  }

  return { show, clear: () => ((key = ""), (graph = null), run.cancel()) };
})();
