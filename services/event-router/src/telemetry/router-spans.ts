import type { Outcome } from '@penstock/connectors';
import { TOPIC } from '@penstock/contracts';
import {
  type Attributes,
  type Span,
  type SpanEnd,
  type Tracing,
  withTrace,
} from '@penstock/runtime';
import type { Delivery } from '../lanes/delivery';
import type { PendingCommit } from '../progress/owned-partition';
import type { IncomingEvent } from '../routing/incoming-event';
import type { Batch } from '../sending/batch';
import type { SendBatch } from '../sending/send-batch';
import type { DestinationId } from '../store/lane-id';

/** Most links, and most pipelines, that a span names: a request may carry thousands of events. */
const MAX_NAMED = 32;

/** The deliveries of a request whose events are traced. */
interface Traced {
  readonly traceparents: ReadonlySet<string>;
  readonly deliveries: readonly Delivery[];
}

const tracedIn = ({ parts }: Batch): Traced => {
  const traceparents = new Set<string>();
  const deliveries: Delivery[] = [];
  for (const part of parts)
    for (const delivery of part.deliveries) {
      const { traceparent } = delivery.held.read;
      if (traceparent === undefined) continue;
      traceparents.add(traceparent);
      deliveries.push(delivery);
    }
  return { traceparents, deliveries };
};

const namesOf = (deliveries: readonly Delivery[]): readonly string[] => {
  const names = deliveries.map(({ pipeline: { state } }) => `${state.id}@${String(state.version)}`);
  return [...new Set(names)].slice(0, MAX_NAMED);
};

const attributesOf = (
  connection: DestinationId,
  { events }: Batch,
  deliveries: readonly Delivery[],
): Attributes => ({
  'penstock.connection.id': connection,
  'penstock.pipelines': namesOf(deliveries),
  'penstock.attempt': 1 + Math.max(...deliveries.map(({ attempts }) => attempts)),
  'messaging.batch.message_count': events.length,
});

/** The first outcome that is not a success gives its class to the span. */
const errorOf = (outcomes: readonly Outcome[]): string | undefined => {
  const failed = outcomes.find(({ kind }) => kind !== 'delivered');
  if (failed === undefined || failed.kind === 'delivered') return undefined;
  return failed.status === undefined ? failed.kind : String(failed.status);
};

const endOf = (outcomes: readonly Outcome[], status: number | undefined): SpanEnd => {
  const error = errorOf(outcomes);
  return {
    ...(status !== undefined && { attributes: { 'http.response.status_code': status } }),
    ...(error !== undefined && { error }),
  };
};

/**
 * The spans of a router: one for each sampled event that it routes, and one for each request that carries such an event and each
 * commit that records an ending of one.
 */
export class RouterSpans {
  constructor(private readonly tracing: Tracing) {}

  /** Begins the span of an event and makes it the parent of what follows; undefined: the event is not sampled. */
  route(incoming: IncomingEvent): Span | undefined {
    const { traceparent: parent, record, head } = incoming;
    if (parent === undefined) return undefined;
    const span = this.tracing.begin('route', {
      kind: 'consumer',
      parent,
      attributes: {
        'messaging.system': 'penstock',
        'messaging.operation.name': 'route',
        'messaging.operation.type': 'process',
        'messaging.destination.name': TOPIC.events,
        'messaging.destination.partition.id': String(record.partition),
        'penstock.connection.id': head.source,
        'penstock.workspace.id': head.workspace,
      },
    });
    if (span !== undefined) incoming.traceparent = span.traceparent;
    return span;
  }

  /**
   * Sends a request, within a span if an event in it is sampled. The span is in the trace of the first such event, and
   * has links to the others.
   */
  readonly send: SendBatch = (connection, batch, destination, terms) => {
    const { traceparents, deliveries } = tracedIn(batch);
    const [parent, ...others] = traceparents;
    const span =
      parent === undefined
        ? undefined
        : this.tracing.begin(`deliver ${destination.connector}`, {
            kind: 'client',
            parent,
            links: others.slice(0, MAX_NAMED),
            attributes: attributesOf(connection, batch, deliveries),
          });
    if (span === undefined) return destination.send(batch.events, terms);
    return this.within(span, (onStatus) => destination.send(batch.events, { ...terms, onStatus }));
  };

  /**
   * Begins the span of a transaction that records endings, if one is of a sampled event: as {@link send}, in the trace of the
   * first, with links to others.
   *
   * @returns what ends it; undefined: no event is sampled.
   */
  commit(commits: readonly PendingCommit[]): ((failure: unknown) => void) | undefined {
    const [parent, ...others] = new Set(commits.flatMap(({ traced }) => [...traced]));
    if (parent === undefined) return undefined;
    const span = this.tracing.begin('commit', {
      kind: 'client',
      parent,
      links: others.slice(0, MAX_NAMED),
      attributes: {
        'db.system.name': 'postgresql',
        'penstock.partitions': commits.length,
        'penstock.endings': commits.reduce((sum, { changes }) => sum + changes.outcomes.length, 0),
      },
    });
    if (span === undefined) return undefined;
    return (failure) => {
      if (failure === undefined) span.end();
      else span.end({ error: failure instanceof Error ? failure.name : 'Error' });
    };
  }

  private async within(
    span: Span,
    send: (onStatus: (status: number) => void) => Promise<readonly Outcome[]>,
  ): Promise<readonly Outcome[]> {
    let status: number | undefined;
    try {
      const outcomes = await withTrace(span.traceparent, () =>
        send((answered) => {
          status = answered;
        }),
      );
      span.end(endOf(outcomes, status));
      return outcomes;
    } catch (error) {
      span.end({ error: error instanceof Error ? error.name : 'Error' });
      throw error;
    }
  }
}
