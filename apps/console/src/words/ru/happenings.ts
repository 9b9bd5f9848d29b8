/** Sentences of events and of what is wrong with a bot; `$1` is what the pattern found, in Russian where it is known, too. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^(.+); (\d+) wait$/, '$1; в очереди: $2'],
  [/^Wrong response from the webhook: (.+)$/, 'Бэкенд ответил: $1'],
  [/^Read timeout expired$/, 'Бэкенд не ответил вовремя'],
  [/^The backend fails$/, 'Бэкенд не принимает обновления'],
  [/^The backend takes updates again(.*)$/, 'Бэкенд снова принимает обновления$1'],
  [/^There is no backend any more(.*)$/, 'Бэкенда больше нет$1'],
  [/^The backend of the program "(.+?)" fails: (.+)$/, 'Программа «$1» не отвечает: $2'],
  [/^The backend of the program "(.+)" fails$/, 'Программа «$1» не отвечает'],
  [/^The program "(.+?)" is parked: (.+)$/, 'Программа «$1» отложена: $2'],
  [/^The program "(.+)" is parked$/, 'Программа «$1» отложена'],
  [/^Updates wait, and no program is polling$/, 'Обновления ждут, и никто не опрашивает'],
  [
    /^Updates wait, and no program is polling \(last poll: (.+)\)$/,
    'Обновления ждут, и никто не опрашивает (последний раз $1)',
  ],
  [/^Updates wait, and the program "(.+)" is not polling$/, 'Обновления ждут, и программа «$1» не опрашивает'],
  [/^Somebody polls again, or nothing waits any more$/, 'Опрос возобновлён, или ждать больше нечему'],
  [/^It is not watched any more whether somebody polls$/, 'За опросом больше не следят'],
  [
    /^The program polls again, or nothing waits for it any more(.*)$/,
    'Программа снова опрашивает, или в её очереди ничего нет$1',
  ],
  [/^The platform refuses the token of the bot$/, 'Telegram отклоняет токен бота'],
  [
    /^(\S+) gets the updates of this bot: another service set its webhook at the platform$/,
    'Обновления этого бота получает $1: другой сервис задал вебхук в Telegram',
  ],
  [/^No updates come in from the platform$/, 'Обновления от Telegram не поступают'],
  [/^The backlog is full; the platform keeps the rest$/, 'Очередь заполнена, остальное хранит Telegram'],
  [/^Updates come in again$/, 'Обновления снова поступают'],
  [
    /^Calls do not get to the platform, and what is to be sent waits: (.+)$/,
    'Вызовы не доходят до Telegram, сообщения ждут: $1',
  ],
  [/^Calls do not get to the platform, and what is to be sent waits$/, 'Вызовы не доходят до Telegram, сообщения ждут'],
  [/^The platform answers again$/, 'Telegram снова отвечает'],
  [
    /^Rate limited by the platform: some calls are refused until (.+)$/,
    'Лимит Telegram: часть вызовов не принимается до $1',
  ],
  [/^The platform takes all calls again$/, 'Telegram снова принимает все вызовы'],
  [
    /^Held, since who handed them over lost the right: (\d+) messages?$/,
    'Автор больше не вправе отправлять; удержано сообщений: $1',
  ],
  [
    /^Nothing is held any more: it was released or cancelled, or has expired$/,
    'Удержанных сообщений нет: они выпущены, отменены или истекли',
  ],
  [/^There is a backend, and forwarding is off$/, 'Бэкенд есть, но пересылка выключена'],
  [
    /^No program connected: no backend, poller, program or rule reads the updates$/,
    'Программа не подключена: обновления не читает ни бэкенд, ни опрос, ни программа, ни правило',
  ],
  [/^(\d+) updates? (?:failed|(?:was|were) given up): (.+)$/, 'Не доставлено обновлений: $1. $2'],
  [/^(.+) has waited for an answer for (\d+) min$/, '$1: ждёт ответа $2 мин'],
  [/^(.*)\(chat (-?\d+)\)$/, '$1(чат $2)'],
  [/^Chat (-?\d+) was taken over (.*), by (.+)$/, 'Чат $1 перехвачен ($2), кем: $3'],
  [/^Chat (-?\d+)$/, 'Чат $1'],
  [/^Added by (.+)$/, 'Добавлен: $1'],
  [/^its own program$/, 'собственная программа'],
  [/^an operator$/, 'оператор'],
  [/^Created by (.+?): (.+)$/, '$2, создан: $1'],
  [/^(\S+) signed in from (\S+)$/, 'Вход: $1, адрес $2'],
  [/^Broadcast (\d+), (.+): sent to (\d+) of (\d+) chats(.*)$/, 'Рассылка $1, $2: отправлено в $3 из $4 чатов$5'],
  [
    /^About (\d+) of (\d+) rows of (\w+) would go, far more than is usual: (.+)$/,
    'Будет удалено около $1 из $2 строк таблицы $3, намного больше обычного: $4',
  ],
  [
    /^The clock of the (\w+) (\S+) on (\S+) is (\d+) s (ahead of|behind) that of Redis$/,
    'Часы процесса $1 $2 на $3 расходятся с часами Redis на $4 с ($5)',
  ],
  [/^ahead of$/, 'спешат'],
  [/^behind$/, 'отстают'],
  [/^The installation works again$/, 'Установка снова работает'],
  [/^Nothing is polled or sent: (.+)$/, 'Опрос и отправка остановлены: $1'],
  [
    /^the database was restored from a backup, and the installation that was backed up may still run$/,
    'база восстановлена из резервной копии, а прежняя установка, возможно, ещё работает',
  ],
  [
    /^the database is a copy of another one, whose installation may still run$/,
    'база — копия другой, установка которой, возможно, ещё работает',
  ],
  [/^the platform$/i, 'Telegram'],
  [/^the upstream (\S+)$/i, 'сервер $1'],
  [
    /^(.+), and the bot could not come back for ten minutes$/,
    '$1. Вернуть бота можно было бы только через десять минут',
  ],
  [/^(.+), and the bot may be logged in there$/i, '$1. Бот, возможно, остался там'],
  [/^(the (?:platform|upstream \S+)) refuses: (.+)$/i, '$1 отклоняет: $2'],
  [/^(the (?:platform|upstream \S+)) does not answer: (.+)$/i, '$1 не отвечает: $2'],
  [
    /^(the (?:platform|upstream \S+)) takes no bot back for ten minutes after it left$/i,
    '$1 не принимает бота обратно десять минут после выхода',
  ],
  [/^(the (?:platform|upstream \S+)) asks to wait$/i, '$1 просит подождать'],
  [/^(the (?:platform|upstream \S+)) knows another bot by this token$/i, '$1 знает по этому токену другого бота'],
  [
    /^TELEGRAM_UPSTREAMS has no server (\S+), where the bot may be logged in: name it again$/,
    'в TELEGRAM_UPSTREAMS нет сервера $1, где бот, возможно, остался: укажите его снова',
  ],
  [/^TELEGRAM_UPSTREAMS has no server (\S+)$/, 'в TELEGRAM_UPSTREAMS нет сервера $1'],
  [/^the webhook cannot be set: (.+)$/i, 'не удаётся задать вебхук: $1'],
  [/^Redis does not know the bot yet$/, 'Redis ещё не знает бота'],
  [
    /^the bot is disabled: enable it, since (\d+) updates wait at (.+)$/i,
    'бот отключён: включите его, обновления ждут ($2: $1)',
  ],
  [/^the bot is disabled, and updates wait at (.+)$/i, 'бот отключён, обновления ждут ($1)'],
  [/^there is no room for its updates, and updates wait at (.+)$/i, 'для обновлений нет места, они ждут ($1)'],
  [/^many updates wait at (.+), and are taken in$/i, 'обновлений много, они принимаются ($1)'],
  [/^no word of it is in a description$/, 'ни одного слова нет в описаниях'],
  [/^no candidate has a description$/, 'ни у одного бота нет описания'],
  [/^(\d+) updates? that waits? at (.+) (?:is|are) taken in$/i, 'принимаются обновления, которые ждут ($2: $1)'],
  [
    /^no updates wait at (.+); what still comes is taken in$/i,
    'ожидающих обновлений нет ($1), а те, что ещё придут, принимаются',
  ],
  [/^all updates that wait at (.+) are taken in$/i, 'принимаются все обновления, которые ждут ($1)'],
  [/^the bot is logged out at (.+), and what it sends waits$/i, 'бот выходит ($1), отправки ждут'],
  [/^(.+) is asked until it knows the bot$/i, 'бот входит ($1)'],
  [
    /^(.+) is asked until it knows the bot, which may refuse it for (\d+) s$/i,
    'бот входит ($1), отказ возможен ещё $2 с',
  ],
  [/^(?:polling|the webhook) begins at (.+)$/i, 'начинается приём ($1)'],
  [/^nothing is taken in, since the bot is disabled at (.+)$/i, 'приёма нет: бот отключён ($1)'],
  [
    /^Whoever else uses the token must call (.+) from then on, or Flotilla$/,
    'Другим программам с этим токеном понадобится новый адрес ($1) или Flotilla',
  ],
  [/^The bot is logged out at (.+) first$/, 'Сначала бот выходит ($1)'],
  [/^The bot is logged out at (.+) already$/, 'Бот уже вышел ($1)'],
  [/^The move waits at its beginning, since (.+)$/, 'Перенос будет ждать в начале: $1'],
  [
    /^The bot left (.+) less than ten minutes ago: if that is the cloud, it refuses it so long$/,
    'Бот вышел меньше десяти минут назад ($1): облако не примет его раньше',
  ],
  [
    /^The bot is disabled, and what waits at (.+) would be lost: enable it first$/,
    'Бот отключён, и обновления, которые ждут ($1), потерялись бы: включите его',
  ],
  [
    /^Something else polls the bot with its token, and would log it in again: stop that first$/,
    'Бота опрашивает другая программа с его токеном: остановите её, иначе она вернёт его обратно',
  ],
  [/^(.+): take it back first \(POST \/api\/bots\/take-back\)$/, '$1. Сначала верните обновления себе'],
  [/^Redis belongs to another installation$/, 'Redis принадлежит другой установке'],
];

/** In Russian; a sentence, or a part of one, that is not known stays as it is. */
export function told(sentence: string): string {
  for (const [form, text] of SENTENCES) {
    const found = form.exec(sentence);
    if (found !== null) return text.replace(/\$(\d)/g, (_, group) => told(found[Number(group)] ?? ''));
  }
  return sentence;
}
