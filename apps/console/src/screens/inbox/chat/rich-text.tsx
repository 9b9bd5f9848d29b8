import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { type ReactNode, useMemo, useState } from 'react';
import { useWords } from '../../../words/words.tsx';
import { type Entity, entityTree, plainText, type TextNode } from './entity-tree.ts';
import { linkOf } from './safe-link.ts';
import './rich-text.css';

/** The text of a message, with its formatted parts as elements. Nothing in it is ever read as HTML. */
export function RichText({ text, entities }: { text: string; entities: Message['entities'] }): ReactNode {
  const nodes = useMemo(() => entityTree(text, entities), [text, entities]);
  return (
    <div className="text" dir="auto">
      <Nodes nodes={nodes} />
    </div>
  );
}

function Nodes({ nodes }: { nodes: readonly TextNode[] }): ReactNode {
  return nodes.map((node, at) =>
    // The parts of one text never change their order.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    typeof node === 'string' ? node : <Part key={at} entity={node.entity} nodes={node.children} />,
  );
}

function Part({ entity, nodes }: { entity: Entity; nodes: readonly TextNode[] }): ReactNode {
  const inner = <Nodes nodes={nodes} />;
  switch (entity.type) {
    case 'bold':
      return <b>{inner}</b>;
    case 'italic':
      return <i>{inner}</i>;
    case 'underline':
      return <u>{inner}</u>;
    case 'strikethrough':
      return <s>{inner}</s>;
    case 'code':
      return <code>{inner}</code>;
    case 'pre':
      return (
        <pre dir="ltr">
          {entity.language && <span className="language">{entity.language}</span>}
          <code>{inner}</code>
        </pre>
      );
    case 'blockquote':
    case 'expandable_blockquote':
      return <blockquote>{inner}</blockquote>;
    case 'spoiler':
      return <Spoiler>{inner}</Spoiler>;
    case 'hashtag':
    case 'cashtag':
    case 'bot_command':
    case 'text_mention':
      return <span className="word">{inner}</span>;
    default:
      return <MaybeLink href={linkOf(entity, plainText(nodes))}>{inner}</MaybeLink>;
  }
}

function MaybeLink({ href, children }: { href: string | null; children: ReactNode }): ReactNode {
  if (href === null) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
      {children}
    </a>
  );
}

/** Hidden until it is pressed. */
function Spoiler({ children }: { children: ReactNode }): ReactNode {
  const { inbox: words } = useWords();
  const [shown, setShown] = useState(false);
  if (shown) return <span className="spoiler">{children}</span>;
  return (
    <button type="button" className="spoiler hidden" aria-label={words.showSpoiler} onClick={() => setShown(true)}>
      <span aria-hidden="true">{children}</span>
    </button>
  );
}
