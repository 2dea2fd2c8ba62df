"use strict";
// What is stored: memories with their history, and what sessions taught.

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
  const title = field("Title of the new memory", "title, if it has one");
  const text = area("Text of the new memory", "what to remember", { rows: "3", required: true });
  const submit = (form) =>
    trying(async () => {
      await post(ofEntity("/remember"), { text: text.value, title: title.value });
      title.value = text.value = "";
      say("Stored");
      await added();
    }, form);
  const store = el("button", { class: "primary" }, "Store");
  return formFor("ask", submit, title, text, el("div", { class: "row" }, store));
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
  const row = ({ memory_id: id, refused, votes }) => [
    `“${names.get(id)}” ${refused ? "is left out" : votes > 0 ? "counts more" : "counts a little less"} `,
    takeBack(id, "Taken back", () => {
      say("Taken back: such questions are answered as before");
      changed();
    }),
  ];
  return (
    questions.length &&
    folded(
      `Learned from sessions: ${questions.length}`,
      false,
      questions.map((one) => [el("h2", one.question), bullets(one.memories.map(row))]),
    )
  );
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
  const words = field("Filter", "filter", {
    type: "search",
    oninput: () => {
      refilter();
      loadRest();
    },
  });
  const kind = el(
    "select",
    { "aria-label": "Kind", onchange: () => refilter() },
    ["all kinds", "continuity", "factual", "preferential"].map((one) => el("option", one)),
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
            words.value
              ? "No memory has all these words. Try fewer words, or all kinds."
              : NONE_OF_KIND[kind.value],
          ),
    );
  };
  const row = (memory) =>
    el(
      "li",
      el(
        "button",
        {
          type: "button",
          class: memory.end ? "link ended" : "link",
          "data-memory": memory.memory_id,
          "aria-current": opened?.memory_id === memory.memory_id && "true",
          onclick: () => trying(() => open(memory)),
        },
        quiet(`${day(memory.created_at)} `),
        nameOf(memory),
        memory.end ? ` (${memory.end})` : "",
        words.value &&
          !hasWords({ title: "", text: nameOf(memory), memory_id: "" }, words.value) &&
          quiet(` ${around(memory.text, words.value, 110)}`),
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
    const now = kept.superseded_by || kept.memory_id;
    for (const id of [...kept.supersedes, kept.memory_id, now])
      loaded.set(id, await get(ofEntity(`/memories/${encodeURIComponent(id)}`)));
    refilter();
    await open(loaded.get(now));
    await trying(showStats);
    say(kept.notice || "Replaced", Boolean(kept.notice));
  };
  const ended = async ({ memory_id: id }) => {
    loaded.set(id, await get(ofEntity(`/memories/${encodeURIComponent(id)}`)));
    refilter();
    await open(loaded.get(id));
  };
  const forgotten = async ({ memory_id: id }, gone) => {
    loaded.delete(id);
    opened = null;
    refilter();
    replace(detail, goneView(gone));
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
  const adding = folded("Add a memory", false, none, addForm(added));
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
        replace(detail, el("p", "No memory with this id is stored."));
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

/** What was forgotten, and where its words may still be. */
const goneView = (gone) =>
  el(
    "div",
    el("p", "It is forgotten: its text is deleted, also from kept recalls."),
    [
      ...gone.repeated_in.map((id) => `The same seems to be said in ${id}, which is still stored.`),
      ...gone.still_in.map(
        (file) => `Ingesting ${file} again brings it back, unless it is deleted there.`,
      ),
      !gone.complete && "Another process is reading; forget it again when that has ended.",
      !gone.vectors_complete && "The files of the vectors may still hold its vectors.",
    ]
      .filter(Boolean)
      .map((words) => warning(words)),
  );

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
    const gone = await call("DELETE", ofEntity(`/memories/${id}`));
    await forgotten(memory, await gone.json());
  };
  return el(
    "div",
    { class: "tools" },
    memory.end ? button("Let it hold again", restore) : button("It no longer holds", end),
    " ",
    onceButton("Forget …", () => {}, ["This deletes it for good. ", button("Forget it", forget)]),
  );
}

/** A form to write what replaces a memory (a fact keeps its names, another memory its title), or to name a stored one that does. Calls `replaced` with what was done. */
function replaceForm(memory, replaced) {
  const holds = memory.kind === "factual" ? "the value that holds now" : "what holds now";
  const text = area("Replace with", holds, { required: true });
  const by = field("Replaced by", "or the id of a stored memory", {
    list: "replacements",
    autocomplete: "off",
    oninput: () => check(),
  });
  const check = () => {
    const named = by.value.trim();
    text.required = !named;
    by.setCustomValidity(named && text.value.trim() ? "Give new words or an id, not both" : "");
  };
  text.addEventListener("input", check);
  const id = encodeURIComponent(memory.memory_id);
  const submit = button("Replace", async () => {
    if (!form.reportValidity()) return;
    await replaced(
      by.value.trim()
        ? await post(ofEntity(`/supersede/${id}`), { by: by.value.trim() })
        : await (await call("PATCH", ofEntity(`/memories/${id}`), { text: text.value })).json(),
    );
  });
  const form = formFor(
    "ask",
    () => submit.click(),
    el("h3", "Replace with …"),
    text,
    by,
    el("div", { class: "row" }, submit),
    el(
      "datalist",
      { id: "replacements" },
      [...(lastRecall?.tools.names ?? [])].map(([value, name]) => el("option", { value }, name)),
    ),
  );
  return form;
}

/** A stored memory. `near`: the memories it replaces and the one that replaces it; `does.open` shows one of them; see `replaceForm` and `endButtons`. */
function memoryView(memory, past, cues, near, does) {
  const other = (id) => {
    const one = near.find((each) => each.id === id) ?? { id };
    return linkButton(
      { onclick: () => trying(() => does.open({ memory_id: id, ...one })) },
      nameOf(one),
    );
  };
  const history = historyList(
    past,
    cues,
    cues.replaces.map((id) => el("li", "replaces ", other(id))),
  );
  return el(
    "article",
    { class: "card", tabindex: "-1" },
    el("h2", nameOf(memory)),
    el(
      "dl",
      { class: "facts" },
      fact("id", memory.memory_id),
      fact("kind", memory.kind),
      fact("written", day(memory.created_at)),
      fact("ended", memory.end),
      fact("mark", memory.mark),
    ),
    cues.replaced_by && warning("A newer memory replaces it: ", other(cues.replaced_by)),
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
    past.versions.length > 1 && [
      el("h3", "Versions"),
      el(
        "ol",
        past.versions.map((one) =>
          el(
            "li",
            `${day(one.created_at)} ${one.memory_id}: ${short(one.text, 200)}`,
            one.end && ` (${one.end})`,
          ),
        ),
      ),
    ],
    el("h3", "History"),
    history.list,
  );
}
