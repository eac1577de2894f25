// The language of the program: by the name of the file, or guessed from what is typed, or chosen. It is the extension
// of the name that every request has.
"use strict";
fp.language = (() => {
  const names = { c: "C", fp: ".fp", litmus: "litmus", txt: "Trencher", rmm: "Memorax" };
  // Signs of languages, as the command line knows them (internal/pipeline/language_signs.go). The first one counts.
  const signs = [
    ["litmus", /^\s*(X86|X86_64|C|LISA|AArch64|ARM|PPC|RISCV|MIPS|Bell)[ \t]+\S+[^\n]*\n[^]*\b(exists|forall)\b/],
    ["rmm", /^\s*(forbidden\b|process\b.*|macro\s+\w+\s*\()/m],
    ["c", /^\s*#\s*(include|define|if|ifdef|ifndef|pragma|line)\b|^# \d+ "|\bint\s+main\s*\(/m],
    ["txt", /^\s*(initial|transition|memory_size)\b|^\s*thread\s+\w+\s+initial\b/m],
    ["fp", /^\s*(program|var|array|mutex)\s+\w+|\bthread\s+\w+[^;{}]*\{/m],
    ["c", /^\s*(static|volatile|void|int|long|char|unsigned|struct|typedef|extern|_Atomic|atomic_\w+)\s/m], // a beginning of C
  ];
  const comments = /\/\*[^]*?\*\/|\/\/[^\n]*|\(\*[^]*?\*\)/g;

  const guess = (text) => {
    const plain = text.slice(0, 64 << 10).replace(comments, " ");
    return (signs.find((s) => s[1].test(plain)) || [""])[0];
  };
  const of = (name) => ({ i: "c" })[name.split(".").pop()] || name.split(".").pop();

  let chosen = "", guessed = false;
  const select = $("language");
  for (const id of ["", ...Object.keys(names)]) select.append(el("option", { value: id }, names[id] || ""));
  select.addEventListener("change", () => {
    chosen = select.value;
    fp.edited($("text").value, true);
  });

  return {
    guess,
    // nameFor returns the name of a program after its text has changed.
    nameFor(name, text) {
      const want = chosen || guess(text);
      guessed = !chosen && !!want && want !== of(name) || guessed;
      return !want || want === of(name) ? name : "program." + want;
    },
    // opened is called with a program that has a name of its own.
    opened() {
      chosen = "";
      guessed = false;
    },
    show(name) {
      select.options[0].textContent = (names[of(name)] || "?") + (guessed ? " (guessed)" : " (by name)");
      select.value = chosen;
    },
    of,
  };
})();
