"use strict";
// The cues of a memory: shown, added, removed.

const CUE_ORIGIN = { host: "", model: "by a model", session: "from a session" };

/** The cues of a memory, with buttons to remove them and a form to add one; both change `told.cues` and call `changed`. */
function cuesView(told, changed) {
  const list = el("ul");
  const row = (cue) =>
    el(
      "li",
      { "data-learned": cue.origin === "session" && told.memory_id },
      cue.text,
      quiet(
        ` ${joined(", ", cue.breadth === "broad" && "a usual undertaking", CUE_ORIGIN[cue.origin] ?? cue.origin, day(cue.written_at))} `,
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
    el("h3", "Stored for"),
    told.role && el("p", `Role: ${told.role}`),
    list,
    cueForm(told.memory_id, (cue) => {
      list.append(row(cue));
      now([...told.cues, cue]);
    }),
    against.length ? [el("h3", "Voted down for"), el("ul", against.map(row))] : null,
  ];
}

const MOST_CUES = 6,
  FULL = `It has ${MOST_CUES} cues that people gave it, the most it may have; remove one first.`; // `MOST_CUES` of stores/cues.py

/** The cues of a memory. */
const cuesOf = async (memoryId) =>
  (await get(ofEntity(`/cues/${encodeURIComponent(memoryId)}`))).cues;

/** Whether people may add no more to these cues. */
const isFull = (cues) =>
  cues.filter((cue) => cue.origin === "host" && cue.breadth === "specific").length >= MOST_CUES;

/** Store a cue of a memory; returns it. */
async function addCue(memoryId, text, also = {}) {
  if (!also.broad && isFull(await cuesOf(memoryId))) throw new Error(FULL);
  return post(ofEntity(`/cues/${encodeURIComponent(memoryId)}`), { text, ...also });
}

const removeCue = (cue) => call("DELETE", ofEntity(`/cues/${encodeURIComponent(cue.cue_id)}`));

const askAgainButton = (trace) => button("Ask again", () => askAgain(trace));

/** A button that adds a question as a cue of a memory; then one may ask it again as in `trace`, or undo it. If it has this cue, or the most cues, that is said instead. */
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
          askAgainButton(trace),
          " ",
          button("Undo", async () => {
            await removeCue(cue);
            offer();
          }),
        ],
      ),
    );
  trying(async () => {
    const cues = await cuesOf(memoryId);
    if (cues.some((cue) => cue.text === question && cue.origin !== "session"))
      replace(holder, "It has this question as a cue by now. ", askAgainButton(trace));
    else if (isFull(cues))
      replace(
        holder,
        el("span", { class: "warning" }, FULL, " "),
        linkButton({ onclick: () => openMemory(memoryId) }, "Its cues"),
      );
    else offer();
  });
  return holder;
}

/** A form to write a cue in; calls `added` with the stored cue. */
function cueForm(memoryId, added) {
  const words = field("New cue", "a request it matters for, as you would ask", {
    required: true,
  });
  const submit = (form) =>
    trying(async () => {
      added(await addCue(memoryId, words.value));
      words.value = "";
    }, form);
  return formFor("row", submit, words, el("button", "Add cue"));
}
