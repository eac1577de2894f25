// The borders between the panes: they can be dragged, or moved with the arrows, and the browser remembers where they are.
"use strict";
fp.panes = (() => {
  const KEY = "fencepost.panes", STEP = 24, LEAST = 140; // pixels
  const work = document.querySelector(".work"), splits = [...document.querySelectorAll(".split")];
  const panes = { left: ".editor-card", right: ".steps-card", upper: ".state-card", lower: ".history-card" };
  let sizes = {};
  try {
    sizes = JSON.parse(localStorage.getItem(KEY)) || {};
  } catch (e) {
    // The browser keeps nothing for this page, as for some from a disk: it begins with the sizes that fit the window.
  }

  const size = (name) => {
    const r = document.querySelector(panes[name]).getBoundingClientRect();
    return Math.round(name === "left" || name === "right" ? r.width : r.height);
  };
  const most = (name) => Math.round(name === "left" || name === "right" ? innerWidth * 0.6 : innerHeight * 1.5);

  // show gives the panes the sizes that the user chose, if they can be sizes.
  function show() {
    work.style.setProperty("--head", work.offsetTop + "px"); // what stands above the panes
    for (const name of Object.keys(panes)) {
      if (sizes[name] > 0) work.style.setProperty("--" + name, Math.min(Math.max(sizes[name], LEAST), most(name)) + "px");
      else work.style.removeProperty("--" + name);
    }
    for (const s of splits) {
      s.setAttribute("aria-valuenow", size(s.dataset.pane));
      s.setAttribute("aria-valuemin", LEAST);
      s.setAttribute("aria-valuemax", most(s.dataset.pane));
    }
  }

  // set gives a pane a size, or with 0 the one that fits the window.
  function set(name, pixels) {
    sizes[name] = pixels && Math.min(Math.max(Math.round(pixels), LEAST), most(name));
    show();
    try {
      localStorage.setItem(KEY, JSON.stringify(sizes));
    } catch (e) {
      // see above
    }
  }

  for (const s of splits) {
    const name = s.dataset.pane, across = s.classList.contains("column"), sign = name === "right" ? -1 : 1;
    s.title = "Drag, or use the arrows; a double click puts it back";
    let from = null;
    s.addEventListener("pointerdown", (e) => {
      from = { at: across ? e.clientX : e.clientY, size: size(name) };
      s.setPointerCapture(e.pointerId);
      s.classList.add("held");
      e.preventDefault();
      s.focus({ preventScroll: true });
    });
    s.addEventListener("pointermove", (e) => from && set(name, from.size + sign * ((across ? e.clientX : e.clientY) - from.at)));
    for (const end of ["pointerup", "pointercancel"]) s.addEventListener(end, () => ((from = null), s.classList.remove("held")));
    s.addEventListener("dblclick", () => set(name, 0));
    s.addEventListener("keydown", (e) => {
      const by = { ArrowLeft: across ? -sign : 0, ArrowRight: across ? sign : 0, ArrowUp: across ? 0 : -1, ArrowDown: across ? 0 : 1 }[e.key];
      if (by) set(name, size(name) + by * STEP);
      else if (e.key === "Home") set(name, LEAST);
      else if (e.key === "End") set(name, most(name));
      else if (e.key === "Enter") set(name, 0);
      else return;
      e.preventDefault();
      e.stopPropagation(); // arrows are steps elsewhere
    });
  }
  addEventListener("resize", show);
  show();
  // focus goes to the next border that is shown.
  return { show, focus: () => splits[0].offsetParent && splits[(splits.indexOf(document.activeElement) + 1) % splits.length].focus() };
})();
