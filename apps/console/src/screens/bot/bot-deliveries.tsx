import type { ReactNode } from 'react';
import { DeliveryTabs, DeliveryView, useDeliveryFilter } from '../deliveries/deliveries.tsx';
import { Attempts } from './attempts.tsx';
import { useBot } from './use-bot.ts';

/** What has not reached the readers of this bot, and its last attempts. */
export function BotDeliveries(): ReactNode {
  const { data: bot } = useBot();
  const { state } = useDeliveryFilter(undefined);
  if (bot === undefined) return null;
  const botId = String(bot.id);
  return (
    <div className="deliveries">
      <DeliveryTabs botId={botId} />
      {state === 'attempts' ? <Attempts botId={bot.id} /> : <DeliveryView botId={botId} />}
    </div>
  );
}
