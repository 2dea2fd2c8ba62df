"use strict";
// What two recalls differ in: what only one returned, why, and at what cost.

/** {memory id: the cues that count for it} in a recall, as far as its trace tells. */
const cuesIn = ({ trace }) =>
  new Map(
    trace.candidates.map(({ memory_id: id, cue, undertaking }) => [
      id,
      [cue, undertaking].filter(Boolean),
    ]),
  );

/** What happened between two recalls of memories that they returned, or whose nearest cue differs: {memory id: words}. Of votes that were taken back since, nothing is known. */
async function between(a, b) {
  const [start, end] = [a, b]
      .map(({ trace }) => new Date(trace.asked_at))
      .sort((one, other) => one - other),
    isBetween = (at) => new Date(at) >= start && new Date(at) < end; // what a session taught has the time at which it was asked
  const shown = new Map([...shownIn(a.result), ...shownIn(b.result)].map((one) => [one.id, one]));
  const [inA, inB] =
    a.result.question === b.result.question ? [a, b].map(cuesIn) : [new Map(), new Map()];
  const moved = [...inA.keys()].filter((id) => inB.has(id) && inA.get(id)[0] !== inB.get(id)[0]);
  const gone = (id, own, others, stored, name) =>
    (own.get(id) ?? [])
      .filter((cue) => !others.get(id)?.includes(cue) && !stored.includes(cue))
      .map((cue) => `its cue “${cue}” counted in ${name} and was removed since`);
  return new Map(
    await Promise.all(
      [...new Set([...shown.keys(), ...moved])].map(async (id) => {
        const written = isBetween(shown.get(id)?.created_at) && "written in between";
        const { cues } = await get(ofEntity(`/cues/${encodeURIComponent(id)}`)).catch(() => ({}));
        if (!cues) return [id, written || ""]; // they cannot be read
        const stored = cues.map(({ text }) => text);
        return [
          id,
          joined(
            "; ",
            written,
            ...cues
              .filter((cue) => isBetween(cue.written_at))
              .map((cue) =>
                cue.origin === "session"
                  ? `${votesIn(cue)}, in between`
                  : `cue added in between: “${cue.text}”`,
              ),
            ...gone(id, inA, inB, stored, "A"),
            ...gone(id, inB, inA, stored, "B"),
          ),
        ];
      }),
    ),
  );
}

/** The last votes of a session before this round, one for each memory; [] of another recall. */
const votesBefore = ({ candidates }) =>
  candidates
    .map(({ votes }) => votes.findLast(({ by }) => ["person", "agent"].includes(by))?.vote)
    .filter(Boolean);

/** {setting: value} of a recall, to compare with another's; some names are those that `--set` takes. */
const settingsOf = ({ trace, prompts }) => ({
  memories: trace.k,
  effort: trace.effort,
  "memories that no longer hold": trace.include_stale ? "included" : "left out",
  "your votes": votesCounted(
    Object.fromEntries(
      VOTES.map(([vote]) => [vote, votesBefore(trace).filter((one) => one === vote).length]),
    ),
  ),
  "as of": day(trace.as_of) || "now",
  planner: trace.planner.replace(/:\w+\.v\w+@.*/, ""),
  ...Object.fromEntries(prompts.map((one) => [`prompt ${one.name}`, promptOrigin(one)])),
  ...Object.fromEntries(
    Object.entries(trace.settings).filter(
      ([key]) => !["question.kind", "limits.k", "slots.by", "answer.min_score"].includes(key),
    ),
  ),
});

/** The lines of two texts as a diff: [[where, line]]; where is "both", "A" or "B". */
function diffOf(own, theirs) {
  const [a, b] = [own, theirs].map((text) => text.split("\n"));
  const same = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0)); // same[i][j]: how many lines a and b share, in order, from lines i and j on
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      same[i][j] =
        a[i] === b[j] ? same[i + 1][j + 1] + 1 : Math.max(same[i + 1][j], same[i][j + 1]);
  const rows = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      rows.push(["both", a[i++]]);
      j++;
    } else if (i < a.length && (j === b.length || same[i + 1][j] >= same[i][j + 1]))
      rows.push(["A", a[i++]]);
    else rows.push(["B", b[j++]]);
  }
  return rows;
}

