"use strict";
// The view to ask a question in: steps, answer, path, votes.

/** Inputs for what a question is asked with: `body` is what they ask for, `set` fills them as in a kept recall. `labels`: of the inputs; `effort`: what that begins with if there is a model. */
function askedInputs(labels, effort = "") {
  const k = el("input", {
    type: "number",
    min: "1",
    max: "500",
    value: "6",
    "aria-label": labels.k,
  });
  const moment = el("input", { type: "date", "aria-label": labels.moment });
  const stale = el("input", { type: "checkbox" });
  const much = effortChoice(labels.effort, effort);
  return {
    k,
    moment,
    stale,
    effort: much,
    body: (question) => ({
      question,
      k: Number(k.value) || null,
      include_stale: stale.checked,
      effort: much.value || null,
      as_of: moment.value ? `${moment.value}T23:59:59Z` : null,
    }),
    set: (recall) => {
      k.value = recall.k;
      moment.value = day(recall.as_of);
      stale.checked = recall.include_stale;
      much.value = recall.effort ?? "";
    },
  };
}

function askView() {
  const question = area("Question", "What do you want to know? Press Enter to ask.", {
    required: true,
  });
  const inputs = askedInputs({
    k: "How many memories",
    moment: "What was believed on",
    effort: "Effort",
  });
  const { k, moment, stale, effort } = inputs,
    tries = el("div", { class: "row tries" }),
    about = el("p", { class: "quiet" });
  const dated = el("button", {
    type: "button",
    onclick: () => {
      moment.value = "";
      showDated();
      if (out.hasChildNodes()) submit();
      else moment.focus();
    },
  });
  const showDated = () => {
    dated.hidden = !moment.value;
    dated.textContent = `as of ${moment.value} ×`;
    dated.setAttribute("aria-label", `Remove: as of ${moment.value}`);
  };
  moment.addEventListener("input", showDated);
  showDated();
  const out = el("div", { id: "out" }),
    wide = matchMedia("(min-width: 701px)");
  const more = el(
    "details",
    { class: "more", open: wide.matches },
    el("summary", "More"),
    el(
      "div",
      { class: "row" },
      el("label", "Effort ", effort),
      el("label", "As of ", moment),
      endedToo(stale),
    ),
  );
  wide.addEventListener("change", () => {
    more.open ||= wide.matches;
  }); // there it has no summary to open it
  const form = formFor(
    "ask",
    () => submit(),
    question,
    el(
      "div",
      { class: "row" },
      el("label", "Ask for ", k, " memories"),
      more,
      el("span", { class: "go" }, dated, " ", el("button", { class: "primary" }, "Ask")),
    ),
  );
  question.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  const submit = (also = {}) =>
    trying(async () => {
      tries.remove();
      about.remove();
      await ask({ ...inputs.body(question.value), ...also }, out);
    }, form);
  const setAs = (trace) => {
    inputs.set(trace);
    showDated();
    more.open ||= Boolean(effort.value) || stale.checked;
  };
  const filled = (trace) => {
    question.value = trace.question;
    setAs(trace);
    if (document.activeElement === question) question.select();
  };
  let before = null; // the recall whose settings an offer changed, for its question alone
  const keep = () => {
    before = null;
  };
  for (const one of [k, effort, moment, stale]) one.addEventListener("input", keep);
  question.addEventListener("input", () => {
    if (before) setAs(before);
    before = null;
  });
  const again = (recall) => {
    filled(recall);
    before = recall.before;
    submit(
      Object.fromEntries(
        ["k", "include_stale", "effort", "as_of", "where"].map((key) => [key, recall[key]]),
      ),
    ); // only programs give `where`
  };
  const last = lastKept();
  if (last && !toAsk)
    trying(() =>
      showLast(last, out).then(
        (wanted) => {
          if (wanted && !question.value) filled(lastRecall.tools.trace);
        },
        (error) => {
          if (!out.hasChildNodes()) replace(out, addressed() && noLongerKept(error));
        },
      ),
    ); // after a reload
  else {
    about.textContent =
      "secondhop finds the memories that a question needs, and says why each came back, and why others did not.";
    requestsToTry()
      .then((texts) =>
        replace(
          tries,
          texts.length && "Try:",
          texts.map((text) =>
            el(
              "button",
              {
                type: "button",
                onclick: () => {
                  question.value = text;
                  submit();
                },
              },
              short(text, 80),
            ),
          ),
        ),
      )
      .catch(() => {});
  }
  return {
    element: el("div", form, about, tries, out),
    focus: () => {
      const given = toAsk;
      toAsk = null;
      question.focus();
      question.select();
      if (given) again(given);
    },
  };
}

