// What all views share: who is here, which series is open, its outline and entries, its conversation.

import { get } from "./api.js";
import { linkTo } from "./router.js";
import { outlineOf } from "./lore/order.js";

export const session = { me: null, series: null };

let kept = new Map();

/** Loads who is here and their series. */
export async function loadMe() {
  session.me = await get("/api/me");
  session.series = session.me.series.find((one) => one.id === session.series?.id) ?? null;
  return session.me;
}

/** Opens a series of the caller's; returns it, or null if there is none of this id. */
export function openSeries(id) {
  const found = session.me.series.find((one) => one.id === id) ?? null;
  if (found && found.id !== session.series?.id) forget();
  session.series = found;
  return found;
}

/** Returns a path of the API below the open series. */
export function at(path) {
  return `/api/series/${session.series.id}${path}`;
}

/** Returns an address on this page below the open series. */
export function here(parts, parameters = {}) {
  return linkTo(["s", session.series.id, ...parts], parameters);
}

/** Returns the outline of the open series, with its story order. */
export function outline() {
  return once("outline", async () => outlineOf((await get(at("/books"))).answer));
}

/** Returns all entries of the open series by name. */
export function entries() {
  return once("entries", allEntries);
}

/** Forgets what was loaded: something was written. */
export function forget() {
  kept = new Map();
}

async function allEntries() {
  const found = [];
  let offset = 0;
  while (offset !== null) {
    const page = await get(at("/entries"), { offset });
    found.push(...page.entries);
    offset = page.nextOffset;
  }
  return found;
}

function once(name, load) {
  if (!kept.has(name)) {
    const loading = load();
    kept.set(name, loading);
    loading.catch(() => kept.get(name) === loading && kept.delete(name));
  }
  return kept.get(name);
}
