"use strict";
// Elements, built without HTML text: what a memory says can only ever become text.

const SVG = "http://www.w3.org/2000/svg";

/** An element. `props`: attributes; `onX` listeners; null and false are left out. */
function el(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** An SVG element, in the same way. */
function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else node.setAttribute(name, value);
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false && child !== "").map(inOrder));
  return node;
}

/** Text without the characters that turn the order of letters around, also of what follows. */
const inOrder = (child) => (typeof child === "string" ? child.replace(/[\u202a-\u202e\u2066-\u2069]/g, "") : child);

const byId = (id) => document.getElementById(id);
const replace = (node, ...children) => node.replaceChildren(...children.flat(3).filter(Boolean));

/** One word for many: plural(2, "memory", "memories"). */
const plural = (count, one, many = one + "s") => `${count} ${count === 1 ? one : many}`;

const day = (iso) => (iso ? iso.slice(0, 10) : "");
const seconds = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** At most so many characters, cut between words where there are some. */
function short(text, most) {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1), end = cut.lastIndexOf(" ");
  return cut.slice(0, end > most / 2 ? end : most).replace(/[\s.,;:]+$/, "") + "…";
}

/** So much of a text as fits, where it has the longest of these words. */
function around(text, words, most) {
  const sought = words.toLowerCase().split(/\s+/).sort((one, other) => other.length - one.length);
  const at = text.toLowerCase().indexOf(sought.find((word) => text.toLowerCase().includes(word)) ?? "");
  return at < most / 2 ? short(text, most) : `…${short(text.slice(text.lastIndexOf(" ", at - most / 4) + 1), most)}`;
}

const isUntitled = (title) => /^new chat$/i.test(title);  // what products call a chat that has no name

/** Whether a title alone does not tell which memory it is: "Memo 27". */
const isVague = (title) => title.length <= 8 || /^\p{L}+ ?#?\d+$/u.test(title);

/** What a memory is called: its title, with its first words where that is vague; else these; else its id. */
function nameOf(memory) {
  const text = (memory.text || memory.evidence?.[0]?.text || "").replace(/\s+/g, " ").trim();
  if (!memory.title || (text && isUntitled(memory.title)) || (isVague(memory.title) && text.startsWith(memory.title))) return short(text || memory.id || memory.memory_id, 60);
  return text && isVague(memory.title) ? `${memory.title}: ${short(text, 48)}` : memory.title;
}

/** {id: name} of memories, the same wherever one is named; with the date where two share a name. */
function namesOf(memories, known = new Map()) {
  const named = memories.map((memory) => [memory, nameOf(memory)]), uses = new Map();
  for (const [, name] of named) uses.set(name, (uses.get(name) ?? 0) + 1);
  return new Map(named.map(([memory, name]) => [memory.id, known.get(memory.id) ?? (uses.get(name) > 1 && memory.created_at ? `${name} (${day(memory.created_at)})` : name)]));
}

const QUOTED = 420, LITTLE_MORE = 150;

/** What a memory says; a long text ends with a button that shows the rest. */
function quote(text) {
  const isLong = text.length > QUOTED + LITTLE_MORE, said = el("blockquote", { tabindex: "-1" }, isLong ? short(text, QUOTED) : text);
  const more = () => { said.replaceChildren(inOrder(text)); said.focus(); said.nextSibling.remove(); };
  return el("div", { class: "quote" }, said, isLong && el("button", { type: "button", onclick: more }, "More"));
}

/** Say something to everyone, screen readers included; errors stand out. */
function say(text, isError = false) {
  const status = byId("status");
  if (!status) return;
  status.textContent = text;
  status.className = isError ? "error" : "";
  clearTimeout(say.later);
  if (!isError) say.later = setTimeout(() => { status.textContent = ""; }, 5000);
}

/** Run what may fail; its error is said. */
async function trying(work) {
  try {
    return await work();
  } catch (error) {
    say(error.message, true);
    return null;
  }
}

/** A button that cannot be pressed twice while it works; `blocked` tells whether it stays off. */
function button(label, work, props = {}, blocked = () => false) {
  const made = el("button", { type: "button", ...props }, label);
  made.addEventListener("click", async () => {
    made.disabled = true;
    await trying(() => work(made));
    made.disabled = blocked();
  });
  return made;
}

/** A choice; the first option stands for the server's own. */
function choice(label, usual, options) {
  return el("select", { "aria-label": label }, el("option", { value: "" }, usual), options.map((one) => el("option", { value: one }, one)));
}

/** A choice of effort; what the server has no model for cannot be chosen. */
function effortChoice(label) {
  const made = choice(label, "usual", ["none", "low", "high"]);
  trying(async () => {
    const { nodes } = await get(ofEntity("/graph"));
    const critic = nodes.includes("critique"), able = { low: critic, high: critic || nodes.includes("expand") };
    made.options[0].textContent = able.high ? `usual (${critic ? "low with cues, else " : ""}high)` : "usual (none)";
    for (const option of made.options) if (able[option.value] === false) {
      option.disabled = true;
      option.textContent += able.high ? ": needs a critic" : ": no model here";
    }
  });
  return made;
}

/** A table of rows of cells. `role`: "group" where there may be several of the same name. */
function table(caption, heads, rows, role = "region") {
  return el("div", { class: "scroll", tabindex: "0", role, "aria-label": caption },
    el("table", {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => el("td", { class: cell.length > 60 ? "long" : cell.length < 12 ? "brief" : null }, cell)))))));
}
