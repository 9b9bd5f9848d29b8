import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { ReactNode } from 'react';
import { useMomentText } from '../../parts/time.tsx';
import { useDetailsWords } from './details-words.ts';
import { type Change, Hidden, readDetails } from './read-details.ts';

const MOMENT = /\d{4}-\d{2}-\d{2}T[\d:.]+Z/g;

/** A changed field in words; undefined where the entry does not say. */
export type ChangeInWords = { field: string; before: string | undefined; after: string | undefined };

/** Words for what entries of the audit log say. */
export function useDetails(): (details: string) => ChangeInWords[] {
  const words = useDetailsWords();
  const momentOf = useMomentText();
  const withMoments = (text: string) => text.replace(MOMENT, momentOf);
  const textOf = (value: unknown): string => {
    if (value instanceof Hidden) return words.hidden[value.how] ?? value.how;
    if (typeof value === 'boolean') return value ? words.yes : words.no;
    if (Array.isArray(value)) return value.length === 0 ? words.none : value.map(textOf).join(', ');
    if (value === null || value === '') return words.none;
    return withMoments(typeof value === 'object' ? pairsOf(value) || words.none : String(value));
  };
  const pairsOf = (value: object) =>
    Object.entries(value)
      .map(([name, one]) => `${fieldOf(name)}: ${textOf(one)}`)
      .join(', ');
  const fieldOf = (path: string) => {
    const names = path.split('.');
    const isKnown = names.every((name) => Object.hasOwn(words.fields, name));
    return isKnown ? names.map((name) => words.fields[name]).join(' · ') : words.part(path);
  };
  const inWords = ({ field, before, after, isInHiddenPart }: Change): ChangeInWords => {
    const now = after === undefined ? undefined : textOf(after);
    return {
      field: after === undefined ? withMoments(words.part(field)) : fieldOf(field),
      before: before === undefined ? undefined : textOf(before),
      after: isInHiddenPart && now !== undefined ? words.inHiddenPart(now) : now,
    };
  };
  return (details) => readDetails(details).map(inWords);
}

/** The details of an entry on one line, or to whom it was done. */
export function DetailsLine({ entry }: { entry: AuditEntryResource }): ReactNode {
  const detailsOf = useDetails();
  const { details, target_id: target, target_username: username } = entry;
  const changes = detailsOf(details).map(({ field, before, after }) => {
    if (after === undefined) return field;
    return before === undefined ? `${field}: ${after}` : `${field}: ${before} → ${after}`;
  });
  return (
    <span className="muted cut" dir="auto">
      {changes.join('; ') || (username ? `@${username}` : target)}
    </span>
  );
}
