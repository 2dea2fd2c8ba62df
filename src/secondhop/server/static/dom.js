"use strict";
// Elements, built without HTML strings, so a memory's words can only become text.

const SVG = "http://www.w3.org/2000/svg";

/** An element. `props`: attributes, and listeners as `onX`; null, undefined and false are left out, and `props` may be, too. */
function el(tag, ...parts) {
  return fill(document.createElement(tag), parts);
}

/** The same for an SVG element. */
function svg(tag, ...parts) {
  return fill(document.createElementNS(SVG, tag), parts);
}

function fill(node, parts) {
  const [props, ...children] = parts[0]?.constructor === Object ? parts : [{}, ...parts];
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else node.setAttribute(name, value);
  }
  node.append(...children.flat(3).filter(Boolean).map(inOrder));
  return node;
}

/** A form; `submit` is called with it when it is sent. */
const formFor = (name, submit, ...children) =>
  el(
    "form",
    {
      class: name,
      onsubmit: (event) => {
        event.preventDefault();
        submit(event.target);
      },
    },
    ...children,
  );

/** An input for a line of words; and one for more of them. */
const field = (label, placeholder, props = {}) =>
  el("input", { "aria-label": label, placeholder, ...props });
const area = (label, placeholder, props = {}) =>
  el("textarea", { rows: "2", "aria-label": label, placeholder, ...props });

/** A paragraph that warns, and one that stands back. */
const warning = (...children) => el("p", { class: "warning" }, ...children);
const remark = (...children) => el("p", { class: "quiet" }, ...children);

/** Words inside a line that stand back. */
const quiet = (...children) => el("span", { class: "quiet" }, ...children);

/** A button that looks like a link. */
const linkButton = (props, ...children) =>
  el("button", { type: "button", class: "link inline", ...props }, ...children);

/** A part that can be folded to its summary. */
const folded = (summary, open, ...children) =>
  el("details", { open }, el("summary", summary), ...children);

/** A list with a point for each item. */
const bullets = (items, name) =>
  el(
    "ul",
    { class: name },
    items.map((one) => el("li", one)),
  );

/** Text without the control characters that change the direction of it and of what follows. */
const inOrder = (child) =>
  typeof child === "string" ? child.replace(/[\u202a-\u202e\u2066-\u2069]/g, "") : child;

const byId = (id) => document.getElementById(id);
const replace = (node, ...children) => node.replaceChildren(...children.flat(3).filter(Boolean));

/** A count with its noun: plural(2, "memory", "memories") is "2 memories". */
const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** Those of these words that are not empty, in one text. */
const joined = (between, ...words) => words.filter(Boolean).join(between);

const day = (iso) => (iso ? iso.slice(0, 10) : "");
const seconds = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** At most `most` characters of a text, cut between words if possible. */
function short(text, most) {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1),
    end = cut.lastIndexOf(" ");
  return `${cut.slice(0, end > most / 2 ? end : most).replace(/[\s.,;:]+$/, "")}…`;
}

/** A piece of a text, of at most about `most` characters, around the longest of these words that it contains. */
function around(text, words, most) {
  const sought = words
    .toLowerCase()
    .split(/\s+/)
    .sort((one, other) => other.length - one.length);
  const at = text
    .toLowerCase()
    .indexOf(sought.find((word) => text.toLowerCase().includes(word)) ?? "");
  return at < most / 2
    ? short(text, most)
    : `…${short(text.slice(text.lastIndexOf(" ", at - most / 4) + 1), most)}`;
}

const isUntitled = (title) => /^new chat$/i.test(title); // the name that chat products give to a chat without one

/** Whether a text has these words in a row, as whole words. */
const saysInARow = (text, words) =>
  new RegExp(
    `(?<![\\p{L}\\p{N}_])${words
      .split(/\s+/)
      .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("\\s+")}(?![\\p{L}\\p{N}_])`,
    "iu",
  ).test(text);

/** Whether a title, like "Memo 27", does not tell which memory it is. */
const isVague = (title) => title.length <= 8 || /^\p{L}+ ?#?\d+$/u.test(title);

/** What a memory is called: its title, followed by its first words if that is vague; without a title its first words, or else its id. */
function nameOf(memory) {
  const text = (memory.text || memory.evidence?.[0]?.text || "").replace(/\s+/g, " ").trim();
  if (
    !memory.title ||
    (text && isUntitled(memory.title)) ||
    (isVague(memory.title) && text.startsWith(memory.title))
  )
    return short(text || memory.id || memory.memory_id, 60);
  return text && isVague(memory.title) ? `${memory.title}: ${short(text, 48)}` : memory.title;
}

/** {id: name} of memories, with the date if two share a name. `known`: names given before, which stay. */
function namesOf(memories, known = new Map()) {
  const named = memories.map((memory) => [memory, nameOf(memory)]),
    uses = new Map();
  for (const [, name] of named) uses.set(name, (uses.get(name) ?? 0) + 1);
  return new Map(
    named.map(([memory, name]) => [
      memory.id,
      known.get(memory.id) ??
        (uses.get(name) > 1 && memory.created_at ? `${name} (${day(memory.created_at)})` : name),
    ]),
  );
}

const QUOTED = 420,
  LITTLE_MORE = 150;

