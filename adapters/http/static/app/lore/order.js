// The outline as the page uses it: places by id and label, scenes in reading and in story order.

/** Returns the outline of a series' contents. */
export function outlineOf(contents) {
  const nodes = [];
  for (const book of contents.books) {
    const above = add(nodes, book.place, null, {});
    for (const chapter of book.chapters) {
      const over = add(nodes, chapter.place, above, { number: chapter.number, part: chapter.part });
      for (const scene of chapter.scenes) add(nodes, scene.place, over, scene);
    }
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const byLabel = new Map(nodes.map((node) => [node.label, node]));
  storyOrder(nodes, byLabel).forEach((node, index) => (node.story = index));
  shareMoments(nodes, byLabel);
  const scenes = nodes.filter((node) => node.kind === "scene");
  return {
    books: nodes.filter((node) => node.kind === "book"),
    nodes,
    scenes,
    inStoryOrder: scenes.toSorted((a, b) => a.story - b.story || a.reading - b.reading),
    byId: (id) => byId.get(id),
    byLabel: (label) => byLabel.get(label),
    find: (written) => byId.get(written) ?? byLabel.get(written),
  };
}

/** Returns a place as a link names it, for any node. */
export function nodeText(node) {
  return node.title ? `${node.label} ${node.title}` : node.label;
}

function add(nodes, place, parent, more) {
  const node = {
    id: place.id,
    label: place.label,
    title: place.title,
    kind: place.kind,
    parent,
    children: [],
    reading: nodes.length,
    mode: more.mode ?? "linear",
    placed: more.story ?? "",
    undated: more.undated ?? false,
    words: more.words ?? 0,
    number: more.number ?? "",
    part: more.part ?? "",
  };
  parent?.children.push(node);
  nodes.push(node);
  return node;
}

/** Gives what happens `with` something the same number in the story. */
function shareMoments(nodes, byLabel) {
  for (const node of nodes.filter(({ placed }) => placed.startsWith("with "))) {
    let anchor = byLabel.get(node.placed.slice("with ".length));
    for (let steps = 0; anchor?.placed.startsWith("with ") && steps < nodes.length; steps += 1) {
      anchor = byLabel.get(anchor.placed.slice("with ".length)) ?? anchor;
    }
    if (anchor) node.story = anchor.story;
  }
}

// As the server derives it: a node comes with what is placed before it, itself, what is placed with it, its
// children that are placed nowhere else, what is placed after it. Flashbacks that nothing places come first.
function storyOrder(nodes, byLabel) {
  const hooks = { before: new Map(), with: new Map(), after: new Map() };
  const early = [];
  const elsewhere = new Set();
  for (const node of nodes) {
    const [relation, ...label] = node.placed.split(" ");
    const anchor = byLabel.get(label.join(" "));
    if (anchor && hooks[relation]) {
      hooks[relation].set(anchor, [...(hooks[relation].get(anchor) ?? []), node]);
      elsewhere.add(node);
    } else if (node.undated) {
      early.push(node);
      elsewhere.add(node);
    }
  }
  const order = [];
  const done = new Set();
  const emit = (node) => {
    if (done.has(node)) return;
    done.add(node);
    (hooks.before.get(node) ?? []).forEach(emit);
    order.push(node);
    (hooks.with.get(node) ?? []).forEach(emit);
    node.children.filter((child) => !elsewhere.has(child)).forEach(emit);
    (hooks.after.get(node) ?? []).forEach(emit);
  };
  early.forEach(emit);
  nodes.filter((node) => !node.parent && !elsewhere.has(node)).forEach(emit);
  nodes.forEach(emit);
  return order;
}
