import { listOf, text } from './inputs.ts';

const LABELS_AT_MOST = 20;

/** A list in a query string is separated by commas. */
export const label = () =>
  text({ min: 1, max: 64 }).regex(/^[^\s,]([^,]*[^\s,])?$/, 'must not contain a comma, or begin or end with a space');

export const labels = () => listOf(label(), LABELS_AT_MOST);
