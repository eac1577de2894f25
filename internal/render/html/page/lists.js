// Lists above the results: the grid of traces, and the expectations of many programs.

const cardWidth = 330;

// traceGrid shows the happens-before graphs of traces, a few to a line.
function traceGrid(box) {
  const tools = make("div", "tools"), search = make("input"), found = make("span", "left-out"), grid = make("div", "choices grid");
  search.type = "search";
  search.className = "narrow-down";
  search.placeholder = "What loads read, such as y=0";
  search.style.width = "17rem";
  search.setAttribute("aria-label", "Only traces in which loads read these values");
  let which = "all", list = data.grid;
  const kinds = [["all", "all"], ["cyclic", "not possible under SC"], ["acyclic", "possible under SC"]];
  const buttons = kinds.map(([key, text]) => {
    const b = make("button", "chip", text);
    b.type = "button";
    b.addEventListener("click", () => { which = key; fill(); });
    return [key, b];
  });
  tools.append(search, ...buttons.map(b => b[1]), found);
  grid.append(make("div", "rows"));
  box.append(make("h2", "", "Traces"), tools, grid);
  const tallest = Math.max(80, ...data.grid.slice(0, 200).map(g => {
    const svg = graphOf(g.id), [w, h] = [+svg.getAttribute("width"), +svg.getAttribute("height")];
    return h * Math.min(1, (cardWidth - 30) / w);
  }));
  const height = Math.min(420, Math.ceil(tallest) + 62);
  let across = 1;
  const lines = new List(grid, height, i => {
    const line = make("div", "cards");
    for (const g of list.slice(i * across, (i + 1) * across)) {
      const card = make("button", "trace" + (g.cyclic ? " cyclic" : ""));
      card.type = "button";
      card.dataset.address = g.address;
      card.title = g.name + ": " + g.reads;
      card.setAttribute("aria-pressed", now() && now().id === g.id);
      const svg = graphOf(g.id).cloneNode(true);
      renameEdges(svg);
      // The large drawing has the same arrow heads; it must not use those of a card that is hidden in print.
      for (const m of all("marker", svg)) m.id = "card-" + m.id;
      for (const p of all("[marker-end]", svg)) p.setAttribute("marker-end", p.getAttribute("marker-end").replace("#", "#card-"));
      card.append(make("b", "", g.name + (g.cyclic ? ": has a cycle" : "")), svg, make("span", "dim", g.reads));
      line.append(card);
    }
    return line;
  });
  function fill() {
    const s = search.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
    list = data.grid.filter(g => (which === "all" || g.cyclic === (which === "cyclic")) && s.every(w => (" " + g.reads.toLowerCase() + " ").includes(w)));
    for (const [key, b] of buttons) b.setAttribute("aria-pressed", key === which);
    found.textContent = list.length < data.grid.length ? count(list.length) + " of " + count(data.grid.length) : "";
    across = Math.max(1, Math.floor((grid.clientWidth + 10) / (cardWidth + 10)));
    grid.style.setProperty("--across", across);
    lines.set(Math.ceil(list.length / across));
  }
  search.addEventListener("input", fill);
  addEventListener("resize", fill);
  fill();
  return { refresh: () => lines.paint(true) };
}

const graphOf = id => $('template[data-graph="' + id + '"]').content.firstElementChild;

// testList shows the expectations of many programs; the ones that failed can be shown alone.
function testList(box) {
  const tools = make("div", "tools"), search = make("input"), only = make("button", "chip", "only what is not as expected"), found = make("span", "left-out"), list = make("div", "choices tests");
  search.type = "search";
  search.className = "narrow-down";
  search.placeholder = "Program";
  search.setAttribute("aria-label", "Only programs with this name");
  only.type = "button";
  tools.append(search, only, found);
  list.append(make("div", "rows"));
  box.append(make("h2", "", "Expectations"), tools, list);
  let shown = data.tests, failing = data.tests.some(t => t.class === "bad" || t.class === "open");
  only.hidden = !failing;
  const lines = new List(list, 30, i => {
    const t = shown[i], row = make("div", "choice test " + t.class);
    row.append(make("span", "status", t.status), make("b", "", t.file), make("span", "what", t.what ? t.what + "=" + t.want : ""));
    const got = make("span", "got", t.got && t.got !== t.want ? "is " + t.got + (t.detail ? ": " + t.detail : "") : t.detail);
    got.title = got.textContent;
    row.append(got, make("span", "dim", t.seconds));
    if (t.address) {
      const b = make("button", "go", "show");
      b.type = "button";
      b.dataset.address = t.address;
      row.append(b);
    }
    return row;
  });
  function fill() {
    const s = search.value.toLowerCase();
    shown = data.tests.filter(t => (!failing || t.class === "bad" || t.class === "open") && t.file.toLowerCase().includes(s));
    only.setAttribute("aria-pressed", failing);
    found.textContent = shown.length < data.tests.length ? count(shown.length) + " of " + count(data.tests.length) : "";
    lines.set(shown.length);
  }
  only.addEventListener("click", () => { failing = !failing; fill(); });
  search.addEventListener("input", fill);
  fill();
}
