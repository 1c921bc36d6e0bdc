import type { ConnectionId, Integrations } from '@penstock/contracts';

/** A destination by the names that an event may call it. */
export interface NamedDestination {
  readonly lane: ConnectionId;
  /** Code of the connector. */
  readonly connector: string;
  readonly label: string;
}

/** Whether the event's `integrations` keep it from the destination: its own entry counts before `All`. */
export const isOptedOut = (
  integrations: Integrations | null,
  { lane, connector, label }: NamedDestination,
): boolean => {
  if (integrations === null) return false;
  const own = [lane, connector, label].find((name) => Object.hasOwn(integrations, name));
  return integrations[own ?? 'All'] === false;
};
