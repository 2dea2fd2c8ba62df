"use strict";
// The view to ask a question in: steps, answer, path, votes.

function askView() {
  const question = el("textarea", {
    rows: "2",
    required: true,
    "aria-label": "Question",
    placeholder: "What do you want to know? Press Enter to ask.",
  });
  const k = el("input", {
    type: "number",
    min: "1",
    max: "500",
    value: "6",
    "aria-label": "How many memories",
  });
  const moment = el("input", { type: "date", "aria-label": "What was believed on" });
  const stale = el("input", { type: "checkbox" }),
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
  const effort = effortChoice("Effort");
  const out = el("div", { id: "out" }),
    wide = matchMedia("(min-width: 701px)");
  const more = el(
    "details",
    { class: "more", open: wide.matches },
    el("summary", {}, "More"),
    el(
      "div",
      { class: "row" },
      el("label", {}, "Effort ", effort),
      el("label", {}, "As of ", moment),
      endedToo(stale),
    ),
  );
  wide.addEventListener("change", () => {
    more.open ||= wide.matches;
  }); // there it has no summary to open it
  const form = el(
    "form",
    {
      class: "ask",
      onsubmit: (event) => {
        event.preventDefault();
        submit();
      },
    },
    question,
    el(
      "div",
      { class: "row" },
      el("label", {}, "Ask for ", k, " memories"),
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
      await ask(
        {
          question: question.value,
          k: Number(k.value) || null,
          include_stale: stale.checked,
          effort: effort.value || null,
          as_of: moment.value ? `${moment.value}T23:59:59Z` : null,
          ...also,
        },
        out,
      );
    }, form);
  const filled = (trace) => {
    question.value = trace.question;
    k.value = trace.k;
    effort.value = trace.effort ?? "";
    moment.value = day(trace.as_of);
    showDated();
    stale.checked = trace.include_stale;
    more.open ||= Boolean(effort.value) || stale.checked;
    if (document.activeElement === question) question.select();
  };
  const again = (recall) => {
    filled(recall);
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
        () => {
          if (!question.value) filled(lastRecall.tools.trace);
        },
        (error) => replace(out, addressed() && noLongerKept(error)),
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
    element: el("div", {}, form, about, tries, out),
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

/** Ask the question of a recall again, with its settings and these changes of them, which the form then shows. */
function askAgain(trace, changes = {}) {
  toAsk = { ...trace, ...changes };
  open("ask");
}

let lastRecall = null; // {question, tools}: for "why not" in other views

/** A recall's trace, its deciding scores, its memories as stored now, and functions to explain and search. */
async function tracedBy(traceId) {
  const path = ofEntity(`/traces/${encodeURIComponent(traceId)}`);
  const [trace, scores, told] = await Promise.all([
    get(path),
    get(`${path}/scores`),
    get(`${path}/memories`),
  ]);
  return {
    trace,
    scores,
    stored: new Map(told.map((one) => [one.memory_id, one])),
    explain: (id) => get(`${path}/explain?memory_id=${encodeURIComponent(id)}`),
    search: storedWith,
  };
}

/** An empty trace for a server that keeps none; the answer is then shown without explanations. */
function untraced(error) {
  if (error.status !== 404) throw error;
  return {
    trace: {
      candidates: [],
      facets: [],
      queries: [],
      returned: [],
      near_misses: [],
      planner: "",
      critic: "",
      settings: {},
    },
    scores: {},
    explain: null,
  };
}

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

/** Show a kept recall in `out`, unless that was taken away before the recall came: its steps, what it returned, its path. `last`: its votes, if it takes any; returns their session. */
async function showKept(traceId, out, last = null) {
  const traced = await tracedBy(traceId);
  const flow = new Flow(await get(ofEntity("/graph")));
  if (!out.parentNode) return null;
  for (const step of traced.trace.steps) flow.hear(step);
  const result = resultOf(traced);
  flow.end(result, stopOf(traced.trace));
  const holder = el("div");
  replace(
    out,
    el("h2", {}, result.question),
    askedWith(traced.trace),
    button("Ask again", () => askAgain(traced.trace)),
    flow.element,
    holder,
  );
  const session = last && new Session(last.body, holder, flow, traceId, last);
  showRecall(holder, { result, ...traced, session, isKept: true });
  const { resolved, traceId: voted } = lastKept() ?? {},
    { names } = lastRecall.tools;
  const ended =
    resolved && voted === traceId
      ? await resolvedView(resolved, names)
      : await taughtView(traced.trace, names);
  holder.prepend(...[changedView(traced, names), ended].filter(Boolean));
  session?.refresh();
  return session;
}

/** A line that names the memories of a kept recall whose text has changed since; null if there are none. */
function changedView({ trace, stored }, names) {
  const changed = trace.returned.filter(
    (id) => stored.has(id) && stored.get(id).evidence.length < (trace.evidence[id] ?? []).length,
  );
  return changed.length
    ? el(
        "p",
        { class: "warning" },
        `The text has changed since this recall of: ${named(changed, names)}. It is shown as it is now.`,
      )
    : null;
}

/** The result of a recall, as far as its trace tells it. `stored`: {id: memory as it is stored now}, with the evidence; a memory forgotten since has none. */
function resultOf({ trace, stored }) {
  const facets = new Map(trace.facets.map((facet) => [facet.facet_id, facet]));
  const all = trace.returned.map((id) => {
    const one = trace.candidates.find((candidate) => candidate.memory_id === id);
    const facet = facets.get(one?.slot_facet);
    const { created_at, source, kind, role, text, evidence } = stored.get(id) ?? {
      source: "",
      kind: "",
      role: "",
      evidence: [],
    };
    return {
      id,
      title: one?.title ?? "",
      created_at,
      score: one?.score ?? 0,
      facets: facet && one.slot_facet !== "f0" ? [facet.name] : [],
      hop: facet?.hop ?? 1,
      cue: one?.cue,
      sparked_by: one?.sparked_by,
      role,
      source,
      kind,
      why: one?.why ?? "",
      stale: "",
      evidence: (evidence.length || !text ? evidence : [text]).map((said) => ({
        text: said,
        heading: "",
      })),
      conflicts_with: [],
    };
  });
  return {
    question: trace.question,
    memories: all.filter((one) => !one.sparked_by),
    branches: branchesIn(trace, all),
    round: trace.stop_reason === "votes" && trace.spent.rounds,
    maybe: nearestOf({ trace, stored }),
    preferences: [],
    facets: outcomesOf(trace),
    effort: trace.effort,
    degraded: trace.degraded,
    spent: trace.spent,
    rounds: trace.spent.rounds,
    stop_reason: trace.stop_reason,
  };
}

/** The `branches` of a kept round. `all`: what it returned. */
const branchesIn = ({ candidates, facets }, all) =>
  candidates
    .filter(
      ({ title, votes }) =>
        votes.some(({ vote }) => vote === "spark") &&
        facets.some(({ name }) => name === `sparked by ${title}`),
    )
    .map(({ memory_id: source, title }) => ({
      sparked_by: source,
      title,
      memories: all
        .filter((one) => one.sparked_by === source)
        .map((one) => ({ ...one, facets: [`sparked by ${title}`] })),
    }));

/** The `facets` of an answer, worked out from a trace: a facet is empty if no candidate is near enough to it. */
const outcomesOf = ({ facets, candidates, settings }) =>
  facets.map(({ facet_id: id, name }) => ({
    name,
    empty: !candidates.some(
      (one) =>
        one.slot_facet === id ||
        one.facet_scores.some(
          (score) =>
            score.facet_id === id && score.relevance >= (settings["ranking.min_score"] ?? 0),
        ),
    ),
  }));

/** The near misses of a kept recall. `stored`: {id: memory as it is stored}. */
const nearestOf = ({ trace, stored = new Map() }) =>
  trace.near_misses.map(({ memory_id: id, reason: cut }) => ({
    id,
    title: "",
    created_at: stored.get(id)?.created_at,
    cut_by: cut,
  }));

/** Near misses, with the memories that votes of people keep out, the best score first. */
function cameClose({ result, trace, scores, stored = new Map() }) {
  const out = trace.candidates.filter(
    ({ memory_id: id, slot, votes }) =>
      slot === null &&
      ["cold", "wrong"].includes(votes.at(-1)?.vote) &&
      votes.at(-1).by !== "critic" &&
      ![...result.maybe, ...(result.changes ?? [])].some((one) =>
        [one.id, one.memory_id].includes(id),
      ),
  );
  const told = out.map(({ memory_id: id, votes }) => ({
    id,
    title: "",
    created_at: stored.get(id)?.created_at,
    cut_by: votes.at(-1).round
      ? `you voted it ${votes.at(-1).vote}`
      : "it was voted down in an earlier session on such a question",
  }));
  return out.length
    ? [...result.maybe, ...told].sort(
        (one, other) => (scores[other.id] ?? 0) - (scores[one.id] ?? 0),
      )
    : result.maybe;
}

/** The text of a stored memory; "" if it was forgotten. */
const textOf = async (id) =>
  (await get(ofEntity(`/memories/${encodeURIComponent(id)}`)).catch(() => null))?.text ?? "";

/** Whose a prompt is; one that is not built in also gets the start of its hash. */
const promptOrigin = ({ version, hash, origin }) =>
  origin === "built in"
    ? origin
    : `${origin === "yours" ? origin : `version ${version}`} (${hash.slice(0, 6)})`;

/** What a kept recall was asked for beside its question: the moment, and memories that ended. */
const askedFor = (one) => [
  one.as_of && `as of ${day(one.as_of)}`,
  one.include_stale && "with memories that no longer hold",
];

/** What a count of memories adds about those in branches. */
const sparkedToo = (count) => (count ? `, and ${count} that a spark led to` : "");

/** How many votes there were of each kind: "2 hot, 1 cold". */
const votesCounted = (votes) =>
  VOTES.filter(([vote]) => votes[vote])
    .map(([vote]) => `${votes[vote]} ${vote}`)
    .join(", ") || "no vote";

/** A line that says what a recall was asked with. */
const askedWith = (trace) =>
  el(
    "p",
    { class: "quiet" },
    [
      `asked for ${plural(trace.k, "memory", "memories")}`,
      ...askedFor(trace),
      trace.effort && `effort ${trace.effort}`,
    ]
      .filter(Boolean)
      .join(" · "),
  );

/** What a list says of a kept recall beside its question: when, how many memories, which round of a session after which votes, the effort, the prompts that are not built in. */
const keptFacts = (one) =>
  [
    (one.stop_reason === "votes" ? "begun " : "") + one.asked_at.slice(0, 19).replace("T", " "),
    one.stop_reason === "votes" &&
      `round ${one.round} of a ${one.resolved ? "resolved " : ""}session${one.round > 1 ? `, after ${votesCounted(one.votes)}${one.round > 2 ? " in all" : ""}` : ""}`,
    (one.returned - one.sparked < one.k
      ? `${one.returned - one.sparked} of ${plural(one.k, "memory", "memories")}`
      : plural(one.returned - one.sparked, "memory", "memories")) + sparkedToo(one.sparked),
    ...askedFor(one),
    `effort ${one.effort}`,
    ...one.prompts
      .filter(({ name, origin }) => name !== "decompose" && origin !== "built in")
      .map((prompt) => `prompt ${prompt.name}: ${promptOrigin(prompt)}`),
  ]
    .filter(Boolean)
    .join(" · ");

/** What the rounds of one session share, and nothing else does. */
const sessionOf = (one) =>
  one.stop_reason === "votes" ? `${one.asked_at} ${one.question}` : one.trace_id;

/** All recalls that are kept, the newest first; the rounds of a session stand together. */
async function keptRecalls() {
  const [all, questions] = await Promise.all([get(ofEntity("/traces?limit=1000")), learned()]),
    groups = new Map();
  for (const one of all) one.resolved = taughtIn(one, questions).length > 0;
  for (const one of all) groups.set(sessionOf(one), [...(groups.get(sessionOf(one)) ?? []), one]);
  return [...groups.values()].flat();
}

/** The kept rounds of a trace's session; for a recall that is no round, those of a session if that is what was asked next, in the same way. */
function roundsOf(trace, all) {
  const isAlike = (one) =>
    ["question", "k", "effort", "as_of", "include_stale"].every((key) => one[key] === trace[key]) &&
    new Date(one.asked_at) > new Date(trace.asked_at);
  const one =
    trace.stop_reason === "votes"
      ? trace
      : all
          .filter(isAlike)
          .reduce(
            (first, other) =>
              first && new Date(first.asked_at) <= new Date(other.asked_at) ? first : other,
            null,
          );
  return one?.stop_reason === "votes"
    ? all.filter((other) => sessionOf(other) === sessionOf(one)).sort((a, b) => a.round - b.round)
    : [];
}

/** Links to the rounds of a session, and the votes that led from this answer to the next; empty until they are read. `tells`: whether it says what the round changed, which a live answer says itself. */
function roundsView(trace, names, tells) {
  const view = el("div", { class: "rounds-of" }),
    isRound = trace.stop_reason === "votes",
    own = isRound ? trace.spent.rounds : 1;
  trying(async () => {
    const rounds = roundsOf(trace, await keptRecalls()),
      next = rounds.find((one) => one.round === own + 1);
    const cast = next
      ? (await get(ofEntity(`/traces/${next.trace_id}`))).candidates.flatMap((one) =>
          one.votes
            .filter(({ by, round }) => by !== "critic" && round === own)
            .map(({ vote }) => ({ vote, id: one.memory_id })),
        )
      : [];
    const before = rounds.find((one) => tells && isRound && one.round === own - 1),
      returned = before && (await get(ofEntity(`/traces/${before.trace_id}`))).returned;
    const [came, left] = returned
        ? [
            trace.returned.filter((id) => !returned.includes(id)),
            returned.filter((id) => !trace.returned.includes(id)),
          ]
        : [[], []],
      all = await namesOfAll(left, names);
    const told = VOTES.map(([vote]) => [
      vote,
      cast.filter((one) => one.vote === vote).map(({ id }) => id),
    ])
      .filter(([, ids]) => ids.length)
      .map(([vote, ids]) => `${vote} ${named(ids, names)}`)
      .join(" · ");
    const link = (one) => {
      const words = `round ${one.round}${one.round > 1 ? `, after ${votesCounted(one.votes)}${one.round > 2 ? " in all" : ""}` : ""}`;
      return one.trace_id === trace.trace_id
        ? el("strong", {}, words)
        : el("a", { href: addressOf(one.trace_id) }, words);
    };
    replace(
      view,
      rounds.length > (isRound ? 1 : 0) &&
        el(
          "p",
          { class: "quiet" },
          isRound
            ? "Rounds of this session: "
            : `A ${rounds[0].resolved ? "resolved " : ""}session on this question followed: `,
          rounds.map((one, index) => [index > 0 && " · ", link(one)]),
        ),
      came.length > 0 && el("p", { class: "quiet" }, `New in this round: ${named(came, names)}`),
      left.length > 0 &&
        el("p", { class: "quiet" }, `No longer in the answer: ${named(left, all)}`),
      told &&
        el("p", { class: "quiet" }, `Votes ${isRound ? "on this answer" : "in round 1"}: ${told}`),
    );
  });
  return view;
}

/** Whether a kept recall's question and facts contain all these words. */
const keptHas = (one, words) =>
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${one.question} ${keptFacts(one)}`.toLowerCase().includes(word));

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

/** What a card needs besides its memory: `explain`; `names`, `scores` and `outdatedBy` by id; changes; a session's votes. */
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
  const outdatedBy = new Map(
    trace.candidates
      .filter((one) => one.outdated_by)
      .map((one) => [one.memory_id, one.outdated_by]),
  );
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
    outdatedBy,
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

/** What sessions taught, by question; what was taken back is not there. */
const learned = async () => (await get(ofEntity("/learned"))).questions;

/** What is known now for the question of a kept round, if its session is the last that taught something for it, and so is resolved. (What a session taught has the time at which it was asked.) */
const taughtIn = (kept, questions) =>
  kept.stop_reason !== "votes"
    ? []
    : questions
        .filter((one) => +new Date(one.learned_at) === +new Date(kept.asked_at))
        .flatMap((one) => one.memories);

/** A line on what is known from the session of a kept round; null if it is not known to be resolved. */
async function taughtView(trace, names) {
  const taught = taughtIn(trace, await learned());
  if (!taught.length) return null;
  const view = el(
    "p",
    {
      class: "resolved",
      onuntaught: () =>
        trying(async () => view.replaceWith((await taughtView(trace, names)) ?? "")),
    },
    "This session is resolved.",
    effects(
      taught,
      await namesOfAll(
        taught.map((one) => one.memory_id),
        names,
      ),
    ),
  );
  return view;
}

/** What sessions taught about memories, in words, with a link to where it can be taken back. */
function effects(taught, names) {
  const effect = (words, has) =>
    taught.some(has) &&
    ` ${words} for such questions: ${named(
      taught.filter(has).map((one) => one.memory_id),
      names,
    )}.`;
  return [
    effect("Counts more", (one) => one.votes > 0),
    effect("Counts a little less", (one) => one.votes <= 0 && !one.refused),
    effect("Is left out", (one) => one.refused),
    " ",
    el(
      "a",
      {
        href: "#memories",
        onclick: () => {
          opensLearned = true;
        },
      },
      "What was learned",
    ),
    " can be taken back.",
  ];
}

/** What is known now from what a resolved session voted on. */
async function taughtBy({ accepted, votes, question }) {
  const ids = new Set([
      ...accepted,
      ...votes.flatMap((one) => VOTES.flatMap(([vote]) => one[vote])),
    ]),
    questions = await learned();
  questions.sort((one, other) => (one.question === question) - (other.question === question)); // its own question last, which then counts
  return [
    ...new Map(
      questions
        .flatMap((one) => one.memories)
        .filter((one) => ids.has(one.memory_id))
        .map((one) => [one.memory_id, one]),
    ).values(),
  ];
}

/** What a resolved session accepted, and what of its teaching still stands. `uncounted`: ids of the memories whose votes were not counted. */
async function resolvedView(resolved, names) {
  const {
    done: {
      session: { accepted, proposals, votes, question },
      learned: { updated },
    },
    uncounted,
  } = resolved;
  const taught = await taughtBy({ accepted, votes, question });
  names = await namesOfAll(
    [
      ...accepted,
      ...uncounted,
      ...taught.map((one) => one.memory_id),
      ...proposals.flatMap((one) => [one.memory_id, one.replaced_by].filter(Boolean)),
    ],
    names,
  );
  const view = el(
    "section",
    {
      class: "resolved",
      tabindex: "-1",
      onuntaught: () => trying(async () => view.replaceWith(await resolvedView(resolved, names))),
    },
    el("h2", {}, "Resolved"),
    el("p", {}, accepted.length ? `Accepted: ${named(accepted, names)}.` : "Nothing was accepted."),
    el(
      "p",
      {},
      taught.length
        ? effects(taught, names)
        : updated
          ? "What was learned from it was taken back."
          : "Nothing new was learned.",
    ),
    uncounted.length
      ? el(
          "p",
          { class: "warning" },
          `Not counted, because the session's answer does not show ${uncounted.length === 1 ? "it" : "them"}: ${named(uncounted, names)}.`,
        )
      : null,
    proposed(proposals, names),
  );
  return view;
}