/** Where the prompts of both sides differ, one element for each prompt that does. */
function promptsCompared(a, b) {
  const pairs = a.prompts
    .map((one) => [one, b.prompts.find((two) => two.name === one.name)])
    .filter(([one, two]) => two && one.hash !== two.hash);
  return pairs.map(([one, two]) =>
    one.text && two.text
      ? table(
          `Prompt ${one.name}: lines that differ`,
          ["in", "line"],
          diffOf(one.text, two.text).filter(([where, line]) => where !== "both" && line.trim()),
        )
      : remark(
          `Prompt ${one.name}, ${[one, two]
            .filter(({ text }) => !text)
            .map(promptOrigin)
            .join(
              " and ",
            )}: its words were not kept with the recall, so they cannot be compared. Recalls keep them from now on.`,
        ),
  );
}

/** {memory id: place in the answer, from 1}. */
const placesIn = (result) =>
  new Map(shownIn(result).map((memory, index) => [memory.id, index + 1]));

/** The factors that count for a memory in a recall, the last vote of each voter, and why it was not returned, in words; [] if the trace does not tell. */
function weighedIn({ trace, stored, tools: { names } }, id) {
  const one = candidateOf(trace, id),
    hidden = trace.hidden?.find((each) => each.memory_id === id);
  if (hidden) return [hidden.reason];
  if (!one) return [];
  const { factors = [], last_because: last = "" } = stored.get(id) ?? {},
    cut = one.slot === null && one.drops.at(-1),
    refused = cut?.stage === "critique" && one.votes.findLast(({ round }) => !round)?.reason;
  if (refused) return [inWords(refused, names)];
  const facet = trace.facets.find((each) => each.facet_id === one.slot_facet);
  return [
    facet && facet.facet_id !== "f0" && `found for “${facet.name}”`,
    last
      ? `comes last: ${inWords(last, names)}`
      : cut && cut.stage !== "critique" && inWords(cut.reason, names),
    ...factors.filter((factor) => !(last && factor.startsWith("a newer memory "))),
    ...Object.entries(votesBy(one)).map(
      ([by, { vote }]) => `voted ${vote} by ${by === "person" ? "you" : `the ${by}`}`,
    ),
  ].filter(Boolean);
}

/** What counts for a memory in only one of two recalls; "" if nothing is known. */
function weighedOtherwise(a, b, id) {
  const [inA, inB] = [a, b].map((side) => weighedIn(side, id)),
    only = (own, others) => own.filter((one) => !others.includes(one)).join(", ");
  return [
    ["A", only(inA, inB)],
    ["B", only(inB, inA)],
  ]
    .filter(([, words]) => words)
    .map(([name, words]) => `${name}: ${words}`)
    .join(" · ");
}

/** The searches of a recall beside the question; playbooks only weigh what is found. */
const besideQuestion = ({ trace }) =>
  trace.queries.filter((query) => query.facet_id !== "f0" && query.origin !== "playbook");

