import type { AcceptedEventHead, ConnectionId } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type { Partition } from '../partitions/partition';
import type { Ticket } from '../partitions/ticket';
import type { Ending } from '../store/changes';
import type { CompiledPipeline } from './compiled-pipeline';
import { isOptedOut, type Route } from './routes';

const filtered = (code: string): Ending => ({
  state: 'Filtered',
  step: 'Filter',
  code,
  reason: '',
});
const OPTED_OUT = filtered('OptedOut');
const DISABLED = filtered('Disabled');
/** The event is of a user who was suppressed after it was accepted. */
export const SUPPRESSED = filtered('Suppressed');
const NOT_MATCHED = filtered('');
const DUPLICATE: Ending = { state: 'Duplicate', step: 'Receive', code: '', reason: '' };
const DIFFERENT_BODY: Ending = { ...DUPLICATE, code: 'DifferentBody' };

/** Why the pipeline does not get the event; undefined when it does. */
const keptFrom = (
  { state, matches }: CompiledPipeline,
  event: RecordValue,
  optedOut: boolean,
): Ending | undefined => {
  if (optedOut) return OPTED_OUT;
  if (!state.enabled) return DISABLED;
  return matches(event) ? undefined : NOT_MATCHED;
};

/** A pipeline that the event goes to. */
export interface Match {
  readonly lane: ConnectionId;
  readonly pipeline: CompiledPipeline;
}

/** Counts every pipeline that the event does not go to, and names those that it does. */
export const matchesOf = (
  { integrations }: AcceptedEventHead,
  event: RecordValue,
  routes: readonly Route[],
  labelOf: (connector: string) => string,
  partition: Partition,
  nowMs: number,
): Match[] => {
  const matches: Match[] = [];
  for (const { destination, pipelines } of routes) {
    const optedOut = isOptedOut(integrations, destination, labelOf(destination.connector));
    for (const pipeline of pipelines) {
      const ending = keptFrom(pipeline, event, optedOut);
      if (ending === undefined) matches.push({ lane: destination.id, pipeline });
      else partition.count(pipeline.state.id, ending, nowMs);
    }
  }
  return matches;
};

/** An event of a user who is suppressed ends, for each pipeline. */
export const countSuppressed = (
  routes: readonly Route[],
  ticket: Ticket,
  partition: Partition,
  nowMs: number,
): void => {
  for (const { pipelines } of routes)
    for (const { state } of pipelines) partition.count(state.id, SUPPRESSED, nowMs);
  ticket.release();
};

/** A message that was accepted before ends as a duplicate, for each pipeline. */
export const countDuplicate = (
  routes: readonly Route[],
  isSameBody: boolean,
  ticket: Ticket,
  partition: Partition,
  nowMs: number,
): void => {
  const ending = isSameBody ? DUPLICATE : DIFFERENT_BODY;
  for (const { pipelines } of routes)
    for (const { state } of pipelines) partition.count(state.id, ending, nowMs);
  ticket.release();
};
