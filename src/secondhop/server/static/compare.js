"use strict";
// Two recalls side by side: what came, what went, at what cost.

let keptSides = [];  // kept recalls that wait for a side

function compareView() {
  const question = el("textarea", { rows: "2", "aria-label": "Question", placeholder: "One question for both sides; a kept recall has its own" });
  const sides = ["A", "B"].map(side);
  const out = el("div");
  const form = el("form", { class: "ask", onsubmit: (event) => { event.preventDefault(); trying(submit); } }, question,
    el("div", { class: "two" }, sides.map((one) => one.element)), el("button", { class: "primary" }, "Compare"));
  const refresh = async () => {
    const found = await get(ofEntity("/traces?limit=200"));
    sides.forEach((one) => one.offer(found));
    for (const traceId of keptSides.splice(0)) (sides.find((one) => !one.kept.value) ?? sides[1]).take(traceId);
  };
  const submit = async () => {
    if (sides.some((one) => one.lacksWords()) && !question.value.trim()) { say("Type a question, or choose a kept recall for both sides", true); return; }
    say("Asking twice…");
    const [a, b] = await Promise.all(sides.map((one) => one.asked(question.value)));
    replace(out, comparison(a, b));
    say("Compared");
  };
  return { element: el("div", {}, form, out), focus: () => { trying(refresh); question.focus(); } };
}

/** One side's settings: a new recall, or one that is kept. */
function side(name) {
  const other = el("input", { placeholder: "as above", "aria-label": `Other words for ${name}` });
  const k = el("input", { type: "number", min: "1", max: "500", value: "6", "aria-label": `Memories of ${name}` });
  const moment = el("input", { type: "date", "aria-label": `As of, ${name}` });
  const stale = el("input", { type: "checkbox" });
  const effort = effortChoice(`Effort of ${name}`);
  const kept = choice(`Kept recall of ${name}`, "ask now", []);
  const offer = (found) => {
    const chosen = kept.value;
    replace(kept, kept.options[0], found.map((one) => el("option", { value: one.trace_id }, keptName(one, 70))));
    take(found.some((one) => one.trace_id === chosen) ? chosen : "");
  };
  const take = (traceId) => { kept.value = traceId; settle(); };
  const own = [other, k, effort, moment, stale].map((one) => [one, el("label", {})]);
  const settle = () => own.forEach(([, label]) => { label.hidden = Boolean(kept.value); });  // a kept recall has its own
  kept.addEventListener("change", settle);
  [["Other words ", other], ["Memories ", k], ["Effort ", effort], ["As of ", moment]].forEach(([words, one], at) => own[at][1].append(words, one));
  own[4][1].append(stale, " include outdated memories");
  return {
    kept, offer, take, lacksWords: () => !kept.value && !other.value.trim(),
    element: el("fieldset", {}, el("legend", {}, name), el("label", {}, "Recall ", kept), own.map(([, label]) => label)),
    asked: async (question) => {
      const fresh = kept.value ? null : await post(ofEntity("/recall"), { question: other.value || question, k: Number(k.value) || null,
        include_stale: stale.checked, effort: effort.value || null, as_of: moment.value ? `${moment.value}T23:59:59Z` : null });
      const traced = kept.value ? await tracedBy(kept.value) : await tracedBy(fresh.trace_id).catch(untraced);
      const result = fresh ?? await withTexts(resultOf(traced.trace));
      return { name, result, trace: traced.trace, tools: await toolsOf({ result, ...traced }) };
    },
  };
}

/** {id: place} of an answer. */
const placesIn = (result) => new Map(result.memories.map((memory, index) => [memory.id, index + 1]));

/** What only one of two answers has, and what each looked for and cost. */
function summary(one, other) {
  const own = one.result.memories.filter((memory) => !placesIn(other.result).has(memory.id));
  const sought = one.trace.facets.filter((facet) => facet.facet_id !== "f0").map((facet) => facet.name);
  const [calls, theirs] = [one, other].map(({ result }) => result.spent.llm_calls);
  const [tokens, less] = [one, other].map(({ result }) => result.spent.prompt_tokens + result.spent.completion_tokens);
  const [queries, fewer] = [one, other].map(({ result }) => result.spent.queries);
  const old = own.filter((memory) => memory.stale || one.tools.outdatedBy.has(memory.id));
  const more = [calls > theirs && `${plural(calls - theirs, "model call")} more`, tokens > less && `${(tokens - less).toLocaleString("en")} tokens more`].filter(Boolean);
  return el("li", {}, el("strong", {}, one.name), own.length ? ` brought ${own.length} that ${other.name} did not: ${own.map((memory) => one.tools.names.get(memory.id) ?? nameOf(memory)).join("; ")}.${old.length ? ` Outdated: ${old.map((memory) => one.tools.names.get(memory.id) ?? nameOf(memory)).join("; ")}.` : ""}` : ` brought nothing that ${other.name} did not.`,
    sought.length ? ` It looked for: ${[...new Set(sought)].join(", ")}.` : "", more.length ? ` It cost ${more.join(" and ")}.` : "", ` ${plural(queries, "query", "queries")}${queries === fewer ? "" : ` (${other.name}: ${fewer})`} in ${seconds(one.result.spent.ms)}.`);
}

