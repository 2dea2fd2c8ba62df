"use strict";
// An answer as cards: why each memory came back, what came close, and what was not found.

const VOTES = [
  ["hot", "exactly right"],
  ["warm", "getting closer"],
  ["cold", "not what I meant"],
  ["wrong", "misleading"],
  ["spark", "not the answer, but it reminds me of something (it leaves the answer)"],
];

/** The evidence for a memory, the best passage first and unfolded. */
const evidenceOf = (memory, question) =>
  memory.evidence.map((one, index) =>
    el(
      "details",
      { open: index === 0 },
      el(
        "summary",
        one.heading || (index ? "Another passage" : "What it says"),
        quiet(one.query && one.query !== question ? ` for “${short(one.query, 70)}”` : ""),
      ),
      quote(one.text, `${question} ${one.query ?? ""}`),
    ),
  );

/** The name of the facet that is the question itself. */
const ownFacet = (trace) =>
  trace.facets.find((facet) => facet.facet_id === "f0")?.name ?? "the question itself";

/** Whether a facet of this name is the branch of a spark, which the question neither names nor implies. */
const isSpark = (name) => name.startsWith("sparked by ");

/** How a need is known of, by its hop; a number above 3 is like 3. */
const HOPS = {
  1: "named in the question",
  2: "implied by the question",
  3: "the critic asked for it",
};

/** What found a memory for the question itself: its text, a cue, or both. For another facet: the names of the facets, and how they are known of. */
function foundFor(memory, { trace }) {
  if (memory.facets[0] && memory.facets[0] !== ownFacet(trace))
    return memory.facets
      .map(
        (name, index) =>
          (name === ownFacet(trace) ? "the question" : name) +
          (index || isSpark(name) ? "" : ` (${HOPS[Math.min(memory.hop, 3)]})`),
      )
      .join(", ");
  const { words, cue, place } = foundBy(trace, memory.id),
    at = place ? `place ${place}` : "not found";
  return words
    ? cue
      ? "its text and a cue"
      : "its text"
    : cue
      ? `a cue (by its text alone: ${at})`
      : place && `its text (${at})`;
}

const facts = (memory, tools) =>
  el(
    "dl",
    { class: "facts" },
    fact("date", day(memory.created_at)),
    fact("source", memory.source),
    fact("kind", memory.kind === "continuity" ? "" : memory.kind),
    fact("found by", foundFor(memory, tools)),
    fact("role", memory.role),
    memory.why ? null : fact("stored for", memory.cue && `“${memory.cue}”`),
  );

const fact = (name, value) => (value ? el("div", el("dt", name), el("dd", value)) : null);

/** The score that decided whether a memory got a slot, with as many digits as explanations give it; see `score_text` of graph/deciding.py. "" of an empty answer, where none decided, and of a score that cannot be compared with the others. */
function scoreOf(id, { scores, trace }) {
  if (!(id in scores) || !trace.returned.length || isOfAnotherScale(id, trace)) return "";
  const shown = [...trace.returned, ...trace.near_misses.map((one) => one.memory_id)],
    told = new Set(shown.map((one) => scores[one]).filter((score) => score !== undefined));
  const tells = (digits) =>
    new Set([...told].map((score) => score.toFixed(digits))).size === told.size;
  return `score ${scores[id].toFixed(trace.settings["slots.by"] === "hybrid ranks" ? 4 : ([2, 3].find(tells) ?? 4))}`;
}

/** Whether a recall without a plan took the score of a memory from another search than that for the question: the critic's, or a spark's. */
function isOfAnotherScale(id, trace) {
  const { score, facet_scores: all } = candidateOf(trace, id),
    own = all.find((one) => one.facet_id === "f0"),
    rule = trace.settings["slots.by"];
  return rule === "score" ? own?.relevance !== score : rule !== "facets" && !own;
}

/** What a trace says of a memory that was found; undefined if it says nothing. */
const candidateOf = ({ candidates }, id) => candidates.find((one) => one.memory_id === id);