/** The answer of a session's round, for `costOf`. */
const costsOf = (answer) => ({ ...answer, rounds: answer.round, stop_reason: "votes" });

/** Votes on an answer. The server's session begins when the first votes are sent. */
class Session {
  /** `kept`: the id and the votes that a reload brings back; see kept.js. */
  constructor(body, holder, flow, traceId, kept = {}) {
    Object.assign(this, { body, holder, flow, traceId, names: new Map() });
    this.votes = new Map(kept.votes ?? []);
    this.id = kept.sessionId ?? "";
    this.count = el("span", { role: "status" });
    this.next = button(
      "Next round",
      () => {
        const waiting = new Waiting();
        this.bar.append(waiting.element);
        return this.vote().finally(() => waiting.end());
      },
      { class: "primary next-round", "aria-keyshortcuts": "n" },
      () => this.isStuck(),
    );
    this.done = button("Resolve", () => this.resolve());
    this.clear = button(
      "Clear votes",
      () => {
        this.votes.clear();
        this.refresh();
        repaintVotes(this.holder);
      },
      {},
      () => !this.votes.size,
    );
    this.bar = el(
      "div",
      { class: "session-bar", hidden: true },
      this.count,
      this.next,
      this.done,
      el(
        "span",
        { class: "quiet roomy" },
        "Key n: next round. Resolve ends the session; later recalls learn.",
      ),
      this.clear,
    );
  }

