// What people read on this page, in the language they chose.

export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français" };

let texts = {};
let current = "en";

/** Loads a language's texts; everything said from then on is in it. */
export async function speak(language) {
  const found = await fetch(`texts/${language}.json`);
  texts = await found.json();
  current = language;
  document.documentElement.lang = language;
}

/** Returns the language that was chosen here, or else the browser's, or else English. */
export function wantedLanguage() {
  const known = (tag) => Object.keys(LANGUAGES).find((language) => tag?.toLowerCase().startsWith(language));
  return known(localStorage.getItem("language")) ?? navigator.languages.map(known).find(Boolean) ?? "en";
}

/** Returns the language in use. */
export function language() {
  return current;
}

/** Returns a text; `n` among its facts picks between one and several. */
export function t(key, facts = {}) {
  let text = texts[key] ?? key;
  if (typeof text === "object") {
    text = text[new Intl.PluralRules(current).select(facts.n)] ?? text.other;
  }
  return text.replace(/\{(\w+)\}/g, (_, name) => facts[name] ?? "");
}

/** Returns a moment as a date, with the time if wanted. */
export function dateText(stamp, withTime = false) {
  const style = withTime ? { dateStyle: "medium", timeStyle: "short" } : { dateStyle: "medium" };
  return new Intl.DateTimeFormat(current, style).format(new Date(stamp));
}

/** Returns a duration in seconds, "2.1 s". */
export function secondsText(durationMs) {
  const number = new Intl.NumberFormat(current, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return `${number.format(durationMs / 1000)} s`;
}

/** Returns how large a file is, like "12 kB". */
export function sizeText(bytes) {
  const [unit, size] = bytes < 1_000_000 ? ["kilobyte", Math.max(bytes / 1_000, 1)] : ["megabyte", bytes / 1_000_000];
  return new Intl.NumberFormat(current, { style: "unit", unit, maximumFractionDigits: size < 10 ? 1 : 0 }).format(size);
}

/** Returns a place as "2.1 The Steward’s Men". */
export function placeText(place) {
  return place.title ? `${place.label} ${place.title}` : place.label;
}

/** Returns a detail's name as people read it. */
export function keyText(key) {
  return key.replaceAll("_", " ").trim() || key;
}

/** Returns a value in words. */
export function valueText(value) {
  if (value === null || value === undefined) return t("value.gone");
  if (value === true || value === false) return t(value ? "value.yes" : "value.no");
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (typeof value !== "object") return String(value);
  if (value.$none) return t("value.none");
  if (value.$unknown) return t("value.unknown");
  if ("$add" in value || "$remove" in value) {
    const more = (value.$add ?? []).map((item) => `+ ${valueText(item)}`);
    const less = (value.$remove ?? []).map((item) => `− ${valueText(item)}`);
    return [...more, ...less].join(", ");
  }
  return Object.entries(value)
    .map(([key, part]) => `${keyText(key)} ${valueText(part)}`)
    .join(", ");
}
