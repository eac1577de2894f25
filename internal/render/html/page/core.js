const data = JSON.parse(document.getElementById("data").textContent);
const $ = (sel, root) => (root || document).querySelector(sel);
const all = (sel, root) => [...(root || document).querySelectorAll(sel)];
const make = (tag, cls, text) => {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  return e;
};
const count = n => n.toLocaleString("en-US");
const hue = t => "t" + t % 6;

// List draws the rows of a list that are in view, and a few more on both sides. All rows have one height. box
// scrolls, head stands above the rows, and draw(i) returns row i.
class List {
  constructor(box, height, draw, head) {
    this.box = box;
    this.rows = $(".rows", box);
    this.height = height;
    this.draw = draw;
    this.head = head || (() => 0);
    this.count = this.from = this.to = 0;
    box.addEventListener("scroll", () => this.paint(false), { passive: true });
  }

  set(n) {
    this.count = n;
    this.rows.style.height = n * this.height + "px";
    this.paint(true);
  }

  paint(again) {
    const more = 4, top = this.box.scrollTop - this.head();
    const from = Math.max(0, Math.floor(top / this.height) - more);
    const to = Math.min(this.count, Math.ceil((top + Math.min(this.box.clientHeight, 4000)) / this.height) + more);
    if (!again && from === this.from && to === this.to) return;
    this.from = from;
    this.to = to;
    const drawn = [];
    for (let i = from; i < to; i++) {
      const row = this.draw(i);
      row.style.top = i * this.height + "px";
      row.style.height = this.height + "px";
      drawn.push(row);
    }
    this.rows.replaceChildren(...drawn);
  }

  // reveal scrolls the box so that row i is in it, with a row before and after it if there is one.
  reveal(i) {
    const box = this.box, head = this.head(), top = i * this.height + head, room = box.clientHeight;
    const spare = room - head > 3 * this.height ? this.height : 0;
    if (top - spare < box.scrollTop + head) box.scrollTop = Math.max(0, top - head - spare);
    else if (top + this.height + spare > box.scrollTop + room) box.scrollTop = top + this.height + spare - room;
    this.paint(false);
  }

  element(i) { return i >= this.from && i < this.to ? this.rows.children[i - this.from] : null; }
}

function kept(name, fallback) {
  try { return localStorage.getItem("fencepost-" + name) || fallback; } catch (e) { return fallback; }
}

function keep(name, value) {
  try { localStorage.setItem("fencepost-" + name, value); } catch (e) { /* not kept */ }
}

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  keep("theme", root.dataset.theme);
}

{
  const theme = kept("theme", "");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

// The names of relations: herd's, and those of the papers that our text output uses. Under c11 both are those of RC11.
const relations = {
  po: ["po", "po", "program order"], src: ["rf", "src", "reads from"], cf: ["fr", "cf", "reads before it is overwritten"],
  st: ["co", "st", "reaches memory before"], sy: ["sy", "sy", "starts, joins, signals"],
  rf: ["rf", "rf", "reads from"], mo: ["mo", "mo", "modification order"], rb: ["rb", "rb", "reads before it is overwritten"],
  sw: ["sw", "sw", "synchronises with: happens-before is po and sw"],
};
let herd = kept("relations", data.herd ? "herd" : "papers") === "herd";

// renameEdges writes the names of relations at the edges of a drawing and into its legend.
function renameEdges(root, legend, cyclic) {
  const used = new Set();
  for (const edge of all(".ed", root)) {
    const kind = Object.keys(relations).find(k => edge.classList.contains(k));
    const label = $("text", edge);
    if (!kind || !label) continue;
    used.add(kind);
    label.textContent = relations[kind][herd ? 0 : 1];
  }
  if (!legend) return;
  legend.replaceChildren();
  for (const kind of Object.keys(relations)) {
    if (!used.has(kind)) continue;
    if (legend.firstChild) legend.append(" · ");
    legend.append(make("b", "", relations[kind][herd ? 0 : 1]), " " + relations[kind][2]);
  }
  const c11 = ["rf", "mo", "rb", "sw"].some(kind => used.has(kind));
  if (cyclic) legend.append(make("span", "note", c11 ? "With a cycle, no order of the steps in which every load reads the last store gives this execution." :
    "With a cycle, no order of the steps without store buffers gives this execution."));
  if (c11) return;
  const other = make("button", "chip", herd ? "names of the papers" : "herd's names");
  other.type = "button";
  other.dataset.switch = "relations";
  legend.insertBefore(other, $(".note", legend));
  legend.insertBefore(document.createTextNode(" "), other);
}
