"use strict";
// The view that asks: steps, answer, path, votes.

function askView() {
  const question = el("textarea", { rows: "2", required: true, "aria-label": "Question", placeholder: "What do you want to know? Press Enter to ask." });
  const k = el("input", { type: "number", min: "1", max: "500", value: "6", "aria-label": "How many memories" });
  const moment = el("input", { type: "date", "aria-label": "What was believed on" });
  const stale = el("input", { type: "checkbox" });
  const effort = choice("Effort", "usual", EFFORTS);
  const out = el("div", { id: "out" });
  const form = el("form", { class: "ask", onsubmit: (event) => { event.preventDefault(); submit(); } }, question,
    el("div", { class: "row" }, el("label", {}, "Memories ", k), el("label", {}, "Effort ", effort), el("label", {}, "As of ", moment),
      el("label", {}, stale, " include outdated memories"), el("button", { class: "primary" }, "Ask")));
  question.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); form.requestSubmit(); } });
  const submit = () => trying(async () => {
    const body = { question: question.value, k: Number(k.value) || null, include_stale: stale.checked };
    if (effort.value) body.effort = effort.value;
    if (moment.value) body.as_of = `${moment.value}T23:59:59Z`;
    await ask(body, out);
  });
  return { element: el("div", {}, form, out), focus: () => question.focus() };
}

let lastRecall = null;  // {question, explain}: for "why not" in other views

/** Ask, and show what happens in `out`. */
async function ask(body, out) {
  say("Asking…");
  const flow = new Flow(await get(ofEntity("/graph")));
  const answer = el("div");
  replace(out, flow.element, answer);
  const result = await streamed(body, (step) => flow.hear(step));
  flow.end(result);
  const trace = await get(ofEntity(`/traces/${encodeURIComponent(result.trace_id)}`));
  const explain = (id) => get(ofEntity(`/traces/${encodeURIComponent(result.trace_id)}/explain?memory_id=${encodeURIComponent(id)}`));
  const titles = new Map([...trace.candidates.map((one) => [one.memory_id, one.title]), ...result.memories.map((memory) => [memory.id, nameOf(memory)])]);
  lastRecall = { question: result.question, explain };
  showRecall(answer, { result, trace, explain, session: new Session(body, answer, titles), search: storedWith });
  say(`${plural(result.memories.length, "memory", "memories")} in ${seconds(result.spent.ms)}`);
}

/** A kept recall: steps, what it returned, path. */
async function showKept(traceId, out) {
  const trace = await get(ofEntity(`/traces/${encodeURIComponent(traceId)}`));
  const flow = new Flow(await get(ofEntity("/graph")));
  for (const step of trace.steps) flow.hear(step);
  const result = await withTexts(resultOf(trace));
  flow.end(result);
  const explain = (id) => get(ofEntity(`/traces/${encodeURIComponent(traceId)}/explain?memory_id=${encodeURIComponent(id)}`));
  lastRecall = { question: trace.question, explain };
  const holder = el("div");
  replace(out, el("h2", {}, trace.question), flow.element, holder);
  showRecall(holder, { result, trace, explain, session: null, search: storedWith });
}

/** What a trace tells of a result. */
function resultOf(trace) {
  const facets = new Map(trace.facets.map((facet) => [facet.facet_id, facet]));
  const memories = trace.returned.map((id) => {
    const one = trace.candidates.find((candidate) => candidate.memory_id === id);
    const facet = facets.get(one?.slot_facet);
    return { id, title: one?.title || id, created_at: one?.created_at, score: one?.score ?? 0, facets: facet ? [facet.name] : [], hop: one?.cue ? 2 : facet?.hop ?? 1,
      cue: one?.cue, role: "", source: "", kind: "", why: "", stale: "", evidence: [], conflicts_with: [] };
  });
  return { question: trace.question, memories, maybe: [], preferences: [], facets: [], degraded: trace.degraded, spent: trace.spent,
    rounds: trace.spent.rounds, stop_reason: trace.stop_reason, settings: settingsOf(trace) };
}

/** What a stored memory says; "" once it is forgotten. */
const textOf = async (id) => (await get(ofEntity(`/memories/${encodeURIComponent(id)}`)).catch(() => null))?.text ?? "";

/** A kept result with the texts of its memories, which a trace does not hold; what was forgotten since has none. */
async function withTexts(result) {
  await Promise.all(result.memories.map(async (memory) => {
    const stored = await get(ofEntity(`/memories/${encodeURIComponent(memory.id)}`)).catch(() => null);
    if (stored) Object.assign(memory, { source: stored.source, kind: stored.kind, evidence: [{ text: stored.text, heading: "Text" }] });
  }));
  return result;
}

/** What may differ between two recalls: the models with the hashes of their prompts stand in planner and critic. */
const settingsOf = (trace) => ({ memories: trace.k, effort: trace.effort, planner: trace.planner, critic: trace.critic, ...trace.settings });