/** A warning that a newer memory replaces this one, or may do so; undefined if none does. */
function outdated(id, { trace, names }) {
  const { outdated_by: newer, weakened_by: closest } = candidateOf(trace, id) ?? {};
  const called = (other) => `“${names.get(other) ?? other}”`;
  if (newer) return warning(`A newer memory replaces it: ${called(newer)}`);
  return closest && warning(`A newer memory may replace it: ${called(closest)}`);
}

/** {voter: its last vote} on a candidate, without what earlier sessions taught and what the critic only left unnamed. */
const votesBy = ({ votes }) =>
  Object.fromEntries(
    votes.filter((one) => one.round && one.reason !== "left unnamed").map((one) => [one.by, one]),
  );

/** What the critic voted on a memory, and why, unless `why` says it; and what people voted in which round, in words. */
function votesOn({ id, why }, { trace }) {
  const last = votesBy(candidateOf(trace, id) ?? { votes: [] });
  const reason = (told) => (told && !why.includes(told) ? `: ${told}` : "");
  return [
    ["person", "You voted"],
    ["agent", "An agent voted"],
    ["critic", "The critic voted"],
  ]
    .filter(([by]) => last[by])
    .map(
      ([by, voted]) =>
        `${voted} ${last[by].vote}${by === "critic" ? reason(last[by].reason.replace(/\.$/, "")) : ` in round ${last[by].round}`}.`,
    );
}

/** One memory of an answer. `tools`: see toolsOf in ask.js; `inSession` is set by answerView. */
function card(memory, place, tools) {
  const change = tools.changes.find((one) => one.memory_id === memory.id),
    name = tools.names.get(memory.id) ?? nameOf(memory);
  return el(
    "article",
    { class: "card", "data-memory": memory.id, "aria-label": name },
    el(
      "h3",
      el("span", { class: "place" }, String(place)),
      byId("tabs")
        ? linkButton({ title: "Open in Memories", onclick: () => openMemory(memory.id) }, name)
        : name,
      " ",
      el("span", { class: "quiet score" }, scoreOf(memory.id, tools)),
    ),
    votesOn(memory, tools).map((words) => el("p", { class: "came" }, words)),
    change && el("p", { class: "came" }, `New this round: ${inWords(change.why, tools.names)}`),
    memory.stale ? warning(inWords(memory.stale, tools.names)) : outdated(memory.id, tools),
    el("p", { class: "why" }, inWords(memory.why, tools.names)),
    memory.conflicts_with.length &&
      warning("Also on record: ", memory.conflicts_with.map((one) => one.value).join("; ")),
    facts(memory, tools),
    evidenceOf(memory, tools.question),
    el(
      "div",
      { class: "tools" },
      tools.votes && voteButtons(memory, tools),
      tools.explain && whyButton(tools, memory.id, "Why?"),
      el("code", { class: "quiet" }, memory.id),
    ),
  );
}

/** For memories that were voted wrong: what may have replaced them. */
const proposed = (proposals, names) =>
  proposals
    .filter((one) => one.replaced_by)
    .map((one) =>
      warning(
        `“${names.get(one.memory_id) ?? one.memory_id}” was voted wrong; “${names.get(one.replaced_by) ?? one.replaced_by}” may be right: ${inWords(one.why, names)}`,
      ),
    );

