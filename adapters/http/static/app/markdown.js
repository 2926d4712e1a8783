// Draws the Markdown of answers. Builds nodes with text only, so nothing in it can become markup or script.

import { h } from "./dom.js";

const DEEPEST = 12;
const PLAIN = { text: (plain) => [plain], strong: () => null };

/** Returns the blocks of a text; `link` may turn a plain text or a bold name into nodes. */
export function drawMarkdown(text, link = {}) {
  return blocks(text.replaceAll("\r\n", "\n").split("\n"), { ...PLAIN, ...link }, 0);
}

/** Returns one paragraph's text with its emphasis, links and code. */
export function drawInline(text) {
  return inline(text, PLAIN);
}

const FENCE = /^\s{0,3}(```+|~~~+)/;
const HEADING = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^\s{0,3}([-*_])(\s*\1){2,}\s*$/;
const QUOTE = /^\s{0,3}>\s?/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const TABLE_LINE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

function blocks(lines, link, depth) {
  const found = [];
  let at = 0;
  while (at < lines.length) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    const [node, next] = block(lines, at, link, depth);
    found.push(node);
    at = next;
  }
  return found;
}

function block(lines, at, link, depth) {
  const line = lines[at];
  if (FENCE.test(line)) return fence(lines, at);
  const heading = HEADING.exec(line);
  if (heading) return [h(`h${Math.min(heading[1].length + 2, 6)}`, {}, inline(heading[2], link)), at + 1];
  if (RULE.test(line)) return [h("hr"), at + 1];
  if (depth < DEEPEST && QUOTE.test(line)) return quote(lines, at, link, depth);
  if (depth < DEEPEST && ITEM.test(line)) return list(lines, at, link, depth);
  if (line.includes("|") && TABLE_LINE.test(lines[at + 1] ?? "")) return table(lines, at, link);
  return paragraph(lines, at, link);
}

function fence(lines, at) {
  const mark = FENCE.exec(lines[at])[1];
  let end = at + 1;
  while (end < lines.length && !lines[end].trim().startsWith(mark)) end += 1;
  const code = lines.slice(at + 1, end).join("\n");
  return [h("pre", { tabindex: "0" }, h("code", {}, code)), end + 1];
}

function quote(lines, at, link, depth) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return [h("blockquote", {}, blocks(inner, link, depth + 1)), end];
}

function list(lines, at, link, depth) {
  const [, indent, mark] = ITEM.exec(lines[at]);
  const ordered = /\d/.test(mark);
  const items = [];
  let end = at;
  while (end < lines.length) {
    const item = ITEM.exec(lines[end]);
    const isOurs = item && item[1].length <= indent.length + 1 && /\d/.test(item[2]) === ordered;
    if (isOurs) items.push([item[3]]);
    else if (!lines[end].trim() && /^\s|^$/.test(lines[end + 1] ?? "x") && lines[end + 1]?.trim()) items.at(-1).push("");
    else if (!lines[end].trim() && ITEM.test(lines[end + 1] ?? "")) items.at(-1).push("");
    else if (lines[end].trim() && (/^\s{2,}/.test(lines[end]) || (!startsBlock(lines[end]) && items.at(-1).at(-1)))) {
      items.at(-1).push(lines[end].replace(/^\s{1,4}/, ""));
    } else break;
    end += 1;
  }
  const given = ordered && parseInt(mark, 10) !== 1 ? { start: parseInt(mark, 10) } : {};
  const drawn = items.map((inner) => h("li", {}, tight(blocks(inner, link, depth + 1))));
  return [h(ordered ? "ol" : "ul", given, drawn), end];
}

/** Returns an item's content without a paragraph around its only text. */
function tight(nodes) {
  const [first, ...rest] = nodes;
  return first?.localName === "p" && rest.every((node) => node.localName !== "p") ? [...first.childNodes, ...rest] : nodes;
}

function table(lines, at, link) {
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|") && lines[end].trim()) end += 1;
  const row = (line, cell, given = {}) => h("tr", {}, cells(line).map((text) => h(cell, given, inline(text, link))));
  const body = lines.slice(at + 2, end).map((line) => row(line, "td"));
  const drawn = h("table", {}, h("thead", {}, row(lines[at], "th", { scope: "col" })), h("tbody", {}, body));
  return [h("div", { class: "wide", tabindex: "0" }, drawn), end];
}

function cells(line) {
  return line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((text) => text.trim().replaceAll("\\|", "|"));
}

function paragraph(lines, at, link) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !startsBlock(lines[end])) end += 1;
  return [h("p", {}, inline(lines.slice(at, end).join("\n"), link)), end];
}

function startsBlock(line) {
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);
}

// Code first, then links, then emphasis; each inner part is read again by the same rules.
const INLINE = new RegExp(
  [
    "(?<escape>\\\\[\\\\`*_{}\\[\\]()#+\\-.!|>~])",
    "(?<ticks>`+)(?<code>[^`]|[^`].*?[^`])\\k<ticks>(?!`)",
    "\\[(?<label>[^\\]\\n]{1,500})\\]\\((?<address>[^\\s()]{1,2000})\\)",
    "(?<bare>https?://[^\\s<>\"')\\]]+[^\\s<>\"')\\].,;:!?])",
    "\\*\\*(?<strong>(?=\\S).+?\\S?)\\*\\*",
    "\\*(?<star>(?=\\S)[^*]+?)\\*",
    "(?<![\\p{L}\\p{N}_])_(?<under>(?=\\S)[^_]+?)_(?![\\p{L}\\p{N}_])",
    "~~(?<gone>.+?)~~",
    "(?<br>(?: {2,}|\\\\)\\n)",
  ].join("|"),
  "su",
);

function inline(text, link, depth = 0) {
  const nodes = [];
  let rest = text;
  while (rest) {
    const found = depth < DEEPEST ? INLINE.exec(rest) : null;
    if (!found) break;
    nodes.push(...link.text(rest.slice(0, found.index)), span(found, link, depth + 1));
    rest = rest.slice(found.index + found[0].length);
  }
  return [...nodes, ...link.text(rest)];
}

function span({ groups, 0: whole }, link, depth) {
  if (groups.escape) return groups.escape.slice(1);
  if (groups.code) return h("code", {}, groups.code);
  if (groups.bare) return outward(groups.bare, [groups.bare]);
  if (groups.label) return outward(groups.address, inline(groups.label, { ...link, text: (plain) => [plain] }, depth)) ?? whole;
  if (groups.strong) return link.strong(groups.strong) ?? h("strong", {}, inline(groups.strong, link, depth));
  if (groups.star) return h("em", {}, inline(groups.star, link, depth));
  if (groups.under) return h("em", {}, inline(groups.under, link, depth));
  if (groups.gone) return h("del", {}, inline(groups.gone, link, depth));
  return h("br");
}

function outward(address, label) {
  if (!/^https?:\/\//i.test(address)) return null;
  return h("a", { href: address, target: "_blank", rel: "noopener noreferrer nofollow" }, label);
}
