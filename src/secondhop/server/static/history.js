"use strict";
// What was done to a memory: its events, its cues and the votes of sessions, the earliest first.

/** Lines of the history of a memory and its other versions: {at, words}. `cues`: the cues that are stored now; nothing is kept of removed ones. */
function pastOf({ memory_id: own, events }, cues) {
  const byModel = new Map(); // {day: cues}, because a model writes many at once
  const lines = events.map((one) => ({
    at: one.at,
    words: joined(
      " ",
      one.memory_id === own ? "" : one.memory_id,
      one.act,
      one.act === "superseded" && one.other_id && "by",
      one.other_id,
      one.detail,
    ),
  }));
  for (const cue of cues) {
    const at = cue.written_at ?? new Date().toISOString();
    if (cue.origin === "model") byModel.set(day(at), [...(byModel.get(day(at)) ?? []), cue]);
    else if (cue.origin === "session")
      lines.push({ at, words: votesIn(cue), learned: cue.memory_id });
    else lines.push({ at, words: `cue added: “${cue.text}”` });
  }
  for (const own of byModel.values())
    lines.push({ at: own[0].written_at, words: `${plural(own.length, "cue")} added by a model` });
  return lines.sort((one, other) => new Date(one.at) - new Date(other.at));
}

/** What people voted on a memory for one question. The date of a session's cue is that of the last vote. */
const votesIn = ({ proved, text }) =>
  `${proved > 0 ? "voted for" : proved < 0 ? "voted down" : "votes for and against it"} in sessions, for “${text}”`;

/** The history as a list; call `draw` on it again after cues were added or removed. */
function historyList(past, cues, replaced) {
  const list = el("ol");
  const draw = () =>
    replace(
      list,
      pastOf(past, cues.cues).map((one) =>
        el("li", { "data-learned": one.learned }, `${day(one.at)} ${one.words}`),
      ),
      replaced,
    );
  draw();
  return { list, draw };
}
