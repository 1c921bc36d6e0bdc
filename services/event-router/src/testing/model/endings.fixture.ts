import { type PipelineId, type SendingPipelineState, readAcceptedEvent } from '@penstock/contracts';
import { isKept, type OutcomeRecord } from '../../store/changes';
import type { Judged } from './judged.fixture';
import { CRASHING, FAILING, FORBIDDEN, kindOf, POISON, REFUSED } from './odd-messages.fixture';
import { BEGINNING_MS } from './process-clock.fixture';
import type { Stored } from './storage.fixture';
import type { World } from './world.fixture';

/** How a delivery ended. */
export type Ended = Pick<OutcomeRecord, 'state' | 'code' | 'version' | 'atMs'>;

export const deliveryName = (
  { partition, offset }: { readonly partition: number; readonly offset: number },
  pipeline: string,
): string => `${partition}/${offset}/${pipeline}`;

const UNSTORABLE = 'Unstorable';

/** All ended deliveries, by name; a dead letter may have ended anew. A row that the database refused has ended as unstorable, whatever its outcome. */
export const endingsOf = (
  { outcomes, rows }: Stored,
  faults: string[],
): ReadonlyMap<string, Ended> => {
  const endings = new Map<string, Ended>();
  for (const outcome of outcomes) {
    const name = deliveryName(outcome, outcome.pipeline);
    const before = endings.get(name);
    if (before !== undefined && !isKept(before)) faults.push(`${name} has ended twice`);
    endings.set(name, outcome);
  }
  for (const row of rows) {
    const { code, version, dueMs: atMs } = row;
    if (code === UNSTORABLE)
      endings.set(deliveryName(row, row.pipeline), { state: 'Rejected', code, version, atMs });
  }
  return endings;
};

/** Most by which the steady wall clock runs fast while it follows a step. */
const FAST = 1.1;

const isSpent = (
  { applications, traits }: World,
  event: Judged,
  { connection }: SendingPipelineState,
  { atMs }: Ended,
): boolean => {
  const { maxAgeMs, lastFailureMs } = applications.byLane.get(connection)!;
  const failedMs = traits.stepsClocks ? FAST * lastFailureMs : lastFailureMs;
  if (maxAgeMs === undefined || failedMs < event.atMs) return false;
  return traits.stepsClocks || atMs - BEGINNING_MS - event.atMs >= maxAgeMs;
};

/** Whether the ending is allowed for this event and pipeline. */
const isDue = (
  world: World,
  event: Judged,
  pipeline: SendingPipelineState,
  ended: Ended,
): boolean => {
  const { configuration, applications, log } = world;
  const kind = kindOf(event.messageId);
  const isFunction = pipeline.transformation !== null;
  switch (`${ended.state} ${ended.code}`) {
    case 'Delivered ':
      return kind !== REFUSED && !(isFunction && (kind === FAILING || kind === CRASHING));
    case 'Filtered Suppressed':
      return event.suppressed === 'maybe';
    case 'Rejected 400':
      return kind === REFUSED || world.traits.redrives || world.traits.replays;
    case 'Rejected 401':
      return applications.byLane.get(pipeline.connection)!.hasDenied;
    case 'Rejected 403':
      return kind === FORBIDDEN;
    case `Rejected ${UNSTORABLE}`:
      return event.body === POISON || kind === POISON;
    case 'Rejected ':
      return isFunction && (kind === FAILING || kind === CRASHING);
    case 'Parked Deleted':
      return (
        configuration.pipeline(pipeline.id).deleted ||
        configuration.connection(pipeline.connection).deleted
      );
    case 'Parked Expired':
      return event.offset < log.begins[event.partition]!;
    case 'Parked RetryBudgetSpent':
      return isSpent(world, event, pipeline, ended);
    default:
      return false;
  }
};

/** Faults of the ending of a matched delivery. */
export const endingFaults = (
  world: World,
  event: Judged,
  id: PipelineId,
  ended: Ended,
): string[] => {
  const routed = world.configuration.at(id, event.seen) as SendingPipelineState;
  // A redrive uses the version of its time.
  const pipeline = world.traits.redrives
    ? (world.configuration.historyOf<SendingPipelineState>(id)[ended.version - 1]?.state ?? routed)
    : routed;
  const name = `${deliveryName(event, id)} (${event.messageId})`;
  const faults: string[] = [];
  if (ended.version !== pipeline.version || ended.version < routed.version)
    faults.push(`${name} went through version ${ended.version} instead of ${routed.version}`);
  if (!isDue(world, event, pipeline, ended))
    faults.push(`${name} must not have ended as ${ended.state} ${ended.code}`);
  return faults;
};

/** Of a delivery that the database refused, only workspace and source are kept. */
const isBodyOf = ({ code, body }: Stored['rows'][number], value: string): boolean => {
  if (code !== UNSTORABLE) return body === value;
  const [kept, event] = [readAcceptedEvent(body), readAcceptedEvent(value)];
  const isEmpty = kept.eventText === '' && kept.messageId === '';
  return isEmpty && kept.workspace === event.workspace && kept.source === event.source;
};

/** Checks that exactly the dead letters have a row, with the body of the log record. */
export const rowFaults = (
  { rows }: Stored,
  endings: ReadonlyMap<string, Ended>,
  events: ReadonlyMap<string, Judged>,
): string[] => {
  const faults: string[] = [];
  const kept = new Set<string>();
  for (const row of rows) {
    const name = deliveryName(row, row.pipeline);
    const event = events.get(`${row.partition}/${row.offset}`);
    const ended = endings.get(name);
    kept.add(name);
    if (ended?.state !== row.state || ended.code !== row.code)
      faults.push(`the row of ${name} is ${row.state} ${row.code}, it ended ${ended?.state}`);
    if (!isBodyOf(row, event?.value ?? '')) faults.push(`the row of ${name} has another body`);
  }
  for (const [name, ended] of endings)
    if (isKept(ended) && !kept.has(name)) faults.push(`nothing is kept of ${name}`);
  return faults;
};