  tools() {
    return { votes: this.votes, voted: () => this.refresh() };
  }

  /** Keep the answer and the votes that are not sent yet, so that a reload shows them again. */
  keep() {
    keepAsLast(this.traceId, { body: this.body, sessionId: this.id, votes: [...this.votes] });
  }

  refresh() {
    this.keep();
    this.bar.hidden = !this.votes.size && !this.id;
    this.count.textContent = plural(this.votes.size, this.id ? "new vote" : "vote");
    this.next.disabled = this.isStuck();
    this.clear.disabled = !this.votes.size;
  }

  /** Whether the next round cannot be asked for: there are no votes, or no rounds left. */
  isStuck() {
    return !this.votes.size || this.answer?.rounds_left === 0;
  }

  /** Send the votes and show the next answer. */
  async vote() {
    await this.begin();
    const sent = this.shown(this.votes);
    const uncounted = [...this.votes.keys()].filter((id) => !(id in sent));
    if (!Object.keys(sent).length) {
      this.votes.clear();
      await this.show(this.answer);
      throw new Error(
        "the session's answer shows none of the memories you voted on; vote on the ones below",
      );
    }
    const answer = await post(ofEntity(`/sessions/${this.id}/votes`), {
      votes: sent,
      round: this.answer.round,
    });
    this.votes.clear();
    await this.show(answer);
    if (uncounted.length)
      say(
        `Not counted, because the session's answer does not show ${uncounted.length === 1 ? "it" : "them"}: ${named(uncounted, this.names)}`,
      );
  }

