// What a phone's navigation has no room for.

import { h } from "../dom.js";
import { furtherLinks } from "../frame.js";
import { t } from "../texts.js";

/** Returns links to the further views. */
export function view() {
  return { title: t("nav.more"), className: "lore narrow", node: [h("h1", {}, t("nav.more")), furtherLinks()] };
}
