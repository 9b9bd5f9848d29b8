import type { Words } from '../en.ts';

export const chart: Words['chart'] = {
  title: 'Активность',
  range: 'За какое время',
  ranges: { hour: '1 час', day: '24 часа', week: '7 дней' },
  taken: 'По состоянию на',
  total: 'Всего',
  running: 'ещё идёт',
  units: { hour: 'обновлений в минуту', day: 'обновлений в час', week: 'обновлений в час' },
  updates: 'обновлений',
  line: (name, sum, most) => `${name}: всего ${sum}, самое большее ${most} за раз.`,
  lines: {
    in: 'Получено',
    delivered: 'Доставлено',
    calls: 'Вызовы',
    retried: 'Повторено',
    failed: 'Не доставлено',
    waiting: 'В очереди',
  },
  last: 'Последнее',
  level: (name, last, most) => `${name}: последнее ${last}, самое большее ${most}.`,
  waiting: 'Обновления в очереди',
  waitingHint: 'Замеряется раз в минуту; за час показано самое большее.',
};
