import type { IncomingMessage } from 'node:http';
import { Holding } from '../http/holding';
import type { BodyShares } from '../http/body-shares';
import type { EventRoute } from './intake-routes';
import type { ExactAppend } from './exact-append';
import { accepted, allRejected, type IntakeAnswer } from './intake-answer';
import type { IntakeMetrics } from './intake-metrics';
import type { Judged } from './judge';
import type { Receiver } from './receiver';

export interface EventHandlerDependencies {
  readonly receiver: Receiver;
  readonly exactAppend: ExactAppend;
  readonly shares: BodyShares;
  readonly metrics: IntakeMetrics;
}

/** Accepts the events of one request: they are normalised and durable on the log before the request is answered. */
export class EventHandler {
  constructor(private readonly dependencies: EventHandlerDependencies) {}

  /** @throws Refusal, HttpRefusal, MalformedBody, Invalid, ClientGone, LogUnavailable, LogOverloaded */
  async take(request: IncomingMessage, route: EventRoute, query: string): Promise<IntakeAnswer> {
    const { receiver, exactAppend, shares } = this.dependencies;
    const holding = new Holding(shares.keyless);
    try {
      const received = await receiver.receive(request, route, query, holding);
      return this.answerOf(await exactAppend.append(received));
    } finally {
      holding.release();
    }
  }

  private answerOf(judged: Judged): IntakeAnswer {
    this.count(judged);
    const { messages, suppressed, rejected, warnings } = judged.taken;
    const count = messages.length + suppressed;
    return count === 0 && rejected.length > 0
      ? allRejected(rejected)
      : accepted(count, rejected, warnings);
  }

  private count({ source, taken }: Judged): void {
    const counts = this.dependencies.metrics.of(source.connection.connector);
    counts.accepted += taken.messages.length;
    counts.suppressed += taken.suppressed;
    counts.leftOut += taken.leftOut;
    for (const { code } of taken.rejected) counts[code] += 1;
  }
}
