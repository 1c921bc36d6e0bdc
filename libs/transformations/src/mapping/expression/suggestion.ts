import { nearestName } from '@penstock/schema';

/** `; did you mean "…"?` where a known name is near, else nothing. */
export const suggestion = (name: string, names: Iterable<string>): string => {
  const meant = nearestName(name, names);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
};