/** Answer, path and questions about it; used by the page and by a file of one recall. */
function showRecall(holder, { result, trace, explain, session, search }) {
  const goTo = (id) => {
    const shown = holder.querySelector(`[data-memory="${CSS.escape(id)}"]`);
    if (shown) { shown.scrollIntoView({ block: "center" }); shown.querySelector(".why-button")?.focus(); flash(shown); }
    else trying(async () => { replace(aside, story(await explain(id), explain)); aside.firstChild.focus(); });
  };
  const aside = el("div", { class: "aside" });
  const titles = new Map(trace.candidates.map((one) => [one.memory_id, one.title]));
  const tools = { explain, ...(session ? session.tools() : {}) };
  replace(holder, answerView(result, tools), session && session.bar, pathView(trace, result, goTo), aside, whyNotForm(explain, titles, search));
}

function flash(node) {
  node.classList.remove("flash");
  void node.offsetWidth;
  node.classList.add("flash");
}

/** Votes on an answer. The session begins with the first votes that are sent. */
class Session {
  constructor(body, holder, titles) {
    Object.assign(this, { body, holder, titles });
    this.votes = new Map();
    this.id = "";
    this.count = el("span", { role: "status" });
    this.next = button("Next round", () => this.vote(), { class: "primary" }, () => this.isStuck());
    this.done = button("Resolve", () => this.resolve());
    this.bar = el("div", { class: "session-bar", hidden: true }, this.count, this.next, this.done,
      button("Clear votes", () => { this.votes.clear(); this.refresh(); document.querySelectorAll(".vote").forEach((one) => one.setAttribute("aria-pressed", "false")); }));
  }

  tools() { return { votes: this.votes, voted: () => this.refresh() }; }

  refresh() {
    this.bar.hidden = !this.votes.size && !this.id;
    this.count.textContent = `${plural(this.votes.size, "vote")} `;
    this.next.disabled = this.isStuck();
  }

  /** Whether no other round can be asked for. */
  isStuck() { return !this.votes.size || this.answer?.rounds_left === 0; }

  /** Send the votes; the next answer. */
  async vote() {
    await this.begin();
    const sent = this.shown(this.votes);
    if (!Object.keys(sent).length) throw new Error("the session's answer shows none of the memories you voted on; vote on the ones below");
    const answer = await post(ofEntity(`/sessions/${this.id}/votes`), { votes: sent, round: this.answer.round });
    this.votes.clear();
    this.show(answer);
  }

  async begin() {
    if (this.id) return;
    const { question, k } = this.body;
    this.answer = await post(ofEntity("/sessions"), { question, k });
    this.id = this.answer.session_id;
    this.name(this.answer);
  }

  /** Keep what memories are called: those that leave are named, too. */
  name(answer) {
    for (const memory of [...answer.memories, ...answer.branches.flatMap((branch) => branch.memories)]) this.titles.set(memory.id, nameOf(memory));
  }

  /** Votes on what the session's answer shows. */
  shown(votes) {
    const all = [...this.answer.memories, ...this.answer.branches.flatMap((branch) => branch.memories)].map((memory) => memory.id);
    return Object.fromEntries([...votes].filter(([id]) => all.includes(id)));
  }

  /** Say what helped; later recalls learn from it. */
  async resolve() {
    await this.begin();
    const noted = this.shown(this.votes);
    if (Object.keys(noted).length) await post(ofEntity(`/sessions/${this.id}/votes`), { votes: noted, round: this.answer.round, go_on: false });
    const done = await post(ofEntity(`/sessions/${this.id}/resolve`));
    const { accepted, proposals } = done.session;
    replace(this.holder, el("section", { class: "answer" }, el("h2", {}, "Resolved"),
      el("p", {}, accepted.length ? `Accepted: ${accepted.map((id) => this.titles.get(id) || id).join("; ")}.` : "Nothing was accepted."),
      el("p", {}, done.learned.updated || done.learned.learned ? `${plural(done.learned.updated, "memory", "memories")} will rank differently for such questions.` : "Nothing new was learned."),
      proposals.map((one) => el("p", { class: "warning" }, one.why))));
    say("Resolved");
  }

  show(answer) {
    this.answer = answer;
    this.name(answer);
    const came = answer.changes.filter((one) => one.change === "came"), left = answer.changes.filter((one) => one.change === "left");
    const tools = { ...this.tools(), changes: came };
    replace(this.holder, el("section", { class: "answer", "aria-label": "Answer" },
      el("h2", {}, `Round ${answer.round}: ${plural(answer.memories.length, "memory", "memories")}`),
      el("p", { class: "quiet" }, `${answer.why.replace(/\.$/, "")}. ${plural(answer.rounds_left, "round")} left.`),
      answer.memories.map((memory, index) => card(memory, index + 1, tools)),
      answer.branches.map((branch) => [el("h2", {}, `Sparked by ${branch.title}`), branch.memories.map((memory) => card(memory, 0, tools))]),
      left.length ? [el("h2", {}, "No longer in the answer"), el("ul", {}, left.map((one) => el("li", {}, el("strong", {}, this.titles.get(one.memory_id) || one.memory_id), ": ", one.why.replace("by the person", "by you"))))] : null,
      answer.proposals.map((one) => el("p", { class: "warning" }, one.why))), this.bar);
    this.refresh();
    say(`Round ${answer.round}: ${came.length} came, ${left.length} left`);
  }
}
