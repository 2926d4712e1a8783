// A chapter to read; a link to a scene opens its chapter there.

import { get, sentenceOf } from "../api.js";
import { focusOn, h } from "../dom.js";
import { drawInline } from "../markdown.js";
import { nodeText } from "../lore/order.js";
import { at, here, outline } from "../session.js";
import { t } from "../texts.js";

/** Returns the view of a chapter. */
export async function view({ parts, signal }) {
  const places = await outline();
  const node = places.find(parts[0]);
  const chapter = node?.kind === "scene" ? node.parent : (node ?? null);
  const text = h("div", { class: "prose reading" });
  const more = h("div", { class: "actions" });
  const load = async (offset) => {
    const { answer } = await get(at(`/chapters/${encodeURIComponent(chapter?.id ?? parts[0])}/scenes`), { offset }, { signal });
    answer.scenes.forEach((scene) => add(text, scene, places));
    more.replaceChildren(...(answer.nextOffset === null ? [] : [h("button", { type: "button", onclick: ({ target }) => goOn(target, answer.nextOffset) }, t("scene.more"))]));
    return answer;
  };
  const goOn = async (button, offset) => {
    button.disabled = true;
    try {
      await load(offset);
    } catch (error) {
      more.append(h("p", { class: "trouble", role: "alert" }, sentenceOf(error)));
    }
  };
  const answer = await load(0);
  const title = answer.chapter.title || answer.chapter.label;
  const wanted = node?.kind === "scene" ? () => jump(node.id) : () => {};
  return {
    title,
    className: "lore",
    node: [way(chapter), h("h1", {}, title), text, more, beside(chapter, places)],
    shown: wanted,
    keepsFocus: node?.kind === "scene",
    keepsScroll: node?.kind === "scene",
  };
}

function add(text, scene, places) {
  const node = places.byId(scene.place.id);
  const mode = node && node.mode !== "linear" ? t(`scene.${node.mode}`) : "";
  const paragraphs = scene.text.split(/\n{2,}/).filter((part) => part.trim()).map((part) => h("p", {}, drawInline(part)));
  if (scene.offset > 0) {
    text.append(...paragraphs);
    return;
  }
  const head = h("h2", { id: `scene-${scene.place.id}` }, h("span", { class: "number" }, scene.place.label), " ", scene.title);
  text.append(h("section", {}, head, mode && h("p", { class: "kind" }, mode), paragraphs));
}

function jump(id) {
  const heading = document.getElementById(`scene-${id}`);
  focusOn(heading);
  heading?.scrollIntoView({ block: "start" });
}

function way(chapter) {
  const book = chapter?.parent;
  return h("p", { class: "way" }, h("a", { href: here(["outline"]) }, t("nav.outline")), book && ` · ${book.title || book.label}`);
}

function beside(chapter, places) {
  const all = places.nodes.filter((node) => node.kind === "chapter");
  const index = all.indexOf(chapter);
  if (index < 0) return null;
  const link = (node, key) => node && h("a", { class: "button", href: here(["scene", node.id]) }, `${t(key)}: ${nodeText(node)}`);
  return h("nav", { class: "beside", "aria-label": t("scene.chapters") }, link(all[index - 1], "scene.previous"), link(all[index + 1], "scene.next"));
}