/** A line that counts what the person marks in two answers; marks stay on this page. */
function tallied(sides) {
  const votes = new Map();
  const line = el("p", { role: "status" });
  const voted = () => {
    for (const article of document.querySelectorAll(".compared article"))
      for (const vote of article.querySelectorAll(".vote")) vote.setAttribute("aria-pressed", String(votes.get(article.dataset.memory) === vote.textContent));
    const marked = (result, kinds) => result.memories.filter((memory) => kinds.includes(votes.get(memory.id))).length;
    const helps = sides.map(({ result }) => marked(result, ["hot", "warm"]) - marked(result, ["cold", "wrong"]));
    const counted = sides.map(({ name, result }) => `${name}: ${VOTES.map(([vote]) => [result.memories.filter((memory) => votes.get(memory.id) === vote).length, vote]).filter(([count]) => count).map((one) => one.join(" ")).join(", ") || "none marked"}`);
    const better = helps[0] === helps[1] ? "neither is better" : `${sides[helps[0] > helps[1] ? 0 : 1].name} is better`;
    line.textContent = votes.size ? `${counted.join(" · ")} → ${better}: what helps, less what does not.` : "Which is better? Mark what helps (hot, warm) and what does not (cold, wrong); marks stay on this page.";
  };
  voted();
  return { votes, voted, line };
}

/** What each plan searched for, side by side; null where neither planned. */
function searched(a, b) {
  const [own, theirs] = [a, b].map(({ trace }) => trace.queries.filter((query) => query.facet_id !== "f0").map((query) => query.text));
  const texts = [...new Set([...own, ...theirs])];
  return texts.length ? table("Searched for", ["query", "A", "B"], texts.map((text) => [text, own.includes(text) ? "yes" : "–", theirs.includes(text) ? "yes" : "–"])) : null;
}

function comparison(a, b) {
  const [inA, inB] = [placesIn(a.result), placesIn(b.result)];
  const known = new Map([...a.result.memories, ...b.result.memories].map((memory) => [memory.id, memory]));
  const shared = [...inA.keys()].filter((id) => inB.has(id)).length;
  const rows = [...known.values()].map((memory) => {
    const [one, two] = [inA.get(memory.id), inB.get(memory.id)];
    const told = one && two ? (one === two ? "same" : one > two ? "higher in B" : "lower in B") : one ? "only A" : "only B";
    return [(one ? a : b).tools.names.get(memory.id) ?? nameOf(memory), one ?? "–", two ?? "–", told].map(String);
  });
  const cost = ({ name, result: { spent, rounds } }) => [name, seconds(spent.ms), String(rounds), String(spent.queries), String(spent.llm_calls), String(spent.prompt_tokens + spent.completion_tokens)];
  const [inForce, others] = [settingsOf(a.trace), settingsOf(b.trace)];
  const changed = Object.keys({ ...inForce, ...others }).filter((key) => key !== "question.kind" && inForce[key] !== others[key]);
  const { votes, voted, line } = tallied([a, b]);
  return el("section", { class: "answer", "aria-label": "Comparison" },
    a.result.question === b.result.question ? null : el("p", { class: "warning" }, "The two were asked different questions."),
    el("h2", {}, `${plural(shared, "memory", "memories")} in both; ${inA.size - shared} only in A, ${inB.size - shared} only in B`),
    el("ul", {}, summary(a, b), summary(b, a)), line,
    changed.length ? table("What was different", ["setting", "A", "B"], changed.map((key) => [key, String(inForce[key] ?? "–"), String(others[key] ?? "–")])) : null,
    changed.some((key) => key.startsWith("prompt ")) ? el("p", { class: "quiet" }, "A recall keeps a prompt's version and hash, not its words: compare the files that were given with --prompts; `secondhop prompts show` prints the ones in force.") : null,
    searched(a, b),
    table("Places", ["Memory", "A", "B", "Change"], rows),
    table("Cost", ["side", "time", "rounds", "queries", "model calls", "tokens"], [a, b].map(cost)),
    el("div", { class: "two compared" }, [a, b].map(({ name, result, tools }) => el("div", {}, el("h2", {}, name),
      el("p", { class: "quiet" }, result.question), result.memories.map((memory, index) => card(memory, index + 1, { ...tools, votes, voted }))))));
}
