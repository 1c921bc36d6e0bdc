import {
  type SendingPipelineState,
  readAcceptedEvent,
  replayIdempotencyKey,
  UnreadableEvent,
} from '@penstock/contracts';
import { onlyEvent } from '../pipelines.fixture';
import type { Job } from '../../store/jobs/job';
import type { Attempt } from './destinations.fixture';
import {
  disorder,
  grouped,
  isExcused,
  isOfSuppressed,
  isSuccess,
  type Sent,
} from './attempts.fixture';
import { isOptedOut, type Judged } from './judged.fixture';
import type { SimulatedReplay } from './replays.fixture';
import type { World } from './world.fixture';

/** What a replay must make of the records of its window, computed from the log alone. */
interface Expected {
  readonly counts: Record<'events' | 'duplicates' | 'unreadable' | 'filtered', number>;
  /** Numbers of the events that must be sent. */
  readonly sent: ReadonlySet<number>;
  /** Of those that are sent when retention has removed the event that they repeat before it was read. */
  readonly repeats: ReadonlySet<number>;
}

/** The source and message id of a record; undefined: it has no valid head. */
const headOf = (value: string | null): { source: string; messageId: string } | undefined => {
  try {
    return readAcceptedEvent(value ?? '');
  } catch (error) {
    if (error instanceof UnreadableEvent) return undefined;
    throw error;
  }
};

const expectedOf = (
  { log, configuration }: World,
  { windows, request, only, pipeline }: SimulatedReplay,
  events: ReadonlyMap<string, Judged>,
): Expected => {
  const counts = { events: 0, duplicates: 0, unreadable: 0, filtered: 0 };
  const sent = new Set<number>();
  const repeats = new Set<number>();
  const { filter, connection } =
    configuration.historyOf<SendingPipelineState>(pipeline)[request.version! - 1]!.state;
  for (const [partition, { start, end }] of windows.entries()) {
    const known = new Set<string>();
    for (const { offset, key, value } of log.partitions[partition]!) {
      if (offset < start || offset >= end) continue;
      const head = headOf(value);
      const event = events.get(`${partition}/${offset}`);
      if (head !== undefined && !request.sources.some((id) => id === head.source)) continue;
      counts.events += 1;
      const id = `${key} ${head?.messageId ?? ''}`;
      if (head === undefined) counts.unreadable += 1;
      else if (known.has(id)) {
        counts.duplicates += 1;
        if (event !== undefined) repeats.add(event.number);
      } else if (event === undefined) counts.unreadable += 1;
      else if (
        (filter !== null && filter !== onlyEvent(event.name)) ||
        (only !== undefined && only !== event.name) ||
        isOptedOut(event, connection)
      )
        counts.filtered += 1;
      else sent.add(event.number);
      if (head !== undefined) known.add(id);
    }
  }
  return { counts, sent, repeats };
};

const ENDINGS = [
  ...['delivered', 'rejected', 'parked', 'filtered', 'suppressed'],
  ...['duplicates', 'unreadable', 'expired', 'left'],
];

const countFaults = (world: World, replay: SimulatedReplay, job: Job, expected: Expected) => {
  const { id, state, counts } = job;
  const number = (name: string): number => counts.get(name) ?? 0;
  const faults: string[] = [];
  const sum = ENDINGS.reduce((all, name) => all + number(name), 0);
  if (sum !== number('events')) faults.push(`${id} ended ${sum} of ${number('events')} events`);
  const { deleted, connection } = world.configuration.pipeline(replay.pipeline);
  const mayEnd =
    replay.isCancelled || deleted || world.configuration.connection(connection).deleted;
  if (state !== 'Succeeded' && !(state === 'Cancelled' && mayEnd)) faults.push(`${id} is ${state}`);
  if (state !== 'Succeeded') return faults;
  if (number('left') > 0) faults.push(`${id} has left ${number('left')}`);
  if (world.traits.forgets) return faults;
  for (const name of ['events', 'duplicates', 'unreadable', 'filtered'] as const)
    if (number(name) !== expected.counts[name])
      faults.push(`${id} has ${number(name)} ${name} instead of ${expected.counts[name]}`);
  if (number('expired') > 0) faults.push(`${id} has expired events`);
  if (number('suppressed') > 0 && !world.traits.suppresses)
    faults.push(`${id} has suppressed events`);
  return faults;
};

const sentFaults = (world: World, job: Job, sent: readonly Sent[], expected: Expected) => {
  const { id } = job;
  const faults: string[] = [];
  let delivered = 0;
  for (const [number, attempts] of grouped(sent, ({ event }) => String(event.number))) {
    const successes = attempts.filter(isSuccess);
    const isRepeat = world.traits.forgets && expected.repeats.has(Number(number));
    if (!expected.sent.has(Number(number)) && !isRepeat)
      faults.push(`${id} has sent ${number}, which it must not`);
    if (successes.length > 0) delivered += 1;
    if (!successes.slice(0, -1).every(isExcused))
      faults.push(`${id} has delivered ${number} ${successes.length} times`);
    if (attempts.some((each) => isOfSuppressed(world, each)))
      faults.push(`${id} has sent ${number} of a suppressed user`);
  }
  const counted = job.counts.get('delivered') ?? 0;
  // What had succeeded when its sender was killed may have ended otherwise, or been left, afterwards.
  const isRight = sent.some(isExcused) ? counted <= delivered : counted === delivered;
  if (!isRight) faults.push(`${id} counts ${counted} as delivered, and ${delivered} have come`);
  return faults;
};

const faultsOf = (
  world: World,
  replay: SimulatedReplay,
  job: Job,
  judged: readonly Judged[],
  attempts: readonly Attempt[],
): string[] => {
  const byPlace = new Map(judged.map((event) => [`${event.partition}/${event.offset}`, event]));
  const byNumber = new Map(judged.map((event) => [event.number, event]));
  const expected = expectedOf(world, replay, byPlace);
  const sent = attempts.map((attempt, index) => ({
    ...attempt,
    index,
    event: byNumber.get(attempt.number)!,
  }));
  const faults = [
    ...countFaults(world, replay, job, expected),
    ...sentFaults(world, job, sent, expected),
  ];
  if (replay.request.ordering === 'key')
    for (const [key, own] of grouped(sent, ({ event }) => event.key))
      faults.push(...disorder(world, `${job.id} ${key}`, own));
  return faults;
};

/**
 * Checks that each replay has sent exactly the events of its window that it had to send, each once and in order per key, and
 * that its numbers are right.
 */
export const replayFaults = async (world: World, judged: readonly Judged[]): Promise<string[]> => {
  const faults: string[] = [];
  const byKey = new Map(judged.map((event) => [event.number, event]));
  const rest = new Set(world.applications.replayed);
  for (const replay of world.replays.created) {
    const job = await world.replays.jobOf(replay);
    const own = [...rest].filter(({ number, pipeline, idempotencyKey }) => {
      const { source, messageId } = byKey.get(number)!;
      return idempotencyKey === replayIdempotencyKey(source, messageId, pipeline, replay.id);
    });
    for (const attempt of own) rest.delete(attempt);
    if (job === undefined && own.length > 0) faults.push(`${replay.id} was refused and has sent`);
    if (job !== undefined) faults.push(...faultsOf(world, replay, job, judged, own));
  }
  for (const { number, pipeline } of rest)
    faults.push(`${number} was sent to ${pipeline} with a key of nothing`);
  return faults;
};