  async begin() {
    if (this.id) return;
    this.answer = await post(ofEntity("/sessions"), this.body);
    this.id = this.answer.session_id;
    this.keep();
  }

  /** Those votes that are on memories of the session's answer. */
  shown(votes) {
    const all = shownIn(this.answer).map((memory) => memory.id);
    return Object.fromEntries([...votes].filter(([id]) => all.includes(id)));
  }

  /** Send the votes that are left and end the session; later recalls learn from it. */
  async resolve() {
    await this.begin();
    const noted = this.shown(this.votes);
    const uncounted = [...this.votes.keys()].filter((id) => !(id in noted));
    if (Object.keys(noted).length)
      await post(ofEntity(`/sessions/${this.id}/votes`), {
        votes: noted,
        round: this.answer.round,
        go_on: false,
      });
    const done = await post(ofEntity(`/sessions/${this.id}/resolve`));
    keepAsLast(this.traceId, { resolved: { done, uncounted } });
    built.get("memories")?.learned();
    this.bar.remove();
    this.flow.end(costsOf(this.answer), "you resolved the session");
    for (const one of this.holder.querySelectorAll(".votes, .rounds-left, .vote-words"))
      one.remove();
    const told = await resolvedView({ done, uncounted }, this.names);
    this.holder.prepend(told);
    told.scrollIntoView({ block: "start" });
    told.focus();
    say("Resolved");
  }

  /** Show the answer of a round, and lead to it. */
  async show(answer) {
    await this.draw(answer);
    this.holder.querySelector(".answer").focus({ preventScroll: true });
    this.holder.scrollIntoView({ block: "start" });
    showAddress("ask", addressOf(answer.trace_id), answer.question);
    const came = answer.changes.filter((one) => one.change === "came").length;
    say(`Round ${answer.round}: ${came} new, ${answer.changes.length - came} gone`);
  }

  async draw(answer) {
    this.answer = answer;
    this.traceId = answer.trace_id;
    const traced = await tracedBy(answer.trace_id).catch(untraced);
    showRecall(this.holder, {
      result: {
        ...answer,
        effort: traced.trace.effort,
        facets: outcomesOf(traced.trace),
        maybe: nearestOf(traced),
      },
      ...traced,
      session: this,
    });
    answer.spent = traced.trace.spent ?? answer.spent;
    this.flow.end(costsOf(answer), "your votes are awaited");
    this.refresh();
  }
}
