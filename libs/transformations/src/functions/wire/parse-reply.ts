import { keptConsole } from './console-text';
import { ProtocolError } from './frames';
import { type Answer, ANSWER_LETTERS, type Refusal, type Reply } from './messages';
import { unpackTexts } from './packed-texts';

const CAUSES = ['time', 'memory', 'ended'] as const;
const MAX_TEXT = 1000;

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown): string => {
  if (typeof value !== 'string') throw new ProtocolError('a reply lacks a text');
  return value;
};

const count = (value: unknown): number => {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new ProtocolError('a reply lacks a number');
  return value as number;
};

const refusalOf = (value: unknown): Refusal => {
  if (!isMembers(value)) throw new ProtocolError('a refusal is no object');
  return {
    text: text(value['text']).slice(0, MAX_TEXT),
    line: count(value['line']),
    column: count(value['column']),
  };
};

const endOf = (id: number, members: Members): Reply => {
  const cause = CAUSES.find((known) => known === members['cause']);
  const refusal = members['refusal'];
  return {
    id,
    kind: 'end',
    console: keptConsole(text(members['console'])),
    ...(cause && { cause }),
    ...(refusal !== undefined && { refusal: refusalOf(refusal) }),
    loading: members['loading'] === true,
  };
};

/**
 * Validates a reply of the sandbox, which is untrusted.
 *
 * @throws ProtocolError for any other shape.
 */
export const parseReply = (message: unknown): Reply => {
  if (!isMembers(message)) throw new ProtocolError('a reply is no object');
  const { kind } = message;
  const id = count(message['id']);
  if (kind === 'ready' || kind === 'answers') return { id, kind };
  if (kind === 'end') return endOf(id, message);
  throw new ProtocolError('a reply of no kind');
};

const LETTERS = {
  result: ANSWER_LETTERS.result.charCodeAt(0),
  error: ANSWER_LETTERS.error.charCodeAt(0),
};

const answerOf = (packed: Buffer): Answer => {
  const kind = packed[0] === LETTERS.result ? 'result' : 'error';
  if (packed[0] !== LETTERS[kind]) throw new ProtocolError('an answer of no kind');
  return { kind, text: packed.toString('utf8', 1) };
};

/**
 * Validates the body of a reply with answers, which is as untrusted as its head.
 *
 * @throws ProtocolError when a text is truncated or is neither a result nor an error.
 */
export const parseAnswers = (body: Uint8Array): readonly Answer[] =>
  Array.from(unpackTexts(body), answerOf);
