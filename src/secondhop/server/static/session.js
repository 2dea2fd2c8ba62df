"use strict";
// Votes on an answer, the rounds of a session, and what it taught.

/** What sessions taught, by question; what was taken back is not there. */
const learned = async () => (await get(ofEntity("/learned"))).questions;

/** What is known now for the question of a kept round, if its session is the last that taught something for it, and so is resolved. (What a session taught has the time at which it was asked.) */
const taughtIn = (kept, questions) =>
  kept.stop_reason !== "votes"
    ? []
    : questions
        .filter((one) => +new Date(one.learned_at) === +new Date(kept.asked_at))
        .flatMap((one) => one.memories);

/** A line on what is known from the session of a kept round; null if it is not known to be resolved. */
async function taughtView(trace, names) {
  const taught = taughtIn(trace, await learned());
  if (!taught.length) return null;
  const view = el(
    "p",
    {
      class: "resolved",
      onuntaught: () =>
        trying(async () => view.replaceWith((await taughtView(trace, names)) ?? "")),
    },
    "This session is resolved.",
    effects(
      taught,
      await namesOfAll(
        taught.map((one) => one.memory_id),
        names,
      ),
    ),
  );
  return view;
}

/** What sessions taught about memories, in words, with a link to where it can be taken back. */
function effects(taught, names) {
  const effect = (words, has) =>
    taught.some(has) &&
    ` ${words} for such questions: ${named(
      taught.filter(has).map((one) => one.memory_id),
      names,
    )}.`;
  return [
    effect("Counts more", (one) => one.votes > 0),
    effect("Counts a little less", (one) => one.votes <= 0 && !one.refused),
    effect("Is left out", (one) => one.refused),
    " ",
    el(
      "a",
      {
        href: "#memories",
        onclick: () => {
          opensLearned = true;
        },
      },
      "What was learned",
    ),
    " can be taken back.",
  ];
}

/** What is known now from what a resolved session voted on. */
async function taughtBy({ accepted, votes, question }) {
  const ids = new Set([
      ...accepted,
      ...votes.flatMap((one) => VOTES.flatMap(([vote]) => one[vote])),
    ]),
    questions = await learned();
  questions.sort((one, other) => (one.question === question) - (other.question === question)); // its own question last, which then counts
  return [
    ...new Map(
      questions
        .flatMap((one) => one.memories)
        .filter((one) => ids.has(one.memory_id))
        .map((one) => [one.memory_id, one]),
    ).values(),
  ];
}

/** What a resolved session accepted, and what of its teaching still stands. `uncounted`: ids of the memories whose votes were not counted. */
async function resolvedView(resolved, names) {
  const {
    done: {
      session: { accepted, proposals, votes, question },
      learned: { updated },
    },
    uncounted,
  } = resolved;
  const taught = await taughtBy({ accepted, votes, question });
  names = await namesOfAll(
    [
      ...accepted,
      ...uncounted,
      ...taught.map((one) => one.memory_id),
      ...proposals.flatMap((one) => [one.memory_id, one.replaced_by].filter(Boolean)),
    ],
    names,
  );
  const view = el(
    "section",
    {
      class: "resolved",
      tabindex: "-1",
      onuntaught: () => trying(async () => view.replaceWith(await resolvedView(resolved, names))),
    },
    el("h2", "Resolved"),
    el("p", accepted.length ? `Accepted: ${named(accepted, names)}.` : "Nothing was accepted."),
    el(
      "p",
      taught.length
        ? effects(taught, names)
        : updated
          ? "What was learned from it was taken back."
          : "Nothing new was learned.",
    ),
    uncounted.length && warning(`${notCounted(uncounted, names)}.`),
    proposed(proposals, names),
  );
  return view;
}

/** Says of which memories votes were not counted. */
const notCounted = (ids, names) =>
  `Not counted, because the session's answer does not show ${ids.length === 1 ? "it" : "them"}: ${named(ids, names)}`;

/** The answer of a session's round, for `costOf`. */
const costsOf = (answer) => ({ ...answer, rounds: answer.round, stop_reason: "votes" });

