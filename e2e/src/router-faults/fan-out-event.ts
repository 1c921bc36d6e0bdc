/** Names of the events, and what they are for: filters choose by them, functions throw for the bad ones. */
export type EventName = 'Buy' | 'Look' | 'Scroll' | 'Bad';

/** Ten events in a row have these names, each user beginning at another one. */
const NAMES: readonly EventName[] = [
  'Buy',
  'Look',
  'Scroll',
  'Buy',
  'Look',
  'Buy',
  'Scroll',
  'Look',
  'Buy',
  'Bad',
];

/** One event of the load. What becomes of it follows from these three alone. */
export interface FanOutEvent {
  /** Its source, from 0. */
  readonly source: number;
  /** Of the source, from 0. */
  readonly user: number;
  /** Of the user, from 0, without a gap. */
  readonly number: number;
}

/** The name under which it is sent. */
export const nameOf = ({ user, number }: FanOutEvent): EventName =>
  NAMES[(user + number) % NAMES.length] ?? 'Bad';

/** Says which it is; also its message id. */
export const idOf = ({ source, user, number }: FanOutEvent): string =>
  `${String(source)}/${String(user)}/${String(number)}`;

/** @throws Error for what {@link idOf} does not give. */
export const eventOfId = (id: string): FanOutEvent => {
  const [source, user, number] = id.split('/').map(Number);
  if (source === undefined || user === undefined || number === undefined)
    throw new Error(`not the id of an event: ${id}`);
  return { source, user, number };
};

/** What is posted to intake. */
export const bodyOf = (event: FanOutEvent): object => ({
  type: 'track',
  event: nameOf(event),
  anonymousId: `user-${String(event.user)}`,
  messageId: idOf(event),
  properties: { s: event.source, u: event.user, n: event.number },
});
