// The page is made of text alone: nothing in it parses HTML from data.

export const byId = (id) => document.getElementById(id);

// el makes an element. Of props, "class" and "text" are what they say, functions listen, the rest are attributes.
export function el(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "class") node.className = value;
    else if (key === "text") node.textContent = value;
    else if (typeof value === "function") node.addEventListener(key, value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

// fill replaces what is in a node; absent children are left out.
export function fill(node, ...children) {
  node.replaceChildren(...children.flat().filter(Boolean));
}

// setText writes only what changed: a text node that stays is not laid out again.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setClass(node, name) {
  if (node.className !== name) node.className = name;
}

// frame calls fn once before the next paint, however often it was asked to.
export function frame(fn) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      fn();
    });
  };
}
