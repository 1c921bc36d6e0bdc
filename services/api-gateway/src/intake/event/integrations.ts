import { type Integrations, isNameOfDestination } from '@penstock/contracts';
import type { Leaf } from './leaf';

/**
 * Reads which destinations may receive an event. SDKs also send an object of options in place of `true`.
 *
 * @param raw compact text of an object.
 * @returns `null` when it excludes no destination.
 */
export const integrationsOf = (raw: Leaf | undefined): Integrations | null => {
  if (raw === undefined || raw === '{}' || raw === '{"All":true}') return null;
  const members = Object.entries(JSON.parse(raw) as Record<string, unknown>);
  const choices = members.flatMap(([name, value]): [string, boolean][] =>
    isNameOfDestination(name) &&
    (typeof value === 'boolean' || (typeof value === 'object' && value !== null))
      ? [[name, value !== false]]
      : [],
  );
  return choices.some(([, isWanted]) => !isWanted) ? Object.fromEntries(choices) : null;
};
