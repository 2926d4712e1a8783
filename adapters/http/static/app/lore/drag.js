// Dragging scenes by mouse or finger. The keyboard has buttons of its own.

const START_PX = 5;

/** Makes the items of a list draggable by their grips within `area`; `dropped` gets (id, target id, isAfter). */
export function makeDraggable(list, area, dropped) {
  list.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest(".grip");
    if (!grip || event.button) return;
    event.preventDefault();
    follow(event, grip, grip.closest("li"), area, dropped);
  });
  return list;
}

function follow(down, grip, item, area, dropped) {
  let over = null;
  const moved = (event) => {
    if (Math.abs(event.clientY - down.clientY) < START_PX && !over) return;
    item.classList.add("dragged");
    clear(area);
    const hit = document.elementFromPoint(event.clientX, event.clientY)?.closest("li[data-node]");
    over = null;
    if (!hit || hit === item || !area.contains(hit)) return;
    const box = hit.getBoundingClientRect();
    over = { hit, isAfter: event.clientY > box.top + box.height / 2 };
    hit.classList.add(over.isAfter ? "drop-after" : "drop-before");
  };
  const end = (event) => {
    grip.removeEventListener("pointermove", moved);
    clear(area);
    item.classList.remove("dragged");
    if (event.type === "pointerup" && over) dropped(item.dataset.node, over.hit.dataset.node, over.isAfter);
  };
  grip.setPointerCapture(down.pointerId);
  grip.addEventListener("pointermove", moved);
  grip.addEventListener("pointerup", end, { once: true });
  grip.addEventListener("pointercancel", end, { once: true });
}

function clear(area) {
  area.querySelectorAll(".drop-before, .drop-after").forEach((one) => one.classList.remove("drop-before", "drop-after"));
}
