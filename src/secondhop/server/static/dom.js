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
const short = (text, most) => (text.length > most ? text.slice(0, most - 1).trimEnd() + "…" : text);

/** What a memory is called: its title, with its first words if that is a number; else these; else its id. */
const isUntitled = (title) => /^new chat$/i.test(title);  // what products call a chat that has no name
const isNumbered = (title) => /^\p{L}+ \d+$/u.test(title);  // "Memo 27"
const nameOf = (memory) => {
  const text = memory.text || memory.evidence?.[0]?.text;
  if (!memory.title || (text && isUntitled(memory.title))) return short(text || memory.id || memory.memory_id, 60);
  return text && isNumbered(memory.title) ? `${memory.title}: ${short(text, 50)}` : memory.title;
};

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
      option.textContent += able.high ? ": needs a critic" : ": needs --llm";
    }
  });
  return made;
}

/** A table of rows of cells. */
function table(caption, heads, rows) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => el("td", { class: cell.length > 60 ? "long" : null }, cell)))))));
}
