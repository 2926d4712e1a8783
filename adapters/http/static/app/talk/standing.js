// Where the conversation stands: its place in the story, and how far a reader has read.

import { post, sentenceOf } from "../api.js";
import { h } from "../dom.js";
import { nodeText } from "../lore/order.js";
import { at, session } from "../session.js";
import { placeText, t } from "../texts.js";
import { channel, noteBatch } from "./channel.js";

/** Returns the pickers of book and position, and for a reader how far they have read. */
export function drawStanding(places, fail) {
  const { position, bounded, finished } = channel.conversation;
  const write = (path, body) => async () => {
    fail("");
    try {
      await noteBatch(await post(path, body));
    } catch (error) {
      fail(sentenceOf(error));
    }
  };
  const place = picker("position", t("talk.position"), places, position, (id) => write(at("/position"), { position: id })());
  const book = places.books.length > 1 && bookPicker(places, write);
  if (!bounded) return [book, place];
  const read = picker("finished", t("talk.finished"), places, finished, (id) => write(at("/progress"), { finished: id || "nothing" })());
  return [book, place, read];
}

/** Returns what a reader is told about what isn't shown, "" for those who see all. */
export function boundText() {
  const { bounded, finished } = channel.conversation;
  if (!bounded) return "";
  return finished ? t("talk.bounded", { place: placeText(finished) }) : t("talk.bounded_nothing");
}

function bookPicker(places, write) {
  const { bookId } = channel.conversation;
  const options = places.books.map((book) => h("option", { value: book.id, selected: book.id === bookId }, book.title || book.label));
  const onchange = ({ target }) => {
    if (!target.value) return;
    write(`/api/conversations/${channel.conversation.id}/link`, { series: session.series.name, book: target.value })();
  };
  const none = h("option", { value: "", selected: !bookId }, t("talk.any_book"));
  return h("label", { class: "picker", for: "book" }, h("span", {}, t("talk.book")), h("select", { id: "book", onchange }, none, options));
}

function picker(id, label, places, chosen, pick) {
  const groups = places.books.map((book) =>
    h(
      "optgroup",
      { label: book.title || book.label },
      book.children.flatMap((chapter) => chapter.children).map((scene) => h("option", { value: scene.id, selected: scene.id === chosen?.id }, nodeText(scene))),
    ),
  );
  const isElsewhere = chosen && !places.scenes.some((scene) => scene.id === chosen.id);
  const none = h("option", { value: "", selected: !chosen }, t("talk.nowhere"));
  const other = isElsewhere && h("option", { value: chosen.id, selected: true }, placeText(chosen));
  const onchange = ({ target }) => target.value && pick(target.value);
  return h("label", { class: "picker", for: id }, h("span", {}, label), h("select", { id, onchange }, none, other, groups));
}
