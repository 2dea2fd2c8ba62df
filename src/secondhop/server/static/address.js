"use strict";
// The address of the page: a view, a recall, a comparison or a memory, so that a link or the back button opens it again.

/** The address of a recall of the entity; of a comparison, if there are two. */
const addressOf = (...traceIds) =>
  addressIn(traceIds.length > 1 ? "compare" : "recall", ...traceIds);

/** The address of something of the entity; of a memory with "memory". */
const addressIn = (kind, ...ids) =>
  ["#", kind, ...[place.entity, ...ids].map(encodeURIComponent)].join("/");

/** What the address bar names: {kind, entity, ids} of a recall, of the two of a comparison, or of a memory; null if it names none. */
function addressed() {
  try {
    const [start, kind, entity, ...ids] = location.hash.split("/").map(decodeURIComponent);
    return start === "#" &&
      entity &&
      ids.every(Boolean) &&
      ids.length === { recall: 1, compare: 2, memory: 1 }[kind]
      ? { kind, entity, ids }
      : null;
  } catch {
    return null;
  } // not a well-formed address
}

/** Say what a view now shows: in its link (that of Recalls always leads to the list); if it is open, in the address bar and the title, too. `about`: the question; `how`: "replaceState" if the back button need not lead here. */
function showAddress(view, address, about = "", how = "pushState") {
  const link = linkOf(view);
  link.dataset.about = about;
  if (view !== "recalls") link.setAttribute("href", address);
  if (currentView() !== view) return;
  if (location.hash !== address) history[how](null, "", address);
  showTitle();
}

/** Name the browser's tab after the question that is shown, or else after the view. */
function showTitle() {
  const link = linkOf(currentView());
  document.title = `${short(link.dataset.about || link.textContent, 60)} · secondhop`;
}

/** The name of the view that is open. */
const currentView = () => document.querySelector("#tabs [aria-current]")?.dataset.view;

/** The link that opens a view. */
const linkOf = (view) => document.querySelector(`#tabs [data-view="${view}"]`);
