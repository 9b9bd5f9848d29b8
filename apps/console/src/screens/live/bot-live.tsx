import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useBot } from '../bot/use-bot.ts';
import { LiveFilters } from './live-filters.tsx';
import { LiveList } from './live-list.tsx';
import './live.css';

const route = getRouteApi('/bots/$id/live');

/** Updates, calls and attempts of one bot as they happen. */
export function BotLive(): ReactNode {
  const filter = route.useSearch();
  const navigate = useNavigate({ from: '/bots/$id/live' });
  const { data: bot } = useBot();
  const bots = useMemo(() => (bot === undefined ? [] : [bot]), [bot]);
  return (
    <div className="live-screen of-one">
      <LiveFilters filter={filter} change={(search) => void navigate({ search, replace: true })} />
      <LiveList bots={bots} filter={filter} />
    </div>
  );
}