/** The buttons to vote on a memory; in a session, its last vote counts until there is another. */
function voteButtons(memory, { votes, voted, names, inSession }) {
  const standing = inSession ? memory.vote : "",
    now = () => votes.get(memory.id) ?? standing;
  const choose = (name) => {
    if (votes.get(memory.id) === name || name === standing) votes.delete(memory.id);
    else votes.set(memory.id, name);
    paint();
    voted();
  };
  const all = VOTES.map(([name, meaning]) =>
    el(
      "button",
      { type: "button", class: `vote ${name}`, title: meaning, onclick: () => choose(name) },
      name,
    ),
  );
  const paint = () =>
    all.forEach((one) => {
      one.setAttribute("aria-pressed", String(now() === one.textContent));
      one.setAttribute("aria-disabled", String(one.textContent === standing && now() === standing));
    });
  paint();
  return el(
    "div",
    {
      class: "votes",
      role: "group",
      "aria-label": `Vote on ${names.get(memory.id) ?? nameOf(memory)}`,
      onrepaint: paint,
    },
    all,
    standing && quiet(" another vote replaces it"),
  ); // one that was sent cannot be taken back
}

/** Make all vote buttons show the current votes. */
function repaintVotes(holder) {
  for (const one of holder.querySelectorAll(".votes")) one.dispatchEvent(new Event("repaint"));
}

/** A line that says what each vote means. */
const voteWords = () =>
  el(
    "p",
    { class: "quiet vote-words" },
    VOTES.map(([name, meaning]) => `${name}: ${meaning}`).join(" · "),
  );

/** A heading that says why an answer has no memories. */
function whyEmpty(result) {
  if (result.stop_reason === "deadline") return "Time ran out before an answer was found";
  const near =
    !result.maybe.length || result.maybe.some((one) => one.cut_by.includes("near enough"));
  return near
    ? "Nothing stored is near this question"
    : "Nothing that was found answers this question";
}

/** The whole answer of a recall or of a session's round; a round also has branches, changes and proposals. */
function answerView(result, tools) {
  const missing = result.facets
    .filter((facet) => facet.empty && facet.name !== ownFacet(tools.trace))
    .map((facet) => facet.name);
  const left = (result.changes ?? []).filter((one) => one.change === "left");
  const sparked = shownIn(result).length - result.memories.length;
  tools = { ...tools, inSession: Boolean(result.round) };
  const scores = result.memories
    .filter(({ id }) => scoreOf(id, tools))
    .map(({ id }) => tools.scores[id]);
  return el(
    "section",
    { class: "answer", "aria-label": "Answer", tabindex: "-1" },
    el(
      "h2",
      result.round ? `Round ${result.round}: ` : "",
      result.memories.length
        ? plural(result.memories.length, "memory", "memories") + sparkedToo(sparked)
        : whyEmpty(result),
      tools.trace.as_of && `, as of ${day(tools.trace.as_of)}`,
    ),
    result.why &&
      el(
        "p",
        { class: "quiet rounds-left" },
        `${result.why.replace(/\.$/, "")}. ${result.rounds_left ? `Votes can open ${plural(result.rounds_left, "more round", "more rounds")}.` : "This was the last round."}`,
      ),
    left.length &&
      folded(
        `No longer in the answer: ${left.length}`,
        true,
        bullets(
          left.map((one) => [
            el("strong", tools.names.get(one.memory_id) ?? one.memory_id),
            ": ",
            inWords(one.why, tools.names),
          ]),
        ),
      ),
    result.degraded.map((one) => warning(one)),
    result.memories.length &&
      result.memories.every((one) => one.weak) &&
      warning("Little of these is about the question: what it asks for is probably not stored."),
    scores.some((score, index) => index && score > scores[index - 1]) &&
      remark(
        "The score alone does not decide the places here: votes, or the parts of a good answer, come first. Press Why? to see.",
      ),
    result.round &&
      result.memories.length > tools.trace.k &&
      remark(
        `You asked for ${tools.trace.k}. What you vote hot or warm stays, and does not count among them.`,
      ),
    tools.votes && result.memories.length && voteWords(),
    cardsOf(result, tools),
    proposed(result.proposals ?? [], tools.names),
    result.preferences.length && [
      el("h2", "Preferences"),
      bullets(result.preferences.map((one) => one.text)),
    ],
    missing.length &&
      folded(
        `${result.effort === "high" ? "Searched for" : "Often needed for such questions"}, but not found: ${missing.length}`,
        result.effort === "high",
        bullets(missing),
      ),
    result.maybe.length && nearView(result.maybe, tools),
    endedView(tools),
  );
}

