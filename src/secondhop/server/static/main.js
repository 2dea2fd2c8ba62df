"use strict";
// Starts the page, or shows the recall if this is a file of one recall.

const VIEWS = [
  ["ask", "Ask", askView],
  ["compare", "Compare", compareView],
  ["memories", "Memories", memoriesView],
  ["recalls", "Recalls", tracesView],
  ["facts", "Facts", factsView],
  ["briefing", "Briefing", briefingView],
];

const built = new Map(); // {tab: view}: a tab keeps its content while another one is open

/** Show a view. `ids`: of the kept recalls, or of the memory, to show in it. */
function open(name, ...ids) {
  const [key, label, build] = VIEWS.find(([one]) => one === name) || VIEWS[0];
  if (!built.has(key)) built.set(key, build());
  const view = built.get(key);
  replace(byId("main"), view.element);
  for (const tab of byId("tabs").children)
    if (tab.textContent === label) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  say("");
  showTitle();
  view.focus(...ids);
}

/** Show what the address bar names. The last answer is in the view that takes votes on it. */
function openAddressed() {
  const named = addressed();
  if (!named) {
    open(location.hash.slice(1));
    return;
  }
  if (named.entity !== place.entity) {
    openEntity(named.entity);
    trying(showStats);
  }
  const [traceId, other] = named.ids;
  if (named.kind === "memory") open("memories", traceId);
  else if (other) open("compare", traceId, other);
  else if (lastKept()?.traceId === traceId) open("ask");
  else open("recalls", traceId);
}

/** Turn to the memories of another entity. */
function openEntity(entity) {
  usePlace(entity);
  showEntity();
  built.clear();
  lastRecall = null;
  for (const [name] of VIEWS) {
    linkOf(name).setAttribute("href", `#${name}`);
    linkOf(name).dataset.about = "";
  }
}

/** Show in the header whose memories these are, also if nothing is stored of them. */
function showEntity() {
  const choice = byId("entity");
  if (![...choice.options].some((one) => one.value === place.entity))
    choice.append(el("option", place.entity));
  choice.value = place.entity;
}

/** Open a view by its link: it shows what it showed before. */
function openLinked(event, name) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return; // in another tab or window
  event.preventDefault();
  const address = linkOf(name).getAttribute("href");
  if (location.hash !== address) history.pushState(null, "", address);
  open(name);
}

async function showStats() {
  const told = await get(ofEntity(""));
  byId("stats").textContent = told.memories
    ? plural(told.memories, "memory", "memories")
    : "nothing is stored here";
  return told.memories;
}

/** Ask for a token, and start again with it. */
function askForToken(why) {
  const token = el("input", {
    type: "password",
    required: true,
    "aria-label": "Token",
    autocomplete: "off",
  });
  replace(
    byId("main"),
    formFor(
      "ask",
      () => {
        usePlace(place.entity, token.value.trim());
        start();
      },
      el("label", "This server needs a token (made by secondhop tokens create) ", token),
      el("button", { class: "primary" }, "Continue"),
    ),
  );
  say(why, Boolean(why));
  token.focus();
}

async function start() {
  try {
    const entities = await get("/v1/entities");
    replace(
      byId("entity"),
      entities.map((name) => el("option", name)),
    );
    if (!place.entity) usePlace(entities[0] || "default");
    showEntity();
    window.onhashchange = () => {
      if (location.hash !== "#main") openAddressed();
    }; // which the skip link adds
    openAddressed();
    await trying(showStats);
  } catch (error) {
    if (error.status !== 401) {
      say(error.message, true);
      return;
    }
    askForToken(
      place.token
        ? "this token is not valid; if secondhop ui was started again, open the address that it printed"
        : "",
    );
  }
}

function startPage() {
  readPlace();
  window.addEventListener("hashchange", () => {
    if (location.hash.startsWith("#token=")) location.reload();
  });
  replace(
    byId("tabs"),
    VIEWS.map(([name, label]) =>
      el(
        "a",
        { href: `#${name}`, "data-view": name, onclick: (event) => openLinked(event, name) },
        label,
      ),
    ),
  );
  byId("place").addEventListener("submit", (event) => event.preventDefault());
  byId("entity").addEventListener("change", () => {
    openEntity(byId("entity").value);
    history.pushState(null, "", `#${currentView() ?? "ask"}`);
    start();
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "/" && !typing) {
      event.preventDefault();
      document.querySelector("main textarea, main input")?.focus();
    }
    if (event.key === "n" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey)
      document.querySelector("main .next-round")?.click();
  });
  for (const act of ["wheel", "touchmove", "click"])
    document.addEventListener(
      act,
      () => {
        if (act === "click" || byId("status").className !== "error") say("");
      },
      { capture: true, passive: true },
    ); // what is said covers nothing that one goes on to
  start();
}

/** Show a file of one recall, which contains all that the page needs. */
function startFile(kept) {
  byId("place").remove();
  byId("tabs").remove();
  document.title = kept.result.question;
  const flow = new Flow(kept.graph);
  for (const step of kept.trace.steps) flow.hear(step);
  flow.end(kept.result, stopOf(kept.trace));
  const explain = async (id) => {
    if (!kept.explanations[id])
      throw new Error("this file has no explanation of that memory; run `secondhop explain`");
    return kept.explanations[id];
  };
  const holder = el("div");
  replace(byId("main"), el("h2", kept.result.question), flow.element, holder);
  showRecall(holder, { ...kept, explain });
}

const kept = byId("recall");
if (kept) startFile(JSON.parse(kept.textContent));
else startPage();
