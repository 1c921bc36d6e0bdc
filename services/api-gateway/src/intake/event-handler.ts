import type { IncomingMessage } from 'node:http';
import { currentTrace, type Span, type Tracing } from '@penstock/runtime';
import { TOPIC } from '@penstock/contracts';
import { Holding } from '../http/holding';
import type { RefusedDetails, RefusedEventsLog } from '@penstock/platform';
import type { BodyShares } from '../http/body-shares';
import type { EventRoute } from './intake-routes';
import type { ExactAppend } from './exact-append';
import { accepted, allRejected, type IntakeAnswer } from './intake-answer';
import type { IntakeMetrics } from './intake-metrics';
import type { Judged } from './judge';
import type { Receiver } from './receiver';
import type { Received } from './received';

export interface EventHandlerDependencies {
  readonly receiver: Receiver;
  readonly exactAppend: ExactAppend;
  readonly shares: BodyShares;
  readonly metrics: IntakeMetrics;
  /** Absent where telemetry is off. */
  readonly tracing: Tracing | undefined;
  /** Records rejected events for those who look at their source. */
  readonly refusedEvents: Pick<RefusedEventsLog, 'record'>;
}

const APPEND = {
  'messaging.system': 'penstock',
  'messaging.operation.name': 'append',
  'messaging.operation.type': 'send',
  'messaging.destination.name': TOPIC.events,
};

const withinSpan = async (span: Span, append: () => Promise<Judged>): Promise<Judged> => {
  try {
    const judged = await append();
    const { source, taken } = judged;
    span.end({
      attributes: {
        'messaging.batch.message_count': taken.messages.length,
        'penstock.connection.id': source.connection.id,
        'penstock.workspace.id': source.connection.workspace,
      },
    });
    return judged;
  } catch (error) {
    span.end({ error: error instanceof Error ? error.name : 'Error' });
    throw error;
  }
};

/** Accepts the events of one request: they are normalised and durable on the log before the request is answered. */
export class EventHandler {
  constructor(private readonly dependencies: EventHandlerDependencies) {}

  /** @throws Refusal, HttpRefusal, MalformedBody, Invalid, ClientGone, LogUnavailable, LogOverloaded */
  async take(request: IncomingMessage, route: EventRoute, query: string): Promise<IntakeAnswer> {
    const { receiver, shares } = this.dependencies;
    const holding = new Holding(shares.keyless);
    try {
      const received = await receiver.receive(request, route, query, holding);
      const judged = await this.append(received);
      this.record(judged);
      return this.answerOf(judged);
    } finally {
      holding.release();
    }
  }

  /** Appends the events, within a span if the request has one: outside of it there is nothing to do for traces. */
  private async append(received: Received): Promise<Judged> {
    const { exactAppend, tracing } = this.dependencies;
    const parent = tracing && currentTrace();
    const span =
      parent === undefined
        ? undefined
        : tracing?.begin('events append', {
            kind: 'producer',
            parent,
            attributes: APPEND,
          });
    if (span === undefined) return exactAppend.append(received);
    return withinSpan(span, () =>
      exactAppend.append({ ...received, traceparent: span.traceparent }),
    );
  }

  private answerOf(judged: Judged): IntakeAnswer {
    this.count(judged);
    const { messages, suppressed, rejected, warnings } = judged.taken;
    const count = messages.length + suppressed;
    return count === 0 && rejected.length > 0
      ? allRejected(rejected)
      : accepted(count, rejected, warnings);
  }

  /** Not waited for: whether it is recorded changes nothing for the sender. */
  private record({ source: { connection }, taken }: Judged): void {
    const { refusedEvents } = this.dependencies;
    const { id: source, workspace } = connection;
    for (const { index, messageId = null, code, path, message: reason } of taken.rejected) {
      const details = (): RefusedDetails => taken.detailsOf(index);
      refusedEvents.record({ workspace, source, index, messageId, code, path, reason, details });
    }
  }

  private count({ source, taken }: Judged): void {
    const counts = this.dependencies.metrics.of(source.connection.connector);
    counts.accepted += taken.messages.length;
    counts.suppressed += taken.suppressed;
    counts.leftOut += taken.leftOut;
    for (const { code } of taken.rejected) counts[code] += 1;
  }
}
