"use strict";
// What is stored: memories with their history, facts, and what a chat starts with.

const PAGE = 500;

/** Whether a memory has all these words, in any order, in its title, text or id. */
function hasWords(memory, words) {
  const said = `${memory.title} ${memory.text} ${memory.memory_id}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => said.includes(word));
}

/** All stored memories that contain these words. */
async function storedWith(words) {
  const found = [];
  for (let after = "", page; page === undefined || after; after = page.next) {
    page = await get(ofEntity(`/memories?limit=${PAGE}&after=${encodeURIComponent(after)}`));
    found.push(...page.memories.filter((memory) => hasWords(memory, words)));
  }
  return found;
}

/** A form to write a memory in; calls `added` when it is stored. */
function addForm(added) {
  const title = el("input", {
    "aria-label": "Title of the new memory",
    placeholder: "title, if it has one",
  });
  const text = el("textarea", {
    rows: "3",
    required: true,
    "aria-label": "Text of the new memory",
    placeholder: "what to remember",
  });
  return el(
    "form",
    {
      class: "ask",
      onsubmit: (event) => {
        event.preventDefault();
        trying(async () => {
          await post(ofEntity("/remember"), { text: text.value, title: title.value });
          title.value = text.value = "";
          say("Stored");
          await added();
        }, event.target);
      },
    },
    title,
    text,
    el("div", { class: "row" }, el("button", { class: "primary" }, "Store")),
  );
}

/** A memory by its id; if it is no longer stored, only its id and the given title. */
const storedOr = async (id, title = "") => ({
  title,
  ...(await get(ofEntity(`/memories/${encodeURIComponent(id)}`)).catch(() => ({}))),
  id,
});

/** What sessions taught, with buttons to take it back; calls `changed` when one was pressed. */
async function learnedView(changed) {
  const questions = await learned();
  const names = namesOf(
    await Promise.all(
      questions.flatMap((one) =>
        one.memories.map((memory) => storedOr(memory.memory_id, memory.title)),
      ),
    ),
  );
  return questions.length
    ? el(
        "details",
        {},
        el("summary", {}, `Learned from sessions: ${questions.length}`),
        questions.map((one) => [
          el("h2", {}, one.question),
          el(
            "ul",
            {},
            one.memories.map((memory) =>
              el(
                "li",
                {},
                `“${names.get(memory.memory_id)}” ${memory.refused ? "is left out" : memory.votes > 0 ? "counts more" : "counts a little less"} `,
                takeBack(memory.memory_id, "Taken back", () => {
                  say("Taken back: such questions are answered as before");
                  changed();
                }),
              ),
            ),
          ),
        ]),
      )
    : null;
}

let opensLearned = false; // whether the view opens with what was learned unfolded

/** Open a memory in the Memories tab. */
function openMemory(id) {
  const address = addressIn("memory", id);
  if (location.hash === address) open("memories", id);
  else location.hash = address;
}

/** What an empty list says of the kind it was asked for. */
const NONE_OF_KIND = {
  continuity:
    "No such memories yet. Conversations and notes become such: write one above, or run secondhop ingest FILE.",
  factual:
    "No facts yet. They are read out of conversations (secondhop observe), or stored one by one (secondhop remember).",
  preferential:
    "No preferences yet. They are read out of conversations (secondhop observe), or stored one by one (secondhop remember).",
};

function memoriesView() {
  const list = el("ul", { class: "rows" }),
    detail = el("div", { class: "detail" });
  const words = el("input", {
    type: "search",
    placeholder: "filter",
    "aria-label": "Filter",
    oninput: () => {
      refilter();
      loadRest();
    },
  });
  const kind = el(
    "select",
    { "aria-label": "Kind", onchange: () => refilter() },
    ["all kinds", "continuity", "factual", "preferential"].map((one) => el("option", {}, one)),
  );
  const loaded = new Map(); // {id: memory}
  let after = "";
  const fits = (memory) =>
    (kind.selectedIndex === 0 || memory.kind === kind.value) && hasWords(memory, words.value);
  const refilter = () => {
    const shown = [...loaded.values()]
      .filter(fits)
      .sort((a, b) => b.created_at.localeCompare(a.created_at))
      .slice(0, 500);
    replace(
      list,
      shown.length || after || !loaded.size
        ? shown.map(row)
        : el(
            "li",
            {},
            words.value
              ? "No memory has all these words. Try fewer words, or all kinds."
              : NONE_OF_KIND[kind.value],
          ),
    );
  };
  const row = (memory) =>
    el(
      "li",
      {},
      el(
        "button",
        {
          type: "button",
          class: memory.end ? "link ended" : "link",
          "data-memory": memory.memory_id,
          "aria-current": opened?.memory_id === memory.memory_id && "true",
          onclick: () => trying(() => open(memory)),
        },
        el("span", { class: "quiet" }, `${day(memory.created_at)} `),
        nameOf(memory),
        memory.end ? ` (${memory.end})` : "",
        words.value &&
          !hasWords({ title: "", text: nameOf(memory), memory_id: "" }, words.value) &&
          el("span", { class: "quiet" }, ` ${around(memory.text, words.value, 110)}`),
      ),
    );
  let opened = null; // the memory beside the list
  const show = async (memory) => {
    const past = await get(ofEntity(`/history/${encodeURIComponent(memory.memory_id)}`));
    const cues = await get(ofEntity(`/cues/${encodeURIComponent(memory.memory_id)}`));
    const near = await Promise.all(
      [...cues.replaces, cues.replaced_by].filter(Boolean).map((id) => storedOr(id)),
    );
    replace(detail, memoryView(memory, past, cues, near, { open, replaced, ended, forgotten }));
    opened = memory;
    for (const one of list.querySelectorAll("button"))
      if (one.dataset.memory === memory.memory_id) one.setAttribute("aria-current", "true");
      else one.removeAttribute("aria-current");
  };
  const open = async (memory) => {
    await show(memory);
    showAddress("memories", addressIn("memory", memory.memory_id), nameOf(memory));
    list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    detail.firstChild.focus({ preventScroll: true });
    detail.firstChild.scrollIntoView({ block: "nearest" }); // shows its start if it is longer than the screen
  };
  const replaced = async (kept) => {
    for (const id of [...kept.supersedes, kept.memory_id])
      loaded.set(id, await get(ofEntity(`/memories/${encodeURIComponent(id)}`)));
    refilter();
    await open(loaded.get(kept.memory_id));
    await trying(showStats);
    say(kept.notice || "Replaced", Boolean(kept.notice));
  };
  const ended = async ({ memory_id: id }) => {
    loaded.set(id, await get(ofEntity(`/memories/${encodeURIComponent(id)}`)));
    refilter();
    await open(loaded.get(id));
  };
  const forgotten = async ({ memory_id: id }) => {
    loaded.delete(id);
    opened = null;
    refilter();
    replace(detail, el("p", {}, "It is forgotten: its text is deleted, also from kept recalls."));
    await trying(showStats);
  };
  const load = async () => {
    const page = await get(ofEntity(`/memories?limit=${PAGE}&after=${encodeURIComponent(after)}`));
    for (const one of page.memories) loaded.set(one.memory_id, one);
    after = page.next;
    more.hidden = !after;
    refilter();
    none.hidden = loaded.size > 0;
    say(`${plural(loaded.size, "memory", "memories")} loaded`);
  };
  const more = button("Load more", load);
  const reload = async () => {
    loaded.clear();
    after = "";
    await load();
    await trying(showStats);
    adding.open ||= !loaded.size;
  };
  const none = el(
    "p",
    { hidden: true },
    "No memory is stored yet. Write one here, ingest files (secondhop ingest FILE), or choose another name at the top.",
  );
  const added = async () => {
    words.value = "";
    kind.selectedIndex = 0;
    await reload();
  }; // a filter would hide it
  const adding = el("details", {}, el("summary", {}, "Add a memory"), none, addForm(added));
  const taught = el("div");
  const showTaught = async () => {
    const now = await learnedView(showTaught),
      open = opensLearned || taught.querySelector("details")?.open;
    opensLearned = false;
    replace(taught, now);
    if (now && open) now.open = true;
  };
  const openGiven = async (id) => {
    await first;
    if (id)
      await open({ memory_id: id, ...(await storedOr(id)) }).catch((error) => {
        if (error.status !== 404) throw error;
        replace(detail, el("p", {}, "No memory with this id is stored."));
      });
  };
  const relearn = () => {
    trying(showTaught);
    if (opened) trying(() => show(opened));
  };
  let first, rest; // a filter applies to all memories, so the rest is loaded first
  const loadRest = () => {
    rest ??= trying(async () => {
      await first;
      while (after) await load();
    });
  };
  return {
    element: el(
      "div",
      { class: "browse" },
      el(
        "section",
        { "aria-label": "Memories" },
        adding,
        taught,
        el("div", { class: "row" }, words, kind),
        list,
        more,
      ),
      detail,
    ),
    learned: relearn,
    focus: (id = "") => {
      first ??= trying(reload);
      trying(showTaught);
      words.focus();
      trying(() => openGiven(id));
    },
  };
}

const CUE_ORIGIN = { host: "", model: "by a model", session: "from a session" };

/** The cues of a memory, with buttons to remove them and a form to add one; both change `told.cues` and call `changed`. */
function cuesView(told, changed) {
  const list = el("ul");
  const row = (cue) =>
    el(
      "li",
      { "data-learned": cue.origin === "session" && told.memory_id },
      cue.text,
      el(
        "span",
        { class: "quiet" },
        ` ${[cue.breadth === "broad" && "a usual undertaking", CUE_ORIGIN[cue.origin] ?? cue.origin, day(cue.written_at)].filter(Boolean).join(", ")} `,
      ),
      button(
        "Remove",
        async (pressed) => {
          await removeCue(cue);
          const line = pressed.closest("li"),
            isLearned = cue.origin === "session"; // votes cannot be given back
          const undo = button("Undo", async () => {
            const again = await addCue(told.memory_id, cue.text, {
              broad: cue.breadth === "broad",
            });
            line.replaceWith(row(again));
            now([...told.cues, again]);
          });
          replace(line, `Removed: ${cue.text} `, !isLearned && undo);
          if (!isLearned) undo.focus();
          now(told.cues.filter((one) => one !== cue));
        },
        { "aria-label": `Remove ${cue.text}` },
      ),
    );
  const now = (cues) => {
    told.cues = cues;
    changed();
  };
  const against = told.cues.filter((cue) => cue.proved < 0);
  list.append(...told.cues.filter((cue) => !against.includes(cue)).map(row));
  return [
    el("h3", {}, "Stored for"),
    told.role && el("p", {}, `Role: ${told.role}`),
    list,
    cueForm(told.memory_id, (cue) => {
      list.append(row(cue));
      now([...told.cues, cue]);
    }),
    against.length ? [el("h3", {}, "Voted down for"), el("ul", {}, against.map(row))] : null,
  ];
}

const MOST_CUES = 6,
  FULL = `It has ${MOST_CUES} cues that people gave it, the most it may have; remove one first.`; // `MOST_CUES` of stores/cues.py

/** Whether people may give a memory no more cues. */
const isFull = async (memoryId) =>
  (await get(ofEntity(`/cues/${encodeURIComponent(memoryId)}`))).cues.filter(
    (cue) => cue.origin === "host" && cue.breadth === "specific",
  ).length >= MOST_CUES;

/** Store a cue of a memory; returns it. */
async function addCue(memoryId, text, also = {}) {
  if (!also.broad && (await isFull(memoryId))) throw new Error(FULL);
  return post(ofEntity(`/cues/${encodeURIComponent(memoryId)}`), { text, ...also });
}

const removeCue = (cue) => call("DELETE", ofEntity(`/cues/${encodeURIComponent(cue.cue_id)}`));

/** A button that adds a question as a cue of a memory; then one may ask it again as in `trace`, or undo it. If it has the most cues, this is said instead. */
function cueButton(memoryId, { question, trace }) {
  const holder = el("span");
  const offer = () =>
    replace(
      holder,
      onceButton(
        "Add this question as a cue",
        () => addCue(memoryId, question),
        (cue) => [
          "Added. ",
          button("Ask again", () => askAgain(trace)),
          " ",
          button("Undo", async () => {
            await removeCue(cue);
            offer();
          }),
        ],
      ),
    );
  trying(async () => {
    if (await isFull(memoryId))
      replace(
        holder,
        el("span", { class: "warning" }, FULL, " "),
        el(
          "button",
          { type: "button", class: "link inline", onclick: () => openMemory(memoryId) },
          "Its cues",
        ),
      );
    else offer();
  });
  return holder;
}

/** A form to write a cue in; calls `added` with the stored cue. */
function cueForm(memoryId, added) {
  const words = el("input", {
    placeholder: "a request it matters for, as you would ask",
    "aria-label": "New cue",
    required: true,
  });
  return el(
    "form",
    {
      class: "row",
      onsubmit: (event) => {
        event.preventDefault();
        trying(async () => {
          added(await addCue(memoryId, words.value));
          words.value = "";
        }, event.target);
      },
    },
    words,
    el("button", {}, "Add cue"),
  );
}

/** Buttons that end a memory, let it hold again, or delete it for good. Call `ended` or `forgotten` with it. */
function endButtons(memory, { ended, forgotten }) {
  const id = encodeURIComponent(memory.memory_id);
  const end = async () => {
    await post(ofEntity(`/deprecate/${id}`), { reason: "somebody said so on the page" });
    await ended(memory);
  };
  const restore = async () => {
    await post(ofEntity(`/restore/${id}`));
    await ended(memory);
  };
  const forget = async () => {
    await call("DELETE", ofEntity(`/memories/${id}`));
    await forgotten(memory);
  };
  return el(
    "div",
    { class: "tools" },
    memory.end ? button("Let it hold again", restore) : button("It no longer holds", end),
    " ",
    onceButton("Forget …", () => {}, ["This deletes it for good. ", button("Forget it", forget)]),
  );
}

/** A form to write what replaces a memory: a fact keeps its names, another memory its title. Calls `replaced` with what was stored. */
function replaceForm(memory, replaced) {
  const text = el("textarea", {
    rows: "2",
    required: true,
    "aria-label": "Replace with",
    placeholder: memory.kind === "factual" ? "the value that holds now" : "what holds now",
  });
  const place = ofEntity(`/memories/${encodeURIComponent(memory.memory_id)}`);
  const submit = button("Replace", async () => {
    if (form.reportValidity())
      await replaced(await (await call("PATCH", place, { text: text.value })).json());
  });
  const form = el(
    "form",
    {
      class: "ask",
      onsubmit: (event) => {
        event.preventDefault();
        submit.click();
      },
    },
    el("h3", {}, "Replace with …"),
    text,
    el("div", { class: "row" }, submit),
  );
  return form;
}

function tracesView() {
  const out = el("div"),
    list = el("ul", { class: "recalls" });
  const words = el("input", {
    type: "search",
    placeholder: "filter",
    "aria-label": "Filter",
    oninput: () => draw(),
  });
  const all = el("div", {}, words, list),
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
        el("span", { class: "quiet" }, ` ${keptFacts(one)}`),
      ),
      button("Compare", () => compareWith(one), { "aria-label": `Compare ${one.question}` }),
    );
  let kept = null;
  const draw = () =>
    replace(
      list,
      kept?.length
        ? kept.filter((one) => keptHas(one, words.value)).map(row)
        : el("li", {}, "No recalls yet. Ask a question first."),
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
  return { element: el("div", {}, all, out), focus };
}

/** A stored memory. `near`: the memories it replaces and the one that replaces it; `does.open` shows one of them; see `replaceForm` and `endButtons`. */
function memoryView(memory, past, cues, near, does) {
  const other = (id) => {
    const one = near.find((each) => each.id === id) ?? { id };
    return el(
      "button",
      {
        type: "button",
        class: "link inline",
        onclick: () => trying(() => does.open({ memory_id: id, ...one })),
      },
      nameOf(one),
    );
  };
  const history = historyList(
    past,
    cues,
    cues.replaces.map((id) => el("li", {}, "replaces ", other(id))),
  );
  return el(
    "article",
    { class: "card", tabindex: "-1" },
    el("h2", {}, nameOf(memory)),
    el(
      "dl",
      { class: "facts" },
      fact("id", memory.memory_id),
      fact("kind", memory.kind),
      fact("written", day(memory.created_at)),
      fact("ended", memory.end),
      fact("mark", memory.mark),
    ),
    cues.replaced_by &&
      el("p", { class: "warning" }, "A newer memory replaces it: ", other(cues.replaced_by)),
    quote(memory.text ?? ""),
    lastRecall?.tools.explain &&
      el(
        "div",
        { class: "tools" },
        whyButton(
          lastRecall.tools,
          memory.memory_id,
          `Why, or why not, for “${short(lastRecall.question, 50)}”?`,
        ),
      ),
    cuesView(cues, history.draw),
    memory.kind && !memory.end && replaceForm(memory, does.replaced),
    memory.kind && endButtons(memory, does),
    past.versions.length > 1
      ? [
          el("h3", {}, "Versions"),
          el(
            "ol",
            {},
            past.versions.map((one) =>
              el(
                "li",
                {},
                `${day(one.created_at)} ${one.memory_id}: ${short(one.text, 200)}`,
                one.end && ` (${one.end})`,
              ),
            ),
          ),
        ]
      : null,
    el("h3", {}, "History"),
    history.list,
  );
}

function factsView() {
  const holder = el("div");
  const load = async () => {
    const found = await get(ofEntity("/facts"));
    replace(
      holder,
      found.length
        ? table(
            "Facts that hold",
            ["subject", "attribute", "value", "since"],
            found.map((one) => [one.subject, one.attribute, one.value, day(one.since)]),
          )
        : el(
            "p",
            {},
            `${NONE_OF_KIND.factual} A fact has a subject, an attribute and a value: (me, employer, Acme).`,
          ),
    );
  };
  return { element: holder, focus: () => trying(load) };
}

/** The parts of a briefing, in their order. */
const BRIEFED = {
  core: "Always to know",
  active: "Left open",
  preferences: "How things are wanted",
  recent: "Lately written or used, the latest and most important first",
};

function briefingView() {
  const holder = el("div");
  const row = (one) =>
    el(
      "li",
      {},
      el(
        "button",
        { type: "button", class: "link", onclick: () => openMemory(one.id) },
        (one.title && !isUntitled(one.title) ? `${one.title}: ` : "") + short(one.text, 300),
        el(
          "span",
          { class: "quiet" },
          ` ${one.why.includes(day(one.created_at)) ? "" : `${day(one.created_at)} · `}${one.why}`,
        ),
      ),
    );
  const part = (category, rows) =>
    rows.length ? [el("h3", {}, BRIEFED[category]), el("ul", { class: "recalls" }, rows)] : null;
  const load = async () => {
    const { entries, limit } = await get(ofEntity("/briefing"));
    replace(
      holder,
      el("h2", {}, "What a chat starts with"),
      entries.length
        ? [
            el(
              "p",
              {},
              `What a chatbot is told before anything is asked: at most ${limit} memories, each with the reason why.`,
            ),
            Object.keys(BRIEFED).map((category) =>
              part(category, entries.filter((one) => one.category === category).map(row)),
            ),
          ]
        : el(
            "p",
            {},
            "Nothing is stored yet that belongs in a briefing. Facts and preferences do; they are read out of conversations (secondhop observe), or stored one by one (secondhop remember).",
          ),
    );
  };
  return { element: holder, focus: () => trying(load) };
}