/** Where in a text the sentence begins that, with the next one, has most of some words, at least two; else 0. A word in few sentences says more. */
function tellingPlace(text, words) {
  const sentences = [...text.matchAll(/[^.!?\n]+[.!?\n]*/g)],
    wordsOf = (said) => new Set(said.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu));
  const sought = [...wordsOf(words)],
    own = sentences.map(([said]) => wordsOf(said));
  const weights = sought.map((word) => 1 / Math.max(1, own.filter((one) => one.has(word)).length));
  const told = sentences.map((_, at) => {
    const found = weights.filter((_, n) => own[at].has(sought[n]) || own[at + 1]?.has(sought[n]));
    return found.length > 1 ? found.reduce((sum, weight) => sum + weight, 0) : 0;
  });
  return Math.max(0, ...told) === 0 ? 0 : sentences[told.indexOf(Math.max(...told))].index;
}

/** The text of a memory; a long one is cut, with a button that shows the rest. It begins where it has most words of `about`. */
function quote(text, about = "") {
  const isLong = text.length > QUOTED + LITTLE_MORE,
    place = isLong ? tellingPlace(text, about) : 0;
  const cut =
    place < QUOTED / 2 ? short(text, QUOTED) : `…${short(text.slice(place).trim(), QUOTED)}`;
  const said = el("blockquote", { tabindex: "-1" }, isLong ? cut : text);
  const more = () => {
    said.replaceChildren(inOrder(text));
    said.focus();
    said.nextSibling.remove();
  };
  return el(
    "div",
    { class: "quote" },
    said,
    isLong && el("button", { type: "button", onclick: more }, "More"),
  );
}

/** Show a message in the status line, which screen readers read out; errors stand out and stay. */
function say(text, isError = false) {
  const status = byId("status");
  if (!status) return;
  status.textContent = text;
  status.className = isError ? "error" : "";
  clearTimeout(say.later);
  if (!isError)
    say.later = setTimeout(() => {
      status.textContent = "";
    }, 5000);
}

/** Run `work`; if it fails, show its error (below `near`, if that is still there) and return null. */
async function trying(work, near = null) {
  if (near?.nextElementSibling?.matches(".failed")) near.nextElementSibling.remove();
  try {
    return await work();
  } catch (error) {
    if (near?.isConnected) {
      say("");
      near.after(el("p", { class: "warning failed", role: "alert" }, error.message));
    } else say(error.message, true);
    return null;
  }
}

/** A button that is disabled while it works; `blocked` says whether it stays disabled afterwards. */
function button(label, work, props = {}, blocked = () => false) {
  const made = el("button", { type: "button", ...props }, label);
  made.addEventListener("click", async () => {
    made.disabled = true;
    await trying(() => work(made), made);
    made.disabled = blocked();
  });
  return made;
}

/** A button that works once: afterwards `done` stands in its place, or what it returns for the result of the work. An error is told beside it. */
function onceButton(label, work, done) {
  const told = el("span", { role: "status", tabindex: "-1" });
  const made = button(label, async () => {
    let result;
    try {
      result = await work();
    } catch (error) {
      told.className = "warning";
      told.textContent = error.message;
      return;
    }
    told.className = "";
    replace(told, typeof done === "function" ? done(result) : done);
    made.remove();
    told.focus();
  });
  return el("span", made, " ", told);
}

/** A select element; its first option, "", stands for the server's default. */
function choice(label, usual, options) {
  return el(
    "select",
    { "aria-label": label },
    el("option", { value: "" }, usual),
    options.map((one) => el("option", { value: one }, one)),
  );
}

/** The label of a checkbox that lets memories back that were superseded or deprecated, or expired. */
const endedToo = (box) => el("label", box, " include memories that no longer hold");

/** A choice of effort; efforts that need a model the server lacks are disabled. `first`: what it starts with if there is a model. */
function effortChoice(label, first = "") {
  const made = choice(label, "usual", ["none", "low", "high"]);
  trying(async () => {
    const { nodes } = await get(ofEntity("/graph"));
    const critic = nodes.includes("critique"),
      able = { low: critic, high: critic || nodes.includes("expand") };
    made.options[0].textContent = able.high
      ? `usual (${critic ? "low if most memories have cues, else " : ""}high)`
      : "usual (none)";
    if (able.high) made.value ||= first;
    for (const option of made.options)
      if (able[option.value] === false) {
        option.disabled = true;
        option.textContent += able.high ? ": needs a critic" : ": no model here";
      }
  });
  return made;
}

/** A table of rows of cells, which are texts or elements. `role`: "group" if the page may have several with the same caption. */
function table(caption, heads, rows, role = "region") {
  return el(
    "div",
    { class: "scroll", tabindex: "0", role, "aria-label": caption },
    el(
      "table",
      el("caption", caption),
      el(
        "thead",
        el(
          "tr",
          heads.map((head) => el("th", { scope: "col" }, head)),
        ),
      ),
      el(
        "tbody",
        rows.map((row) =>
          el(
            "tr",
            row.map((cell) => {
              const { length } = cell.textContent ?? cell;
              return el("td", { class: length > 60 ? "long" : length < 12 ? "brief" : null }, cell);
            }),
          ),
        ),
      ),
    ),
  );
}
