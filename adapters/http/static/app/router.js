// Hash routes: `#/s/SERIES/entry/ID?at=…`. Links work, and so do back and forward.

/** Returns where the address bar points: its parts and parameters. */
export function route() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return {
    parts: path.split("/").filter(Boolean).map(decodeURIComponent),
    parameters: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** Returns the address of a place on this page; empty parameters are left out. */
export function linkTo(parts, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = given.length ? `?${new URLSearchParams(given)}` : "";
  return `#/${parts.map(encodeURIComponent).join("/")}${query}`;
}

/** Goes to an address. */
export function goTo(hash) {
  if (location.hash === hash) window.dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = hash;
}

/** Changes the address without drawing anything anew. */
export function noteAddress(hash) {
  history.replaceState(null, "", hash);
}
