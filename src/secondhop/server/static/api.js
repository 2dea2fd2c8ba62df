"use strict";
// Calls of the server this page came from. The token stays in this tab.

const place = { entity: "default", token: "" };

function readPlace() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has("token")) {
    sessionStorage.setItem("token", given.get("token"));
    if (given.has("entity")) sessionStorage.setItem("entity", given.get("entity"));
    history.replaceState(null, "", location.pathname); // take the token out of the address bar
  }
  place.token = sessionStorage.getItem("token") || "";
  place.entity = sessionStorage.getItem("entity") || "";
}

function usePlace(entity, token = place.token) {
  Object.assign(place, { entity, token });
  sessionStorage.setItem("entity", entity);
  sessionStorage.setItem("token", token);
}

/** The URL path of a route of the entity. */
const ofEntity = (path) => `/v1/entities/${encodeURIComponent(place.entity)}${path}`;

async function call(method, path, body = undefined) {
  const headers = place.token ? { Authorization: `Bearer ${place.token}` } : {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!answer.ok) throw await problemOf(answer);
  return answer;
}

async function problemOf(answer) {
  const problem = await answer.json().catch(() => ({}));
  const restarted =
    answer.status === 401 &&
    place.token &&
    "the token of this page is not valid: if the server was started again, open the address that it printed then";
  const error = new Error(restarted || problem.detail || `the server answered ${answer.status}`);
  return Object.assign(error, { status: answer.status, problem });
}

const get = async (path) => (await call("GET", path)).json();
const post = async (path, body = {}) => (await call("POST", path, body)).json();

/** Run a recall and return its result; `onStep` is called with each step as it ends. */
async function streamed(body, onStep) {
  const answer = await call("POST", ofEntity("/recall/stream"), body);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error("the connection ended before the answer; ask again");
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const [first, second] = block.split("\n");
      const data = JSON.parse(second.slice("data: ".length));
      if (first === "event: result") return data;
      if (first === "event: problem") throw new Error(data.detail);
      onStep(data);
    }
  }
}
