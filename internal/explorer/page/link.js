// Links: the program, the model and the run in the fragment of the address, and copies in other forms. A link may come
// from anywhere, so its run is taken step by step, and refused if one of them is not possible.
"use strict";
fp.link = (() => {
  const VERSION = "1", MAX = 256 << 10, TOO_LARGE = "the program in it is too large";

  async function pipe(bytes, stream, limit) {
    const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
    const parts = [];
    let size = 0;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > limit) throw new Error(TOO_LARGE);
      parts.push(value);
    }
    const out = new Uint8Array(size);
    let at = 0;
    for (const p of parts) {
      out.set(p, at);
      at += p.length;
    }
    return out;
  }

  async function pack(text) {
    const bytes = await pipe(new TextEncoder().encode(text), new CompressionStream("deflate-raw"), Infinity);
    let s = "";
    for (const b of bytes) s += String.fromCharCode(b);
    return btoa(s).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  }

  async function unpack(packed) {
    const s = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(s, (c) => c.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(await pipe(bytes, new DecompressionStream("deflate-raw"), MAX));
  }

  // write returns the fragment of the present state.
  async function write() {
    const q = new URLSearchParams({ v: VERSION, name: fp.now.name, model: fp.now.model, run: fp.now.run.join(",") });
    q.set("src", await pack(fp.now.text));
    return "#" + q.toString().replaceAll("%2C", ",");
  }

  // read returns what a fragment says, or throws an error that says what is wrong with it.
  async function read(fragment) {
    const q = new URLSearchParams(fragment.replace(/^#/, ""));
    const version = q.get("v");
    if (version !== VERSION) throw new Error(/^\d+$/.test(version || "") ? "a newer version of fencepost made it" : "it is no link of fencepost");
    for (const key of q.keys()) if (!["v", "name", "model", "run", "src"].includes(key)) throw new Error("a newer version of fencepost made it, or it was changed");
    if (!fp.models.includes(q.get("model"))) throw new Error("there is no memory model " + q.get("model"));
    let text;
    try {
      text = await unpack(q.get("src") || "");
    } catch (e) {
      throw new Error(e.message === TOO_LARGE ? e.message : "its program cannot be read");
    }
    const run = (q.get("run") || "").split(",").filter(Boolean);
    return { name: q.get("name") || "program", model: q.get("model"), text, run };
  }

  // update puts the present state into the address. Back in the browser leads to the state before; what is typed in one
  // go is one state.
  let last = null;
  const update = fp.later(150, async (kind) => {
    if (!fp.now.answer) return;
    const fragment = await fp.during(write());
    if (fragment === location.hash) return;
    if (last === null || (kind === "typed" && last === "typed")) history.replaceState(null, "", fragment);
    else history.pushState(null, "", fragment);
    last = kind;
  });

  // copy puts a text on the clipboard, also where the browser has none for pages like this.
  async function copy(text) {
    fp.copied = text;
    try {
      await navigator.clipboard.writeText(text);
    } catch (e) {
      const area = el("textarea", { class: "copy" }, text);
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  }

  const quote = (s) => (/^[\w.,/-]+$/.test(s) ? s : "'" + s.replaceAll("'", "'\\''") + "'");

  // command returns a command line for a shell that shows the same. It brings the program along, unless that is the file
  // with which the server was started.
  function command() {
    const own = fp.start.program, { name, text, model, run } = fp.now;
    const serve = (file) => "fencepost serve " + quote(file) + " --model " + model + (run.length ? " --run " + run.join(",") : "");
    if (own && own.name === name && own.text === text) return serve(own.title);
    let end = "END";
    while (text.split("\n").includes(end)) end += "_";
    return "(cd \"$(mktemp -d)\" && cat > " + quote(name) + " && " + serve(name) + ") <<'" + end + "'\n" + text + (text.endsWith("\n") ? "" : "\n") + end + "\n";
  }

  // png returns a drawing as pixels, twice as many as it has on the screen.
  async function png(drawing) {
    const image = new Image(), address = URL.createObjectURL(new Blob([drawing], { type: "image/svg+xml" }));
    try {
      image.src = address;
      await image.decode();
      const canvas = el("canvas", { width: image.width * 2, height: image.height * 2 });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      return await new Promise((resolve, reject) => canvas.toBlob((b) => (b ? resolve(b) : reject(new Error("the drawing is too large")))));
    } finally {
      URL.revokeObjectURL(address);
    }
  }

  // copyImage puts a picture on the clipboard, or into a file where the browser does not let pages do that.
  async function copyImage(blob) {
    fp.copied = blob;
    try {
      await navigator.clipboard.write([new ClipboardItem({ [blob.type]: blob })]);
      return "Copied.";
    } catch (e) {
      const address = URL.createObjectURL(blob);
      el("a", { href: address, download: fp.now.name.replace(/\.\w+$/, "") + ".png" }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60000);
      return "Saved as a file: this browser does not let the page copy pictures.";
    }
  }

  const drawn = async (format) => (await fp.ask("share", { ...fp.program(), run: fp.now.run, format })).text;

  async function share(kind) {
    let done = "Copied.";
    try {
      switch (kind) {
        case "link":
          await copy(location.origin === "null" || location.protocol === "file:" ? location.href.split("#")[0] + (await write()) : location.origin + location.pathname + (await write()));
          if (fp.start.form === "server" && fp.remote.token) done = "Copied, without the token of this server: who opens the link needs it in the address, as ?token=...";
          break;
        case "command":
          await copy(command());
          break;
        case "png":
          done = await copyImage(await png(await drawn("svg")));
          break;
        default:
          await copy(await drawn(kind));
      }
      fp.notice(done, "good");
      setTimeout(() => $("notice").textContent === done && fp.notice(""), done.length > 30 ? 12000 : 3000);
    } catch (e) {
      fp.notice(e.message);
    }
  }

  return { read, update, share };
})();
