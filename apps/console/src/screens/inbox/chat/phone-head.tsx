import type { ShownChatResource } from '@flotilla/contract/chats.ts';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { useLive } from '../../../live.ts';
import { Avatar } from '../../../parts/avatar.tsx';
import { Button } from '../../../parts/button.tsx';
import { titleOf } from '../../../parts/chat-name.tsx';
import { ChoiceDialog } from '../../../parts/choice-dialog.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { LiveState } from '../../../parts/live-state.tsx';
import { Menu, MenuItem, MenuLine } from '../../../parts/menu.tsx';
import { photoOfChat } from '../../../parts/photos.ts';
import { useTitle } from '../../../parts/use-title.ts';
import { useWords } from '../../../words/words.tsx';
import { BusinessMark } from '../business-mark.tsx';
import { chatKey } from '../chats/use-chats.ts';
import { useDeskOf } from '../desk/desk-bar.tsx';
import { AskAssignee, DeskItems, DeskState, ResolveButton } from '../desk/phone-desk.tsx';
import { WhoIsHere } from '../desk/who-is-here.tsx';
import { keyOfChat, linkToChat, useInboxPlace } from '../inbox-place.ts';
import { ChatViews } from './chat-views.tsx';
import type { HeadProps } from './head-props.ts';
import { messageOfDay } from './message-of-day.ts';
import { useSeenHeight } from './use-seen-height.ts';

const FLEET = ['fleet'];
const nothing = () => undefined;

/** On a phone, one bar: the chat, who answers in it, and a menu with all that is done with it. */
export function PhoneHead({ chat, topics, back, goTo, showPerson }: HeadProps): ReactNode {
  const { inbox: words, person } = useWords();
  const { known, desk, isOfDesk } = useDeskOf(chat);
  const [asked, setAsked] = useState<'assignee' | 'topic' | null>(null);
  const day = useRef<HTMLInputElement>(null);
  const title = known ? titleOf(known) : String(chat.chat_id);
  useTitle(title);
  useSeenHeight();
  const jumping = useMutation({ mutationFn: (to: Date) => messageOfDay(chat, to), onSuccess: goTo });
  const hasTopics = topics.length > 0 || chat.threadId !== undefined;
  const close = () => setAsked(null);
  return (
    <>
      <header
        className={`chat-head phone-head ${known?.held_until ? 'held' : ''}`}
        aria-busy={desk.isPending || undefined}
      >
        <Button kind="quiet" className="icon-only chat-back" aria-label={words.back} onClick={back}>
          <Icon name="back" />
        </Button>
        <div className="chat-named">
          <Avatar name={title} id={chat.chat_id} photo={known && photoOfChat(chat.bot_id, chat.chat_id)} />
          <div className="chat-title">
            <h1 className="cut">
              <bdi>{title}</bdi>
            </h1>
            <p className="muted" role="status">
              {known && <Beside chat={chat} known={known} topics={topics} />}
            </p>
          </div>
          {showPerson && chat.chat_id > 0 && (
            <button
              type="button"
              className="chat-person"
              aria-label={person.title}
              onClick={() => showPerson(chat.chat_id)}
            />
          )}
        </div>
        <WhoIsHere chat={chatKey(keyOfChat(chat))} />
        {known && isOfDesk && <ResolveButton chat={known} desk={desk} />}
        <Menu label={words.phoneMenu} face={<Icon name="more" />}>
          {known && isOfDesk && <DeskItems chat={known} desk={desk} askAssignee={() => setAsked('assignee')} />}
          {hasTopics && <MenuItem onClick={() => setAsked('topic')}>{words.topics}</MenuItem>}
          <MenuLine />
          <MenuItem onClick={() => day.current?.showPicker()}>{words.toDay}</MenuItem>
          <ChatViews {...chat} />
        </Menu>
        <input
          ref={day}
          type="date"
          className="jump"
          aria-label={words.toDay}
          tabIndex={-1}
          min="2013-01-01"
          max={new Date().toLocaleDateString('sv')}
          onChange={({ target }) =>
            target.value && target.checkValidity() && jumping.mutate(new Date(`${target.value}T00:00`))
          }
        />
      </header>
      {(desk.error ?? jumping.error) && <Failure error={(desk.error ?? jumping.error)!} />}
      {asked === 'assignee' && known && <AskAssignee chat={known} desk={desk} close={close} />}
      {asked === 'topic' && <AskTopic chat={chat} topics={topics} close={close} />}
    </>
  );
}

/** Who answers in the chat, or else whose it is. */
function Beside({ chat, known, topics }: Pick<HeadProps, 'chat' | 'topics'> & { known: ShownChatResource }): ReactNode {
  const { inbox: words } = useWords();
  const { threadId } = chat;
  const stream = useLive(FLEET, nothing);
  const topic = topics.find(({ thread_id: id }) => id === threadId);
  const isQuiet = known.held_until === undefined && known.state !== 'done' && known.assigned_to_name === undefined;
  return (
    <>
      <LiveState state={stream} />
      {threadId !== undefined && <bdi className="cut">{topic?.name ?? words.thread(String(threadId))}</bdi>}
      {chat.connection !== undefined && <BusinessMark connection={chat.connection} />}
      <DeskState chat={known} />
      {isQuiet && threadId === undefined && <bdi className="cut">{known.bot_name ?? `#${chat.bot_id}`}</bdi>}
    </>
  );
}

function AskTopic({ chat, topics, close }: Pick<HeadProps, 'chat' | 'topics'> & { close: () => void }): ReactNode {
  const { inbox: words } = useWords();
  const place = useInboxPlace();
  const navigate = useNavigate();
  const named = topics.map(
    ({ thread_id: id, name = words.thread(String(id)), closed }) =>
      [String(id), closed ? words.closedTopic(name) : name] as const,
  );
  return (
    <ChoiceDialog
      title={words.topic}
      options={[['', words.allTopics], ...named]}
      value={chat.threadId === undefined ? '' : String(chat.threadId)}
      choose={(value) =>
        void navigate(linkToChat(place, { ...keyOfChat(chat), topic: value === '' ? undefined : Number(value) }))
      }
      close={close}
    />
  );
}
