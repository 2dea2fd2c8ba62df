"use strict";
// Two recalls side by side: what came, what went, at what cost.

function compareView() {
  const question = el("textarea", { rows: "2", "aria-label": "Question", placeholder: "One question for both sides; a kept recall has its own" });
  const sides = ["A", "B"].map(side);
  const out = el("div");
  const form = el("form", { class: "ask", onsubmit: (event) => { event.preventDefault(); trying(submit); } }, question,
    el("div", { class: "two" }, sides.map((one) => one.element)), el("button", { class: "primary" }, "Compare"));
  const submit = async () => {
    say("Asking twice…");
    const results = await Promise.all(sides.map((one) => one.result(question.value)));
    replace(out, comparison(results[0], results[1]));
    say("Compared");
  };
  return { element: el("div", {}, form, out), focus: () => question.focus() };
}

/** One side's settings: a new recall, or one that is kept. */
function side(name) {
  const other = el("input", { placeholder: "as above", "aria-label": `Other words for ${name}` });
  const k = el("input", { type: "number", min: "1", max: "500", value: "6", "aria-label": `Memories of ${name}` });
  const moment = el("input", { type: "date", "aria-label": `As of, ${name}` });
  const stale = el("input", { type: "checkbox" });
  const effort = choice(`Effort of ${name}`, "usual", EFFORTS);
  const kept = choice(`Kept recall of ${name}`, "ask now", []);
  trying(async () => kept.append(...(await get(ofEntity("/traces"))).map((one) =>
    el("option", { value: one.trace_id }, `${one.asked_at.slice(0, 16).replace("T", " ")} ${short(one.question, 50)}`))));
  return {
    element: el("fieldset", {}, el("legend", {}, name), el("label", {}, "Recall ", kept), el("label", {}, "Other words ", other), el("label", {}, "Memories ", k), el("label", {}, "Effort ", effort),
      el("label", {}, "As of ", moment), el("label", {}, stale, " include outdated memories")),
    result: async (question) => {
      const trace = (id) => get(ofEntity(`/traces/${encodeURIComponent(id)}`));
      if (kept.value) return withTexts(resultOf(await trace(kept.value)));
      const result = await post(ofEntity("/recall"), { question: other.value || question, k: Number(k.value) || null,
        include_stale: stale.checked, effort: effort.value || null, as_of: moment.value ? `${moment.value}T23:59:59Z` : null });
      return { ...result, settings: await trace(result.trace_id).then(settingsOf, () => null) };  // none where traces are off
    },
  };
}

/** {id: place} of an answer. */
const placesIn = (result) => new Map(result.memories.map((memory, index) => [memory.id, index + 1]));

function comparison(a, b) {
  const inA = placesIn(a), inB = placesIn(b);
  const known = new Map([...a.memories, ...b.memories].map((memory) => [memory.id, memory]));
  const shared = [...inA.keys()].filter((id) => inB.has(id)).length;
  const rows = [...known.values()].map((memory) => {
    const [one, two] = [inA.get(memory.id), inB.get(memory.id)];
    const told = one && two ? (one === two ? "same" : one > two ? "higher in B" : "lower in B") : one ? "only A" : "only B";
    return [nameOf(memory), one ?? "–", two ?? "–", told].map(String);
  });
  const cost = (result) => [seconds(result.spent.ms), String(result.rounds), String(result.spent.queries), String(result.spent.llm_calls),
    String(result.spent.prompt_tokens + result.spent.completion_tokens)];
  const changed = Object.keys({ ...a.settings, ...b.settings }).filter((key) => a.settings?.[key] !== b.settings?.[key]);
  return el("section", { class: "answer", "aria-label": "Comparison" },
    el("h2", {}, `${plural(shared, "memory", "memories")} in both; ${inA.size - shared} only in A, ${inB.size - shared} only in B`),
    table("Places", ["Memory", "A", "B", "Change"], rows),
    table("Cost", ["side", "time", "rounds", "queries", "model calls", "tokens"], [["A", ...cost(a)], ["B", ...cost(b)]]),
    a.settings && b.settings && changed.length ? table("Settings that differ", ["setting", "A", "B"], changed.map((key) => [key, String(a.settings[key]), String(b.settings[key])])) : null,
    el("div", { class: "two" }, [["A", a], ["B", b]].map(([name, result]) => el("div", {}, el("h2", {}, name),
      el("p", { class: "quiet" }, result.question), result.memories.map((memory, index) => card(memory, index + 1, {}))))));
}
