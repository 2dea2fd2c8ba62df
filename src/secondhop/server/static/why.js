"use strict";
// Why a memory came back or did not, in the words of this page, and what would admit it.

/** [what the command line says, what this page says instead]. */
const PAGE_WORDS = [
  [/^Round (\d+), \w+: /, "Round $1: "],
  [
    /^Found for “[^”]*”; its search was bent by these votes/,
    "your votes moved the search that found it",
  ],
  [/--effort none --set ranking\.min_score=([\d.]+)/, "--effort none with ranking.min_score = $1"],
  [/--effort none(.*?) --k (\d+)/, "ask with effort none$1 for $2 memories"],
  [/--k (\d+)/g, "ask for $1 memories"],
  [/--tokens (\d+)/g, "ask for $1 tokens"],
  [/`--set ranking\.depth_factor=(\d+)`/, "start the server with --set ranking.depth_factor=$1"],
  [
    /`--set ranking\.min_score=([\d.]+)(?: --set limits\.k=(\d+))?`/,
    (_all, bar, k) =>
      `start the server with --set ranking.min_score=${bar}, which lowers the bar for what is near enough${k ? `, and ask for ${k} memories` : ""}`,
  ],
  [/ \(hop ([123])\)/g, (_all, hop) => ` (${HOPS[hop]})`],
  [/a longer --deadline/, "a longer deadline (a setting of the server)"],
  [/`--as-of` with a time before/, "ask as of a time before"],
  [
    /`--include-stale` shows it, marked as outdated; `[^`]*`/,
    "“include memories that no longer hold” shows it, marked as outdated; “Let it hold again”",
  ],
  [
    /(; or )?add a cue in place of .*?: `[^`]*`(; or )?/, // which its button says
    (_all, before, after) => (before && after ? before : ""),
  ],
  [/add a cue, (.*?): `[^`]*`/, "add this question as a cue, $1"],
  [/keeps it out, `recall\.learning\.forget[^`]*`/, "keeps it out, take that back, too"],
  [/`recall\.learning\.forget[^`]*`: [^;]*/, "take back what earlier sessions taught of it"],
  [
    /people refused it for questions like this one/,
    "it was refused in an earlier session on such a question",
  ],
  [/by the person/g, "by you"],
  [/what a person votes/g, "what you vote"],
  [/^Next in line for “[^”]*”; these votes made room/, "your votes made room for it"],
  [/^Next in line for “[^”]*”/, "it was the next best"],
  [/; these votes made room/, "; your votes made room"],
  [/“the question itself”|the question itself/g, "the question"],
];

/** [what the command line offers, [the words of a button that does it, what it changes of the recall]]. */
const OFFERS = [
  [
    /--effort none --k (\d+)/,
    (k) => [`Ask for ${k} with effort none`, { k: Number(k), effort: "none" }],
  ],
  [/(?<!none |=[\d.]+ )--k (\d+)/, (k) => [`Ask for ${k}`, { k: Number(k) }]],
  [/--include-stale/, () => ["Ask with such memories", { include_stale: true }]],
  [/as of a later time/, () => ["Ask without the date", { as_of: null }]],
  [/^ask again(?! in a new session)/, () => ["Ask again", {}]],
];

/** Buttons that ask the question of a recall again so that a memory may come back. */
const offerButtons = (change, trace) =>
  OFFERS.map(([offer, does]) => [offer.exec(change), does])
    .filter(([found]) => found)
    .map(([[, value], does]) => {
      const [words, changes] = does(value);
      return button(words, () => askAgain(trace, changes));
    });

/** A sentence of the server as this page says it, with names of memories instead of ids. */
function inWords(text, names) {
  const told = PAGE_WORDS.reduce((said, [command, words]) => said.replace(command, words), text);
  return told
    .replace(/(\S+) (“[^”]*”)/g, (all, id) => (names.has(id) ? `“${names.get(id)}”` : all))
    .replace(
      /(repeats what |close in wording or meaning to |outdated by |superseded by |on the way that |came back with )(\S+?)(?=[ ,.;]|$)/g,
      (all, before, id) => (names.has(id) ? `${before}“${names.get(id)}”` : all),
    );
}

/** The story of one memory in one recall. `name`: the memory's name, if the page does not show it above; `side`: of a comparison. `tools.explain` also explains the memory that replaces it. */
function story(explanation, tools, name = "", side = "") {
  const { names } = tools,
    it = name ? `“${name}”` : "it";
  const head = `Why ${it} ${explanation.returned ? "came back" : "did not come back"}${side && ` in ${side}`}`;
  return el(
    "div",
    { class: "story", tabindex: "-1", role: "group", "aria-label": head },
    el("strong", head),
    bullets(explanation.story.map((sentence) => inWords(sentence, names))),
    explanation.replaced_by &&
      el(
        "section",
        whyButton(
          tools,
          explanation.replaced_by,
          "Why, or why not, the newer one?",
          names.get(explanation.replaced_by) ?? explanation.replaced_by,
        ),
      ),
    explanation.nearest_change && adviceView(explanation, tools),
    explanation.computed.length &&
      folded(
        "How its score was computed",
        false,
        partsTable(explanation.parts, candidateOf(tools.trace, explanation.memory_id)),
        bullets(explanation.computed),
      ),
  );
}

/** What would admit a memory, in words and with buttons. What sessions taught may be taken back already; then one only asks again. */
function adviceView(explanation, tools) {
  const { memory_id: id, nearest_change: said } = explanation,
    { names, canStore, trace } = tools;
  const change = said.replace(/`secondhop cues [^`]*`/, "`secondhop cues`"); // it quotes the question
  const k = Math.max(trace.k, Number(/at place (\d+): ask/.exec(change)?.[1] ?? 0)),
    again = () => button(k > trace.k ? `Ask for ${k}` : "Ask again", () => askAgain(trace, { k }));
  const view = el("div"),
    needsForgetting = change.includes("learning.forget");
  const show = (words, ...tried) =>
    replace(
      view,
      el("p", el("strong", "What would admit it: "), words, "."),
      canStore && el("div", { class: "tools" }, tried),
    );
  const showAll = () =>
    show(
      [
        isCueOf(explanation, tools) && "this question is a cue of it already; now ",
        inWords(change, names),
      ],
      offerButtons(change, trace),
      needsForgetting && takeBack(id, ["Taken back. ", again()]),
      change.includes("--restore") &&
        restoreButton(id, ["It holds again. ", askAgainButton(trace)]),
      change.includes("add a cue") && !isCueOf(explanation, tools) && cueButton(id, tools),
    );
  if (canStore && needsForgetting)
    trying(async () =>
      (await isTaught(id))
        ? showAll()
        : show(
            change.startsWith("ask again")
              ? "ask again without this vote"
              : `${k > trace.k ? `ask for ${k} memories` : "ask again"}: what sessions taught of it was taken back since`,
            again(),
          ),
    );
  else showAll();
  return view;
}

