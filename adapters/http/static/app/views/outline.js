// The outline in reading or story order; moving a scene proposes it by a card.

import { post, sentenceOf } from "../api.js";
import { decideInDialog } from "../batch.js";
import { h, icon, show } from "../dom.js";
import { announce } from "../frame.js";
import { makeDraggable } from "../lore/drag.js";
import { nodeText } from "../lore/order.js";
import { noteAddress } from "../router.js";
import { at, here, outline, session } from "../session.js";
import { noteBatch } from "../talk/channel.js";
import { t } from "../texts.js";

/** Returns the view of the outline. */
export async function view({ parameters }) {
  const view_ = new OutlineView(await outline(), parameters.order === "story" ? "story" : "reading");
  return { title: t("nav.outline"), className: "lore", node: view_.node };
}

class OutlineView {
  constructor(places, order) {
    this.places = places;
    this.order = order;
    this.may = session.series.role === "owner" || session.series.role === "editor";
    this.list = h("div", { class: "outline" });
    this.head = h("div", { class: "view-head" });
    this.trouble = h("p", { class: "trouble", role: "alert", hidden: true });
    this.node = [this.head, this.trouble, this.list];
    this.draw();
  }

  draw() {
    const choose = (order) => () => {
      this.order = order;
      noteAddress(here(["outline"], { order: order === "story" ? order : "" }));
      this.draw();
      this.head.querySelector('[aria-pressed="true"]').focus();
    };
    const choice = (order) => h("button", { type: "button", class: "chip", "aria-pressed": String(order === this.order), onclick: choose(order) }, t(`order.${order}`));
    show(this.head, h("h1", {}, t("nav.outline")), h("div", { class: "chips", role: "group", "aria-label": t("order.label") }, choice("reading"), choice("story")));
    const hint = h("p", { class: "hint" }, t(this.may ? `outline.${this.order}_hint` : "outline.read_hint"));
    if (!this.places.nodes.length) show(this.list, h("p", { class: "empty" }, t("outline.none")));
    else show(this.list, hint, this.order === "story" ? this.inStoryOrder() : this.places.books.map((book) => this.book(book)));
  }

  inStoryOrder() {
    return this.dragged(h("ol", { class: "scenes" }, this.places.inStoryOrder.map((scene) => this.scene(scene))));
  }

  book(book) {
    const chapter = (node) =>
      h(
        "section",
        { class: "chapter", data: { node: node.id } },
        h("h3", {}, h("a", { href: here(["scene", node.id]) }, h("span", { class: "number" }, node.number || node.label), " ", node.title), node.part && h("span", { class: "origin" }, ` · ${node.part}`)),
        this.dragged(h("ol", { class: "scenes" }, node.children.map((scene) => this.scene(scene)))),
      );
    return h("section", { class: "book" }, h("h2", {}, book.title || book.label), book.children.map(chapter));
  }

  dragged(list) {
    return this.may ? makeDraggable(list, this.list, (id, target, isAfter) => this.drop(id, target, isAfter)) : list;
  }

  scene(scene) {
    const notes = [
      scene.mode !== "linear" && h("span", { class: `badge ${scene.mode}` }, t(`scene.${scene.mode}`)),
      scene.undated && h("span", { class: "badge warning" }, t("outline.undated")),
      scene.placed && h("span", { class: "origin" }, t(`outline.${scene.placed.split(" ")[0]}`, { place: scene.placed.split(" ").slice(1).join(" ") })),
      scene.words > 0 && h("span", { class: "origin words" }, t("outline.words", { n: scene.words })),
    ];
    const name = h("a", { href: here(["scene", scene.id]) }, h("span", { class: "number" }, scene.label), " ", scene.title || t("outline.untitled"));
    const tools = this.may && [
      this.mover(scene, -1, "up"),
      this.mover(scene, +1, "down"),
      this.order === "story" && scene.placed && h("button", { type: "button", class: "quiet", "aria-label": t("outline.unplace_of", { scene: nodeText(scene) }), onclick: () => this.propose({ sceneId: scene.id, unplace: true }) }, t("outline.unplace")),
    ];
    const grip = this.may && h("span", { class: "grip", "aria-hidden": "true", title: t("outline.drag") }, icon("grip"));
    return h("li", { data: { node: scene.id } }, grip, h("span", { class: "scene-name" }, name, " ", notes.filter(Boolean).flatMap((note) => [note, " "])), tools && h("span", { class: "tools" }, tools));
  }

  mover(scene, step, name) {
    const order = this.order === "story" ? this.places.inStoryOrder : this.places.scenes;
    const index = order.indexOf(scene);
    const target = order[index + step];
    const press = () => this.drop(scene.id, target.id, step > 0);
    return h("button", { type: "button", class: "round small", disabled: !target, "aria-label": t(`outline.${name}`, { scene: nodeText(scene) }), title: t(`outline.${name}`, { scene: nodeText(scene) }), onclick: press }, icon(name));
  }

  drop(id, target, isAfter) {
    if (id === target) return null;
    if (this.order === "story") return this.propose({ sceneId: id, relation: isAfter ? "after" : "before", node: target });
    return this.propose({ sceneId: id, moveAfter: this.readAfter(target, isAfter, id) });
  }

  /** Returns what a scene is read after: the target, what stands before it, or the chapter it comes first in. */
  readAfter(target, isAfter, moved) {
    const node = this.places.byId(target);
    if (isAfter) return node.id;
    const above = node.parent.children.filter((one) => one.id !== moved);
    return above[above.indexOf(node) - 1]?.id ?? node.parent.id;
  }

  async propose(body) {
    this.trouble.hidden = true;
    try {
      const batch = await decideInDialog(await post(`${at("/scenes/place")}?ask=true`, body));
      await noteBatch(batch);
      this.places = await outline();
      announce(batch.card.title);
    } catch (error) {
      this.trouble.textContent = sentenceOf(error);
      this.trouble.hidden = false;
    }
    this.draw();
    this.list.querySelector(`[data-node="${CSS.escape(body.sceneId)}"] a`)?.focus();
  }
}