/** What searches found that no longer holds; nothing if there is none. */
function endedView(tools) {
  const ended = (tools.trace.hidden ?? []).filter((one) =>
    /^(superseded|deprecated|expired)/.test(one.reason),
  );
  return (
    ended.length &&
    folded(
      `Found, but no longer valid: ${ended.length}`,
      false,
      el(
        "ul",
        { class: "near" },
        ended.map((one) =>
          el(
            "li",
            { "data-memory": one.memory_id },
            el("strong", tools.names.get(one.memory_id) ?? nameOf(one)),
            ` · ${inWords(one.reason, tools.names)} `,
            tools.explain && whyButton(tools, one.memory_id, "Why not?"),
          ),
        ),
      ),
    )
  );
}

/** The cards of an answer, those that sparks led to below. */
function cardsOf({ memories, branches = [] }, tools) {
  let place = 0;
  const cards = (shown) => shown.map((memory) => card(memory, ++place, tools));
  return [
    ...cards(memories),
    ...branches.flatMap((branch) => [
      el("h2", `Sparked by ${tools.names.get(branch.sparked_by) ?? branch.title}`),
      ...(branch.memories.length ? cards(branch.memories) : [remark("It led to nothing else.")]),
    ]),
  ];
}

/** What came close. A reason that all share is said once; the score, which then decided nothing, is not. */
function nearView(maybe, tools) {
  const reason = (memory) => inWords(memory.cut_by.replace(/^\w+: /, ""), tools.names);
  const shared = maybe.length > 1 && maybe.every((one) => one.cut_by === maybe[0].cut_by);
  return [
    el("h2", "What came close, and why it was left out"),
    shared && el("p", `For all of them: ${reason(maybe[0])}.`),
    el(
      "ul",
      { class: "near" },
      maybe.map((memory) =>
        el(
          "li",
          { "data-memory": memory.id },
          el("strong", tools.names.get(memory.id) ?? nameOf(memory)),
          quiet(` ${joined(" · ", day(memory.created_at), !shared && scoreOf(memory.id, tools))}`),
          shared ? null : ` · ${reason(memory)}`,
          " ",
          tools.explain && whyButton(tools, memory.id, "Why not?"),
          memory.cut_by.includes("outdated by") ? null : outdated(memory.id, tools),
        ),
      ),
    ),
  ];
}

/** The drawing of the path, with a switch that adds the nearest memories that were not returned. */
function pathView(trace, result, { names, scores }, onMemory) {
  const returned = shownIn(result).map((memory) => memory.id);
  const near = trace.candidates
    .filter((one) => one.slot === null)
    .slice(0, 8)
    .map((one) => one.memory_id);
  const holder = el("div");
  const all = el("input", { type: "checkbox", onchange: () => draw() });
  const too = el("span", lineSample("edge weak"), " led to it, too");
  const draw = () => {
    replace(
      holder,
      drawPath(trace, all.checked ? [...returned, ...near] : returned, {
        onMemory,
        names,
        scores,
        trace,
      }),
    );
    too.hidden = !holder.querySelector(".edge.weak");
  };
  draw();
  return el(
    "section",
    { class: "path-view", "aria-label": "Path" },
    el("h2", "How each memory was found"),
    remark(
      "The number before a need or search is 1 for what the question names, 2 for what it implies, 3 for what the memories found led to. c stands before a cue: a request that a memory was stored for. ",
      result.branches?.length ? "s stands before what a spark led to. " : "",
      "The number before a memory is its place. Click a memory, or press Enter on it, to see why it came back; arrow keys follow the lines.",
    ),
    remark(lineSample("edge"), " led to the memory’s place ", too),
    el("label", all, " include memories that were not returned"),
    holder,
  );
}