/** Up to three requests that memories are stored for, each of another memory. */
async function requestsToTry() {
  const cues = (await get(ofEntity("/cues"))).filter((cue) => cue.proved >= 0);
  return [...new Set(new Map(cues.map((cue) => [cue.memory_id, cue.text])).values())].slice(0, 3);
}

let toAsk = null; // the question and settings to open the view with

/** Ask the question of a recall again, with its settings and these changes of them, which the form shows until the question is changed. */
function askAgain(trace, changes = {}) {
  toAsk = { ...trace, ...changes, before: Object.keys(changes).length ? trace : null };
  open("ask");
}

let lastRecall = null; // {question, tools}: for "why not" in other views

/** Ask, and show the steps and then the answer in `out`. */
async function ask(body, out) {
  say("Asking…");
  const flow = new Flow(await get(ofEntity("/graph")));
  const answer = el("div"),
    waiting = new Waiting();
  replace(out, waiting.element, flow.element, answer);
  const isWanted = () => out.contains(answer); // until another question is asked
  const result = await streamed(body, (step) => {
    flow.hear(step);
    waiting.hear(step);
  })
    .catch((error) => {
      if (isWanted()) replace(out);
      throw error;
    })
    .finally(() => waiting.end());
  const traced = await tracedBy(result.trace_id).catch(untraced);
  if (!isWanted()) return;
  result.spent = traced.trace.spent ?? result.spent; // the time that is shown of it later
  flow.end(result, stopOf(traced.trace));
  const session = new Session({ ...body, effort: result.effort }, answer, flow, result.trace_id);
  session.keep();
  showRecall(answer, { result, ...traced, session });
  answer.querySelector(".answer").focus({ preventScroll: true }); // so that keyboard users continue here
  if (result.trace_id) showAddress("ask", addressOf(result.trace_id), result.question);
  say(`${plural(result.memories.length, "memory", "memories")} in ${seconds(result.spent.ms)}`);
}

/** Show an answer, its path and the form that explains memories: for a recall, a session's round, or a file of one recall. */
function showRecall(holder, recall) {
  const { trace, explain, session = null, search = null } = recall,
    result = { ...recall.result, maybe: cameClose(recall) };
  const tools = toolsOf(recall);
  lastRecall = { question: result.question, tools };
  const goTo = (id) =>
    trying(async () => {
      for (const one of holder.querySelectorAll(".chosen")) one.classList.remove("chosen");
      const shown = holder.querySelector(`[data-memory="${CSS.escape(id)}"]`),
        why = shown?.querySelector(".why-button");
      if (!why) {
        replace(aside, story(await explain(id), tools, tools.names.get(id)));
        aside.firstChild.focus();
        return;
      }
      shown.classList.add("chosen");
      shown.scrollIntoView({ block: "start" });
      if (why.getAttribute("aria-expanded") === "true") shown.querySelector(".story").focus();
      else why.click();
    });
  const aside = el("div", { class: "aside" });
  const compare =
    search && button("Compare with…", () => compareWith(trace), { class: "compare-with" });
  replace(
    holder,
    search && (recall.isKept || result.round) && roundsView(trace, tools.names, !result.changes),
    answerView(result, tools),
    session?.bar,
    ...(explain
      ? [compare, whyNotForm(tools, search), pathView(trace, result, tools, goTo), aside]
      : []),
  );
}

/** What a card needs besides its memory: `explain`; `names` and `scores` by id; changes; a session's votes. */
function toolsOf({
  result,
  trace,
  scores,
  stored = new Map(),
  explain,
  session = null,
  search = null,
}) {
  const shown = [...shownIn(result), ...result.maybe];
  const titles = new Map(
    [...trace.candidates, ...(trace.hidden ?? [])].map((one) => [
      one.memory_id,
      { title: one.title },
    ]),
  );
  const known = new Map([...titles, ...shown.map((one) => [one.id, one]), ...stored]);
  const names = namesOf(
    [...known].map(([id, one]) => ({ ...one, id, title: titles.get(id)?.title || one.title })),
    session?.names,
  );
  if (session) session.names = names;
  return {
    explain,
    names,
    scores,
    trace,
    changes: (result.changes ?? []).filter((one) => one.change === "came"),
    canStore: Boolean(search),
    question: result.question,
    ...session?.tools(),
  };
}

/** The memories of an answer, with those that sparks led to. */
const shownIn = ({ memories, branches = [] }) => [
  ...memories,
  ...branches.flatMap((branch) => branch.memories),
];

/** `names`, with those of other memories, as they are stored. */
async function namesOfAll(ids, names) {
  const others = [...new Set(ids)].filter((id) => !names.has(id));
  return new Map([...names, ...namesOf(await Promise.all(others.map((id) => storedOr(id))))]);
}

/** The names of memories in one line. */
const named = (ids, names) => [...new Set(ids)].map((id) => `“${names.get(id) ?? id}”`).join("; ");
