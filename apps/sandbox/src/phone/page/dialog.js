import { element, iconButton } from './elements.js';
import { part, words } from './state.js';

const TOAST_MS = 6_000;
let toastTimer;

/** Shows a dialog; what closes it gives the focus back. */
export function showDialog({ title, parts, className = '', hasClose = false }) {
  const dialog = part('dialog');
  dialog.className = className;
  const heading = element('h2', { id: 'dialog-title', dir: 'auto' }, title);
  const close = hasClose ? iconButton('close', words().close, () => dialog.close()) : null;
  dialog.replaceChildren(element('header', {}, heading, close), ...parts);
  if (!dialog.open) dialog.showModal();
  return dialog;
}

export function closeDialog() {
  part('dialog').close();
}

export function showAlert(title, text) {
  const ok = element('button', { type: 'button', className: 'main', onclick: closeDialog }, words().ok);
  showDialog({ title, parts: [element('p', { dir: 'auto', className: 'pre-line' }, text), element('footer', {}, ok)] });
}

export function toast(text) {
  const place = part('toast');
  place.textContent = text;
  clearTimeout(toastTimer);
  if (text !== '') toastTimer = setTimeout(() => toast(''), TOAST_MS);
}

/** Asks for a name, and does `onName` with it. */
export function askName(title, label, onName) {
  const field = element('input', { name: 'name', required: true, maxLength: 128, autocomplete: 'off', dir: 'auto' });
  const form = element(
    'form',
    {},
    element('label', {}, label, field),
    element('footer', {}, cancelButton(), element('button', { type: 'submit', className: 'main' }, words().add)),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (field.value.trim() === '') return;
    closeDialog();
    await onName(field.value.trim());
  });
  showDialog({ title, parts: [form] });
  field.focus();
}

export function cancelButton() {
  return element('button', { type: 'button', onclick: closeDialog }, words().cancel);
}