/** The parts that add up to a score, as a table; nothing if there are none. `candidate`: the memory in the trace, which names its cues. */
function partsTable(parts, candidate) {
  const { cue = "", undertaking = "" } = candidate ?? {};
  const cueRow = parts.find(
    ({ name, added }) => ["cues", "broad cues"].includes(name) && added > 0,
  ); // the trace does not tell of which kind the nearest cue is
  const meaning = (one) => {
    if (one === cueRow && cue && cue !== undertaking)
      return `${one.meaning}; its nearest cue: “${cue}”`;
    return one.name === "shared undertaking" && undertaking
      ? `${one.meaning}: “${undertaking}”`
      : one.meaning;
  };
  return (
    parts.length &&
    table(
      "Parts of the score",
      ["part", "what it is", "adds"],
      parts.map((one) => [
        one.name === "shared undertaking" ? "shared broad cues" : one.name,
        meaning(one),
        (one.added > 0 ? "+" : "") + one.added.toFixed(2),
      ]),
      "group",
    )
  );
}

/** Whether the question is a cue of a memory already. */
const isCueOf = ({ memory_id: id }, { trace, question }) =>
  candidateOf(trace, id)?.cue?.toLowerCase() === question.toLowerCase();

/** A button that lets a memory hold again that was superseded, deprecated or expired; `told` then stands in its place. */
const restoreButton = (memoryId, told) =>
  onceButton(
    "Let it hold again",
    () => post(ofEntity(`/restore/${encodeURIComponent(memoryId)}`)),
    told,
  );

