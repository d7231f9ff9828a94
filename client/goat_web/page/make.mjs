// Small helpers: elements, and keeping those whose content has not changed.
export function make(tag, properties = {}, ...children) {
  const { className, dataset, on, ...rest } = properties;
  const node = document.createElement(tag);
  if (className) node.className = className;
  for (const [name, value] of Object.entries(dataset ?? {})) node.dataset[name] = value;
  for (const [name, call] of Object.entries(on ?? {})) node.addEventListener(name, call);
  for (const [name, value] of Object.entries(rest)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) node.setAttribute(name, value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined && child !== false));
  return node;
}

export const button = (text, press, properties = {}) => make("button", { type: "button", on: { click: press }, ...properties }, text);

// Draws into a place only when what it is drawn from has changed; focus stays on the control of the same name.
export class Place {
  constructor(node) { this.node = node; this.last = ""; }
  draw(data, children) {
    const now = JSON.stringify(data);
    if (now === this.last) return;
    this.last = now;
    const held = this.node.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
    this.node.replaceChildren(...children().filter(child => child !== null && child !== undefined && child !== false));
    if (held !== undefined) this.node.querySelector(`[data-name="${CSS.escape(held)}"]`)?.focus();
  }
}
