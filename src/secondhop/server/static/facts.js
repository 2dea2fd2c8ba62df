"use strict";
// Facts that hold, and what a chat starts with.

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
  preferences: "Preferences",
  recent: "Lately written or used, the latest and most important first",
};

function briefingView() {
  const holder = el("div");
  const row = (one) =>
    el(
      "li",
      el(
        "button",
        { type: "button", class: "link", onclick: () => openMemory(one.id) },
        (one.title && !isUntitled(one.title) ? `${one.title}: ` : "") + short(one.text, 300),
        quiet(
          ` ${one.why.includes(day(one.created_at)) ? "" : `${day(one.created_at)} · `}${one.why}`,
        ),
      ),
    );
  const part = (category, rows) =>
    rows.length ? [el("h3", BRIEFED[category]), el("ul", { class: "recalls" }, rows)] : null;
  const load = async () => {
    const { entries, limit } = await get(ofEntity("/briefing"));
    replace(
      holder,
      el("h2", "What a chat starts with"),
      entries.length
        ? [
            el(
              "p",
              `What a chatbot is told before anything is asked: at most ${limit} memories, each with the reason why.`,
            ),
            Object.keys(BRIEFED).map((category) =>
              part(category, entries.filter((one) => one.category === category).map(row)),
            ),
          ]
        : el(
            "p",
            "Nothing is stored yet that belongs in a briefing. Facts and preferences do; they are read out of conversations (secondhop observe), or stored one by one (secondhop remember).",
          ),
    );
  };
  return { element: holder, focus: () => trying(load) };
}
