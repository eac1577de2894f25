// Requests to a server: an answer is lines of JSON, of which the last has the answer or the failure.
"use strict";
fp.remote = (() => {
  // The token stays in the address, so that the page can be loaded again. Links that a user copies are without it.
  const token = fp.start.form === "server" ? new URLSearchParams(location.search).get("token") || "" : "";

  function headers() {
    const h = { "Content-Type": "application/json" };
    if (token) h["X-Fencepost-Token"] = token;
    return h;
  }

  async function ask(kind, request, { progress, signal }) {
    let answer;
    try {
      answer = await fetch("api/" + kind, { method: "POST", headers: headers(), body: JSON.stringify(request), signal });
    } catch (e) {
      if (signal && signal.aborted) throw new fp.Failure("canceled", "canceled");
      throw new fp.Failure("lost", "the server does not answer: is `fencepost serve` still running?");
    }
    if (!answer.ok) throw new fp.Failure("request", (await answer.text()).trim() || answer.statusText);
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      let part;
      try {
        part = await reader.read();
      } catch (e) {
        throw signal && signal.aborted ? new fp.Failure("canceled", "canceled") : new fp.Failure("lost", "the answer broke off");
      }
      if (part.value) rest += decoder.decode(part.value, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop();
      for (const text of lines) {
        const line = JSON.parse(text);
        if (line.failure) throw new fp.Failure(line.failure.kind, line.failure.message, line.failure.step);
        if (line.answer) return line.answer;
        if (progress) progress(line);
      }
      if (part.done) throw new fp.Failure("lost", "the answer broke off");
    }
  }

  return { ask, token };
})();
