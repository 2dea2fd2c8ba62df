"use strict";
// The address of the page: a view, or one recall, so that a link or the back button opens it again.

const RECALL = /^#\/recall\/([^/]+)\/([^/]+)$/;

/** The address of a recall of the entity. */
const addressOf = (traceId) => `#/recall/${encodeURIComponent(place.entity)}/${encodeURIComponent(traceId)}`;

/** What the address bar names: {entity, traceId} of a recall; null if it names none. */
function addressedRecall() {
  try {
    const [, entity, traceId] = RECALL.exec(location.hash)?.map(decodeURIComponent) ?? [];
    return traceId ? { entity, traceId } : null;
  } catch { return null; }  // not a well-formed address
}

/** Say in the link of a view what it now shows; if it is open, in the address bar, too. `how`: "replaceState" if the back button need not lead here. */
function showAddress(view, address, how = "pushState") {
  linkOf(view).setAttribute("href", address);
  if (currentView() === view && location.hash !== address) history[how](null, "", address);
}

/** The name of the view that is open. */
const currentView = () => document.querySelector("#tabs [aria-current]")?.dataset.view;

/** The link that opens a view. */
const linkOf = (view) => document.querySelector(`#tabs [data-view="${view}"]`);
