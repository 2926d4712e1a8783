// Notes one detail of an entry, at the place where the slider stands; a card shows what that means first.

import { post, sentenceOf } from "../api.js";
import { decideInDialog } from "../batch.js";
import { h, show } from "../dom.js";
import { at } from "../session.js";
import { noteBatch } from "../talk/channel.js";
import { keyText, t } from "../texts.js";

/** Draws the form into an element; `scene` gives the place, `keys` the details in use, `again` hears of a change. */
export function drawNoteForm(element, { id, scene, keys, again }) {
  const key = h("input", { id: "note-key", required: true, maxlength: "100", list: "note-keys", autocomplete: "off" });
  const value = h("input", { id: "note-value", required: true, maxlength: "2000", autocomplete: "off" });
  const here = h("option", { value: "record" });
  const kind = h("select", { id: "note-kind" }, here, h("option", { value: "retcon" }, t("note.always")));
  const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  const drawPlace = () => show(here, t("note.from_here", { place: scene()?.label ?? "" }));
  const send = async (event) => {
    event.preventDefault();
    trouble.hidden = true;
    try {
      const batch = await decideInDialog(await post(`${at("/facts")}?ask=true`, fact(id, key.value, value.value, kind.value, scene())));
      await noteBatch(batch);
      if (batch.status === "approved") {
        value.value = "";
        await again();
      }
    } catch (error) {
      trouble.textContent = sentenceOf(error);
      trouble.hidden = false;
    }
  };
  const labelled = (input, text) => h("div", { class: "form" }, h("label", { for: input.id }, text), input);
  const fields = [labelled(key, t("note.key")), labelled(value, t("note.value")), labelled(kind, t("note.kind"))];
  const names = h("datalist", { id: "note-keys" }, keys.map((one) => h("option", { value: keyText(one) })));
  const form = h("form", { onsubmit: send }, h("div", { class: "note-fields" }, fields), names, trouble, h("div", { class: "actions" }, h("button", { class: "primary" }, t("note.send"))));
  show(element, h("details", { ontoggle: drawPlace }, h("summary", {}, h("h2", {}, t("note.title"))), form));
  return drawPlace;

  function fact(entityId, typed, said, chosen, place) {
    const known = keys.find((one) => keyText(one) === typed.trim()) ?? typed.trim();
    const isRetcon = chosen === "retcon";
    return { entityId, statePatch: { [known]: said.trim() }, retcon: isRetcon, ...(isRetcon || !place ? {} : { sourceSceneId: place.id }) };
  }
}
