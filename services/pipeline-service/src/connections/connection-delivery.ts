import type { Connector } from '@penstock/connectors';
import { type ConnectionDelivery, type ConnectionRole, Refusal } from '@penstock/contracts';

const DAY_MS = 86_400_000;

/** Checks the delivery settings of connections, beyond the bounds of each member. */
export class ConnectionDeliveries {
  /** @param eventsRetentionMs how long accepted events stay on the log. */
  constructor(private readonly eventsRetentionMs: number) {}

  /** @throws Refusal BadRequest where the connection is not a destination that accepts events. */
  checkKind(
    delivery: ConnectionDelivery | null | undefined,
    connector: Connector,
    role: ConnectionRole,
  ): void {
    if (delivery == null) return;
    if (role === 'Destination' && connector.eventDestination !== undefined) return;
    const message = 'must be null: only a destination that takes events has it';
    throw new Refusal('BadRequest', { details: [{ path: '/delivery', message }] });
  }

  /** @throws Refusal InvalidSettings where the maximum age exceeds the retention of events less a day. */
  checkAge(delivery: ConnectionDelivery | null | undefined): void {
    const most = Math.floor((this.eventsRetentionMs - DAY_MS) / 1_000);
    if ((delivery?.maxAgeSeconds ?? 0) <= most) return;
    const message = `must be at most ${String(most)}: the seconds for which events are kept, less a day`;
    throw new Refusal('InvalidSettings', { details: [{ path: '/delivery/maxAge', message }] });
  }
}
