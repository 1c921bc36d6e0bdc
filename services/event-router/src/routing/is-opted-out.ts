import type { ConnectionId, Integrations } from '@penstock/contracts';

/** The names of a destination that an event's `integrations` may use. */
export interface NamedDestination {
  readonly lane: ConnectionId;
  /** Code of the connector. */
  readonly connector: string;
  readonly label: string;
}

/** Whether the event's `integrations` exclude the destination: its own entry takes precedence over `All`. */
export const isOptedOut = (
  integrations: Integrations | null,
  { lane, connector, label }: NamedDestination,
): boolean => {
  if (integrations === null) return false;
  const own = [lane, connector, label].find((name) => Object.hasOwn(integrations, name));
  return integrations[own ?? 'All'] === false;
};
