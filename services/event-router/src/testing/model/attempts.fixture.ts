import type { Attempt } from './destinations.fixture';
import { deliveryName, type Ended } from './endings.fixture';
import type { Judged } from './judged.fixture';
import { FORBIDDEN, kindOf } from './odd-messages.fixture';
import type { World } from './world.fixture';

/** An attempt with its event. */
export interface Sent extends Attempt {
  readonly event: Judged;
  /** Its index among all attempts. */
  readonly index: number;
}

/** An incident of the sender within this time before or after a success excuses a repetition by another router. */
const EXCUSED_MS = { before: 6_000, after: 12_000 };

/** Whether an incident may have kept its sender from committing what it has sent. */
export const isExcused = ({ sender, atMs }: Sent): boolean =>
  sender.incidentsMs.some(
    (incidentMs) => incidentMs >= atMs - EXCUSED_MS.before && incidentMs <= atMs + EXCUSED_MS.after,
  );

/** The items by their keys. */
export const grouped = <Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, Item[]> => {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
};

/** Whether it was delivered. */
export const isSuccess = ({ result }: Attempt): boolean => result === 'delivered';

/** A delivered event must not be sent again, unless an incident kept its sender from committing the outcome. */
const repetitions = (name: string, attempts: readonly Sent[], ended: Ended | undefined) => {
  const successes = attempts.filter(isSuccess);
  const isDelivered = ended?.state === 'Delivered';
  if (isDelivered && successes.length === 0) return [`${name} is lost`];
  const superfluous = isDelivered ? successes.slice(0, -1) : successes;
  const what = isDelivered ? `came ${successes.length} times` : 'came although it ended otherwise';
  return superfluous.every(isExcused) ? [] : [`${name} ${what}`];
};

/**
 * Whether the delivery may have had another ending before it succeeded: when a router crashes before that ending is
 * committed, it has continued with the key, and another router sends the delivery after all. Where dead letters are
 * redriven, destinations reject any event at times.
 */
const mayHaveEnded = ({ applications, traits }: World, { lane, event }: Sent): boolean => {
  const { maxAgeMs, hasDenied } = applications.byLane.get(lane)!;
  const isForbidden = kindOf(event.messageId) === FORBIDDEN;
  if (event.mayHaveRepeated || traits.redrives || traits.replays) return true;
  return maxAgeMs !== undefined || hasDenied || isForbidden || event.suppressed === 'maybe';
};

/**
 * Checks the order of a key: earlier events that succeed must have succeeded before, or be earlier in the same request.
 * Deliveries of one event may come in any order.
 */
export const disorder = (world: World, key: string, attempts: readonly Sent[]): string[] => {
  const firsts = new Map<string, Sent>();
  for (const attempt of attempts) {
    const name = deliveryName(attempt.event, attempt.pipeline);
    if (isSuccess(attempt) && !firsts.has(name)) firsts.set(name, attempt);
  }
  const inRequest = new Set<string>();
  let request = 0;
  for (const attempt of attempts) {
    const { event, pipeline, index } = attempt;
    if (attempt.request !== request) inRequest.clear();
    request = attempt.request;
    inRequest.add(deliveryName(event, pipeline));
    for (const [name, first] of firsts) {
      const isAhead = first.event.offset < event.offset && first.index > index;
      if (!isAhead || inRequest.has(name)) continue;
      if (!isExcused(attempt) || !mayHaveEnded(world, first))
        return [`${key}: ${event.offset} was sent before ${first.event.offset} had succeeded`];
    }
  }
  return [];
};

/** Time after which every router that was not frozen has applied a change. */
const APPLIED_MS = 2_000;

/** Whether its user had been suppressed for long when it was sent. */
export const isOfSuppressed = ({ configuration }: World, sent: Sent): boolean =>
  configuration.wasSuppressed(sent.event.workspace, sent.event.user, sent.atMs, APPLIED_MS) &&
  !isExcused(sent);

/**
 * Faults of the attempts: sent wrongly, out of order, or repeatedly.
 *
 * @param deadFrom milliseconds of the simulation at which deliveries that may be redriven became dead letters: live
 *   deliveries and those of a redrive are ordered among themselves.
 */
export const attemptFaults = (
  world: World,
  judged: readonly Judged[],
  endings: ReadonlyMap<string, Ended>,
  matched: ReadonlySet<string>,
  deadFrom: ReadonlyMap<string, number>,
): string[] => {
  const { applications, configuration, traits } = world;
  const events = new Map(judged.map((event) => [event.number, event]));
  const faults: string[] = [...applications.faults];
  const sent = applications.attempts.flatMap((attempt, index): Sent[] => {
    const { number, pipeline } = attempt;
    const event = events.get(number);
    if (event !== undefined && matched.has(deliveryName(event, pipeline)))
      return [{ ...attempt, event, index }];
    faults.push(`${event?.messageId} was sent to ${pipeline}, which did not want it`);
    return [];
  });
  for (const each of sent)
    if (isOfSuppressed(world, each))
      faults.push(`${each.event.messageId} was sent although its user was suppressed`);
  const byDelivery = grouped(sent, ({ event, pipeline }) => deliveryName(event, pipeline));
  for (const name of new Set([...byDelivery.keys(), ...matched]))
    faults.push(...repetitions(name, byDelivery.get(name) ?? [], endings.get(name)));
  const inOrder = sent.filter(
    ({ lane }) =>
      configuration.connection(lane).delivery?.ordering === 'key' &&
      !configuration.reordered.has(lane),
  );
  const deadMs = ({ event, pipeline }: Sent): number | undefined =>
    deadFrom.get(deliveryName(event, pipeline));
  const live = inOrder.filter((each) => deadMs(each) === undefined);
  for (const [key, attempts] of grouped(live, ({ lane, event }) => `${lane} ${event.key}`))
    faults.push(...disorder(world, key, attempts));
  const redriven = inOrder.filter(
    // The times of endings are those of the processes' clocks.
    (each) =>
      !traits.stepsClocks &&
      each.atMs > (deadMs(each) ?? Infinity) &&
      world.redrives.isOnlyOne(each.pipeline),
  );
  for (const [key, attempts] of grouped(redriven, (each) => `${each.pipeline} ${each.event.key}`))
    faults.push(...disorder(world, `redriven ${key}`, attempts));
  return faults;
};