/** What `one` has that `other` does not, what it looked for, and what more it cost. */
function summary(one, other, happened) {
  const own = shownIn(one.result).filter((memory) => !placesIn(other.result).has(memory.id));
  const asked = new Set(besideQuestion(one).map((query) => query.facet_id)),
    sought = one.trace.facets
      .filter((facet) => asked.has(facet.facet_id))
      .map((facet) => facet.name);
  const [calls, theirs] = [one, other].map(({ result }) => result.spent.llm_calls);
  const [tokens, less] = [one, other].map(
    ({ result }) => result.spent.prompt_tokens + result.spent.completion_tokens,
  );
  const [queries, fewer] = [one, other].map(({ result }) => result.spent.queries);
  const why = ({ tools, name }, id, label) =>
    tools.explain && whyButton(tools, id, label, one.tools.names.get(id), name);
  const told = (memory) =>
    el(
      "li",
      el("strong", one.tools.names.get(memory.id) ?? nameOf(memory)),
      [
        (memory.stale || candidateOf(one.trace, memory.id)?.outdated_by) && "outdated",
        happened.get(memory.id),
      ]
        .filter(Boolean)
        .map((words) => ` (${words})`),
      " ",
      why(one, memory.id, `Why in ${one.name}?`),
      " ",
      why(other, memory.id, `Why not in ${other.name}?`),
    );
  const gone = one.trace.forgotten?.length;
  const more = [
    calls > theirs && `${plural(calls - theirs, "model call")} more`,
    tokens > less && `${(tokens - less).toLocaleString("en")} tokens more`,
  ].filter(Boolean);
  return el(
    "li",
    el("strong", one.name),
    own.length
      ? ` brought ${own.length} that ${other.name} did not.`
      : ` brought nothing that ${other.name} did not.`,
    sought.length ? ` It looked for: ${[...new Set(sought)].join(", ")}.` : "",
    gone
      ? ` Of what it found, ${plural(gone, "memory was", "memories were")} forgotten since.`
      : "",
    more.length ? ` It cost ${more.join(" and ")}.` : "",
    ` ${plural(queries, "query", "queries")}${queries === fewer ? "" : ` (${other.name}: ${fewer})`} in ${timeOf(one.result)}.`,
    own.length ? el("ul", { class: "near" }, own.map(told)) : null,
  );
}

/** The names of memories that both recalls looked at, and for which what sessions taught counted otherwise. */
function taughtOtherwise(a, b) {
  const counted = ({ trace }) =>
      new Map(trace.candidates.map((one) => [one.memory_id, one.factors.learned ?? 1])),
    inB = counted(b);
  const both =
    a.result.question === b.result.question ? [...counted(a)].filter(([id]) => inB.has(id)) : [];
  const told = (words, counts) => {
    const ids = both.filter(([id, inA]) => counts(inA, inB.get(id))).map(([id]) => id);
    return (
      ids.length &&
      el("p", `By what sessions taught, counts ${words}: ${named(ids, a.tools.names)}.`)
    );
  };
  return [
    told("more in A than in B", (inA, inB) => inA > inB && inA > 1),
    told("less in B than in A", (inA, inB) => inA > inB && inA <= 1),
    told("more in B than in A", (inA, inB) => inB > inA && inB > 1),
    told("less in A than in B", (inA, inB) => inB > inA && inB <= 1),
  ];
}

/** Which of two answers has more that helps, less what does not, by a person's marks; if both have as much, which has it earlier (discounted as in nDCG). */
function betterBy(votes, sides) {
  const worth = { hot: 2, warm: 1, cold: -1, wrong: -2 };
  const worths = (share) =>
    sides.map(({ result }) =>
      shownIn(result).reduce(
        (sum, { id }, place) => sum + (worth[votes.get(id)] ?? 0) * share(place),
        0,
      ),
    );
  const whole = worths(() => 1),
    isTie = whole[0] === whole[1];
  const [a, b] = isTie ? worths((place) => 1 / Math.log2(place + 2)) : whole;
  const better = Math.abs(a - b) < 1e-9 ? "neither" : a > b ? "A" : "B";
  if (isTie && better !== "neither")
    return `By them, both have as much, and ${better} has it in the better order`;
  return `By them, ${better} is better (hot counts 2, warm 1, cold −1, wrong −2)`;
}

/** A line that counts the person's marks in two answers; the marks stay in this tab, also after a reload. */
function tallied(sides) {
  const marks = `marks ${sides.map(({ trace, result }) => trace.trace_id ?? result.trace_id).join(" ")}`,
    votes = new Map(JSON.parse(sessionStorage.getItem(marks)));
  const line = el("p", { role: "status" });
  const voted = () => {
    sessionStorage.setItem(marks, JSON.stringify([...votes]));
    repaintVotes(document);
    const counted = sides.map(
      ({ name, result }) =>
        `${name}: ${
          VOTES.map(([vote]) => [
            shownIn(result).filter((memory) => votes.get(memory.id) === vote).length,
            vote,
          ])
            .filter(([count]) => count)
            .map((one) => one.join(" "))
            .join(", ") || "none marked"
        }`,
    );
    line.textContent = votes.size
      ? `Your marks: ${counted.join(" · ")}. ${betterBy(votes, sides)}.`
      : "Which is better? Mark what helps (hot, warm) and what does not (cold, wrong); marks stay in this tab.";
  };
  voted();
  return { votes, voted, line };
}

