// The page's own settings: language and appearance, kept in this browser.

import { h } from "../dom.js";
import { drawNavigation } from "../frame.js";
import { goTo } from "../router.js";
import { session } from "../session.js";
import { LANGUAGES, language, speak, t } from "../texts.js";
import { forgetConversation } from "../talk/channel.js";

const THEMES = ["auto", "light", "dark"];

/** Applies the appearance that was chosen in this browser. */
export function applyTheme() {
  const theme = localStorage.getItem("theme");
  if (theme && theme !== "auto") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

/** Returns the view of the settings. */
export function view() {
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
      h("p", { class: "hint" }, t("settings.person", { name: person.name })),
      h("p", { class: "hint" }, model ? t("settings.model", { model }) : t("talk.offline")),
    ],
  };
}
