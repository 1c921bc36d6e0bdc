/** Names of the events: filters match by them, and functions throw for `Bad`. */
export type EventName = 'Buy' | 'Look' | 'Scroll' | 'Bad';

/** The names of ten successive events; each user begins at another one. */
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

/** One event of the load; its endings follow from these three members alone. */
export interface FanOutEvent {
  /** Its source, from 0. */
  readonly source: number;
  /** Its user within the source, from 0. */
  readonly user: number;
  /** Its number within the user, from 0, without gaps. */
  readonly number: number;
}

/** The name of an event. */
export const nameOf = ({ user, number }: FanOutEvent): EventName =>
  NAMES[(user + number) % NAMES.length] ?? 'Bad';

/** Identifies an event; also its message id. */
export const idOf = ({ source, user, number }: FanOutEvent): string =>
  `${String(source)}/${String(user)}/${String(number)}`;

/** The event of an id. @throws Error when {@link idOf} cannot have produced it. */
export const eventOfId = (id: string): FanOutEvent => {
  const [source, user, number] = id.split('/').map(Number);
  if (source === undefined || user === undefined || number === undefined)
    throw new Error(`not the id of an event: ${id}`);
  return { source, user, number };
};

/** The body that is posted to intake. */
export const bodyOf = (event: FanOutEvent): object => ({
  type: 'track',
  event: nameOf(event),
  anonymousId: `user-${String(event.user)}`,
  messageId: idOf(event),
  properties: { s: event.source, u: event.user, n: event.number },
});
