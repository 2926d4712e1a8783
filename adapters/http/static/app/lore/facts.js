// What is true in which scene, worked out from the facts of a timeline, for the picture.

/** Returns the facts of a timeline's items: what each says, from where on and until where in the story. */
export function factsOf(items, places) {
  const facts = new Map();
  items.forEach((item, index) => {
    const place = item.at ? places.byId(item.at.id) : null;
    const known = facts.get(item.fact);
    if (item.kind === "ends") {
      if (known) known.until = place?.story ?? Infinity;
      else facts.set(item.fact, { ...factOf(item, null, index), until: place?.story ?? Infinity });
    } else if (!known) facts.set(item.fact, factOf(item, place, index));
    else Object.assign(known, { ...factOf(item, place, index), until: known.until });
  });
  return [...facts.values()].sort((a, b) => a.from - b.from || a.reading - b.reading || a.index - b.index);
}

/** Returns one row a detail: the spans of scenes, in the axis' order, through which its value is the same. */
export function rowsOf(facts, axis) {
  const keys = [...new Set(facts.flatMap((fact) => Object.keys(fact.patch ?? {})))];
  return keys.map((key) => {
    const values = axis.map((scene) => valueAt(facts, key, scene.story));
    return { key, spans: spansOf(values) };
  });
}

/** Returns a detail's value at a place in the story, undefined where it has none. */
export function valueAt(facts, key, story) {
  let value;
  for (const { patch, from, until } of facts) {
    if (from <= story && story < until && patch && key in patch) value = merged(value, patch[key]);
  }
  return value ?? undefined;
}

function factOf({ patch, fact, edit }, place, index) {
  return { id: fact, patch, edit, index, from: place?.story ?? -1, reading: place?.reading ?? -1, until: Infinity };
}

// As JSON Merge Patch has it; lists can be added to and taken from, "certainly none" is a value of its own.
function merged(value, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch) || patch.$none || patch.$unknown) return patch;
  if ("$add" in patch || "$remove" in patch) {
    const gone = new Set((patch.$remove ?? []).map((item) => JSON.stringify(item)));
    const list = (Array.isArray(value) ? value : []).filter((item) => !gone.has(JSON.stringify(item)));
    return [...list, ...(patch.$add ?? [])];
  }
  const result = isPlain(value) ? { ...value } : {};
  for (const [key, part] of Object.entries(patch)) {
    const now = merged(result[key], part);
    if (now === null) delete result[key];
    else result[key] = now;
  }
  return result;
}

function isPlain(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !value.$none && !value.$unknown;
}

function spansOf(values) {
  const spans = [];
  values.forEach((value, at) => {
    const last = spans.at(-1);
    if (value === undefined) return;
    if (last && last.to === at - 1 && JSON.stringify(last.value) === JSON.stringify(value)) last.to = at;
    else spans.push({ value, start: at, to: at });
  });
  return spans;
}
