/** Scrolls a row of links sideways to the chosen one. The page itself stays where it is, also in a low window. */
export function centerChosen(row: HTMLElement | null): void {
  const chosen = row?.querySelector('[aria-current]');
  if (row === null || !chosen) return;
  const [box, room] = [chosen.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollBy({ left: box.left + box.width / 2 - room.left - room.width / 2 });
}
