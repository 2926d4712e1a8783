// The page's own settings: language and appearance, kept in this browser.

import { get, post, sentenceOf } from "../api.js";
import { h } from "../dom.js";
import { drawNavigation } from "../frame.js";
import { goTo } from "../router.js";
import { session } from "../session.js";
import { LANGUAGES, language, speak, t } from "../texts.js";
import { forgetConversation } from "../talk/channel.js";

const THEMES = ["auto", "light", "dark"];

const FAMILIES = ["web", "documents", "sheets", "forge", "schedule", "notify"];

/** Applies the appearance that was chosen in this browser. */
export function applyTheme() {
  const theme = localStorage.getItem("theme");
  if (theme && theme !== "auto") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

/** Returns the view of the settings. */
export async function view() {
  const speakIt = async ({ target }) => {
    localStorage.setItem("language", target.value);
    await speak(target.value);
    forgetConversation();
    drawNavigation("settings");
    goTo(location.hash);
  };
  const paint = ({ target }) => {
    localStorage.setItem("theme", target.value);
    applyTheme();
  };
  const tongues = Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, selected: code === language(), lang: code }, name));
  const themes = THEMES.map((theme) => h("option", { value: theme, selected: theme === (localStorage.getItem("theme") ?? "auto") }, t(`theme.${theme}`)));
  const { person, model } = session.me;
  return {
    title: t("nav.settings"),
    className: "lore narrow",
    node: [
      h("h1", {}, t("nav.settings")),
      h("div", { class: "form" }, h("label", { for: "language" }, t("settings.language")), h("select", { id: "language", onchange: speakIt }, tongues)),
      h("div", { class: "form" }, h("label", { for: "theme" }, t("settings.theme")), h("select", { id: "theme", onchange: paint }, themes)),
      await families(),
      h("p", { class: "hint" }, t("settings.person", { name: person.name })),
      h("p", { class: "hint" }, model ? t("settings.model", { model }) : t("talk.offline")),
    ],
  };
}

// What the agent may use besides the lore in the conversation of the open series.
async function families() {
  if (!session.series) return null;
  const address = `/api/conversations/${session.series.conversationId}`;
  const { families: on } = await get(address, { limit: 1 });
  const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  const box = (family) => {
    const onchange = async ({ target }) => {
      trouble.hidden = true;
      try {
        await post(`${address}/families`, { family, on: target.checked });
      } catch (error) {
        target.checked = !target.checked;
        trouble.textContent = sentenceOf(error);
        trouble.hidden = false;
      }
    };
    return h("label", { class: "check" }, h("input", { type: "checkbox", name: family, checked: on.includes(family), onchange }), h("span", {}, t(`family.${family}`)));
  };
  return h("fieldset", { class: "form" }, h("legend", {}, t("settings.families")), FAMILIES.map(box), trouble);
}
