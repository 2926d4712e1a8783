// All entries, to be narrowed by kind and by name.

import { h, show } from "../dom.js";
import { announce } from "../frame.js";
import { noteAddress } from "../router.js";
import { entries, here } from "../session.js";
import { t } from "../texts.js";

export const TYPES = ["character", "location", "faction", "object", "rule"];

/** Returns the list of entries. */
export async function view({ parameters }) {
  const all = await entries();
  const chosen = { q: parameters.q ?? "", type: parameters.type ?? "" };
  const list = h("ul", { class: "entry-list" });
  const count = h("p", { class: "hint" });
  const draw = () => {
    const found = all.filter((entry) => fits(entry, chosen));
    show(list, found.map(item));
    count.textContent = all.length ? t("entries.count", { n: found.length }) : t("entries.none");
  };
  const changed = (change) => {
    Object.assign(chosen, change);
    noteAddress(here(["entries"], chosen));
    draw();
    announce(count.textContent);
  };
  draw();
  return { title: t("nav.entries"), className: "lore", node: [heading(), filters(chosen, changed), count, list] };
}

/** Returns whether an entry is of the wanted kind and one of its names holds what was typed. */
function fits(entry, { q, type }) {
  const names = [entry.name, ...entry.aliases].map(plain);
  return (!type || entry.type === type) && names.some((name) => name.includes(plain(q)));
}

function plain(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function heading() {
  return h("div", { class: "view-head" }, h("h1", {}, t("nav.entries")), h("a", { class: "button", href: here(["search"]) }, t("entries.search_text")));
}

function filters(chosen, changed) {
  const field = h("input", {
    id: "filter",
    type: "search",
    value: chosen.q,
    placeholder: t("entries.filter"),
    oninput: ({ target }) => changed({ q: target.value }),
  });
  const kind = (type) => {
    const pick = ({ target }) => {
      changed({ type });
      target.parentElement.querySelectorAll("button").forEach((one) => one.setAttribute("aria-pressed", String(one === target)));
    };
    const words = type ? t(`types.${type}`) : t("types.all");
    return h("button", { type: "button", class: "chip", "aria-pressed": String(type === chosen.type), onclick: pick }, words);
  };
  return h(
    "div",
    { class: "filters" },
    h("label", { class: "unseen", for: "filter" }, t("entries.filter")),
    field,
    h("div", { class: "chips", role: "group", "aria-label": t("entries.kind") }, ["", ...TYPES].map(kind)),
  );
}

function item(entry) {
  const more = [entry.hint, entry.aliases.join(", ")].filter(Boolean).join(" · ");
  return h(
    "li",
    {},
    h(
      "a",
      { href: here(["entry", entry.id]), data: { type: entry.type } },
      h("span", { class: "name" }, entry.name),
      h("span", { class: "kind" }, t(`type.${entry.type}`)),
      more && h("span", { class: "aliases" }, more),
    ),
  );
}
