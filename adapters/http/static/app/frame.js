// The frame around all views: navigation, the series picker, what is announced, the state of the connection.

import { hooks } from "./api.js";
import { freshId, h, icon, show } from "./dom.js";
import { goTo, linkTo } from "./router.js";
import { here, session } from "./session.js";
import { t } from "./texts.js";

const BUSY_MS = 400;
const KNOCK_MS = 3_000;
const FIRST = ["talk", "entries", "outline", "search"];
const SECOND = ["proposals", "history", "loose", "transfer", "settings"];

const live = h("div", { class: "unseen", "aria-live": "polite", role: "status" });
const banner = h("div", { class: "banner", role: "status", hidden: true });
const busy = h("div", { class: "busy", hidden: true });
const top = h("header", { class: "top" });
const side = h("nav", { class: "side" });
const main = h("main", { id: "main", tabindex: "-1" });

let open = 0;
let proposals = 0;
let present = "";
let knocking = 0;

/** Puts the frame into the page; returns where views are drawn. */
export function drawFrame() {
  const skip = (event) => {
    event.preventDefault();
    main.focus();
  };
  document.body.replaceChildren(
    h("a", { class: "skip", href: "#main", onclick: skip }, t("frame.skip")),
    busy,
    top,
    banner,
    side,
    main,
    live,
  );
  return main;
}

/** Shows which view is open. */
export function drawNavigation(name) {
  present = name;
  show(top, brand(), seriesPicker());
  side.setAttribute("aria-label", t("frame.navigation"));
  if (!session.series) {
    show(side);
    return;
  }
  const more = link("more", "phone", SECOND.includes(name));
  show(side, h("ul", {}, FIRST.map((view) => link(view, "")), SECOND.map((view) => link(view, "desk")), more));
}

/** Returns links to the views that a phone keeps behind "more". */
export function furtherLinks() {
  return h("ul", { class: "further" }, SECOND.map((view) => link(view, "")));
}

/** Shows how many proposals are open. */
export function showProposals(count) {
  proposals = count;
  drawNavigation(present);
}

/** Has a screen reader say something. */
export function announce(text) {
  live.textContent = "";
  setTimeout(() => (live.textContent = text), 60);
}

/** Shows a sentence about the connection, or none. */
export function showBanner(text) {
  banner.hidden = !text;
  banner.textContent = text;
}

/** Asks for a yes in a dialog; resolves to whether it was given. */
export function askSure(question, yes) {
  return new Promise((resolve) => {
    const press = (answer) => () => dialog.close(answer);
    const buttons = [
      h("button", { type: "button", class: "primary", onclick: press("yes") }, yes),
      h("button", { type: "button", onclick: press("") }, t("frame.cancel")),
    ];
    const dialog = h("dialog", { class: "sheet", "aria-label": yes }, h("p", {}, question), h("div", { class: "actions" }, buttons));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Asks whether the server is there again. */
async function knock() {
  const found = await fetch("/healthz").catch(() => null);
  hooks.reached(Boolean(found?.ok));
}

/** Asks for a token in a dialog; resolves to it, or to null. */
export function askToken(sentence) {
  return new Promise((resolve) => {
    const id = freshId("token");
    const field = h("input", { id, type: "password", autocomplete: "off", spellcheck: "false", required: true });
    const send = (event) => {
      event.preventDefault();
      dialog.close(field.value.trim());
    };
    const form = h(
      "form",
      { onsubmit: send },
      h("h2", {}, t("token.title")),
      h("p", {}, sentence),
      h("label", { for: id }, t("token.label")),
      field,
      h("p", { class: "hint" }, t("token.hint")),
      h("div", { class: "actions" }, h("button", { class: "primary" }, t("token.send"))),
    );
    const dialog = h("dialog", { class: "sheet", "aria-label": t("token.title") }, form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue || null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

hooks.busy = (change) => {
  open += change;
  if (open > 0) setTimeout(() => (busy.hidden = open === 0), BUSY_MS);
  else busy.hidden = true;
};

hooks.reached = (reached) => {
  clearTimeout(knocking);
  if (reached) showBanner("");
  else {
    showBanner(t("error.offline_banner"));
    knocking = setTimeout(knock, KNOCK_MS);
  }
};

function brand() {
  const mark = h("img", { src: "icon.svg", alt: "", width: "28", height: "28" });
  const address = session.series ? here(["talk"]) : "#/";
  return h("a", { class: "brand", href: address, "aria-label": "LoreKeeper" }, mark, h("span", {}, "LoreKeeper"));
}

function seriesPicker() {
  const all = session.me?.series ?? [];
  if (!all.length) return null;
  const options = all.map((one) => h("option", { value: one.id, selected: one.id === session.series?.id }, one.name));
  options.push(h("option", { value: "" }, t("frame.begin")));
  const onchange = ({ target }) => goTo(target.value ? linkTo(["s", target.value, "talk"]) : linkTo(["begin"]));
  return h("select", { class: "series", "aria-label": t("frame.series"), onchange }, options);
}

function link(view, style, current = view === present) {
  const count = view === "proposals" && proposals > 0 ? h("span", { class: "count" }, String(proposals), h("span", { class: "unseen" }, ` ${t("frame.open")}`)) : null;
  const given = { href: here([view]), "aria-current": current ? "page" : null };
  return h("li", { class: style }, h("a", given, icon(view), h("span", {}, t(`nav.${view}`)), count));
}
