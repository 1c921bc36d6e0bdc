import { nearestName } from '@penstock/schema';

/** Returns `; did you mean "…"?` when a known name is similar, else an empty text. */
export const suggestion = (name: string, names: Iterable<string>): string => {
  const meant = nearestName(name, names);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
};
