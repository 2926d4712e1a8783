// Talks to the server: one function for each way of asking, errors as sentences for people.

import { language, t } from "./texts.js";

const PATIENCE_MS = 30_000;
const TOKEN = "token";

/** What the server refused, or that it could not be reached (status 0). */
export class Problem extends Error {
  constructor(status, kind, sentence, fields = []) {
    super(sentence);
    this.status = status;
    this.kind = kind;
    this.fields = fields;
  }
}

/** Called when a token is wanted; resolves to one, or to null. */
export const hooks = { wantsToken: async () => null, reached: () => {}, busy: () => {} };

/** Returns what a path answers; empty parameters are left out. */
export async function get(path, parameters = {}, { signal } = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = given.length ? `?${new URLSearchParams(given)}` : "";
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const found = await ask(path + query, { signal: signal ? AbortSignal.any([signal, patience]) : patience });
  return found.json();
}

/** Returns what a write came to. It may take as long as a turn takes. */
export async function post(path, body = {}) {
  const found = await ask(path, { method: "POST", headers: JSON_BODY, body: JSON.stringify(body) });
  return found.json();
}

/** Starts something whose course is heard elsewhere; returns as soon as the server has taken it. */
export async function start(path, body = {}) {
  const headers = { ...JSON_BODY, accept: "text/event-stream" };
  const found = await ask(path, { method: "POST", headers, body: JSON.stringify(body) });
  await found.body?.cancel();
}

/** Returns what the server says to files. */
export async function upload(path, form) {
  return (await ask(path, { method: "POST", body: form })).json();
}

/** Fetches a file and hands it to the browser under this name. */
export async function download(path, name) {
  const address = URL.createObjectURL(await (await ask(path)).blob());
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Returns the open response of a stream of events. */
export async function listen(path, lastEvent, signal) {
  const headers = { accept: "text/event-stream", "last-event-id": String(lastEvent) };
  return ask(path, { headers, signal, quiet: true });
}

/** Returns an error's sentence for people. */
export function sentenceOf(error) {
  if (error instanceof Problem) return error.message;
  console.error(error);
  return t("error.unexpected");
}

let asking = null; // several refused requests ask a person once

const JSON_BODY = { "content-type": "application/json" };

async function ask(path, { quiet = false, headers = {}, ...request } = {}) {
  if (!quiet) hooks.busy(+1);
  try {
    const response = await sent(path, { ...request, headers });
    if (response.ok) return response;
    const problem = await problemOf(response);
    if (problem.status !== 401) throw problem;
    asking ??= hooks.wantsToken(problem.message).finally(() => (asking = null));
    const token = await asking;
    if (!token) throw problem;
    sessionStorage.setItem(TOKEN, token);
    return await ask(path, { quiet: true, ...request, headers });
  } finally {
    if (!quiet) hooks.busy(-1);
  }
}

async function sent(path, request) {
  const token = sessionStorage.getItem(TOKEN);
  const headers = { "accept-language": language(), ...request.headers };
  if (token) headers.authorization = `Bearer ${token}`;
  try {
    const response = await fetch(path, { ...request, headers });
    hooks.reached(true);
    return response;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    const slow = error.name === "TimeoutError";
    if (!slow) hooks.reached(false);
    throw new Problem(0, slow ? "slow" : "offline", t(slow ? "error.slow" : "error.offline"));
  }
}

async function problemOf(response) {
  let told = {};
  try {
    told = await response.json();
  } catch {
    // a proxy's page, say
  }
  const kind = String(told.type ?? "").split(":").pop();
  return new Problem(response.status, kind, told.detail || told.title || t("error.refused", { status: response.status }), told.fields);
}
