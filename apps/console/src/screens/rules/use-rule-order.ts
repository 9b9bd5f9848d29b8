import type { RoutingRuleResource as Rule } from '@flotilla/contract/routing-rules.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useLayoutEffect, useRef, useState } from 'react';
import { call } from '../../call.ts';

type Step = -1 | 1;

/** Lets somebody put the rules of a bot in another order, by dragging them or by a press; it is shown at once. */
export function useRuleOrder(bot_id: number, rules: readonly Rule[]) {
  const queries = useQueryClient();
  const [dragged, setDragged] = useState<{ id: number; order: readonly number[] } | null>(null);
  const [moved, setMoved] = useState<{ id: number; step: Step; place: number } | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const key = ['rules', bot_id] as const;
  const save = useMutation({
    mutationKey: key,
    // One after another, so that the last one counts.
    scope: { id: key.join() },
    mutationFn: (ids: readonly number[]) => call('reorderRoutingRules', { bot_id, ids: [...ids] }),
    onSettled: () => {
      if (queries.isMutating({ mutationKey: key }) === 1) void queries.invalidateQueries({ queryKey: ['rules'] });
    },
  });
  const put = (ids: readonly number[]) => {
    void queries.cancelQueries({ queryKey: key });
    queries.setQueryData<Rule[]>(key, (known) => known && inOrder(known, ids));
    save.mutate(ids);
  };
  const ids = rules.map(({ id }) => id);
  const shown = dragged === null ? rules : inOrder(rules, dragged.order);
  const places = shown.map(({ id }) => id).join();
  // A row that moves in the page loses the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows have moved when their places have changed
  useLayoutEffect(() => {
    if (moved === null || document.activeElement !== document.body) return;
    const row = list.current?.querySelector(`[data-rule="${moved.id}"]`);
    row?.querySelector<HTMLElement>(`[data-step="${moved.step}"]`)?.focus();
  }, [moved, places]);
  const move = (id: number, step: Step) => {
    const [from, to] = [ids.indexOf(id), ids.indexOf(id) + step];
    if (to < 0 || to >= ids.length) return;
    put(ids.with(from, ids[to]!).with(to, id));
    setMoved({ id, step, place: to + 1 });
  };
  const drag = (id: number) => ({
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', String(id));
      setDragged({ id, order: ids });
    },
    onDragOver: (event: DragEvent) => {
      if (dragged === null) return;
      event.preventDefault();
      if (id === dragged.id) return;
      const at = dragged.order.indexOf(id);
      const others = dragged.order.filter((one) => one !== dragged.id);
      setDragged({ ...dragged, order: others.toSpliced(at, 0, dragged.id) });
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      if (dragged?.order.some((one, at) => one !== ids[at])) put(dragged.order);
      setDragged(null);
    },
    onDragEnd: () => setDragged(null),
  });
  return { shown, list, drag, move, moved, draggedId: dragged?.id, error: save.error };
}

/** Rules that came meanwhile are at the end. */
function inOrder(rules: readonly Rule[], ids: readonly number[]): Rule[] {
  const placeOf = ({ id }: Rule) => (ids.includes(id) ? ids.indexOf(id) : ids.length);
  return rules.toSorted((one, other) => placeOf(one) - placeOf(other));
}
