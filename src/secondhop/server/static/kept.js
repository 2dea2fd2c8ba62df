"use strict";
// What a reload of this tab shows again: the last answer, and the votes on it.

const LAST = "last recall";

/** Keep an answer. `also`: {body, sessionId, votes} if it takes votes, {resolved} if its session is over. */
const keepAsLast = (traceId, also) =>
  sessionStorage.setItem(LAST, JSON.stringify({ entity: place.entity, traceId, ...also }));

/** What was kept of the last answer; null if there is none of this entity. */
function lastKept() {
  const last = JSON.parse(sessionStorage.getItem(LAST) ?? "null");
  return last?.entity === place.entity ? last : null;
}

/** What stands in place of a recall whose trace is gone; any other error is thrown again. */
function noLongerKept(error) {
  if (error.status !== 404 && error.status !== 422) throw error; // 422: it cannot be the id of a recall
  return el("p", "This recall is no longer kept.");
}

/** The answer that a kept session stands at; null if it has not begun, or is over. */
async function standingOf({ sessionId }) {
  if (!sessionId) return null;
  return get(ofEntity(`/sessions/${encodeURIComponent(sessionId)}`)).catch((error) => {
    if (error.status === 404 || error.status === 410) return null;
    throw error;
  });
}

/** Show the last answer in `out`, with the votes on it; without them if its session is over. Returns whether it was still wanted. */
async function showLast(last, out) {
  const standing = await standingOf(last),
    canVote = last.sessionId ? standing : last.body;
  const session = await showKept(last.traceId, out, canVote ? last : null);
  if (session === undefined) return false;
  if (standing) await session.draw(standing);
  showAddress(
    "ask",
    addressOf(standing?.trace_id ?? last.traceId),
    lastRecall.question,
    "replaceState",
  );
  return true;
}