/** A button that takes back what sessions taught about a memory; `told` then stands in its place. */
const takeBack = (memoryId, told, done = () => {}) =>
  onceButton(
    "Take it back",
    async () => {
      await call("DELETE", ofEntity(`/learned/${encodeURIComponent(memoryId)}`));
      for (const row of document.querySelectorAll(`[data-learned="${CSS.escape(memoryId)}"]`))
        row.remove();
      for (const view of built.values())
        view.element.querySelector(".resolved")?.dispatchEvent(new Event("untaught"));
      done();
    },
    told,
  );

/** Whether something is known of a memory from sessions. */
const isTaught = async (memoryId) =>
  (await learned()).some((one) => one.memories.some((memory) => memory.memory_id === memoryId));

/** A button that shows the story of a memory below the card it is in; a second press hides it. */
function whyButton(tools, memoryId, label, name = "", side = "") {
  let shown = null;
  return button(
    label,
    async (pressed) => {
      shown?.remove();
      shown = shown ? null : story(await tools.explain(memoryId), tools, name, side);
      pressed.setAttribute("aria-expanded", String(shown !== null));
      if (!shown) return;
      pressed.closest("article, li, form, section").append(shown);
      shown.focus();
    },
    { "aria-expanded": "false", class: "why-button" },
  );
}

/** A form that explains any memory, returned or not. `search`: finds stored memories by words; null in a file of one recall. */
function whyNotForm(tools, search) {
  const { explain, names } = tools;
  const input = field("Memory id", "title, id, or words in it", {
    list: "known-memories",
    autocomplete: "off",
  });
  const told = el("div", { class: "told", tabindex: "-1" });
  let last = 0; // an answer that comes after the next question is not shown
  const tell = async (mine, id, name, text) => {
    const explanation = await explain(id);
    const said = text ?? (search ? await textOf(id) : "");
    if (mine !== last) return;
    replace(
      told,
      el(
        "div",
        { class: "story" },
        el(
          "h3",
          names.get(id) ?? nameOf({ id, title: explanation.title || name, text: said }),
          el("span", { class: "quiet score" }, scoreOf(id, tools)),
        ),
        said && quote(said),
        story(explanation, tools),
      ),
    );
  };
  const answer = async (mine, said) => {
    const known = [...names].find(
      ([id, name]) =>
        id === said ||
        [name, name.split(": ")[0]].some((one) => one.toLowerCase() === said.toLowerCase()),
    );
    if (known || !search) return tell(mine, known ? known[0] : said, known?.[1] || said);
    const found = await search(said);
    const inARow = found.filter((one) => saysInARow(`${one.title}\n${one.text}`, said));
    const own =
      found.length === 1
        ? found[0]
        : (found.find((one) => one.memory_id === said) ?? (inARow.length === 1 ? inARow[0] : null));
    if (own) return tell(mine, own.memory_id, nameOf(own), own.text);
    if (mine !== last) return null;
    return replace(
      told,
      el(
        "p",
        found.length
          ? `${plural(found.length, "memory", "memories")} with these words; which one?`
          : "No stored memory has this id, title or words.",
      ),
      bullets(
        found
          .slice(0, 20)
          .map((one) => [
            `${day(one.created_at)} `,
            el("strong", nameOf(one)),
            ` ${around(one.text, said, 160)} `,
            whyButton(tools, one.memory_id, "Why, or why not?"),
          ]),
        "near",
      ),
    );
  };
  const submit = () =>
    trying(async () => {
      const said = input.value.trim();
      await answer(++last, said);
      if (input.value.trim() !== said) return; // one who writes the next stays there
      told.focus({ preventScroll: true });
      told.scrollIntoView({ block: "start" });
    }, form);
  const form = formFor(
    "why-not",
    submit,
    el("label", "Why, or why not, this memory? ", input),
    " ",
    el("button", "Explain"),
    el(
      "datalist",
      { id: "known-memories" },
      [...names].slice(0, 300).map(([id, title]) => el("option", { value: id }, title)),
    ),
    told,
  );
  return form;
}
