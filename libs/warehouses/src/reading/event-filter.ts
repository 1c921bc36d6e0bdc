import { EVENT_SCHEMA } from '@penstock/contracts';
import type { Condition, Filter } from '@penstock/filters';
import { resolvePath } from '@penstock/schema';

/** A filter of events, by who decides it. */
export interface EventFilter {
  /** What the database selects by; `null`: all. */
  readonly selecting: Filter | null;
  /** What selected events have to match still; `null`: nothing. */
  readonly checking: Filter | null;
}

const isOfJson = ({ path }: Condition): boolean =>
  resolvePath(EVENT_SCHEMA, path)?.type.kind === 'json';

/**
 * Conditions inside JSON are decided here: the database has no moments in JSON, and orders numbers and texts in it in
 * another way. It selects by the others, where all have to hold.
 */
export const eventFilter = (filter: Filter | null): EventFilter => {
  if (filter?.conditions.some(isOfJson) !== true) return { selecting: filter, checking: null };
  const conditions = filter.conditions.filter((condition) => !isOfJson(condition));
  const isSelecting = filter.logical === 'and' && conditions.length > 0;
  return { selecting: isSelecting ? { ...filter, conditions } : null, checking: filter };
};