/** What each plan searched for, side by side; nothing if neither recall planned. */
function searched(a, b) {
  const [own, theirs] = [a, b].map((side) => besideQuestion(side).map((query) => query.text));
  const texts = [...new Set([...own, ...theirs])];
  return (
    texts.length &&
    table(
      "Searched for beside the question",
      ["query", "A", "B"],
      texts.map((text) => [
        text,
        own.includes(text) ? "yes" : "–",
        theirs.includes(text) ? "yes" : "–",
      ]),
    )
  );
}

/** `happened`: see `between`. */
function comparison(a, b, happened) {
  const [inA, inB] = [placesIn(a.result), placesIn(b.result)];
  const known = new Map(
    [...shownIn(a.result), ...shownIn(b.result)].map((memory) => [memory.id, memory]),
  );
  const shared = [...inA.keys()].filter((id) => inB.has(id)).length;
  const rows = [...known.values()].map((memory) => {
    const [one, two] = [inA.get(memory.id), inB.get(memory.id)];
    const told =
      one && two
        ? one === two
          ? "same"
          : one > two
            ? "higher in B"
            : "lower in B"
        : one
          ? "only A"
          : "only B";
    return [
      a.tools.names.get(memory.id) ?? b.tools.names.get(memory.id) ?? nameOf(memory),
      one ?? "–",
      two ?? "–",
      told,
      joined(" · ", happened.get(memory.id), weighedOtherwise(a, b, memory.id)),
    ].map(String);
  });
  const isWeighed = rows.some((row) => row[4]),
    elsewhere = [...happened].filter(([id, words]) => words && !known.has(id));
  const cost = ({ name, result, result: { spent, rounds } }) => [
    name,
    timeOf(result),
    String(rounds),
    String(spent.queries),
    String(spent.llm_calls),
    String(spent.prompt_tokens + spent.completion_tokens),
  ];
  const [inForce, others] = [settingsOf(a), settingsOf(b)];
  const changed = Object.keys({ ...inForce, ...others }).filter(
    (key) => inForce[key] !== others[key],
  );
  const { votes, voted, line } = tallied([a, b]);
  return el(
    "section",
    { class: "answer", "aria-label": "Comparison" },
    el(
      "h2",
      `${plural(shared, "memory", "memories")} in both; ${inA.size - shared} only in A, ${inB.size - shared} only in B`,
    ),
    a.result.question === b.result.question
      ? null
      : warning(
          `A and B answer different questions: “${a.result.question}” and “${b.result.question}”.`,
        ),
    el("ul", summary(a, b, happened), summary(b, a, happened)),
    taughtOtherwise(a, b),
    elsewhere.length &&
      el(
        "p",
        `In neither answer: ${elsewhere.map(([id, words]) => `“${a.tools.names.get(id) ?? b.tools.names.get(id) ?? id}” (${words})`).join("; ")}.`,
      ),
    [...happened.values()].some((words) => /cue added|its cue “/.test(words)) &&
      remark(
        "Scores compare memories with each other, so a cue that one got or lost in between moves the scores of others, too.",
      ),
    line,
    voteWords(),
    changed.length &&
      table(
        "What was different",
        ["setting", "A", "B"],
        changed.map((key) => [key, String(inForce[key] ?? "–"), String(others[key] ?? "–")]),
      ),
    promptsCompared(a, b),
    searched(a, b),
    table(
      "Places",
      ["Memory", "A", "B", "Change", ...(isWeighed ? ["What differs for it"] : [])],
      isWeighed ? rows : rows.map((row) => row.slice(0, 4)),
    ),
    table("Cost", ["side", "time", "rounds", "queries", "model calls", "tokens"], [a, b].map(cost)),
    el(
      "div",
      { class: "two compared" },
      [a, b].map((one) => el("div", answerOf(one, { votes, voted }))),
    ),
  );
}
