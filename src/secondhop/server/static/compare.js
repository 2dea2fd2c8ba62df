"use strict";
// The view that asks or picks two recalls and shows them side by side.

let toCompare = null; // the kept recall to open the view with

/** Open the comparison with this recall on the first side that is free or holds another question. */
function compareWith(recall) {
  toCompare = recall;
  location.hash = "#compare";
}

function compareView() {
  const question = area("Question", "One question for both sides; a kept recall has its own");
  const words = field("Filter kept recalls", "words of it", {
    type: "search",
    oninput: () => list(),
  });
  let kept = [];
  const fits = (one) => keptHas(one, words.value);
  const list = () => {
    for (const one of sides) one.list(kept, fits);
  };
  const changed = () => {
    const chosen = sides.map((one) => one.chosen());
    question.value ||= chosen.find(Boolean)?.question ?? "";
    question.hidden = chosen.every(Boolean); // each kept recall has its own question
  };
  const sides = ["A", "B"].map((name) => side(name, changed));
  const out = el("div");
  const form = formFor(
    "ask",
    () => trying(submit, form),
    question,
    el("label", "Find a kept recall ", words),
    el(
      "div",
      { class: "two" },
      sides.map((one) => one.element),
    ),
    el("button", { class: "primary" }, "Compare"),
  );
  form.addEventListener("change", ({ target }) => {
    if (target !== words) replace(out);
  });
  const submit = async () => {
    if (!sides.every((one) => one.isReady(question.value))) {
      question.focus();
      throw new Error("write a question, or pick a kept recall on both sides");
    }
    say("Asking…");
    const columns = el("div", { class: "two compared" }),
      isWanted = () => out.contains(columns); // until another comparison is asked for
    replace(out, columns);
    const [a, b] = await askedBoth(sides, question.value, columns).catch((error) => {
      if (isWanted()) replace(out);
      throw error;
    });
    const happened = await between(a, b);
    if (!isWanted()) return;
    replace(out, comparison(a, b, happened));
    const ids = [a, b].map(({ trace }) => trace.trace_id);
    if (ids.every(Boolean))
      showAddress("compare", addressOf(...ids), `A and B: ${a.result.question}`);
    out.scrollIntoView({ block: "start" });
    say("Compared");
  };
  const refresh = async (addressed) => {
    const given = toCompare;
    toCompare = null;
    if (given) replace(out);
    kept = await keptRecalls();
    const sameQuestion = kept.filter((one) => one.question === given?.question);
    words.value = sameQuestion.length > 1 ? given.question : ""; // else new recalls may be missing
    if (given) question.value = given.question;
    list();
    for (const one of sides) if (given && one.chosen()?.question !== given.question) one.choose("");
    if (given) {
      (sides.find((one) => !one.chosen()) ?? sides[1]).choose(given.trace_id);
      const both = sides.map((one) => one.chosen()).filter(Boolean);
      if (both.length === 2)
        both
          .sort(
            (one, other) =>
              new Date(one.asked_at) - new Date(other.asked_at) || one.round - other.round,
          )
          .forEach((one, index) => {
            sides[index].choose(one.trace_id); // A is the older one
          });
    }
    if (given) for (const one of sides) if (!one.chosen()) one.fill(given);
    sides.forEach((one, index) => {
      if (addressed.length) one.choose(addressed[index]);
    });
    changed();
    if (!addressed.length) return;
    if (sides.every((one) => one.chosen())) await submit();
    else replace(out, el("p", "A recall of this comparison is no longer kept."));
  };
  return {
    element: el("div", form, out),
    focus: (...traceIds) => {
      trying(() => refresh(traceIds));
      question.focus();
    },
  };
}

/** One side's settings, for a new recall or a kept one; calls `changed` when another is chosen. */
function side(name, changed) {
  const other = el("input", { placeholder: "as above", "aria-label": `Other words for ${name}` });
  const inputs = askedInputs(
    { k: `Memories of ${name}`, moment: `As of, ${name}`, effort: `Effort of ${name}` },
    name === "A" ? "none" : "", // B shows what a model adds
  );
  const picked = choice(`Kept recall of ${name}`, "ask now", []),
    told = el("p", { class: "picked" });
  const fresh = el(
    "div",
    { class: "row" },
    el("label", "Other words ", other),
    el("label", "Ask for ", inputs.k, " memories"),
    el("label", "Effort ", inputs.effort),
    el("label", "As of ", inputs.moment),
    endedToo(inputs.stale),
  );
  let kept = [];
  const chosen = () => kept.find((one) => one.trace_id === picked.value);
  const settle = () => {
    const one = chosen();
    fresh.hidden = Boolean(one); // a kept recall has its own settings
    replace(told, one ? [el("strong", one.question), quiet(` ${keptFacts(one)}`)] : []);
    changed();
  };
  const choose = (traceId) => {
    picked.value = traceId;
    if (picked.selectedIndex < 0) picked.value = "";
    settle();
  };
  picked.addEventListener("change", settle);
  return {
    name,
    chosen,
    choose,
    fill: inputs.set, // so that one change at a time is compared
    list: (all, fits) => {
      const now = picked.value;
      kept = all;
      replace(
        picked,
        picked.options[0],
        all
          .filter((one) => fits(one) || one.trace_id === now)
          .map((one) =>
            el("option", { value: one.trace_id }, `${keptFacts(one)} · ${short(one.question, 60)}`),
          ),
      );
      choose(now);
    },
    isReady: (question) => Boolean(chosen() || other.value.trim() || question.trim()),
    element: el("fieldset", el("legend", name), el("label", "Recall ", picked), told, fresh),
    asked: async (question, onStep) => {
      const trace = picked.value,
        result = trace ? null : await streamed(inputs.body(other.value || question), onStep);
      return compared(name, trace || result.trace_id, result);
    },
  };
}

/** Ask both sides. Until both have an answer, `place` shows that of the one that is ready, and what the other one waits for. */
function askedBoth(sides, question, place) {
  const columns = sides.map(() => el("div"));
  replace(place, columns);
  return Promise.all(
    sides.map(async (one, index) => {
      const waiting = new Waiting();
      replace(columns[index], el("h2", one.name), waiting.element);
      const told = await one
        .asked(question, (step) => waiting.hear(step))
        .finally(() => waiting.end());
      replace(columns[index], answerOf(told));
      return told;
    }),
  );
}

/** The answer of one side, below its name and question. `marks`: the person's marks, if it takes any. */
const answerOf = ({ name, result, tools }, marks = {}) => [
  el("h2", name),
  remark(result.question),
  cardsOf(result, { ...tools, ...marks }),
];

/** One side of a comparison. `result`: the result of a new recall; null for a kept one, whose trace tells it. */
async function compared(name, traceId, result) {
  const traced = result ? await tracedBy(traceId).catch(untraced) : await tracedBy(traceId);
  const prompts = await get(ofEntity(`/traces/${encodeURIComponent(traceId)}/prompts`)).catch(
    () => [],
  );
  const told = result ? { ...result, spent: traced.trace.spent ?? result.spent } : resultOf(traced);
  return {
    name,
    result: told,
    trace: traced.trace,
    stored: traced.stored ?? new Map(),
    prompts,
    tools: toolsOf({ result: told, ...traced }),
  };
}
