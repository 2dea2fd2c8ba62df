"use strict";
// Recalls that were kept as traces: read, listed, and shown as answers again.

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

/** Show a kept recall in `out`, unless that was taken away before the recall came: its steps, what it returned, its path. `last`: its votes, if it takes any; the last round of a session that goes on does. Returns their session. */
async function showKept(traceId, out, last = null) {
  const before = out.firstChild;
  const [traced, prompts] = await Promise.all([
    tracedBy(traceId),
    get(ofEntity(`/traces/${encodeURIComponent(traceId)}/prompts`)),
  ]);
  const flow = new Flow(await get(ofEntity("/graph"))),
    { session_id: sessionId } = traced.trace,
    standing = last ? null : await standingOf({ sessionId });
  if (!out.parentNode || out.firstChild !== before) return undefined; // another question was asked
  if (standing?.trace_id === traceId) {
    last = { sessionId };
    if (lastKept()?.sessionId === sessionId) {
      last = lastKept();
      built.delete("ask"); // so that an older state of the session is not voted on there
    }
  }
  for (const step of traced.trace.steps) flow.hear(step);
  const result = resultOf(traced);
  flow.end(result, stopOf(traced.trace));
  const holder = el("div");
  replace(
    out,
    el("h2", result.question),
    askedWith(traced.trace, prompts),
    askAgainButton(traced.trace),
    traced.trace.stop_reason === "votes" &&
      !last &&
      remark(
        standing
          ? "This is an earlier round; votes go to the last one."
          : sessionId
            ? "Its session has ended, so it takes no votes."
            : "This is a kept round, which takes no votes.", // of an older version
      ),
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
  if (!out.contains(holder)) return undefined;
  if (standing) await session?.draw(standing);
  holder.prepend(...[changedView(traced, names), ended].filter(Boolean));
  session?.refresh();
  return session;
}

/** A line that names the memories of a kept recall whose text has changed since; nothing if there are none. */
function changedView({ trace, stored }, names) {
  const changed = trace.returned.filter(
    (id) => stored.has(id) && stored.get(id).evidence.length < (trace.evidence[id] ?? []).length,
  );
  return (
    changed.length &&
    warning(
      `The text has changed since this recall of: ${named(changed, names)}. It is shown as it is now.`,
    )
  );
}

/** The result of a recall, as far as its trace tells it. `stored`: {id: memory as it is stored now}, with the evidence; a memory forgotten since has none. */
function resultOf({ trace, stored }) {
  const facets = new Map(trace.facets.map((facet) => [facet.facet_id, facet]));
  const all = trace.returned.map((id) => {
    const one = candidateOf(trace, id);
    const facet = facets.get(one?.slot_facet);
    const { created_at, source, kind, role, text, evidence, stale } = stored.get(id) ?? {
      source: "",
      kind: "",
      role: "",
      evidence: [],
      stale: "",
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
      weak: (one?.why ?? "").startsWith("It fills a free place"),
      stale,
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

/** The prompts of a recall that are not built in, in words. */
const ownPrompts = (prompts) =>
  prompts
    .filter(({ name, origin }) => name !== "decompose" && origin !== "built in")
    .map((prompt) => `prompt ${prompt.name}: ${promptOrigin(prompt)}`);

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

/** A round of a session, and the votes that led to it; `kind`: of which session. */
const roundFacts = (one, kind = "") =>
  `round ${one.round}${kind}${one.round > 1 ? `, after ${votesCounted(one.votes)}${one.round > 2 ? " in all" : ""}` : ""}`;

/** A line that says what a recall was asked with. */
const askedWith = (trace, prompts) =>
  remark(
    joined(
      " · ",
      `asked for ${plural(trace.k, "memory", "memories")}`,
      ...askedFor(trace),
      trace.effort && `effort ${trace.effort}`,
      ...ownPrompts(prompts),
    ),
  );

/** What a list says of a kept recall beside its question: when, the effort, the prompts that are not built in, the settings that the server has otherwise now, which round of a session after which votes, how many memories. */
const keptFacts = (one) =>
  joined(
    " · ",
    (one.stop_reason === "votes" ? "begun " : "") + one.asked_at.slice(0, 19).replace("T", " "),
    `effort ${one.effort}`,
    ...ownPrompts(one.prompts),
    ...Object.entries(one.settings).map((setting) => setting.join(" = ")),
    one.stop_reason === "votes" &&
      roundFacts(one, ` of a ${one.resolved ? "resolved " : ""}session`),
    (one.returned - one.sparked < one.k
      ? `${one.returned - one.sparked} of ${plural(one.k, "memory", "memories")}`
      : plural(one.returned - one.sparked, "memory", "memories")) + sparkedToo(one.sparked),
    ...askedFor(one),
  );

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
    const link = (one) =>
      one.trace_id === trace.trace_id
        ? el("strong", roundFacts(one))
        : el("a", { href: addressOf(one.trace_id) }, roundFacts(one));
    replace(
      view,
      rounds.length > (isRound ? 1 : 0) &&
        remark(
          isRound
            ? "Rounds of this session: "
            : `A ${rounds[0].resolved ? "resolved " : ""}session on this question followed: `,
          rounds.map((one, index) => [index > 0 && " · ", link(one)]),
        ),
      came.length > 0 && remark(`New in this round: ${named(came, names)}`),
      left.length > 0 && remark(`No longer in the answer: ${named(left, all)}`),
      told && remark(`Votes ${isRound ? "on this answer" : "in round 1"}: ${told}`),
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

/** The view of the recalls that are kept. */
function tracesView() {
  const out = el("div"),
    list = el("ul", { class: "recalls" });
  const words = field("Filter", "filter", { type: "search", oninput: () => draw() });
  const all = el("div", words, list),
    back = button("All recalls", () => close());
  const close = () => {
    replace(out);
    all.hidden = false;
    words.focus();
    showAddress("recalls", "#recalls");
  };
  const open = (traceId) =>
    trying(async () => {
      const shown = el("div");
      replace(out, back, shown);
      all.hidden = true;
      const gone = await showKept(traceId, shown).then(() => null, noLongerKept);
      if (!shown.parentNode) return; // another was opened meanwhile
      if (gone) replace(shown, gone);
      else showAddress("recalls", addressOf(traceId), lastRecall.question);
      scrollTo(0, 0);
      back.focus();
    });
  const row = (one, index, rows) =>
    el(
      "li",
      { class: index && sessionOf(rows[index - 1]) === sessionOf(one) && "earlier" },
      el(
        "button",
        { type: "button", class: "link", onclick: () => open(one.trace_id) },
        one.question,
        quiet(` ${keptFacts(one)}`),
      ),
      button("Compare", () => compareWith(one), { "aria-label": `Compare ${one.question}` }),
    );
  let kept = null;
  const draw = () =>
    replace(
      list,
      kept?.length
        ? kept.filter((one) => keptHas(one, words.value)).map(row)
        : el("li", "No recalls yet. Ask a question first."),
    );
  const load = async () => {
    const now = await keptRecalls();
    if (JSON.stringify(now) === JSON.stringify(kept)) return; // a row that is being clicked stays
    kept = now;
    draw();
  };
  const focus = (traceId) => {
    trying(load);
    if (traceId) open(traceId);
    else if (all.hidden && location.hash === "#recalls") close();
  };
  return { element: el("div", all, out), focus };
}
