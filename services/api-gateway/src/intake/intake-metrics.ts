import { Counter, type Registry } from 'prom-client';

type Outcome = 'accepted' | 'InvalidEvent' | 'EventTooLarge';

/** What intake counts. Labels are bounded: connectors, outcomes and status codes. */
export class IntakeMetrics {
  private readonly events: Counter<'connector' | 'outcome'>;
  private readonly leftOut: Counter<'connector'>;
  private readonly requests: Counter<'status'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.events = new Counter({
      name: 'penstock_intake_events_total',
      help: 'Events that were sent to intake, by outcome.',
      labelNames: ['connector', 'outcome'],
      registers,
    });
    this.leftOut = new Counter({
      name: 'penstock_intake_members_left_out_total',
      help: 'Members of contexts that did not fit the event schema.',
      labelNames: ['connector'],
      registers,
    });
    this.requests = new Counter({
      name: 'penstock_intake_requests_total',
      help: 'Requests to intake, by status.',
      labelNames: ['status'],
      registers,
    });
  }

  countEvents(connector: string, outcome: Outcome, count: number): void {
    if (count > 0) this.events.inc({ connector, outcome }, count);
  }

  countLeftOut(connector: string, count: number): void {
    if (count > 0) this.leftOut.inc({ connector }, count);
  }

  countRequest(status: number): void {
    this.requests.inc({ status: String(status) });
  }
}
