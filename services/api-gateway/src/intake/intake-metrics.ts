import { Counter, type Registry } from 'prom-client';
import type { Rejection } from './event/rejection';

/** Outcome of an event. */
type EventOutcome = 'accepted' | 'suppressed' | Rejection['code'];

interface SourceCounts extends Record<EventOutcome, number> {
  leftOut: number;
}

/**
 * Counters of intake. Labels are bounded: connectors, outcomes and status codes. Since every request counts, plain
 * numbers are incremented and converted when metrics are collected.
 */
export class IntakeMetrics {
  private readonly byConnector = new Map<string, SourceCounts>();
  private readonly byStatus = new Map<number, number>();

  constructor(registry: Registry) {
    const { byConnector, byStatus } = this;
    const registers = [registry];
    new Counter({
      name: 'penstock_intake_events_total',
      help: 'Events that were sent to intake, by outcome.',
      labelNames: ['connector', 'outcome'],
      registers,
      collect() {
        this.reset();
        for (const [connector, counts] of byConnector)
          for (const outcome of OUTCOMES) this.inc({ connector, outcome }, counts[outcome]);
      },
    });
    new Counter({
      name: 'penstock_intake_members_left_out_total',
      help: 'Members of contexts that did not fit the event schema.',
      labelNames: ['connector'],
      registers,
      collect() {
        this.reset();
        for (const [connector, { leftOut }] of byConnector) this.inc({ connector }, leftOut);
      },
    });
    new Counter({
      name: 'penstock_intake_requests_total',
      help: 'Requests to intake, by status of the answer.',
      labelNames: ['status'],
      registers,
      collect() {
        this.reset();
        for (const [status, count] of byStatus) this.inc({ status: String(status) }, count);
      },
    });
  }

  countRequest(status: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
  }

  /** Returns the mutable counts for the sources of a connector. */
  of(connector: string): SourceCounts {
    const known = this.byConnector.get(connector);
    if (known !== undefined) return known;
    const counts = { accepted: 0, suppressed: 0, InvalidEvent: 0, EventTooLarge: 0, leftOut: 0 };
    this.byConnector.set(connector, counts);
    return counts;
  }
}

const OUTCOMES = [
  'accepted',
  'suppressed',
  'InvalidEvent',
  'EventTooLarge',
] as const satisfies EventOutcome[];