/** Votes on an answer. The server's session begins when the first votes are sent. */
class Session {
  /** `kept`: the id and the votes that a reload brings back; see kept.js. */
  constructor(body, holder, flow, traceId, kept = {}) {
    Object.assign(this, { body, holder, flow, traceId, names: new Map() });
    this.votes = new Map(kept.votes ?? []);
    this.id = kept.sessionId ?? "";
    this.count = el("span", { role: "status" });
    this.next = button(
      "Next round",
      () => {
        const waiting = new Waiting();
        this.bar.append(waiting.element);
        return this.vote().finally(() => waiting.end());
      },
      { class: "primary next-round", "aria-keyshortcuts": "n" },
      () => this.isStuck(),
    );
    this.done = button("Resolve", () => this.resolve());
    this.clear = button(
      "Clear votes",
      () => {
        this.votes.clear();
        this.voted();
        repaintVotes(this.holder);
      },
      {},
      () => !this.votes.size,
    );
    this.bar = el(
      "div",
      { class: "session-bar", hidden: true },
      this.count,
      this.next,
      this.done,
      el(
        "span",
        { class: "quiet roomy" },
        "Key n: next round. Resolve ends the session; later recalls learn.",
      ),
      this.clear,
    );
  }

  tools() {
    return { votes: this.votes, voted: () => this.voted() };
  }

  /** Keep the answer and the votes that are not sent yet, so that a reload shows them again. */
  keep() {
    keepAsLast(this.traceId, { body: this.body, sessionId: this.id, votes: [...this.votes] });
  }

  voted() {
    this.keep();
    this.refresh();
  }

  refresh() {
    this.bar.hidden = !this.votes.size && !this.id;
    this.count.textContent = plural(this.votes.size, this.id ? "new vote" : "vote");
    this.next.disabled = this.isStuck();
    this.clear.disabled = !this.votes.size;
  }

  /** Whether the next round cannot be asked for: there are no votes, or no rounds left. */
  isStuck() {
    return !this.votes.size || this.answer?.rounds_left === 0;
  }

  /** Send the votes and show the next answer. */
  async vote() {
    const { sent, uncounted } = await this.counted();
    if (!Object.keys(sent).length) {
      this.votes.clear();
      await this.show(this.answer);
      throw new Error(
        "the session's answer shows none of the memories you voted on; vote on the ones below",
      );
    }
    const answer = await post(ofEntity(`/sessions/${this.id}/votes`), {
      votes: sent,
      round: this.answer.round,
    });
    this.votes.clear();
    await this.show(answer);
    if (uncounted.length) say(notCounted(uncounted, this.names));
  }

  async begin() {
    if (this.id) return;
    this.answer = await post(ofEntity("/sessions"), this.body);
    this.id = this.answer.session_id;
    this.keep();
  }

  /** The votes on memories of the session's answer, which begins if need be; and the ids of the others. */
  async counted() {
    await this.begin();
    const all = shownIn(this.answer).map((memory) => memory.id);
    return {
      sent: Object.fromEntries([...this.votes].filter(([id]) => all.includes(id))),
      uncounted: [...this.votes.keys()].filter((id) => !all.includes(id)),
    };
  }

  /** Send the votes that are left and end the session; later recalls learn from it. */
  async resolve() {
    const { sent, uncounted } = await this.counted();
    if (Object.keys(sent).length)
      await post(ofEntity(`/sessions/${this.id}/votes`), {
        votes: sent,
        round: this.answer.round,
        go_on: false,
      });
    const done = await post(ofEntity(`/sessions/${this.id}/resolve`));
    keepAsLast(this.traceId, { resolved: { done, uncounted } });
    built.get("memories")?.learned();
    this.bar.remove();
    this.flow.end(costsOf(this.answer), "you resolved the session");
    for (const one of this.holder.querySelectorAll(".votes, .rounds-left, .vote-words"))
      one.remove();
    const told = await resolvedView({ done, uncounted }, this.names);
    this.holder.prepend(told);
    told.scrollIntoView({ block: "start" });
    told.focus();
    say("Resolved");
  }

  /** Show the answer of a round, and lead to it. */
  async show(answer) {
    await this.draw(answer);
    this.keep();
    this.holder.querySelector(".answer").focus({ preventScroll: true });
    this.holder.scrollIntoView({ block: "start" });
    const view = built.get("recalls")?.element.contains(this.holder) ? "recalls" : "ask";
    showAddress(view, addressOf(answer.trace_id), answer.question);
    const came = answer.changes.filter((one) => one.change === "came").length;
    say(`Round ${answer.round}: ${came} new, ${answer.changes.length - came} gone`);
  }

  async draw(answer) {
    this.answer = answer;
    this.traceId = answer.trace_id;
    const traced = await tracedBy(answer.trace_id).catch(untraced);
    showRecall(this.holder, {
      result: {
        ...answer,
        effort: traced.trace.effort,
        facets: outcomesOf(traced.trace),
        maybe: nearestOf(traced),
      },
      ...traced,
      session: this,
    });
    answer.spent = traced.trace.spent ?? answer.spent;
    this.flow.end(costsOf(answer), "your votes are awaited");
    this.refresh();
  }
}
