const SVG = 'http://www.w3.org/2000/svg';

const ICONS = {
  attach: 'm20 11-8.2 8.2a5 5 0 0 1-7-7L13 3.9a3.3 3.3 0 0 1 4.7 4.7l-8.2 8.2a1.7 1.7 0 0 1-2.4-2.4L14.7 7',
  send: 'M4 12 3 4l18 8-18 8 1-8Zm0 0h8',
  back: 'm14 6-6 6 6 6',
  info: 'M12 11v5m0-8.5v.1M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  more: 'M6 12h.1M12 12h.1M18 12h.1',
  slash: 'm9 18 6-12',
  group:
    'M15 19v-1a4 4 0 0 0-4-4H7a4 4 0 0 0-4 4v1m9-11a3 3 0 1 1-6 0 3 3 0 0 1 6 0Zm9 11v-1a4 4 0 0 0-3-3.8M15.5 5.2a3 3 0 0 1 0 5.6',
  plus: 'M12 5v14M5 12h14',
  close: 'm6 6 12 12M18 6 6 18',
  file: 'M14 3H6v18h12V7l-4-4Zm0 0v4h4',
  save: 'M12 4v11m0 0 4.5-4.5M12 15l-4.5-4.5M5 20h14',
};

/** An element with properties and children. A child that is a string becomes text and never markup. */
export function element(name, props = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (key === 'data') Object.assign(made.dataset, value);
    else if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A name or a text of somebody, which may run in the other direction. */
export function named(text, className = '') {
  return element('bdi', { className }, text);
}

export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.ariaHidden = 'true';
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

export function iconButton(name, label, onClick, props = {}) {
  return element(
    'button',
    { type: 'button', className: 'icon-button', ariaLabel: label, title: label, onclick: onClick, ...props },
    icon(name),
  );
}

/** A circle with the first letter of a name, in a colour that stays the same. */
export function avatar(id, name) {
  const [first = '?'] = new Intl.Segmenter()
    .segment(name.trim())
    [Symbol.iterator]()
    .map(({ segment }) => segment);
  return element('span', { className: `avatar hue-${Math.abs(id) % 6}`, ariaHidden: 'true' }, first.toUpperCase());
}

/** Draws a part anew if what it shows has changed; the focus stays on what has the same `data-key`. */
export function redraw(part, shown, draw) {
  const text = JSON.stringify(shown);
  if (part.shownText === text) return;
  part.shownText = text;
  const key = part.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  part.replaceChildren(...draw().filter((child) => child !== null));
  if (key !== undefined) part.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

export function bytes(count, language) {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  const at = Math.min(Math.max(0, Math.floor(Math.log2(Math.max(1, count)) / 10)), 3);
  const style = {
    style: 'unit',
    unit: units[at],
    unitDisplay: at === 0 ? 'long' : 'short',
    maximumFractionDigits: at > 1 ? 1 : 0,
  };
  return new Intl.NumberFormat(language, style).format(count / 1024 ** at);
}

/** Hours and minutes. */
export function clock(date) {
  return date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}
